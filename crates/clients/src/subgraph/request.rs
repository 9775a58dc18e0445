//! Request, response and errors of a subgraph client.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::HeaderMap;

use super::caching::ResponseCaching;

/// A GraphQL request to a subgraph.
#[derive(Clone)]
pub struct SubgraphRequest<'a> {
    /// JSON of the request: <https://graphql.github.io/graphql-over-http/draft/#sec-Request>.
    pub body: Bytes,
    /// Additional request headers. Headers that frame the body or belong to the connection are
    /// dropped, and `content-type` and `accept` are always the client's own.
    pub headers: &'a HeaderMap,
    /// Whether the operation is a query; only queries are retried and deduplicated.
    pub is_query: bool,
    /// Deadline of the whole request; the timeout of the subgraph may be sooner.
    pub deadline: Option<Instant>,
    /// Reserves memory before so many more bytes are buffered; returns whether the reservation
    /// succeeded. Memory of a failed attempt is not released.
    pub reserve: &'a dyn Fn(usize) -> bool,
}

/// Response of a subgraph: JSON by its content type, whatever the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubgraphResponse {
    pub status: u16,
    pub body: Bytes,
    pub caching: ResponseCaching,
}

/// Reason why there is no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubgraphError {
    #[error("it cannot be reached: {0}")]
    Unavailable(Unavailable),
    #[error("it did not respond in time")]
    Timeout,
    #[error("its response has more than {most} bytes")]
    TooLarge { most: u64 },
    #[error("{}", status(*.0))]
    Status(u16),
    /// A truncated response, or bytes that are not HTTP.
    #[error("its response was truncated: {0}")]
    Broken(Arc<str>),
    /// The connection was closed before a response began.
    #[error("its response was truncated: {0}")]
    Closed(Arc<str>),
    /// The content type or the coding of the response is not one of GraphQL over HTTP.
    #[error("its response is not GraphQL over HTTP: {0}")]
    NotGraphQl(Arc<str>),
    #[error("there is no memory for its response")]
    MemoryExhausted,
    #[error("its limit of concurrent requests is reached, and it does not respond")]
    Overloaded,
    #[error("its circuit breaker is open for another {:?}", left(*until))]
    BreakerOpen { until: Instant },
}

/// Reason why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    #[error("its host name cannot be resolved: {0}")]
    Name(Arc<str>),
    #[error("{0}")]
    Connect(Arc<str>),
    #[error("TLS: {0}")]
    Tls(Arc<str>),
    #[error("no connection within {0:?}")]
    ConnectTimeout(Duration),
    #[error("HTTP: {0}")]
    Protocol(Arc<str>),
}

/// Text of a status. Redirects are not followed: the URL of the subgraph is that of the supergraph
/// or the configuration.
fn status(status: u16) -> String {
    match status {
        300..400 => format!("it responded with the redirect {status}, which is not followed"),
        _ => format!("it responded with status {status}"),
    }
}

/// Rounded to milliseconds, for texts.
fn left(until: Instant) -> Duration {
    let left = until.saturating_duration_since(Instant::now());
    Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
}

impl fmt::Debug for SubgraphRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("bytes", &self.body.len())
            .field("is_query", &self.is_query)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
