//! GraphQL requests to a subgraph over HTTP, and their answers.
//!
//! A [`Client`] belongs to one thread and one subgraph, what all threads know of the subgraph is
//! [`Shared`], and [`Settings`] say how it is asked. In the order of a request:
//!
//! * [`ask`]: what is asked, what comes back, and why nothing came
//! * `client`: one request, with its retries, within its time
//! * `flight`: equal queries that are under way are sent once
//! * `bulkhead`: how many requests to a subgraph there are at once
//! * [`circuit`]: a subgraph that fails too often is left alone for a while
//! * `budget`: how often requests may be sent again
//! * `head`: the head of a request
//! * `pool`: connections that are kept; `dial`, `socket` and [`tls`] make new ones
//! * `http1`, `http2`: a request over a connection
//! * `body`: the bytes of an answer, up to a limit
//! * `media`: what the head of an answer says about its body
//! * [`statistics`]: what happened so far

pub mod ask;
mod body;
mod budget;
mod bulkhead;
mod circuit;
mod client;
mod dial;
pub mod endpoint;
mod flight;
mod head;
mod http1;
mod http2;
mod media;
mod pool;
pub mod settings;
pub mod shared;
mod socket;
pub mod statistics;
pub mod tls;

pub use ask::{Answer, Ask, AskError, Unavailable};
pub use bulkhead::Permit;
pub use circuit::BreakerState;
pub use client::Client;
pub use endpoint::{Endpoint, EndpointError};
pub use settings::{Breaker, Compression, Http2, Settings};
pub use shared::Shared;
pub use statistics::{ErrorKind, Statistics};
pub use tls::{OwnCertificate, Tls, TlsError, TlsFiles};
