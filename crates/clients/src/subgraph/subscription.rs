//! Subscriptions to a subgraph.
//!
//! [`SubscriptionClient::subscribe`] returns a [`Listener`]. Equal subscriptions share one upstream
//! subscription over all threads; the thread of the first listener runs it, in a task that reconnects
//! after a loss. Upstream subscriptions with equal headers share WebSockets.
//!
//! * [`settings`]: protocol and limits
//! * `client`: begins a subscription
//! * `upstreams`: running subscriptions and their listeners; `mailbox`: the queue of a listener
//! * `reconnect`: the task of an upstream subscription
//! * `source`: source stream of any protocol, and the opening of connections
//! * `sockets`: pool of WebSockets; `socket`: one of them; `message`: messages of both subprotocols
//! * `http_stream`: responses of many events; `event_stream`: server-sent events; `multipart`: parts

mod client;
mod event_stream;
mod http_stream;
mod mailbox;
mod message;
mod multipart;
mod reconnect;
pub mod settings;
mod socket;
mod sockets;
mod source;
mod upstreams;

pub use client::{SubscriptionClient, SubscriptionRequest};
pub use mailbox::Event;
pub use settings::{SubscriptionProtocol, SubscriptionSettings, SubscriptionUrl};
pub(super) use sockets::Sockets;
pub use upstreams::Listener;
pub(super) use upstreams::Upstreams;
