//! Spreads the ends of long connections when the server stops: their clients connect to other servers
//! at once.

use std::time::Duration;

use super::timeouts::ConnectionState;
use crate::jitter::random_part;

/// The longest delay.
const SPREAD: Duration = Duration::from_secs(1);

/// Waits until the server stops, and for a random part of the time in which it drains.
pub(super) async fn drained(state: &ConnectionState, drain_timeout: Duration) {
    state.stopped().await;
    tokio::time::sleep(delay(drain_timeout)).await;
}

/// A random delay, within half of the drain timeout.
fn delay(drain_timeout: Duration) -> Duration {
    random_part(SPREAD.min(drain_timeout / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_differ_and_end_before_the_drain_timeout() {
        let delays: Vec<_> = (0..20).map(|_| delay(Duration::from_secs(10))).collect();
        assert!(delays.iter().all(|delay| *delay <= SPREAD), "{delays:?}");
        assert!(delays.iter().any(|delay| *delay != delays[0]), "{delays:?}");
        assert!(delay(Duration::from_millis(10)) <= Duration::from_millis(5));
    }
}
