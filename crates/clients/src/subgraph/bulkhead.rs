//! Bulkhead of a subgraph: a limit of the concurrent requests to it, over all threads. Requests
//! that wait for one subgraph occupy slots that requests to other subgraphs need.
//!
//! While the subgraph responds, a request without a slot waits for one, for a bounded time. Once a
//! request has waited in vain the subgraph counts as hung, and requests without a slot fail at once
//! until it responds again.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Maximum wait for a slot.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The slots of a subgraph, shared by all threads.
#[derive(Debug)]
pub(super) struct Bulkhead {
    slots: Semaphore,
    most: u32,
    /// Whether a request waited in vain and no response came since.
    is_hung: AtomicBool,
    waiting: AtomicU32,
}

/// A slot for one request, released when it is dropped.
#[derive(Debug)]
pub struct Permit<'b> {
    bulkhead: &'b Bulkhead,
    _permit: SemaphorePermit<'b>,
}

/// Error: no slot is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BulkheadFull;

impl Bulkhead {
    pub(super) fn new(most: u32) -> Self {
        let most = most.max(1);
        Self {
            slots: Semaphore::new(most as usize),
            most,
            is_hung: AtomicBool::new(false),
            waiting: AtomicU32::new(0),
        }
    }

    /// Waits for a slot, for a bounded time.
    pub(super) async fn acquire(&self) -> Result<Permit<'_>, BulkheadFull> {
        if let Some(permit) = self.try_acquire() {
            return Ok(permit);
        }
        if self.is_hung.load(Ordering::Relaxed) {
            return Err(BulkheadFull);
        }
        let _waiting = Waiting::new(&self.waiting);
        match timeout(MAX_WAIT, self.slots.acquire()).await {
            Ok(Ok(permit)) => Ok(Permit { bulkhead: self, _permit: permit }),
            // The semaphore is never closed.
            Ok(Err(_)) => Err(BulkheadFull),
            Err(_) => {
                self.is_hung.store(true, Ordering::Relaxed);
                Err(BulkheadFull)
            }
        }
    }

    /// Takes a slot if one is free.
    pub(super) fn try_acquire(&self) -> Option<Permit<'_>> {
        let permit = self.slots.try_acquire().ok()?;
        Some(Permit { bulkhead: self, _permit: permit })
    }

    /// Number of requests that have a slot, and of those that wait for one.
    pub(super) fn load(&self) -> (u32, u32) {
        let free = u32::try_from(self.slots.available_permits()).unwrap_or(u32::MAX);
        (self.most.saturating_sub(free), self.waiting.load(Ordering::Relaxed))
    }
}

impl Permit<'_> {
    /// Records that the subgraph responded to this request.
    pub fn record_response(&self) {
        if self.bulkhead.is_hung.load(Ordering::Relaxed) {
            self.bulkhead.is_hung.store(false, Ordering::Relaxed);
        }
    }
}

/// Counts a waiting request; it may be cancelled.
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
            let (one, two) = (bulkhead.acquire().await.unwrap(), bulkhead.acquire().await.unwrap());
            let ending = async {
                tokio::time::sleep(MAX_WAIT / 2).await;
                assert_eq!(bulkhead.load(), (2, 1));
                one.record_response();
                drop(one);
            };
            let (entered, ()) = tokio::join!(bulkhead.acquire(), ending);
            assert!(entered.is_ok());
            drop((entered, two));
            assert_eq!(bulkhead.load(), (0, 0));
        });
    }

    #[test]
    fn nobody_waits_for_one_that_hangs_until_it_answers() {
        run(async {
            let bulkhead = Bulkhead::new(1);
            let hanging = bulkhead.acquire().await.unwrap();
            let (one, other) = tokio::join!(bulkhead.acquire(), bulkhead.acquire());
            assert_eq!((one.unwrap_err(), other.unwrap_err()), (BulkheadFull, BulkheadFull));
            let begun = Instant::now();
            for _ in 0..100 {
                assert_eq!(bulkhead.acquire().await.unwrap_err(), BulkheadFull);
            }
            assert_eq!(begun.elapsed(), Duration::ZERO, "they did not wait");
            // A request that was cancelled or failed releases its slot, and does not count as a
            // response.
            drop(hanging);
            let again = bulkhead.acquire().await.unwrap();
            assert_eq!(bulkhead.acquire().await.unwrap_err(), BulkheadFull);
            assert_eq!(begun.elapsed(), Duration::ZERO);
            again.record_response();
            assert_eq!(bulkhead.acquire().await.unwrap_err(), BulkheadFull);
            assert_eq!(begun.elapsed(), MAX_WAIT, "one that answers is waited for");
        });
    }
}
