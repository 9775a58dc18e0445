//! What is asked of a subgraph, what comes back, and why nothing came.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::HeaderMap;

/// A GraphQL request.
#[derive(Clone)]
pub struct Ask<'a> {
    /// The JSON of the request: <https://graphql.github.io/graphql-over-http/draft/#sec-Request>.
    pub body: Bytes,
    /// What is sent beside the headers that a request always has. What frames the body or belongs
    /// to the connection is left out, and the content type and what is accepted are what they are.
    pub headers: &'a HeaderMap,
    /// Nothing else is sent again.
    pub is_query: bool,
    /// When nobody waits any more; the timeout of the subgraph may be sooner.
    pub deadline: Option<Instant>,
    /// Is asked before so many bytes more are kept, and says whether there is memory for them. What
    /// was kept of an attempt that failed is not given back.
    pub hold: &'a dyn Fn(usize) -> bool,
}

/// What a subgraph answered: JSON by its content type, whatever the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    #[error("it cannot be reached: {0}")]
    Unavailable(Unavailable),
    #[error("it did not answer in time")]
    Timeout,
    #[error("its answer has more than {most} bytes")]
    TooLarge { most: u64 },
    #[error("{}", status(*.0))]
    Status(u16),
    /// Half an answer, or something that is no HTTP.
    #[error("the answer broke off: {0}")]
    Broken(Arc<str>),
    /// The connection ended before an answer began.
    #[error("the answer broke off: {0}")]
    Closed(Arc<str>),
    /// The content type of the answer, or its coding, is not one that GraphQL comes in.
    #[error("what it sent is no GraphQL: {0}")]
    NotGraphQl(Arc<str>),
    #[error("there is no memory for the answer")]
    MemoryExhausted,
    #[error("it has as many requests as it may have, and answers none of them")]
    Overloaded,
    #[error("it failed too often and is not asked for another {:?}", left(*until))]
    BreakerOpen { until: Instant },
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    #[error("its name is not known: {0}")]
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

/// A redirect is not followed: the subgraph is where the supergraph or the settings say.
fn status(status: u16) -> String {
    match status {
        300..400 => format!("it redirects with status {status}, which is not followed"),
        _ => format!("it answered with status {status}"),
    }
}

/// Nobody needs it more exactly.
fn left(until: Instant) -> Duration {
    let left = until.saturating_duration_since(Instant::now());
    Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
}

impl fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("bytes", &self.body.len())
            .field("is_query", &self.is_query)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
