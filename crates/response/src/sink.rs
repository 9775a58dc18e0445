//! The buffer of a response's bytes, with budget, rollback and streaming.
//!
//! The writer rolls back what it wrote of a position that turns out null, so positions in the
//! response are [`Mark`]s: counted from its first byte, whether or not the bytes before are still
//! in the buffer. Bytes before every mark that may still be rolled back to are final, and can be
//! sent while the rest is being written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::memory::{BudgetExceeded, MemoryReservation, growth};
use crate::outlet::{Outlet, Refused, SentPiece};

/// The share of the room that one element of a list may use: the room is checked after each.
const SPARE: usize = 8;

/// More than half a mebibyte: the allocator cuts smaller buffers of one size from a page of four
/// mebibytes that belongs to one thread, and uses all of it before it reuses a piece that another
/// thread freed. Larger ones are allocated alone, and reused at once; unwritten parts take no
/// memory.
const ALONE: usize = 1 << 20;

/// Smaller buffers share a page with many, so this does not matter for them.
const SMALL: usize = 64 << 10;

/// The bytes of one response, with its budget.
#[derive(Debug, Default)]
pub struct Sink {
    bytes: Vec<u8>,
    held: MemoryReservation,
    /// The number of bytes after which the limits are checked again.
    room: u64,
    /// The number of bytes before `bytes` that were sent and freed.
    sent: u64,
    budget: u64,
    /// The expected size of the response.
    expected: usize,
    stream: Option<Stream>,
    work: WorkLimit,
}

/// A limit of work before the writer checks whether to continue.
#[derive(Clone, Debug)]
pub(crate) struct WorkLimit {
    /// The position of the next check.
    pub(crate) end: u64,
    /// Cancellation flag; without it the writing ends at `end`.
    abandoned: Option<Arc<AtomicBool>>,
}

/// The state of a streamed response.
#[derive(Debug)]
struct Stream {
    outlet: Box<dyn Outlet>,
    /// The minimum size of a piece.
    portion: usize,
}

/// A position in a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// The size from which a response is streamed, and of its pieces, unless they cannot be final yet.
/// A slow reader keeps several pieces in memory.
pub const PORTION: usize = 32 << 10;

/// A rollback reached bytes that were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadySent;

/// Reasons why the sink accepts no more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    TooLarge(TooLarge),
    Refused(Refused),
}

/// Limits that the response would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    #[error("the answer has more than {budget} bytes")]
    Answer { budget: u64 },
    #[error(transparent)]
    Together(#[from] BudgetExceeded),
}

impl Sink {
    /// A sink with the beginning of the response.
    #[must_use]
    pub fn new(bytes: Vec<u8>, budget: u64, held: MemoryReservation) -> Self {
        let work = WorkLimit::default();
        Self { bytes, held, room: 0, sent: 0, budget, expected: 0, stream: None, work }
    }

    /// The same sink with an expected size, which is allocated at the first growth: a buffer that
    /// doubles is copied, and may end up half empty.
    #[must_use]
    pub fn expecting(self, bytes: usize) -> Self {
        Self { expected: bytes, ..self }
    }

    /// The same sink, streaming: final bytes are sent as soon as there are `first` of them.
    #[must_use]
    pub fn streaming(self, first: usize, outlet: Box<dyn Outlet>) -> Self {
        Self { stream: Some(Stream { outlet, portion: first }), ..self }
    }

    /// Limits the work: after so many bytes more, refuses to continue with
    /// [`Refused::TooLongHere`]. `None` removes the limit.
    pub fn limit_work(&mut self, bytes: Option<u64>) {
        let end = bytes.map_or(u64::MAX, |bytes| self.mark().0.saturating_add(bytes));
        self.work = WorkLimit { end, abandoned: None };
        self.room = 0;
    }

    /// Watches for cancellation: refuses to continue soon after the flag is set.
    pub fn watch(&mut self, abandoned: Arc<AtomicBool>) {
        self.work = WorkLimit::watching(abandoned, self.mark().0);
        self.room = 0;
    }

    /// True if so many bytes can be appended without a reallocation.
    #[inline]
    #[must_use]
    pub fn has_room(&self, bytes: usize) -> bool {
        bytes <= self.bytes.capacity() - self.bytes.len()
    }

    /// Reserves the temporary memory of a copy of so many bytes.
    pub(crate) fn reserve_copy(&mut self, bytes: usize) -> Result<(), Full> {
        let both = self.bytes.capacity().saturating_add(bytes);
        self.held.grow_to(both as u64).map_err(TooLarge::from)?;
        Ok(())
    }

    /// Makes room for so many bytes of one value.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), Full> {
        if bytes > self.bytes.capacity() - self.bytes.len() {
            self.grow(self.bytes.len().saturating_add(bytes))?;
        }
        Ok(())
    }

    /// True if a part of the response was sent.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        self.sent > 0
    }

    /// The bytes in the buffer, to append to.
    #[inline]
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The bytes in the buffer.
    pub(crate) fn written(&self) -> &[u8] {
        &self.bytes
    }

    /// A new reservation of the same memory budget, for data that is read before it is written.
    #[must_use]
    pub fn another_held(&self) -> MemoryReservation {
        self.held.another()
    }

    /// The maximum length of the response in bytes.
    #[must_use]
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// The position of the next byte.
    #[must_use]
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.sent + self.bytes.len() as u64)
    }

    /// Discards everything from the mark on; what was sent stays sent.
    pub fn roll_back(&mut self, mark: Mark) -> Result<(), AlreadySent> {
        let Some(kept) = mark.0.checked_sub(self.sent) else { return Err(AlreadySent) };
        self.bytes.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
        Ok(())
    }

    /// Appends a copy of the bytes between two marks; `false` if a part of them is gone, or if
    /// there is no room for them: writing them again makes room on its way.
    pub fn repeat(&mut self, (start, end): (Mark, Mark)) -> bool {
        let place = |mark: Mark| usize::try_from(mark.0.checked_sub(self.sent)?).ok();
        let (Some(start), Some(end)) = (place(start), place(end)) else { return false };
        if start > end || end > self.bytes.len() {
            return false;
        }
        if end - start > self.bytes.capacity() - self.bytes.len() {
            return false;
        }
        self.bytes.extend_from_within(start..end);
        true
    }

    /// Checks the budget of the response so far. With `is_final`, what is written will not be
    /// rolled back, and may be sent.
    #[inline]
    pub fn check_budget(&mut self, is_final: bool) -> Result<(), Full> {
        if self.mark().0 > self.room { self.make_room(is_final) } else { Ok(()) }
    }

    /// All bytes in the buffer, with their memory reservation.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u8>, MemoryReservation) {
        (self.bytes, self.held)
    }

    /// Called a few times per response. Grows the buffer before its room is used up, so that memory
    /// is reserved before it is allocated: during the growth, both buffers exist.
    #[cold]
    fn make_room(&mut self, is_final: bool) -> Result<(), Full> {
        if self.mark().0 > self.budget {
            return Err(TooLarge::Answer { budget: self.budget }.into());
        }
        let at = self.mark().0;
        self.work.check(at)?;
        if is_final && self.stream.as_ref().is_some_and(|way| way.portion <= self.bytes.len()) {
            return self.send();
        }
        let before = self.bytes.capacity();
        if self.bytes.len() > before - before / SPARE {
            self.grow(0)?;
        }
        let capacity = self.bytes.capacity();
        self.held.grow_to(capacity as u64).map_err(TooLarge::from)?;
        let mut room = capacity - capacity / SPARE;
        if let Some(Stream { portion, .. }) = self.stream {
            // From there on every check is made, until some bytes are final.
            room = room.min(portion.saturating_sub(1));
        }
        self.room = self.budget.min(self.sent + room as u64).min(self.work.end);
        Ok(())
    }

    /// Grows the buffer to its next capacity, or `least` if that is more. Both buffers are reserved
    /// before the larger one is allocated.
    #[cold]
    fn grow(&mut self, least: usize) -> Result<(), Full> {
        let capacity = self.bytes.capacity();
        // Pieces of a streamed response are small and many.
        let after = if self.sent > 0 { 2 * capacity } else { room_after(capacity, self.expected) };
        let after = after.max(least);
        self.held.reserve_growth(&self.bytes, after).map_err(TooLarge::from)?;
        self.bytes.reserve_exact(after - self.bytes.len());
        self.held.shrink_to(self.bytes.capacity() as u64);
        // Forces the next check of the room.
        self.room = 0;
        Ok(())
    }

    /// Sends the buffer. A large piece takes its reservation along: several may be in transit at
    /// once.
    fn send(&mut self) -> Result<(), Full> {
        let Some(Stream { outlet, portion }) = &mut self.stream else { return Ok(()) };
        let end = self.sent + self.bytes.len() as u64;
        let next = Vec::with_capacity(PORTION + PORTION / SPARE);
        let bytes = std::mem::replace(&mut self.bytes, next);
        let mut held = MemoryReservation::default();
        if bytes.capacity() > 2 * PORTION {
            held = self.held.another();
            std::mem::swap(&mut held, &mut self.held);
        }
        outlet.send(SentPiece { bytes, held }).map_err(Full::Refused)?;
        *portion = PORTION;
        self.sent = end;
        self.room = self.budget.min(end + PORTION as u64 - 1).min(self.work.end);
        Ok(())
    }
}

/// The next capacity of a full buffer.
fn room_after(capacity: usize, expected: usize) -> usize {
    let wanted = capacity + growth(capacity);
    let wanted = if expected > capacity { wanted.max(expected) } else { wanted };
    if wanted > SMALL { wanted.max(ALONE) } else { wanted }
}

/// The number of bytes between checks for cancellation.
const LOOK: u64 = 1 << 20;

impl WorkLimit {
    pub(crate) fn watching(abandoned: Arc<AtomicBool>, at: u64) -> Self {
        Self { end: at.saturating_add(LOOK), abandoned: Some(abandoned) }
    }

    /// Checks whether the writing continues at a position of the response.
    pub(crate) fn check(&mut self, at: u64) -> Result<(), Full> {
        if at <= self.end {
            return Ok(());
        }
        match &self.abandoned {
            None => Err(Full::Refused(Refused::TooLongHere)),
            Some(abandoned) if abandoned.load(Ordering::Relaxed) => {
                Err(Full::Refused(Refused::Unread))
            }
            Some(_) => {
                self.end = at.saturating_add(LOOK);
                Ok(())
            }
        }
    }
}

impl Default for WorkLimit {
    fn default() -> Self {
        Self { end: u64::MAX, abandoned: None }
    }
}

impl From<TooLarge> for Full {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl Clone for Sink {
    /// The copy has as much room, a reservation of its own, and sends nothing.
    fn clone(&self) -> Self {
        let Self { bytes, held, room: _, sent, budget, expected, stream: _, work: _ } = self;
        let mut copy = Vec::with_capacity(bytes.capacity());
        copy.extend_from_slice(bytes);
        let held = held.another();
        let (sent, budget, expected) = (*sent, *budget, *expected);
        let work = WorkLimit::default();
        Self { bytes: copy, held, room: 0, sent, budget, expected, stream: None, work }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    use super::{ALONE, AlreadySent, Full, Mark, PORTION, SMALL, Sink, TooLarge, room_after};
    use crate::memory::{BudgetExceeded, MemoryBudget, MemoryReservation};
    use crate::outlet::{Outlet, Refused, SentPiece};

    /// Records sent pieces, and refuses further ones after so many.
    #[derive(Clone, Debug)]
    struct Pieces {
        sent: Arc<Mutex<Vec<Vec<u8>>>>,
        most: usize,
    }

    impl Outlet for Pieces {
        fn send(&mut self, SentPiece { bytes, .. }: SentPiece) -> Result<(), Refused> {
            let mut sent = self.sent.lock().unwrap();
            if sent.len() == self.most {
                return Err(Refused::Unread);
            }
            sent.push(bytes);
            Ok(())
        }
    }

    fn streaming(budget: u64, first: usize, most: usize) -> (Sink, Pieces) {
        let pieces = Pieces { sent: Arc::default(), most };
        let sink = Sink::new(b"{\"data\":".to_vec(), budget, MemoryReservation::default());
        (sink.streaming(first, Box::new(pieces.clone())), pieces)
    }

    #[test]
    fn room_is_made_at_once_for_what_is_expected() {
        let mut sink = Sink::new(Vec::with_capacity(16), u64::MAX, MemoryReservation::default())
            .expecting(5_000);
        let mut capacities = Vec::new();
        for _ in 0..900 {
            assert_eq!(sink.check_budget(false), Ok(()));
            sink.bytes().extend_from_slice(b"12345");
            capacities.push(sink.bytes().capacity());
        }
        capacities.dedup();
        assert_eq!(capacities, [16, 5_000, 10_000]);
    }

    #[test]
    fn large_buffers_stand_alone() {
        assert_eq!([room_after(16, 0), room_after(4_096, 60_000)], [32, 60_000]);
        assert_eq!([room_after(SMALL, 0), room_after(4_096, 100_000)], [ALONE; 2]);
        assert_eq!([room_after(ALONE, 0), room_after(0, 3 << 20)], [2 * ALONE, 3 << 20]);
    }

    #[test]
    fn what_is_final_is_sent_once_there_is_enough_of_it() {
        let (mut sink, pieces) = streaming(u64::MAX, 12, 9);
        sink.bytes().extend_from_slice(b"[1,");
        assert_eq!(sink.check_budget(true), Ok(()));
        assert!(!sink.has_sent());
        sink.bytes().extend_from_slice(b"2,");
        assert_eq!(sink.check_budget(false), Ok(()));
        assert!(!sink.has_sent());
        sink.bytes().extend_from_slice(b"3,");
        // Bytes that may be rolled back used more room; the next final ones are sent.
        sink.bytes().extend_from_slice(&[b' '; 128]);
        assert_eq!(sink.check_budget(true), Ok(()));
        assert!(sink.has_sent());
        let element = sink.mark();
        sink.bytes().extend_from_slice(b"4");
        assert!(sink.repeat((element, sink.mark())));
        assert!(!sink.repeat((Mark(8), sink.mark())));
        assert_eq!(sink.roll_back(element), Ok(()));
        sink.bytes().extend_from_slice(b"null]");
        assert!(pieces.sent.lock().unwrap()[0].starts_with(b"{\"data\":[1,2,3, "));
        assert_eq!(sink.into_parts().0, b"null]");
    }

    #[test]
    fn what_has_no_room_is_not_repeated() {
        let bytes = Vec::with_capacity(8);
        let mut sink = Sink::new(bytes, u64::MAX, MemoryReservation::default());
        sink.bytes().extend_from_slice(b"[1,2]");
        let element = (Mark(1), Mark(2));
        let all = (Mark(0), sink.mark());
        assert!(!sink.repeat(all));
        assert!(sink.repeat(element));
        // Memory is reserved before it is allocated.
        let bytes = sink.bytes();
        assert_eq!((bytes.as_slice(), bytes.capacity()), (&b"[1,2]1"[..], 8));
    }

    #[test]
    fn what_was_sent_cannot_be_taken_back() {
        let (mut sink, _) = streaming(u64::MAX, 1, 9);
        let before = sink.mark();
        sink.bytes().push(b'[');
        assert_eq!(sink.check_budget(true), Ok(()));
        assert_eq!(sink.roll_back(before), Err(AlreadySent));
    }

    #[test]
    fn the_work_ends_where_it_is_limited_and_goes_on_elsewhere() {
        let mut sink = Sink::new(b"{\"data\":".to_vec(), u64::MAX, MemoryReservation::default());
        sink.limit_work(Some(1 << 10));
        let start = sink.mark();
        let refused = loop {
            sink.bytes().extend_from_slice(&[b' '; 100]);
            if let Err(refused) = sink.check_budget(false) {
                break refused;
            }
        };
        assert_eq!(refused, Full::Refused(Refused::TooLongHere));
        assert!(sink.bytes().len() <= (1 << 10) + 200);
        assert_eq!(sink.roll_back(start), Ok(()));
        // Elsewhere the writing continues until it is cancelled.
        let abandoned = Arc::new(AtomicBool::new(false));
        sink.watch(Arc::clone(&abandoned));
        for _ in 0..40_000 {
            sink.bytes().extend_from_slice(&[b' '; 100]);
            assert_eq!(sink.check_budget(false), Ok(()));
        }
        abandoned.store(true, std::sync::atomic::Ordering::Relaxed);
        let before = sink.bytes().len();
        let refused = loop {
            sink.bytes().extend_from_slice(&[b' '; 100]);
            if let Err(refused) = sink.check_budget(false) {
                break refused;
            }
        };
        assert_eq!(refused, Full::Refused(Refused::Unread));
        assert!(sink.bytes().len() - before <= (1 << 20) + 200);
    }

    #[test]
    fn a_large_value_has_its_room_before_it_is_written() {
        let memory = MemoryBudget::new(8 << 20);
        let mut sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::of(&memory));
        assert_eq!(sink.reserve(5 << 20), Ok(()));
        assert!(sink.bytes().capacity() >= 5 << 20);
        assert!((5 << 20..6 << 20).contains(&memory.held()));
        sink.bytes().resize(5 << 20, b' ');
        let refused = TooLarge::Together(BudgetExceeded { most: 8 << 20 });
        assert_eq!(sink.reserve(1 << 20), Err(refused.into()));
    }

    #[test]
    fn sent_bytes_count_for_the_budget() {
        let (mut sink, _) = streaming(20, 1, 9);
        assert_eq!(sink.check_budget(true), Ok(()));
        assert!(sink.has_sent());
        sink.bytes().extend_from_slice(&[b'1'; 12]);
        assert_eq!(sink.check_budget(true), Ok(()));
        sink.bytes().push(b'2');
        let refused = TooLarge::Answer { budget: 20 };
        assert_eq!(sink.check_budget(true), Err(refused.into()));
    }

    #[test]
    fn pieces_are_small_once_something_was_sent_and_end_with_their_reader() {
        let (mut sink, pieces) = streaming(u64::MAX, 1 << 20, 3);
        let mut checked = Ok(());
        while checked.is_ok() {
            sink.bytes().extend_from_slice(&[b' '; 1 << 10]);
            checked = sink.check_budget(true);
        }
        assert_eq!(checked, Err(Full::Refused(Refused::Unread)));
        let sizes: Vec<_> = pieces.sent.lock().unwrap().iter().map(Vec::len).collect();
        assert!(((1 << 20)..(1 << 20) + 2048).contains(&sizes[0]), "{sizes:?}");
        assert!(sizes[1..].iter().all(|size| (PORTION..PORTION + 2048).contains(size)));
    }

    #[test]
    fn a_large_answer_holds_its_memory_until_it_is_gone() {
        const MEBIBYTE: usize = 1 << 20;
        let memory = MemoryBudget::new(8 << 20);
        let mut sink = Sink::new(Vec::new(), 100 << 20, MemoryReservation::of(&memory));
        let mut copy = sink.clone();
        for _ in 0..2 << 10 {
            sink.bytes().extend_from_slice(&[b' '; 1 << 10]);
            assert_eq!(sink.check_budget(false), Ok(()));
            // Unreserved growth is small.
            assert!(sink.bytes().capacity() as u64 <= memory.held().max(128 << 10));
        }
        let (bytes, held) = sink.into_parts();
        assert_eq!(bytes.len(), 2 * MEBIBYTE);
        assert!(bytes.capacity() <= 4 * MEBIBYTE);
        assert_eq!(held.bytes(), memory.held());
        let most = memory.held() + (1 << 20);
        memory.set_most(most);
        copy.bytes().extend_from_slice(&[b' '; (1 << 20) + 1]);
        let refused = TooLarge::Together(BudgetExceeded { most });
        assert_eq!(copy.check_budget(false), Err(refused.into()));
        drop(held);
        assert_eq!(copy.check_budget(false), Ok(()));
    }
}
