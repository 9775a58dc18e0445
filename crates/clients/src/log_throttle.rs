//! Rate-limited logging: an event that may occur thousands of times is logged once per interval, with
//! the number of occurrences.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Counts an event, and limits the rate of its log lines.
#[derive(Debug)]
pub struct LogThrottle {
    interval: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    last: Option<Instant>,
    suppressed: u64,
}

impl LogThrottle {
    #[must_use]
    pub const fn new(interval: Duration) -> Self {
        Self { interval, state: Mutex::new(State { last: None, suppressed: 0 }) }
    }

    /// Counts an occurrence. Returns the count since the last log line if the event should be logged
    /// now.
    #[must_use]
    pub fn record(&self) -> Option<u64> {
        // Nothing panics while it holds the lock; the count is right in any case.
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.suppressed += 1;
        let is_due = state.last.is_none_or(|last| last.elapsed() >= self.interval);
        is_due.then(|| {
            state.last = Some(Instant::now());
            std::mem::take(&mut state.suppressed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_logged_and_the_next_are_counted() {
        let rare = LogThrottle::new(Duration::from_secs(3600));
        assert_eq!(rare.record(), Some(1));
        assert_eq!(rare.record(), None);
        let frequent = LogThrottle::new(Duration::ZERO);
        assert_eq!([frequent.record(), frequent.record()], [Some(1), Some(1)]);
    }
}
