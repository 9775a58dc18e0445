//! The delay of each answer.
//!
//! A timer of the runtime is late by one to two milliseconds, which beside ten of them is much: a
//! thread that sleeps is woken within a tenth of one.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// Waits before answers, all equally long.
#[derive(Debug)]
pub(super) struct Delay {
    duration: Duration,
    waiting: Sender<Waiting>,
}

/// Waiting answers by their time.
type Waiting = (Instant, oneshot::Sender<()>);

impl Delay {
    /// `None` if nothing is waited for.
    pub(super) fn new(duration: Duration) -> io::Result<Option<Self>> {
        if duration.is_zero() {
            return Ok(None);
        }
        let (waiting, all) = channel();
        thread::Builder::new().name("delay".into()).spawn(move || wake(&all))?;
        Ok(Some(Self { duration, waiting }))
    }

    pub(super) async fn wait(&self) {
        let (wake, woken) = oneshot::channel();
        // Without the thread nothing would be waited for, and its end is told by nobody else.
        let is_told = self.waiting.send((Instant::now() + self.duration, wake)).is_ok();
        assert!(is_told && woken.await.is_ok(), "nobody wakes who waits");
    }
}

/// All wait equally long, so that who came first is woken first.
fn wake(all: &Receiver<Waiting>) {
    for (until, waiting) in all {
        thread::sleep(until.saturating_duration_since(Instant::now()));
        // Whoever asked may have gone.
        let _ = waiting.send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_is_woken_too_early_and_all_are() {
        assert!(Delay::new(Duration::ZERO).unwrap().is_none());
        let delay = Delay::new(Duration::from_millis(5)).unwrap().unwrap();
        let started = Instant::now();
        let wait = async || {
            delay.wait().await;
            started.elapsed()
        };
        let all: [Duration; 3] = tokio::join!(wait(), wait(), wait()).into();
        assert!(all.iter().all(|waited| *waited >= delay.duration), "{all:?}");
    }
}
