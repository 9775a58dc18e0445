//! Clients of other servers. No other crate opens outgoing HTTP connections.
//!
//! * [`subgraph`]: GraphQL requests to subgraphs, many a second: connection pool, retries, circuit
//!   breaker, bulkhead, deduplication
//! * [`byte_cache`]: a cache of bytes by keys, in memory or in Redis
//! * [`broker`]: events of NATS and Redis, and their subscriptions
//! * [`coding`]: compression and decompression of bodies, also for the server
//! * [`connect`]: connections with TLS, also for other senders
//! * [`histogram`]: histograms of durations, for metrics, also for the server
//! * [`log_throttle`]: rate-limited logging, also for the server
//! * [`pem`]: certificates and private keys in files, also for the server
//! * [`egress`]: requests to servers that definitions name: only to allowed hosts, and not to private
//!   addresses
//! * [`hosts`]: lists of hosts, also for the server
//! * [`http`]: download of one document, with limits for size and time
//! * [`redis_client`]: what several servers share in a Redis: rate limits
//! * [`jwks`]: background refresh of a document: the keys of a token issuer

// Tests name the crate as its users do.
#[cfg(test)]
extern crate self as clients;

pub mod broker;
pub mod byte_cache;
pub mod coding;
pub mod connect;
pub mod egress;
pub mod histogram;
pub mod hosts;
pub mod http;
pub mod jwks;
pub mod log_throttle;
pub mod pem;
pub mod redis_client;
pub mod subgraph;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
mod tests;

pub use hyper::HeaderMap;

pub use http::{Fetched, GetError, UrlError};
pub use jwks::{RefreshedDocument, RefreshedDocuments};
