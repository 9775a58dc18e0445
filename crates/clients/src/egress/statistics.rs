//! Counters of requests, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{EgressError, EgressResponse};
use crate::histogram::{Durations, Histogram};

/// A snapshot of the counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of requests by outcome, in the order of [`Outcome::ALL`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Bytes of request bodies.
    pub bytes_out: u64,
    /// Bytes of complete response bodies.
    pub bytes_in: u64,
    /// Durations of requests.
    pub durations: Durations,
}

/// Outcomes of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A complete response with a status of success.
    Answered,
    /// Another status, redirects included.
    Status,
    Unavailable,
    Timeout,
    TooLarge,
    /// The response was truncated.
    Broken,
    /// The address is not allowed.
    Refused,
    MemoryExhausted,
    /// The future was dropped before the end of the response.
    Abandoned,
}

/// The counters of one kind of requests, which all threads increment.
#[derive(Debug, Default)]
pub struct Counts {
    outcomes: [AtomicU64; Outcome::ALL.len()],
    bytes_out: AtomicU64,
    bytes_in: AtomicU64,
    durations: Histogram,
}

impl Outcome {
    pub const ALL: [Self; 9] = [
        Self::Answered,
        Self::Status,
        Self::Unavailable,
        Self::Timeout,
        Self::TooLarge,
        Self::Broken,
        Self::Refused,
        Self::MemoryExhausted,
        Self::Abandoned,
    ];

    /// The outcome of a request that ended.
    #[must_use]
    pub fn of(response: &Result<EgressResponse, EgressError>) -> Self {
        match response {
            Ok(response) if (200..300).contains(&response.status) => Self::Answered,
            Ok(_) | Err(EgressError::Redirect(_)) => Self::Status,
            Err(EgressError::HostRefused | EgressError::AddressRefused) => Self::Refused,
            Err(EgressError::Unavailable(_)) => Self::Unavailable,
            Err(EgressError::Timeout) => Self::Timeout,
            Err(EgressError::TooLarge { .. }) => Self::TooLarge,
            Err(EgressError::Truncated(_)) => Self::Broken,
            Err(EgressError::MemoryExhausted) => Self::MemoryExhausted,
        }
    }

    /// Label value in metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Status => "status",
            Self::Unavailable => "unavailable",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
            Self::Broken => "broken",
            Self::Refused => "refused",
            Self::MemoryExhausted => "memory_exhausted",
            Self::Abandoned => "abandoned",
        }
    }
}

impl Counts {
    /// Counts a request with the sizes of its bodies.
    pub fn record(&self, outcome: Outcome, time: Duration, (sent, received): (usize, usize)) {
        if let Some(count) = self.outcomes.get(outcome as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.bytes_out.fetch_add(sent as u64, Ordering::Relaxed);
        self.bytes_in.fetch_add(received as u64, Ordering::Relaxed);
        self.durations.observe(time);
    }

    #[must_use]
    pub fn read(&self) -> Statistics {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Statistics {
            outcomes: self.outcomes.each_ref().map(of),
            bytes_out: of(&self.bytes_out),
            bytes_in: of(&self.bytes_in),
            durations: self.durations.read(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_their_outcome() {
        let counts = Counts::default();
        for (idx, outcome) in Outcome::ALL.into_iter().enumerate() {
            counts.record(outcome, Duration::from_millis(1), (2, 3));
            assert_eq!(counts.read().outcomes[idx], 1, "{outcome:?}");
        }
        let Statistics { bytes_out, bytes_in, durations, .. } = counts.read();
        assert_eq!((bytes_out, bytes_in, durations.buckets()[3]), (18, 27, (0.001, 9)));
    }

    #[test]
    fn redirects_and_other_statuses_are_one_outcome() {
        let answered = |status| {
            let (headers, body) = (hyper::HeaderMap::new(), bytes::Bytes::new());
            Ok(EgressResponse { status, headers, body })
        };
        let check = |response: Result<EgressResponse, EgressError>, expected: &str| {
            assert_eq!(Outcome::of(&response).as_str(), expected, "{response:?}");
        };
        check(answered(204), "answered");
        check(answered(404), "status");
        check(Err(EgressError::Redirect(302)), "status");
        check(Err(EgressError::AddressRefused), "refused");
    }
}
