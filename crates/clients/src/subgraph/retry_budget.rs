//! Retry budget: a limit of the retries to a subgraph, so that retries do not add load to an
//! overloaded subgraph (a retry storm).

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// Retries that each request adds to the budget: a tenth,
const TOKENS_PER_REQUEST: f64 = 0.1;

/// Retries that each second adds, so that retries are possible at a low request rate.
const TOKENS_PER_SECOND: f64 = 1.0;

/// Maximum of unused retries.
const MAX_TOKENS: f64 = 10.0;

/// A token bucket. It is refilled when a token is taken, so a request that succeeds costs nothing.
#[derive(Debug)]
pub(super) struct RetryBudget(Mutex<Bucket>);

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    /// Number of requests and time at the last refill.
    requests: u64,
    at: Instant,
}

impl RetryBudget {
    pub(super) fn new(now: Instant) -> Self {
        Self(Mutex::new(Bucket { tokens: MAX_TOKENS, requests: 0, at: now }))
    }

    /// Takes a token, if there is one; `requests` is the number of requests sent so far.
    pub(super) fn take(&self, requests: u64, now: Instant) -> bool {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = requests.saturating_sub(bucket.requests) as f64;
        let seconds = now.saturating_duration_since(bucket.at).as_secs_f64();
        let filled = bucket.tokens + sent * TOKENS_PER_REQUEST + seconds * TOKENS_PER_SECOND;
        *bucket = Bucket { tokens: filled.min(MAX_TOKENS), requests, at: now };
        let has_one = bucket.tokens >= 1.0;
        if has_one {
            bucket.tokens -= 1.0;
        }
        has_one
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Number of attempts that the budget allows.
    fn given(budget: &RetryBudget, requests: u64, now: Instant) -> usize {
        (0..100).filter(|_| budget.take(requests, now)).count()
    }

    #[test]
    fn a_tenth_of_the_requests_and_one_a_second() {
        let now = Instant::now();
        let budget = RetryBudget::new(now);
        assert_eq!(given(&budget, 0, now), 10, "it begins full");
        assert_eq!(given(&budget, 0, now), 0);
        assert_eq!(given(&budget, 45, now), 4);
        assert_eq!(given(&budget, 45, now + Duration::from_secs(2)), 2);
        assert_eq!(given(&budget, 100_000, now + Duration::from_secs(2)), 10, "and has an end");
        assert_eq!(given(&budget, 100_000, now), 0, "time that goes back gives nothing");
    }
}
