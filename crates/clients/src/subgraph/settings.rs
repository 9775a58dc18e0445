//! How a subgraph is asked.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::endpoint::Endpoint;
use super::tls::Tls;
use crate::coding::Coding;

/// How a subgraph is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the log calls it.
    pub name: Arc<str>,
    pub endpoint: Endpoint,
    /// From looking the name up to the end of the TLS handshake.
    pub connect_timeout: Duration,
    /// For a request with all its retries, from the first byte to the last.
    pub timeout: Duration,
    /// The largest answer, after decompression.
    pub most_bytes: u64,
    /// How often a query is sent again that was not answered, as far as the budget goes.
    pub retries: u32,
    pub http2: Http2,
    /// The most connections of a thread by HTTP/1.1; whoever finds all of them busy waits.
    pub connections: usize,
    /// The most requests at once, of all threads.
    pub most_requests: Option<NonZeroU32>,
    /// How long a connection is kept that nobody uses.
    pub idle: Duration,
    /// Without it nothing is sent compressed, and nothing compressed is asked for.
    pub compression: Option<Compression>,
    pub breaker: Option<Breaker>,
    /// Whether a query that is under way is not sent a second time.
    pub deduplicate: bool,
    /// Needed where the endpoint begins with `https://`.
    pub tls: Option<Tls>,
}

/// When HTTP/2 is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http2 {
    Never,
    /// If the server wants it and the connection is encrypted:
    /// <https://www.rfc-editor.org/rfc/rfc9113#section-3.2>.
    Negotiated,
    /// It is known that the server speaks it:
    /// <https://www.rfc-editor.org/rfc/rfc9113#section-3.3>.
    PriorKnowledge,
}

/// What is compressed and how. Answers may be compressed in each way that is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// How requests are compressed; none are without it, since not every server reads them.
    pub requests: Option<Coding>,
    /// The size from which on a request is compressed.
    pub min_size: usize,
}

/// When a subgraph is left alone, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breaker {
    /// Of a hundred requests so many have failed.
    pub percent: u8,
    /// With fewer requests than this in the window nothing is concluded.
    pub of: u32,
    /// How far is looked back.
    pub window: Duration,
    /// How long it is not asked, until one request tries it.
    pub pause: Duration,
}
