//! Counters of a subgraph, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::request::SubgraphError;
use crate::histogram::{Durations, Histogram};

/// A snapshot of the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of requests; retries do not count, requests refused by the circuit breaker do.
    pub requests: u64,
    /// Number of requests that shared the response of an identical query in flight.
    pub deduplicated: u64,
    /// Number of retries, for example because a kept-alive connection was closed.
    pub retries: u64,
    /// Bytes of request bodies, as sent.
    pub bytes_out: u64,
    /// Bytes of response bodies, as received.
    pub bytes_in: u64,
    /// Number of errors by kind, in the order of [`ErrorKind::ALL`].
    pub errors: [u64; ErrorKind::ALL.len()],
    /// Durations of requests.
    pub durations: Durations,
    /// Number of open connections.
    pub connections: u64,
}

/// Kinds of [`SubgraphError`], without their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    Unavailable,
    Timeout,
    TooLarge,
    Status,
    Broken,
    NotGraphQl,
    MemoryExhausted,
    BreakerOpen,
    Overloaded,
}

/// The counters, which all threads increment.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) requests: AtomicU64,
    pub(super) deduplicated: AtomicU64,
    pub(super) retries: AtomicU64,
    pub(super) bytes_out: AtomicU64,
    pub(super) bytes_in: AtomicU64,
    errors: [AtomicU64; ErrorKind::ALL.len()],
    durations: Histogram,
    pub(super) connections: AtomicU64,
}

impl ErrorKind {
    pub const ALL: [Self; 9] = [
        Self::Unavailable,
        Self::Timeout,
        Self::TooLarge,
        Self::Status,
        Self::Broken,
        Self::NotGraphQl,
        Self::MemoryExhausted,
        Self::BreakerOpen,
        Self::Overloaded,
    ];

    /// Label value in metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
            Self::Status => "status",
            Self::Broken => "broken",
            Self::NotGraphQl => "not_graphql",
            Self::MemoryExhausted => "memory_exhausted",
            Self::BreakerOpen => "breaker_open",
            Self::Overloaded => "overloaded",
        }
    }
}

impl SubgraphError {
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unavailable(_) => ErrorKind::Unavailable,
            Self::Timeout => ErrorKind::Timeout,
            Self::TooLarge { .. } => ErrorKind::TooLarge,
            Self::Status(_) => ErrorKind::Status,
            Self::Broken(_) | Self::Closed(_) => ErrorKind::Broken,
            Self::NotGraphQl(_) => ErrorKind::NotGraphQl,
            Self::MemoryExhausted => ErrorKind::MemoryExhausted,
            Self::BreakerOpen { .. } => ErrorKind::BreakerOpen,
            Self::Overloaded => ErrorKind::Overloaded,
        }
    }
}

impl Counts {
    pub(super) fn add(count: &AtomicU64, more: u64) {
        count.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn error(&self, kind: ErrorKind) {
        if let Some(count) = self.errors.get(kind as usize) {
            Self::add(count, 1);
        }
    }

    pub(super) fn took(&self, time: Duration) {
        self.durations.observe(time);
    }

    pub(super) fn read(&self) -> Statistics {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Statistics {
            requests: of(&self.requests),
            deduplicated: of(&self.deduplicated),
            retries: of(&self.retries),
            bytes_out: of(&self.bytes_out),
            bytes_in: of(&self.bytes_in),
            errors: self.errors.each_ref().map(of),
            durations: self.durations.read(),
            connections: of(&self.connections),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_their_kind() {
        let counts = Counts::default();
        for (idx, kind) in ErrorKind::ALL.into_iter().enumerate() {
            counts.error(kind);
            assert_eq!(counts.read().errors[idx], 1, "{kind:?}");
        }
    }
}
