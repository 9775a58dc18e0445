//! HTTP client for GraphQL requests to a subgraph.
//!
//! A [`Client`] belongs to one thread and one subgraph. [`Shared`] is the state of a subgraph that
//! all threads share, [`Settings`] its configuration. In the order of a request:
//!
//! * [`request`]: request, response and error types
//! * `client`: one request, with its retries, within its timeout
//! * `deduplication`: deduplication of identical queries in flight
//! * `bulkhead`: limit of concurrent requests to a subgraph
//! * [`circuit_breaker`]: circuit breaker: no requests to a failing subgraph for a while
//! * `retry_budget`: retry budget
//! * `head`: request headers
//! * `pool`: pool of kept-alive connections; `dial`, `socket` and [`tls`] open new ones
//! * `http1`, `http2`: one request over a connection
//! * `body`: response body, up to a size limit
//! * `media`: content type, coding and status of a response
//! * [`subscription`]: subscriptions, over WebSockets and as streamed responses
//! * [`statistics`]: counters for metrics

mod body;
mod bulkhead;
mod caching;
mod circuit_breaker;
mod client;
mod deduplication;
mod dial;
pub mod endpoint;
mod head;
mod http1;
mod http2;
mod media;
mod pool;
pub mod request;
mod retry_budget;
pub mod settings;
pub mod shared;
mod socket;
pub mod statistics;
pub mod subscription;
pub mod tls;

pub use bulkhead::Permit;
pub use caching::ResponseCaching;
pub use circuit_breaker::BreakerState;
pub use client::Client;
pub(crate) use deduplication::Key;
pub use endpoint::{Endpoint, EndpointError};
pub use request::{SubgraphError, SubgraphRequest, SubgraphResponse, Unavailable};
pub use settings::{BreakerSettings, Compression, Http2, Settings};
pub use shared::Shared;
pub use statistics::{ErrorKind, Statistics};
pub use subscription::{
    CallbackReply, CallbackSubscription, Callbacks, Event, EventBudget, Listener,
    RunningSubscriptions, SharedResponse, SubscriptionClient, SubscriptionCounts,
    SubscriptionProtocol, SubscriptionRequest, SubscriptionSettings,
};
pub(crate) use subscription::{EndGuard, Upstream, UpstreamKey, Upstreams};
pub use tls::{OwnCertificate, Tls, TlsError, TlsFiles};
