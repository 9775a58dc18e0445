//! Subscriptions to a subgraph.
//!
//! [`SubscriptionClient::subscribe`] returns a [`Listener`]. Equal subscriptions share one upstream
//! subscription over all threads; the thread of the first listener runs it, in a task that reconnects
//! after a loss. Upstream subscriptions with equal headers share WebSockets.
//!
//! * [`settings`]: protocol and limits
//! * `client`: begins a subscription
//! * `running`: running subscriptions; `upstreams`: those with their listeners; `mailbox`: the queue
//!   of a listener; `event_memory`: the memory of queued events
//! * `reconnect`: the task of an upstream subscription
//! * `source`: source stream of any protocol; `source_event`: its events; `opener`: opening of
//!   connections for it
//! * `operation`: operation over a WebSocket; `socket_pool`: pool of WebSockets; `socket`: one of
//!   them; `message`: messages of both subprotocols
//! * `http_response`: a request over HTTP and its response; `http_stream`: responses of many events;
//!   `event_stream`: server-sent events; `multipart`: parts
//! * `callback_stream`: events that a subgraph sends to a callback URL; `callbacks`: the subscriptions
//!   that wait for them; `callback_message`: their messages

mod callback_message;
mod callback_stream;
mod callbacks;
mod client;
mod event_memory;
mod event_stream;
mod http_response;
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

pub use callbacks::{CallbackReply, CallbackSubscription, Callbacks};
pub use client::{SubscriptionClient, SubscriptionRequest};
pub use event_memory::EventBudget;
pub use mailbox::{Event, SharedResponse};
pub use running::{RunningSubscriptions, SubscriptionCounts};
pub use settings::{SubscriptionProtocol, SubscriptionSettings, SubscriptionUrl};
pub use upstreams::Listener;
pub(crate) use upstreams::{EndGuard, Upstream, UpstreamKey, Upstreams};
