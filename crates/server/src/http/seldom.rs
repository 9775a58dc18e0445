//! What happens thousands of times and is said once.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Counts what happens, and tells now and then how often it did.
#[derive(Debug)]
pub(super) struct Seldom {
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    last: Option<Instant>,
    untold: u64,
}

impl Seldom {
    pub(super) const fn new(pause: Duration) -> Self {
        Self { pause, state: Mutex::new(State { last: None, untold: 0 }) }
    }

    /// How often it happened since it was told last, if that is long ago.
    pub(super) fn happens(&self) -> Option<u64> {
        // Nothing panics while it holds the lock; the count is right in any case.
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.untold += 1;
        let is_due = state.last.is_none_or(|last| last.elapsed() >= self.pause);
        is_due.then(|| {
            state.last = Some(Instant::now());
            std::mem::take(&mut state.untold)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_and_the_next_are_counted() {
        let seldom = Seldom::new(Duration::from_secs(3600));
        assert_eq!(seldom.happens(), Some(1));
        assert_eq!(seldom.happens(), None);
        let often = Seldom::new(Duration::ZERO);
        assert_eq!([often.happens(), often.happens()], [Some(1), Some(1)]);
    }
}
