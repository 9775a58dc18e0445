//! Admission control: a limit on concurrent requests, and a bounded queue before it.
//!
//! Requests beyond both are refused at once (load shedding). All threads share the limit and the
//! queue: a queue for each thread would grow on a busy one while another is idle. The queue is first
//! in, first out; a client that disconnects leaves it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::refusal::Refusal;

/// The slots of running requests, and the queue before them.
#[derive(Debug)]
pub(super) struct Admission {
    slots: Semaphore,
    most: AtomicU32,
    /// Slots to remove after a reload lowered the limit: running requests keep theirs until they end.
    surplus: AtomicU32,
    waiting: AtomicU32,
    most_waiting: AtomicU32,
}

/// The slot of a running request, free again when dropped.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    admission: &'a Admission,
    /// None only during drop.
    permit: Option<SemaphorePermit<'a>>,
}

/// An entry of the queue.
struct Waiting<'a>(&'a AtomicU32);

impl Admission {
    pub(super) fn new(most: u32, most_waiting: u32) -> Self {
        Self {
            slots: Semaphore::new(most as usize),
            most: AtomicU32::new(most),
            surplus: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            most_waiting: AtomicU32::new(most_waiting),
        }
    }

    /// ChangeWatch both limits. Only one task may do this.
    pub(super) fn adapt(&self, most: u32, most_waiting: u32) {
        self.most_waiting.store(most_waiting, Ordering::Relaxed);
        let before = self.most.swap(most, Ordering::Relaxed);
        for _ in before..most {
            if !self.take_surplus() {
                self.slots.add_permits(1);
            }
        }
        let fewer = before.saturating_sub(most);
        let free = self.slots.forget_permits(fewer as usize) as u32;
        self.surplus.fetch_add(fewer - free, Ordering::Relaxed);
    }

    /// Waits for a slot, for `queue_timeout` at most.
    pub(super) async fn acquire(&self, queue_timeout: Duration) -> Result<Slot<'_>, Refusal> {
        let slot = |permit| Slot { admission: self, permit: Some(permit) };
        // Fails while requests queue, so that a new one cannot overtake them.
        if let Ok(permit) = self.slots.try_acquire() {
            return Ok(slot(permit));
        }
        let _waiting = Waiting::join(self)?;
        match timeout(queue_timeout, self.slots.acquire()).await {
            Ok(Ok(permit)) => Ok(slot(permit)),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => Err(Refusal::Overloaded),
        }
    }

    /// The number of running requests.
    pub(super) fn running(&self) -> u32 {
        let free = u32::try_from(self.slots.available_permits()).unwrap_or(u32::MAX);
        let slots = self.most.load(Ordering::Relaxed) + self.surplus.load(Ordering::Relaxed);
        slots.saturating_sub(free)
    }

    /// The number of queued requests.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    fn take_surplus(&self) -> bool {
        let fewer = |surplus: u32| surplus.checked_sub(1);
        self.surplus.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok()
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if self.admission.surplus.load(Ordering::Relaxed) > 0
            && self.admission.take_surplus()
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
        }
    }
}

impl<'a> Waiting<'a> {
    fn join(admission: &'a Admission) -> Result<Self, Refusal> {
        let waiting = &admission.waiting;
        let most = admission.most_waiting.load(Ordering::Relaxed);
        let joined = waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |waiting| {
            waiting.checked_add(1).filter(|waiting| *waiting <= most)
        });
        joined.map(|_| Self(waiting)).map_err(|_| Refusal::Overloaded)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use super::*;

    /// Longer than any test waits.
    const TIMEOUT: Duration = Duration::from_secs(20);

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    /// Whether the future is ready after one poll.
    async fn is_ready(future: &mut (impl Future + Unpin)) -> bool {
        poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_ready()))
            .await
    }

    #[test]
    fn requests_beyond_the_places_wait_in_their_order() {
        let admission = Admission::new(1, 2);
        block_on(async {
            let running = admission.acquire(TIMEOUT).await.unwrap();
            let mut first = pin!(admission.acquire(TIMEOUT));
            let mut second = pin!(admission.acquire(TIMEOUT));
            assert!(!is_ready(&mut first).await);
            assert!(!is_ready(&mut second).await);
            assert_eq!((admission.running(), admission.waiting()), (1, 2));
            assert_eq!(admission.acquire(TIMEOUT).await.unwrap_err(), Refusal::Overloaded);
            drop(running);
            // A new request cannot overtake the queue.
            assert_eq!(admission.acquire(TIMEOUT).await.unwrap_err(), Refusal::Overloaded);
            assert!(!is_ready(&mut second).await);
            let running = first.await.unwrap();
            assert_eq!((admission.running(), admission.waiting()), (1, 1));
            drop(running);
            drop(second.await.unwrap());
            assert_eq!((admission.running(), admission.waiting()), (0, 0));
        });
    }

    #[test]
    fn who_goes_away_frees_its_place_in_the_queue() {
        let admission = Admission::new(1, 1);
        block_on(async {
            let running = admission.acquire(TIMEOUT).await.unwrap();
            {
                let mut gone = pin!(admission.acquire(TIMEOUT));
                assert!(!is_ready(&mut gone).await);
                assert_eq!(admission.waiting(), 1);
            }
            assert_eq!(admission.waiting(), 0);
            let mut next = pin!(admission.acquire(TIMEOUT));
            assert!(!is_ready(&mut next).await);
            drop(running);
            drop(next.await.unwrap());
            assert_eq!((admission.running(), admission.waiting()), (0, 0));
        });
    }

    #[test]
    fn waiting_ends() {
        let admission = Admission::new(1, 1);
        block_on(async {
            let _running = admission.acquire(TIMEOUT).await.unwrap();
            assert_eq!(
                admission.acquire(Duration::from_millis(1)).await.unwrap_err(),
                Refusal::Overloaded
            );
            assert_eq!(admission.waiting(), 0);
        });
    }

    #[test]
    fn without_a_queue_nobody_waits() {
        let admission = Admission::new(1, 0);
        block_on(async {
            let _running = admission.acquire(TIMEOUT).await.unwrap();
            assert_eq!(admission.acquire(TIMEOUT).await.unwrap_err(), Refusal::Overloaded);
        });
    }

    #[test]
    fn places_can_become_more_and_fewer() {
        let admission = Admission::new(2, 0);
        block_on(async {
            let (one, two) = (admission.acquire(TIMEOUT).await, admission.acquire(TIMEOUT).await);
            admission.adapt(3, 0);
            let three = admission.acquire(TIMEOUT).await.unwrap();
            assert_eq!(admission.running(), 3);
            // Running requests keep their slots.
            admission.adapt(1, 0);
            assert_eq!(admission.running(), 3);
            drop((one, two));
            assert_eq!(admission.running(), 1);
            assert_eq!(admission.acquire(TIMEOUT).await.unwrap_err(), Refusal::Overloaded);
            drop(three);
            let one = admission.acquire(TIMEOUT).await.unwrap();
            assert_eq!(admission.acquire(TIMEOUT).await.unwrap_err(), Refusal::Overloaded);
            // Lower and raise the limit again before a request has ended.
            admission.adapt(0, 0);
            admission.adapt(2, 0);
            let two = admission.acquire(TIMEOUT).await.unwrap();
            assert_eq!(admission.acquire(TIMEOUT).await.unwrap_err(), Refusal::Overloaded);
            drop((one, two));
            assert_eq!((admission.running(), admission.slots.available_permits()), (0, 2));
        });
    }
}
