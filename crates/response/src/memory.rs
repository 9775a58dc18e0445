//! The memory that all answers being made may take together.
//!
//! What an answer takes is [`Held`] in large pieces, and given back when it is dropped. Small
//! answers hold nothing: so many of them that they matter cannot run at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an answer may take without asking.
const FREE: u64 = 64 << 10;

/// What is taken at once.
const PIECE: u64 = 1 << 20;

/// Buffers up to this size double when they grow; larger ones grow by a quarter.
const DOUBLES: usize = 16 << 20;

/// By how many bytes a full buffer grows: many large buffers that doubled would be half empty.
#[must_use]
pub fn growth(capacity: usize) -> usize {
    if capacity <= DOUBLES { capacity } else { capacity / 4 }
}

/// The memory of all answers of a process.
#[derive(Debug)]
pub struct Memory {
    most: AtomicU64,
    held: AtomicU64,
}

/// The memory of one answer, or of a part of it.
#[derive(Debug, Default)]
pub struct Held {
    /// Without one it is counted nowhere.
    memory: Option<Arc<Memory>>,
    bytes: u64,
}

/// All answers together would take more memory than they may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answers that are being made take {most} bytes of memory together")]
pub struct NoMemory {
    pub most: u64,
}

impl Memory {
    #[must_use]
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most: AtomicU64::new(most), held: AtomicU64::new(0) })
    }

    /// Another limit from now on; what is held stays.
    pub fn set_most(&self, most: u64) {
        self.most.store(most, Ordering::Relaxed);
    }

    /// How many bytes all answers hold now.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> Result<(), NoMemory> {
        let most = self.most.load(Ordering::Relaxed);
        let taken = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
            held.checked_add(bytes).filter(|held| *held <= most)
        });
        taken.map(drop).map_err(|_| NoMemory { most })
    }

    fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Held {
    /// Nothing yet, of this memory.
    #[must_use]
    pub fn of(memory: &Arc<Memory>) -> Self {
        Self { memory: Some(Arc::clone(memory)), bytes: 0 }
    }

    /// Holds as many bytes at least.
    pub fn grow_to(&mut self, bytes: u64) -> Result<(), NoMemory> {
        if bytes <= self.bytes.max(FREE) {
            return Ok(());
        }
        let Some(memory) = &self.memory else { return Ok(()) };
        let wanted = bytes.checked_next_multiple_of(PIECE).unwrap_or(bytes);
        memory.take(wanted - self.bytes)?;
        self.bytes = wanted;
        Ok(())
    }

    /// Gives back what is held beyond so many bytes.
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

    /// Holds what `other` held, too, which is of the same memory.
    pub fn join(&mut self, mut other: Self) {
        self.bytes += std::mem::take(&mut other.bytes);
        if self.memory.is_none() {
            self.memory = other.memory.take();
        }
    }

    /// Gives everything back.
    pub fn release(&mut self) {
        self.shrink_to(0);
    }

    /// How much is held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The same memory, of which nothing is held.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { memory: self.memory.clone(), bytes: 0 }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_answers_hold_nothing_and_large_ones_whole_pieces() {
        let memory = Memory::new(10 * PIECE);
        let mut held = Held::of(&memory);
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
        let memory = Memory::new(3 * PIECE);
        let (mut one, mut other) = (Held::of(&memory), Held::of(&memory));
        assert_eq!(one.grow_to(2 * PIECE), Ok(()));
        assert_eq!(other.grow_to(PIECE), Ok(()));
        assert_eq!(other.grow_to(PIECE + 1), Err(NoMemory { most: 3 * PIECE }));
        assert_eq!(memory.held(), 3 * PIECE);
        drop(one);
        assert_eq!(other.grow_to(3 * PIECE), Ok(()));
        other.release();
        assert_eq!(memory.held(), 0);
        memory.set_most(0);
        assert_eq!(other.grow_to(FREE), Ok(()));
        assert_eq!(other.grow_to(FREE + 1), Err(NoMemory { most: 0 }));
    }

    #[test]
    fn what_is_joined_is_given_back_together() {
        let memory = Memory::new(9 * PIECE);
        let mut held = Held::default();
        for pieces in [2, 0, 3] {
            let mut another = Held::of(&memory);
            another.grow_to(pieces * PIECE).unwrap();
            held.join(another);
        }
        assert_eq!((held.bytes(), memory.held()), (5 * PIECE, 5 * PIECE));
        drop(held);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn what_is_counted_nowhere_grows_as_it_likes() {
        assert_eq!(Held::default().grow_to(u64::MAX), Ok(()));
    }
}
