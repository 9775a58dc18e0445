//! Retries with backoff of transactions that failed because of others.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// Time limit of retries.
const PATIENCE: Duration = Duration::from_secs(10);
/// The first pause; each one is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The tries of one transaction.
#[derive(Debug)]
pub(super) struct Backoff {
    started: Instant,
    pause: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { started: Instant::now(), pause: FIRST_PAUSE }
    }
}

impl Backoff {
    /// Waits until it may be tried again; `false` if it was tried for long enough.
    pub(super) async fn wait(&mut self) -> bool {
        let Some(pause) = self.pause_after(self.started.elapsed()) else { return false };
        // Jitter: conflicting transactions should not retry at the same time.
        sleep(pause / 2 + part(pause / 2)).await;
        true
    }

    /// The longest pause before the next attempt, after this elapsed time.
    fn pause_after(&mut self, elapsed: Duration) -> Option<Duration> {
        let pause = self.pause;
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        (elapsed < PATIENCE).then_some(pause)
    }
}

/// A random part of a time (jitter).
fn part(of: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) % 1_024;
    of * u32::try_from(random).unwrap_or(0) / 1_024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let mut again = Backoff::default();
        let mut elapsed = Duration::ZERO;
        let mut pauses = Vec::new();
        while let Some(pause) = again.pause_after(elapsed) {
            elapsed += pause;
            pauses.push(pause.as_millis());
        }
        assert_eq!(pauses[..8], [10, 20, 40, 80, 160, 320, 640, 1_000]);
        assert_eq!(pauses.len(), 16);
        assert!(elapsed >= PATIENCE);
    }

    #[test]
    fn no_two_wait_for_the_same_time() {
        let most = Duration::from_millis(100);
        let parts: Vec<Duration> = (0..64).map(|_| part(most)).collect();
        assert!(parts.iter().all(|own| *own < most));
        assert!(parts.iter().any(|own| *own != parts[0]));
    }
}
