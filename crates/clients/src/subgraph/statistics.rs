//! What happened with a subgraph so far, for whoever reads metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::ask::AskError;

/// Upper bounds in microseconds of how long a request took, those of the server's own requests.
pub const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

/// What happened until now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// What was asked, each once however often it was sent. What the breaker refused is among it.
    pub requests: u64,
    /// What got the answer of an equal query that was under way.
    pub deduplicated: u64,
    /// What was sent again, because a kept connection had ended among others.
    pub retries: u64,
    /// Of bodies, as they were sent.
    pub bytes_out: u64,
    /// Of bodies, as they were received.
    pub bytes_in: u64,
    /// By kind, in the order of [`ErrorKind::ALL`].
    pub errors: [u64; ErrorKind::ALL.len()],
    /// By bound; the last is for what took longer.
    pub times: [u64; BOUNDS.len() + 1],
    pub nanoseconds: u64,
    /// Connections that are open now.
    pub connections: u64,
}

/// The errors, without what they say.
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

/// The counts themselves, written by all threads.
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

    /// As metrics name it.
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

impl AskError {
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
