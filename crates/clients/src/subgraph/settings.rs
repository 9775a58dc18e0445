//! Configuration of a subgraph client.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::endpoint::Endpoint;
use super::tls::Tls;
use crate::coding::Coding;

/// Configuration of a subgraph client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name in the log.
    pub name: Arc<str>,
    pub endpoint: Endpoint,
    /// Timeout from name resolution to the end of the TLS handshake.
    pub connect_timeout: Duration,
    /// Timeout of a request with all its retries, to the last byte of the response.
    pub timeout: Duration,
    /// Maximum size of a response, after decompression.
    pub most_bytes: u64,
    /// Maximum number of retries of a query, within the retry budget.
    pub retries: u32,
    pub http2: Http2,
    /// Maximum number of HTTP/1.1 connections of a thread; requests wait while all are busy.
    pub connections: usize,
    /// Bulkhead: maximum number of concurrent requests, over all threads.
    pub most_requests: Option<NonZeroU32>,
    /// Idle timeout of kept-alive connections.
    pub idle: Duration,
    /// `None` disables compression of requests and responses.
    pub compression: Option<Compression>,
    pub breaker: Option<BreakerSettings>,
    /// Whether identical queries in flight share one request.
    pub deduplicate: bool,
    /// Required for `https://` endpoints.
    pub tls: Option<Tls>,
}

/// Use of HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http2 {
    Never,
    /// If the server chooses it in the TLS handshake (ALPN):
    /// <https://www.rfc-editor.org/rfc/rfc9113#section-3.2>.
    Negotiated,
    /// Always, by prior knowledge:
    /// <https://www.rfc-editor.org/rfc/rfc9113#section-3.3>.
    PriorKnowledge,
}

/// Compression of bodies. Responses may come in every coding of [`Coding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Coding of request bodies; `None` by default, since not every server decompresses them.
    pub requests: Option<Coding>,
    /// Minimum size of a request body that is compressed.
    pub min_size: usize,
}

/// Thresholds of the circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Percentage of failed requests that opens the breaker.
    pub percent: u8,
    /// Minimum number of requests in the window.
    pub min_requests: u32,
    /// Length of the sliding window.
    pub window: Duration,
    /// Time until a trial request is sent.
    pub pause: Duration,
}
