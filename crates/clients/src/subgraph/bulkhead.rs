//! The bulkhead of a subgraph: the most requests to it at once, of all threads. What waits for one
//! subgraph holds places that requests to others need.
//!
//! While the subgraph answers, whoever finds no place waits for one, for a bounded time. Once somebody
//! has waited in vain the subgraph is taken to hang, and nobody waits until it answers again.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// The longest wait for a place.
const PATIENCE: Duration = Duration::from_secs(1);

/// The places of a subgraph, shared by all threads.
#[derive(Debug)]
pub(super) struct Bulkhead {
    places: Semaphore,
    most: u32,
    /// Whether somebody waited in vain, and nothing was answered since.
    is_stuck: AtomicBool,
    waiting: AtomicU32,
}

/// The permission for one request, until it is dropped.
#[derive(Debug)]
pub struct Permit<'b> {
    bulkhead: &'b Bulkhead,
    _permit: SemaphorePermit<'b>,
}

/// There is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Bulkhead {
    pub(super) fn new(most: u32) -> Self {
        let most = most.max(1);
        Self {
            places: Semaphore::new(most as usize),
            most,
            is_stuck: AtomicBool::new(false),
            waiting: AtomicU32::new(0),
        }
    }

    /// A place for one request.
    pub(super) async fn enter(&self) -> Result<Permit<'_>, Full> {
        if let Some(place) = self.try_enter() {
            return Ok(place);
        }
        if self.is_stuck.load(Ordering::Relaxed) {
            return Err(Full);
        }
        let _waiting = Waiting::new(&self.waiting);
        match timeout(PATIENCE, self.places.acquire()).await {
            Ok(Ok(permit)) => Ok(Permit { bulkhead: self, _permit: permit }),
            // The semaphore is never closed.
            Ok(Err(_)) => Err(Full),
            Err(_) => {
                self.is_stuck.store(true, Ordering::Relaxed);
                Err(Full)
            }
        }
    }

    /// A place, if one is free.
    pub(super) fn try_enter(&self) -> Option<Permit<'_>> {
        let permit = self.places.try_acquire().ok()?;
        Some(Permit { bulkhead: self, _permit: permit })
    }

    /// The number of requests that have a place, and of those that wait for one.
    pub(super) fn load(&self) -> (u32, u32) {
        let free = u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX);
        (self.most.saturating_sub(free), self.waiting.load(Ordering::Relaxed))
    }
}

impl Permit<'_> {
    /// The subgraph has answered this request.
    pub fn answered(&self) {
        if self.bulkhead.is_stuck.load(Ordering::Relaxed) {
            self.bulkhead.is_stuck.store(false, Ordering::Relaxed);
        }
    }
}

/// One that waits; it may be given up.
struct Waiting<'w>(&'w AtomicU32);

impl<'w> Waiting<'w> {
    fn new(waiting: &'w AtomicU32) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;
    use tokio::time::Instant;

    use super::*;

    fn run<R>(test: impl Future<Output = R>) -> R {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(test)
    }

    #[test]
    fn whoever_finds_no_place_waits_while_others_are_answered() {
        run(async {
            let bulkhead = Bulkhead::new(2);
            let (one, two) = (bulkhead.enter().await.unwrap(), bulkhead.enter().await.unwrap());
            let ending = async {
                tokio::time::sleep(PATIENCE / 2).await;
                assert_eq!(bulkhead.load(), (2, 1));
                one.answered();
                drop(one);
            };
            let (entered, ()) = tokio::join!(bulkhead.enter(), ending);
            assert!(entered.is_ok());
            drop((entered, two));
            assert_eq!(bulkhead.load(), (0, 0));
        });
    }

    #[test]
    fn nobody_waits_for_one_that_hangs_until_it_answers() {
        run(async {
            let bulkhead = Bulkhead::new(1);
            let hanging = bulkhead.enter().await.unwrap();
            let (one, other) = tokio::join!(bulkhead.enter(), bulkhead.enter());
            assert_eq!((one.unwrap_err(), other.unwrap_err()), (Full, Full));
            let begun = Instant::now();
            for _ in 0..100 {
                assert_eq!(bulkhead.enter().await.unwrap_err(), Full);
            }
            assert_eq!(begun.elapsed(), Duration::ZERO, "they did not wait");
            // One that was given up or failed leaves its place, and says nothing of the next.
            drop(hanging);
            let again = bulkhead.enter().await.unwrap();
            assert_eq!(bulkhead.enter().await.unwrap_err(), Full);
            assert_eq!(begun.elapsed(), Duration::ZERO);
            again.answered();
            assert_eq!(bulkhead.enter().await.unwrap_err(), Full);
            assert_eq!(begun.elapsed(), PATIENCE, "one that answers is waited for");
        });
    }
}
