//! Counters of a subgraph, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::request::SubgraphError;

/// Upper bounds of the buckets of request durations, in microseconds; equal to those of the
/// server's own requests.
pub const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

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
    /// Number of requests by bucket; the last bucket has no upper bound.
    pub times: [u64; BOUNDS.len() + 1],
    pub nanoseconds: u64,
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
    times: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
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
        let place = BOUNDS.partition_point(|bound| Duration::from_micros(*bound) < time);
        if let Some(count) = self.times.get(place) {
            Self::add(count, 1);
        }
        Self::add(&self.nanoseconds, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
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
            times: self.times.each_ref().map(of),
            nanoseconds: of(&self.nanoseconds),
            connections: of(&self.connections),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket() {
        let counts = Counts::default();
        for micros in [100, 101, 10_000_001] {
            counts.took(Duration::from_micros(micros));
        }
        let read = counts.read();
        assert_eq!((read.times[0], read.times[1], read.times[16]), (1, 1, 1));
        assert_eq!(read.nanoseconds, 10_000_202_000);
    }

    #[test]
    fn errors_are_counted_by_their_kind() {
        let counts = Counts::default();
        for (idx, kind) in ErrorKind::ALL.into_iter().enumerate() {
            counts.error(kind);
            assert_eq!(counts.read().errors[idx], 1, "{kind:?}");
        }
    }
}
