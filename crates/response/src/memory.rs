//! Memory budget of all responses in progress.
//!
//! A response reserves its memory before it allocates ([`MemoryReservation`]), in pieces, and releases it when
//! it is dropped. Small responses reserve nothing: so many of them that they matter cannot run at
//! once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes that each part of a response may use without a reservation: its text, and the rows and the
/// index of each level. A request has as many parts as levels, so this is small.
const FREE: u64 = 16 << 10;

/// Reservations are multiples of this.
const PIECE: u64 = 64 << 10;

/// Buffers up to this size double when they grow; larger ones grow by a quarter.
const DOUBLES: usize = 16 << 20;

/// The minimum capacity of a vector that grows.
const LEAST: usize = 4;

/// The growth of a full buffer in bytes: many large buffers that doubled would be half empty.
#[must_use]
pub fn growth(capacity: usize) -> usize {
    if capacity <= DOUBLES { capacity } else { capacity / 4 }
}

/// The memory of all answers of a process.
#[derive(Debug)]
pub struct MemoryBudget {
    most: AtomicU64,
    held: AtomicU64,
    most_held: AtomicU64,
    /// Bytes reserved in total, released ones included.
    taken: AtomicU64,
    /// Bytes of buffers that connections keep for the next response.
    kept: AtomicU64,
    /// Bytes of large reservations that were released since `return_freed` was called.
    released: AtomicU64,
    /// Returns freed memory to the system.
    return_freed: OnceLock<fn()>,
}

/// A reservation of the memory of one response, or of a part of it.
#[derive(Debug, Default)]
pub struct MemoryReservation {
    /// Without a budget it is not counted.
    memory: Option<Arc<MemoryBudget>>,
    bytes: u64,
    /// Bytes of an idle buffer that is kept.
    kept: u64,
}

/// The share of the budget that idle buffers may use, in addition to it.
const KEPT_SHARE: u64 = 8;

/// Reservations from this size on are large: the allocator keeps their memory for a while when it is
/// freed.
const LARGE: u64 = 1 << 20;

/// The share of the budget that large reservations may release until their memory is returned.
const RELEASED_SHARE: u64 = 16;

/// The memory budget of all responses would be exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answers that are being made take {most} bytes of memory together")]
pub struct BudgetExceeded {
    pub most: u64,
}

impl MemoryBudget {
    #[must_use]
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self {
            most: AtomicU64::new(most),
            held: AtomicU64::new(0),
            most_held: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            released: AtomicU64::new(0),
            return_freed: OnceLock::new(),
        })
    }

    /// Sets the function that returns freed memory to the system: it is called whenever large
    /// reservations of a share of the budget were released, before others take as much again.
    pub fn return_freed_by(&self, function: fn()) {
        // The first one stays.
        let _ = self.return_freed.set(function);
    }

    /// Sets another limit; existing reservations stay.
    pub fn set_most(&self, most: u64) {
        self.most.store(most, Ordering::Relaxed);
    }

    /// Bytes reserved now.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Peak of reserved bytes.
    #[must_use]
    pub fn most_held(&self) -> u64 {
        self.most_held.load(Ordering::Relaxed)
    }

    /// Bytes reserved in total since the start.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> Result<(), BudgetExceeded> {
        let most = self.most.load(Ordering::Relaxed);
        let taken = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
            held.checked_add(bytes).filter(|held| *held <= most)
        });
        let before = taken.map_err(|_| BudgetExceeded { most })?;
        self.most_held.fetch_max(before + bytes, Ordering::Relaxed);
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Counts a kept buffer; `false` if kept buffers already use their share.
    fn keep(&self, bytes: u64) -> bool {
        let most = self.most.load(Ordering::Relaxed) / KEPT_SHARE;
        let kept = self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |kept| {
            kept.checked_add(bytes).filter(|kept| *kept <= most)
        });
        kept.is_ok()
    }

    fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
        if bytes < LARGE {
            return;
        }
        let released = self.released.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let share = self.most.load(Ordering::Relaxed) / RELEASED_SHARE;
        if released > share
            && let Some(return_freed) = self.return_freed.get()
        {
            self.released.store(0, Ordering::Relaxed);
            return_freed();
        }
    }
}

impl MemoryReservation {
    /// An empty reservation of this budget.
    #[must_use]
    pub fn of(memory: &Arc<MemoryBudget>) -> Self {
        Self { memory: Some(Arc::clone(memory)), bytes: 0, kept: 0 }
    }

    /// Reserves the growth of a vector to `capacity` elements before it allocates: while it grows,
    /// its old and its new buffer exist. Afterwards [`MemoryReservation::shrink_to`] releases the old one.
    pub fn reserve_growth<T>(
        &mut self,
        vector: &Vec<T>,
        capacity: usize,
    ) -> Result<(), BudgetExceeded> {
        let both = vector.capacity().saturating_add(capacity);
        self.grow_to((both.saturating_mul(size_of::<T>())) as u64)
    }

    /// Appends to a vector whose only memory this is; its growth is reserved before it allocates.
    #[inline]
    pub fn push<T>(&mut self, vector: &mut Vec<T>, value: T) -> Result<(), BudgetExceeded> {
        if vector.len() == vector.capacity() {
            self.make_room_for(vector, 1)?;
        }
        vector.push(value);
        Ok(())
    }

    /// Makes room in a vector that this reservation covers alone.
    #[cold]
    pub fn make_room_for<T>(
        &mut self,
        vector: &mut Vec<T>,
        more: usize,
    ) -> Result<(), BudgetExceeded> {
        let length = vector.len().saturating_add(more);
        if length > vector.capacity() {
            let size = size_of::<T>().max(1);
            let grown = vector.capacity() + growth(vector.capacity() * size) / size;
            let capacity = grown.max(length).max(LEAST);
            self.reserve_growth(vector, capacity)?;
            vector.reserve_exact(capacity - vector.len());
            self.shrink_to((vector.capacity() * size) as u64);
        }
        Ok(())
    }

    /// Reserves at least as many bytes.
    pub fn grow_to(&mut self, bytes: u64) -> Result<(), BudgetExceeded> {
        if bytes <= self.bytes.max(FREE) {
            return Ok(());
        }
        let Some(memory) = &self.memory else { return Ok(()) };
        let wanted = bytes.checked_next_multiple_of(PIECE).unwrap_or(bytes);
        memory.take(wanted - self.bytes)?;
        self.bytes = wanted;
        self.end_keeping();
        Ok(())
    }

    /// Releases everything, while a buffer of so many bytes is kept for the next response; `false`
    /// if kept buffers exceed their share, and this one must be freed.
    pub fn keep(&mut self, bytes: u64) -> bool {
        self.release();
        if bytes <= FREE || bytes == self.kept {
            return true;
        }
        self.end_keeping();
        let is_kept = self.memory.as_ref().is_none_or(|memory| memory.keep(bytes));
        if is_kept && self.memory.is_some() {
            self.kept = bytes;
        }
        is_kept
    }

    fn end_keeping(&mut self) {
        if self.kept > 0
            && let Some(memory) = &self.memory
        {
            memory.kept.fetch_sub(self.kept, Ordering::Relaxed);
            self.kept = 0;
        }
    }

    /// True if the reservation counts for a budget.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.memory.is_some()
    }

    /// Releases the bytes beyond so many.
    pub fn shrink_to(&mut self, bytes: u64) {
        let kept = match bytes {
            0 => 0,
            bytes => bytes.checked_next_multiple_of(PIECE).unwrap_or(bytes).min(self.bytes),
        };
        if let Some(memory) = &self.memory {
            memory.give_back(self.bytes - kept);
        }
        self.bytes = kept;
    }

    /// Adds the reservation `other`, of the same budget.
    pub fn join(&mut self, mut other: Self) {
        self.bytes += std::mem::take(&mut other.bytes);
        if self.memory.is_none() {
            self.memory = other.memory.take();
        }
    }

    /// Releases everything.
    pub fn release(&mut self) {
        self.shrink_to(0);
    }

    /// Reserved bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An empty reservation of the same budget.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { memory: self.memory.clone(), bytes: 0, kept: 0 }
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.release();
        self.end_keeping();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_answers_hold_nothing_and_large_ones_whole_pieces() {
        let memory = MemoryBudget::new(10 * PIECE);
        let mut held = MemoryReservation::of(&memory);
        assert_eq!(held.grow_to(FREE), Ok(()));
        assert_eq!(memory.held(), 0);
        assert_eq!(held.grow_to(FREE + 1), Ok(()));
        assert_eq!(memory.held(), PIECE);
        assert_eq!(held.grow_to(PIECE), Ok(()));
        assert_eq!(held.grow_to(PIECE + 1), Ok(()));
        assert_eq!((memory.held(), held.bytes()), (2 * PIECE, 2 * PIECE));
        held.shrink_to(PIECE + 1);
        assert_eq!(memory.held(), 2 * PIECE);
        held.shrink_to(1);
        assert_eq!(memory.held(), PIECE);
        held.shrink_to(5 * PIECE);
        assert_eq!(memory.held(), PIECE);
        drop(held);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn together_they_hold_what_they_may_and_not_a_piece_more() {
        let memory = MemoryBudget::new(3 * PIECE);
        let (mut one, mut other) = (MemoryReservation::of(&memory), MemoryReservation::of(&memory));
        assert_eq!(one.grow_to(2 * PIECE), Ok(()));
        assert_eq!(other.grow_to(PIECE), Ok(()));
        assert_eq!(other.grow_to(PIECE + 1), Err(BudgetExceeded { most: 3 * PIECE }));
        assert_eq!(memory.held(), 3 * PIECE);
        drop(one);
        assert_eq!(other.grow_to(3 * PIECE), Ok(()));
        other.release();
        assert_eq!(memory.held(), 0);
        memory.set_most(0);
        assert_eq!(other.grow_to(FREE), Ok(()));
        assert_eq!(other.grow_to(FREE + 1), Err(BudgetExceeded { most: 0 }));
    }

    #[test]
    fn what_is_joined_is_given_back_together() {
        let memory = MemoryBudget::new(9 * PIECE);
        let mut held = MemoryReservation::default();
        for pieces in [2, 0, 3] {
            let mut another = MemoryReservation::of(&memory);
            another.grow_to(pieces * PIECE).unwrap();
            held.join(another);
        }
        assert_eq!((held.bytes(), memory.held()), (5 * PIECE, 5 * PIECE));
        drop(held);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn buffers_that_are_kept_take_a_share_of_their_own() {
        let memory = MemoryBudget::new(8 * 100 * PIECE);
        let mut held = MemoryReservation::of(&memory);
        held.grow_to(90 * PIECE).unwrap();
        assert!(held.keep(90 * PIECE));
        assert_eq!((memory.held(), memory.kept.load(Ordering::Relaxed)), (0, 90 * PIECE));
        let mut other = MemoryReservation::of(&memory);
        assert!(other.keep(FREE) && other.keep(10 * PIECE) && other.keep(10 * PIECE));
        assert!(!MemoryReservation::of(&memory).keep(PIECE));
        // It grows again, and is counted as a whole.
        held.grow_to(100 * PIECE).unwrap();
        assert_eq!((memory.held(), memory.kept.load(Ordering::Relaxed)), (100 * PIECE, 10 * PIECE));
        drop((held, other));
        assert_eq!((memory.held(), memory.kept.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn the_growth_of_a_vector_is_reserved_with_both_of_its_buffers() {
        let memory = MemoryBudget::new(u64::MAX);
        let mut held = MemoryReservation::of(&memory);
        let mut vector: Vec<[u8; 24]> = Vec::new();
        let mut capacities = vec![0];
        while vector.len() < 100_000 {
            // With just enough for both buffers it grows, with a piece less it does not.
            let before = vector.capacity();
            if vector.len() == before && before > 4096 {
                memory.set_most(memory.held());
                assert!(held.push(&mut vector, [0; 24]).is_err());
                assert_eq!((vector.len(), vector.capacity()), (before, before));
                memory.set_most(u64::MAX);
            }
            held.push(&mut vector, [0; 24]).unwrap();
            if vector.capacity() != before {
                capacities.push(vector.capacity());
                let taken = (vector.capacity() * 24) as u64;
                assert!(held.bytes() + FREE >= taken && held.bytes() <= taken + PIECE);
            }
        }
        assert!(capacities.windows(2).all(|pair| pair[1] >= pair[0] + pair[0] / 4));
        held.make_room_for(&mut vector, 1_000_000).unwrap();
        assert!(held.bytes() >= 24 * 1_100_000);
    }

    #[test]
    fn freed_memory_is_returned_when_a_share_of_the_budget_was_released() {
        static RETURNED: AtomicU64 = AtomicU64::new(0);
        let memory = MemoryBudget::new(64 << 20);
        memory.return_freed_by(|| {
            RETURNED.fetch_add(1, Ordering::Relaxed);
        });
        let release = |bytes: u64, times: u64| {
            for _ in 0..times {
                MemoryReservation::of(&memory).grow_to(bytes).unwrap();
            }
            RETURNED.swap(0, Ordering::Relaxed)
        };
        // Small ones are used again.
        assert_eq!(release(PIECE, 1000), 0);
        assert_eq!(release(2 << 20, 2), 0);
        assert_eq!(release(2 << 20, 1), 1);
        assert_eq!(release(2 << 20, 7), 2);
        assert_eq!(release(50 << 20, 3), 3);
    }

    #[test]
    fn what_is_counted_nowhere_grows_as_it_likes() {
        assert_eq!(MemoryReservation::default().grow_to(u64::MAX), Ok(()));
    }
}
