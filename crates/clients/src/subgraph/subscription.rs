//! Subscriptions to a subgraph.
//!
//! [`SubscriptionClient::subscribe`] returns a [`Listener`]. Equal subscriptions share one upstream
//! subscription over all threads; the thread of the first listener runs it, in a task that reconnects
//! after a loss. Upstream subscriptions with equal headers share WebSockets.
//!
//! * [`settings`]: protocol and limits
//! * `client`: begins a subscription
//! * `running`: running subscriptions; `upstreams`: those with their listeners; `mailbox`: the queue
//!   of a listener
//! * `reconnect`: the task of an upstream subscription
//! * `source`: source stream of any protocol; `source_event`: its events; `opener`: opening of
//!   connections for it
//! * `operation`: operation over a WebSocket; `socket_pool`: pool of WebSockets; `socket`: one of
//!   them; `message`: messages of both subprotocols
//! * `http_stream`: responses of many events; `event_stream`: server-sent events; `multipart`: parts

mod client;
mod event_stream;
mod http_stream;
mod mailbox;
mod message;
mod multipart;
mod opener;
mod operation;
mod reconnect;
mod running;
pub mod settings;
mod socket;
mod socket_pool;
mod source;
mod source_event;
mod upstreams;

pub use client::{SubscriptionClient, SubscriptionRequest};
pub use mailbox::{Event, SharedResponse};
pub use running::RunningSubscriptions;
pub use settings::{SubscriptionProtocol, SubscriptionSettings, SubscriptionUrl};
pub use upstreams::Listener;
pub(crate) use upstreams::{EndGuard, Upstream, UpstreamKey, Upstreams};
