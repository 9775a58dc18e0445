//! How many clients the process has, over all threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::seldom::Seldom;

/// Shared by all threads.
#[derive(Debug)]
pub(crate) struct Clients {
    count: AtomicUsize,
    /// Counts how often a thread found no room: the others give up what they can.
    pressure: watch::Sender<u64>,
    pub(super) refused: Seldom,
    pub(super) exhausted: Seldom,
}

/// One client's place among those that there may be.
#[derive(Debug)]
pub(super) struct Seat(Arc<Clients>);

/// Between two lines of the log that say the same.
const PAUSE: Duration = Duration::from_secs(10);

impl Default for Clients {
    fn default() -> Self {
        Self {
            count: AtomicUsize::new(0),
            pressure: watch::Sender::new(0),
            refused: Seldom::new(PAUSE),
            exhausted: Seldom::new(PAUSE),
        }
    }
}

impl Clients {
    /// Takes a place, if there are fewer than `most`.
    pub(super) fn take(self: &Arc<Self>, most: usize) -> Option<Seat> {
        let taken = self.count.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < most).then_some(count + 1)
        });
        taken.ok().map(|_| Seat(Arc::clone(self)))
    }

    /// Takes a place that somebody is about to leave.
    pub(super) fn take_beyond(self: &Arc<Self>) -> Seat {
        self.count.fetch_add(1, Ordering::AcqRel);
        Seat(Arc::clone(self))
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Asks all threads for room.
    pub(super) fn press(&self) {
        self.pressure.send_modify(|count| *count += 1);
    }

    pub(super) fn pressure(&self) -> watch::Receiver<u64> {
        self.pressure.subscribe()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}
