//! How often requests are sent again: a subgraph that fails because it is asked too much must not
//! be asked more.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// A tenth of the requests may be sent again,
const A_REQUEST: f64 = 0.1;

/// and one in a second, so that something is tried where little is asked.
const A_SECOND: f64 = 1.0;

/// What was not used is kept up to so many.
const MOST: f64 = 10.0;

/// A bucket of tokens. It fills when it is looked into: a request that succeeds costs nothing.
#[derive(Debug)]
pub(super) struct Budget(Mutex<Bucket>);

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    /// The count of requests and the time of the last look.
    requests: u64,
    at: Instant,
}

impl Budget {
    pub(super) fn new(now: Instant) -> Self {
        Self(Mutex::new(Bucket { tokens: MOST, requests: 0, at: now }))
    }

    /// Takes a token, if there is one; `requests` counts those that were sent until now.
    pub(super) fn take(&self, requests: u64, now: Instant) -> bool {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = requests.saturating_sub(bucket.requests) as f64;
        let seconds = now.saturating_duration_since(bucket.at).as_secs_f64();
        let filled = bucket.tokens + asked * A_REQUEST + seconds * A_SECOND;
        *bucket = Bucket { tokens: filled.min(MOST), requests, at: now };
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

    /// How many of so many attempts are given.
    fn given(budget: &Budget, requests: u64, now: Instant) -> usize {
        (0..100).filter(|_| budget.take(requests, now)).count()
    }

    #[test]
    fn a_tenth_of_the_requests_and_one_a_second() {
        let now = Instant::now();
        let budget = Budget::new(now);
        assert_eq!(given(&budget, 0, now), 10, "it begins full");
        assert_eq!(given(&budget, 0, now), 0);
        assert_eq!(given(&budget, 45, now), 4);
        assert_eq!(given(&budget, 45, now + Duration::from_secs(2)), 2);
        assert_eq!(given(&budget, 100_000, now + Duration::from_secs(2)), 10, "and has an end");
        assert_eq!(given(&budget, 100_000, now), 0, "time that goes back gives nothing");
    }
}
