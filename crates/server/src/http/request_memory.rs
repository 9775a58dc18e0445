//! The memory budget of all request bodies.
//!
//! A body counts while it is read, decompressed and parsed. When the budget is exhausted, the slowest
//! unfinished body is cancelled and releases its memory: clients that send a beginning and nothing
//! more (slow HTTP attacks) cannot starve the others.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::{BudgetExceeded, MemoryBudget, MemoryReservation};
use tokio::sync::Notify;
use tokio::time::timeout_at;

use super::refusal::Refusal;

/// RequestMemory up to this size are not counted.
pub(super) const SMALL: u64 = 16 << 10;

/// A body that began more recently is not slow.
const GRACE: Duration = Duration::from_secs(1);

/// Time to wait for a cancelled body to release its memory.
const PATIENCE: Duration = Duration::from_secs(1);

/// All bodies that are being read, of all threads.
#[derive(Debug)]
pub(crate) struct RequestMemory {
    memory: Arc<MemoryBudget>,
    unfinished: Mutex<BTreeMap<u64, Arc<UnfinishedBody>>>,
    next: AtomicU64,
    /// Notified when memory was released.
    released: Notify,
}

/// A body that is not complete.
#[derive(Debug)]
struct UnfinishedBody {
    since: Instant,
    received: AtomicU64,
    /// Notified when the body is cancelled.
    cancelled: Notify,
}

/// The memory reservation of one body.
#[derive(Debug)]
pub(super) struct BodyReservation<'b> {
    bodies: &'b RequestMemory,
    held: MemoryReservation,
    /// When the first wait for data began; none for a body that arrived with its head.
    since: Cell<Option<Instant>>,
    received: u64,
    /// The size limit of the body.
    most: usize,
    /// The number among the unfinished bodies; none for a small one.
    number: Option<(u64, Arc<UnfinishedBody>)>,
}

impl RequestMemory {
    pub(super) fn new(most: u64) -> Self {
        Self {
            memory: MemoryBudget::new(most),
            unfinished: Mutex::default(),
            next: AtomicU64::new(0),
            released: Notify::new(),
        }
    }

    pub(super) fn set_most(&self, most: u64) {
        self.memory.set_most(most);
    }

    /// Bytes that all bodies reserve now.
    pub(super) fn held(&self) -> u64 {
        self.memory.held()
    }

    /// Begins a body of at most so many bytes.
    pub(super) fn begin(&self, most: usize) -> BodyReservation<'_> {
        // A small body reserves nothing.
        let (held, since) = (MemoryReservation::default(), Cell::new(None));
        BodyReservation { bodies: self, held, since, received: 0, most, number: None }
    }

    /// Reserves memory for a request that stays: that of an operation over a WebSocket, or of a
    /// subscription.
    pub(super) fn reserve(&self, bytes: u64) -> Result<MemoryReservation, Refusal> {
        let mut held = MemoryReservation::of(&self.memory);
        held.grow_to(bytes).map_err(|BudgetExceeded { .. }| Refusal::RequestMemory)?;
        Ok(held)
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<UnfinishedBody>>> {
        // Nothing panics while it holds the lock.
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the slowest body; `false` if that is this one, or none is slow.
    fn cancel_slowest(&self, but: Option<u64>, now: Instant) -> bool {
        let all = self.all();
        let slow = all.iter().filter(|(_, body)| now.duration_since(body.since) >= GRACE);
        let slowest = slow.max_by_key(|(_, body)| body.slowness(now));
        match slowest {
            Some((number, _)) if Some(*number) == but => false,
            Some((_, body)) => {
                body.cancelled.notify_one();
                true
            }
            None => false,
        }
    }
}

impl UnfinishedBody {
    /// Nanoseconds per byte.
    fn slowness(&self, now: Instant) -> u128 {
        let bytes = u128::from(self.received.load(Ordering::Relaxed)) + 1;
        now.duration_since(self.since).as_nanos() / bytes
    }
}

impl BodyReservation<'_> {
    /// Records that the rest of the body has not arrived yet.
    pub(super) fn wait(&self) {
        if self.since.get().is_none() {
            self.since.set(Some(Instant::now()));
        }
    }

    /// Counts received bytes.
    pub(super) fn receive(&mut self, bytes: usize) {
        self.received += bytes as u64;
        match &self.number {
            Some((_, body)) => body.received.store(self.received, Ordering::Relaxed),
            None if self.received > SMALL => self.enter(),
            None => {}
        }
    }

    fn enter(&mut self) {
        let since = self.since.get().unwrap_or_else(Instant::now);
        let received = AtomicU64::new(self.received);
        let body = Arc::new(UnfinishedBody { since, received, cancelled: Notify::new() });
        let number = self.bodies.next.fetch_add(1, Ordering::Relaxed);
        self.bodies.all().insert(number, Arc::clone(&body));
        self.number = Some((number, body));
    }

    /// Reserves memory for more bytes before they are copied. When the budget is exhausted, waits for a
    /// slower body to release its memory.
    pub(super) async fn make_room(
        &mut self,
        bytes: &mut Vec<u8>,
        more: usize,
    ) -> Result<(), Refusal> {
        if more <= bytes.capacity() - bytes.len() {
            return Ok(());
        }
        if (bytes.len() + more) as u64 <= SMALL / 2 {
            bytes.reserve(more);
            return Ok(());
        }
        let length = bytes.len() + more;
        let capacity = bytes.capacity().saturating_mul(2).min(self.most).max(length);
        self.wait_for(|held| held.reserve_growth(bytes, capacity)).await?;
        bytes.reserve_exact(capacity - bytes.len());
        self.held.shrink_to(bytes.capacity() as u64);
        Ok(())
    }

    /// Grows the reservation to so many bytes.
    pub(super) async fn grow_to(&mut self, bytes: u64) -> Result<(), Refusal> {
        self.wait_for(|held| held.grow_to(bytes)).await
    }

    /// Releases the reservation beyond so many bytes.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        self.held.shrink_to(bytes);
        self.bodies.released.notify_waiters();
    }

    async fn wait_for(
        &mut self,
        mut take: impl FnMut(&mut MemoryReservation) -> Result<(), BudgetExceeded>,
    ) -> Result<(), Refusal> {
        if !self.held.is_counted() {
            self.held = MemoryReservation::of(&self.bodies.memory);
        }
        if take(&mut self.held).is_ok() {
            return Ok(());
        }
        let number = self.number.as_ref().map(|(number, _)| *number);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut released = std::pin::pin!(self.bodies.released.notified());
            // From here on, no notification is missed.
            released.as_mut().enable();
            if take(&mut self.held).is_ok() {
                return Ok(());
            }
            if !self.bodies.cancel_slowest(number, Instant::now())
                || timeout_at(deadline.into(), released).await.is_err()
            {
                return Err(Refusal::RequestMemory);
            }
        }
    }

    /// Waits until the body is cancelled.
    pub(super) async fn cancelled(&self) {
        match &self.number {
            Some((_, body)) => body.cancelled.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Releases the reservation.
    pub(super) fn release(&mut self) {
        if self.held.bytes() > 0 {
            self.held.release();
            self.bodies.released.notify_waiters();
        }
    }

    /// Marks the body as complete: it can no longer be cancelled.
    pub(super) fn end(&mut self) {
        if let Some((number, _)) = self.number.take() {
            self.bodies.all().remove(&number);
        }
    }
}

impl Drop for BodyReservation<'_> {
    fn drop(&mut self) {
        self.end();
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use tokio::task::LocalSet;

    use super::*;

    const MIB: usize = 1 << 20;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().build().unwrap();
        LocalSet::new().block_on(&runtime, future)
    }

    /// A body that began so many seconds ago and has sent so many bytes.
    async fn body(bodies: &RequestMemory, seconds: u64, bytes: usize) -> BodyReservation<'_> {
        let mut body = bodies.begin(usize::MAX);
        body.since.set(Instant::now().checked_sub(Duration::from_secs(seconds)));
        body.receive(bytes);
        body.grow_to(bytes as u64).await.unwrap();
        body
    }

    #[test]
    fn the_slowest_body_makes_room_for_another_and_no_other_does() {
        let bodies = RequestMemory::new(3 * MIB as u64);
        block_on(async {
            let slow = body(&bodies, 20, MIB).await;
            let slower = body(&bodies, 40, MIB).await;
            let fast = body(&bodies, 2, MIB).await;
            let mut new = bodies.begin(usize::MAX);
            new.receive(MIB);
            let mut bytes = Vec::new();
            {
                let mut waiting = pin!(new.make_room(&mut bytes, MIB / 2));
                tokio::select! {
                    biased;
                    _ = &mut waiting => panic!("there is no memory"),
                    () = slow.cancelled() => panic!("it is not the slowest"),
                    () = fast.cancelled() => panic!("it is the fastest"),
                    () = slower.cancelled() => {}
                }
                drop(slower);
                assert_eq!(waiting.await, Ok(()));
            }
            assert!(bytes.capacity() >= MIB / 2);
            assert!(bodies.held() <= 3 * MIB as u64);
            drop((slow, fast, new));
            assert_eq!((bodies.held(), bodies.all().len()), (0, 0));
        });
    }

    #[test]
    fn the_slowest_body_is_refused_itself_and_so_is_one_beside_bodies_that_just_began() {
        let bodies = RequestMemory::new(2 * MIB as u64);
        block_on(async {
            let mut slow = body(&bodies, 60, MIB).await;
            let _fast = body(&bodies, 2, MIB).await;
            assert_eq!(slow.grow_to(2 * MIB as u64).await, Err(Refusal::RequestMemory));
            drop(slow);
            let _new = body(&bodies, 0, MIB).await;
            drop(_fast);
            let _newer = body(&bodies, 0, MIB).await;
            let mut newest = bodies.begin(usize::MAX);
            newest.receive(MIB);
            assert_eq!(newest.grow_to(MIB as u64).await, Err(Refusal::RequestMemory));
        });
    }

    #[test]
    fn a_small_body_is_not_counted_and_a_whole_one_gives_nothing_up() {
        let bodies = RequestMemory::new(MIB as u64);
        block_on(async {
            let mut small = bodies.begin(usize::MAX);
            small.receive(SMALL as usize);
            let mut bytes = Vec::new();
            small.make_room(&mut bytes, SMALL as usize / 2).await.unwrap();
            assert_eq!((bodies.held(), bodies.all().len()), (0, 0));
            let mut whole = body(&bodies, 60, MIB).await;
            whole.end();
            let mut another = bodies.begin(usize::MAX);
            another.receive(MIB);
            assert_eq!(another.grow_to(MIB as u64).await, Err(Refusal::RequestMemory));
        });
    }
}
