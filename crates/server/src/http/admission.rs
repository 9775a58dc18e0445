//! How many requests run at once, and how many wait for them to end.
//!
//! The same for all threads: a thread that has much to do would else make a long queue beside one
//! that has nothing to do. Who came first runs first; who goes away while it waits leaves the queue.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::respond::Refusal;

/// The places for requests that run, and the queue before them.
#[derive(Debug)]
pub(super) struct Admission {
    places: Semaphore,
    most: AtomicU32,
    /// How many places there are too many: requests that hold them run on, and take them along.
    surplus: AtomicU32,
    waiting: AtomicU32,
    most_waiting: AtomicU32,
}

/// The place of a request that runs.
#[derive(Debug)]
pub(super) struct Place<'a> {
    admission: &'a Admission,
    /// None only while it is dropped.
    permit: Option<SemaphorePermit<'a>>,
}

/// One that waits.
struct Waiting<'a>(&'a AtomicU32);

impl Admission {
    pub(super) fn new(most: u32, most_waiting: u32) -> Self {
        Self {
            places: Semaphore::new(most as usize),
            most: AtomicU32::new(most),
            surplus: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            most_waiting: AtomicU32::new(most_waiting),
        }
    }

    /// Other numbers from now on. Only one task may do this.
    pub(super) fn adapt(&self, most: u32, most_waiting: u32) {
        self.most_waiting.store(most_waiting, Ordering::Relaxed);
        let before = self.most.swap(most, Ordering::Relaxed);
        for _ in before..most {
            if !self.take_surplus() {
                self.places.add_permits(1);
            }
        }
        let fewer = before.saturating_sub(most);
        let free = self.places.forget_permits(fewer as usize) as u32;
        self.surplus.fetch_add(fewer - free, Ordering::Relaxed);
    }

    /// A place for one request, until it is dropped. It is waited for `patience` at most.
    pub(super) async fn enter(&self, patience: Duration) -> Result<Place<'_>, Refusal> {
        let place = |permit| Place { admission: self, permit: Some(permit) };
        // There is none as long as somebody waits.
        if let Ok(permit) = self.places.try_acquire() {
            return Ok(place(permit));
        }
        let _waiting = Waiting::join(self)?;
        match timeout(patience, self.places.acquire()).await {
            Ok(Ok(permit)) => Ok(place(permit)),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => Err(Refusal::Overloaded),
        }
    }

    /// How many requests run now.
    pub(super) fn running(&self) -> u32 {
        let free = u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX);
        let places = self.most.load(Ordering::Relaxed) + self.surplus.load(Ordering::Relaxed);
        places.saturating_sub(free)
    }

    /// How many requests wait for them.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    fn take_surplus(&self) -> bool {
        let fewer = |surplus: u32| surplus.checked_sub(1);
        self.surplus.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok()
    }
}

impl Drop for Place<'_> {
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

    /// Nothing here waits that long.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    /// Polls once, and tells whether that was enough.
    async fn is_ready(future: &mut (impl Future + Unpin)) -> bool {
        poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_ready()))
            .await
    }

    #[test]
    fn requests_beyond_the_places_wait_in_their_order() {
        let admission = Admission::new(1, 2);
        block_on(async {
            let running = admission.enter(PATIENCE).await.unwrap();
            let mut first = pin!(admission.enter(PATIENCE));
            let mut second = pin!(admission.enter(PATIENCE));
            assert!(!is_ready(&mut first).await);
            assert!(!is_ready(&mut second).await);
            assert_eq!((admission.running(), admission.waiting()), (1, 2));
            assert_eq!(admission.enter(PATIENCE).await.unwrap_err(), Refusal::Overloaded);
            drop(running);
            // One that comes now is not faster than those who wait.
            assert_eq!(admission.enter(PATIENCE).await.unwrap_err(), Refusal::Overloaded);
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
            let running = admission.enter(PATIENCE).await.unwrap();
            {
                let mut gone = pin!(admission.enter(PATIENCE));
                assert!(!is_ready(&mut gone).await);
                assert_eq!(admission.waiting(), 1);
            }
            assert_eq!(admission.waiting(), 0);
            let mut next = pin!(admission.enter(PATIENCE));
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
            let _running = admission.enter(PATIENCE).await.unwrap();
            assert_eq!(
                admission.enter(Duration::from_millis(1)).await.unwrap_err(),
                Refusal::Overloaded
            );
            assert_eq!(admission.waiting(), 0);
        });
    }

    #[test]
    fn without_a_queue_nobody_waits() {
        let admission = Admission::new(1, 0);
        block_on(async {
            let _running = admission.enter(PATIENCE).await.unwrap();
            assert_eq!(admission.enter(PATIENCE).await.unwrap_err(), Refusal::Overloaded);
        });
    }

    #[test]
    fn places_can_become_more_and_fewer() {
        let admission = Admission::new(2, 0);
        block_on(async {
            let (one, two) = (admission.enter(PATIENCE).await, admission.enter(PATIENCE).await);
            admission.adapt(3, 0);
            let three = admission.enter(PATIENCE).await.unwrap();
            assert_eq!(admission.running(), 3);
            // Those that run are let run.
            admission.adapt(1, 0);
            assert_eq!(admission.running(), 3);
            drop((one, two));
            assert_eq!(admission.running(), 1);
            assert_eq!(admission.enter(PATIENCE).await.unwrap_err(), Refusal::Overloaded);
            drop(three);
            let one = admission.enter(PATIENCE).await.unwrap();
            assert_eq!(admission.enter(PATIENCE).await.unwrap_err(), Refusal::Overloaded);
            // Fewer and more again, before one has ended.
            admission.adapt(0, 0);
            admission.adapt(2, 0);
            let two = admission.enter(PATIENCE).await.unwrap();
            assert_eq!(admission.enter(PATIENCE).await.unwrap_err(), Refusal::Overloaded);
            drop((one, two));
            assert_eq!((admission.running(), admission.places.available_permits()), (0, 2));
        });
    }
}
