//! Where an answer's bytes go.
//!
//! The writer takes back what it wrote of a position that turns out null, so places in the answer
//! are [`Mark`]s: counted from its first byte, whether or not the bytes before are still here.
//! What stands before every mark that may still be rolled back to is final, and can be sent while
//! the rest is being written.

use crate::memory::{Held, NoMemory, growth};

/// Which part of the room is left for one element of a list: after each, the room is looked at.
const SPARE: usize = 8;

/// The bytes of one answer, with the most it may have.
#[derive(Debug, Default)]
pub struct Sink {
    bytes: Vec<u8>,
    held: Held,
    /// How many bytes the answer may have before it has to be looked at what it may.
    room: u64,
    /// How many bytes of the answer stood before `bytes` and are gone.
    sent: u64,
    budget: u64,
}

/// A place in an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// The answer would be larger than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    #[error("the answer has more than {budget} bytes")]
    Answer { budget: u64 },
    #[error(transparent)]
    Together(#[from] NoMemory),
}

impl Sink {
    /// A sink that holds the beginning of the response already.
    #[must_use]
    pub fn new(bytes: Vec<u8>, budget: u64, held: Held) -> Self {
        Self { bytes, held, room: 0, sent: 0, budget }
    }

    /// The bytes that are here, to append to.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The place of the next byte.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.sent + self.bytes.len() as u64)
    }

    /// Takes back everything from the mark on; what was sent stays sent.
    pub fn roll_back(&mut self, mark: Mark) {
        debug_assert!(mark.0 >= self.sent, "what was sent cannot be taken back");
        self.bytes.truncate(usize::try_from(mark.0.saturating_sub(self.sent)).unwrap_or(0));
    }

    /// Appends once more what stands between two marks; `false` if a part of it is gone.
    pub(crate) fn repeat(&mut self, (start, end): (Mark, Mark)) -> bool {
        let place = |mark: Mark| usize::try_from(mark.0.checked_sub(self.sent)?).ok();
        let (Some(start), Some(end)) = (place(start), place(end)) else { return false };
        if start > end || end > self.bytes.len() {
            return false;
        }
        self.bytes.extend_from_within(start..end);
        true
    }

    /// Takes the bytes before the mark out, to be sent.
    pub fn take_before(&mut self, mark: Mark) -> Vec<u8> {
        let length = usize::try_from(mark.0.saturating_sub(self.sent)).unwrap_or(usize::MAX);
        let rest = self.bytes.split_off(length.min(self.bytes.len()));
        self.sent = self.sent.max(mark.0);
        std::mem::replace(&mut self.bytes, rest)
    }

    /// Whether the answer keeps to its budget so far.
    pub fn check_budget(&mut self) -> Result<(), TooLarge> {
        if self.mark().0 > self.room { self.make_room() } else { Ok(()) }
    }

    /// All bytes that are here, with the memory that they hold.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u8>, Held) {
        (self.bytes, self.held)
    }

    /// Called a few times in an answer's life. The bytes get more room before they need it, so that
    /// memory is held before it is taken: where they grow, they are in two places for a moment.
    #[cold]
    fn make_room(&mut self) -> Result<(), TooLarge> {
        if self.mark().0 > self.budget {
            return Err(TooLarge::Answer { budget: self.budget });
        }
        let before = self.bytes.capacity();
        if self.bytes.len() > before - before / SPARE {
            let after = before + growth(before);
            self.held.grow_to((before + after) as u64)?;
            self.bytes.reserve_exact(after - self.bytes.len());
            self.held.shrink_to(after as u64);
        }
        let capacity = self.bytes.capacity();
        self.held.grow_to(capacity as u64)?;
        self.room = self.budget.min(self.sent + (capacity - capacity / SPARE) as u64);
        Ok(())
    }
}

impl Clone for Sink {
    /// The copy holds memory of its own.
    fn clone(&self) -> Self {
        let Self { bytes, held, room: _, sent, budget } = self;
        Self { bytes: bytes.clone(), held: held.another(), room: 0, sent: *sent, budget: *budget }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, Sink, TooLarge};
    use crate::memory::{Held, Memory, NoMemory};

    #[test]
    fn a_mark_is_the_same_place_after_bytes_were_sent() {
        let mut sink = Sink::new(b"{\"data\":".to_vec(), 100, Held::default());
        sink.bytes().extend_from_slice(b"[1,");
        let element = sink.mark();
        sink.bytes().extend_from_slice(b"2");
        assert!(sink.repeat((element, sink.mark())));
        assert_eq!(sink.take_before(element), b"{\"data\":[1,");
        assert!(sink.repeat((element, sink.mark())));
        assert!(!sink.repeat((Mark(8), sink.mark())));
        sink.roll_back(element);
        sink.bytes().extend_from_slice(b"null]");
        assert_eq!(sink.into_parts().0, b"null]");
    }

    #[test]
    fn sent_bytes_count_for_the_budget() {
        let mut sink = Sink::new(b"12345".to_vec(), 6, Held::default());
        let end = sink.mark();
        assert_eq!(sink.take_before(end), b"12345");
        sink.bytes().push(b'6');
        assert_eq!(sink.check_budget(), Ok(()));
        sink.bytes().push(b'7');
        assert_eq!(sink.check_budget(), Err(TooLarge::Answer { budget: 6 }));
    }

    #[test]
    fn a_large_answer_holds_its_memory_until_it_is_gone() {
        const MEBIBYTE: usize = 1 << 20;
        let memory = Memory::new(8 << 20);
        let mut sink = Sink::new(Vec::new(), 100 << 20, Held::of(&memory));
        let mut copy = sink.clone();
        for _ in 0..2 << 10 {
            sink.bytes().extend_from_slice(&[b' '; 1 << 10]);
            assert_eq!(sink.check_budget(), Ok(()));
            // What grows unseen is small.
            assert!(sink.bytes().capacity() as u64 <= memory.held().max(128 << 10));
        }
        let (bytes, held) = sink.into_parts();
        assert_eq!(bytes.len(), 2 * MEBIBYTE);
        assert!(bytes.capacity() <= 4 * MEBIBYTE);
        assert_eq!(held.bytes(), memory.held());
        let most = memory.held() + (1 << 20);
        memory.set_most(most);
        copy.bytes().extend_from_slice(&[b' '; (1 << 20) + 1]);
        let refused = TooLarge::Together(NoMemory { most });
        assert_eq!(copy.check_budget(), Err(refused));
        drop(held);
        assert_eq!(copy.check_budget(), Ok(()));
    }
}
