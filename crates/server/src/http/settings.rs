//! What the options say about HTTP, in the form in which requests need it.

use std::time::Duration;

use crate::failure::Failure;
use crate::options::{Coding, LoggedRequests, ServingOptions};

/// The same for all threads; a reload replaces it as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(super) body: BodySettings,
    pub(super) compression: CompressionSettings,
    /// From the end of one request to the end of the next one's head: for slow senders, and for
    /// connections that are kept without being used.
    pub(super) header_timeout: Duration,
    /// How long requests may take that were begun before the signal to stop.
    pub(super) drain_timeout: Duration,
    pub(super) watch: WatchSettings,
}

/// What is told of requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchSettings {
    /// Which have a line in the log.
    pub(super) requests: LoggedRequests,
    /// From which time on a request is slow.
    pub(super) slow: Option<Duration>,
    /// Whether answers tell what they took.
    pub(super) server_timing: bool,
}

/// What may come as the body of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodySettings {
    pub(super) most_bytes: usize,
    pub(super) timeout: Duration,
}

/// How answers are compressed.
#[derive(Clone, Debug)]
pub(super) struct CompressionSettings {
    /// The best first.
    pub(super) codings: Box<[Coding]>,
    pub(super) min_size: usize,
}

impl Settings {
    /// Reads the files that options name, too.
    pub(crate) fn new(options: &ServingOptions) -> Result<Self, Failure> {
        let limits = &options.limits;
        Ok(Self {
            body: BodySettings {
                most_bytes: limits.max_body_size.length(),
                timeout: limits.body_timeout.0,
            },
            compression: CompressionSettings {
                codings: options.compression.compression.0.as_slice().into(),
                min_size: options.compression.compression_min_size.length(),
            },
            header_timeout: limits.header_timeout.0,
            drain_timeout: options.drain_timeout.0,
            watch: WatchSettings {
                requests: options.observability.log_requests,
                slow: options.observability.slow_query.0,
                server_timing: options.observability.server_timing(options.is_private()),
            },
        })
    }
}
