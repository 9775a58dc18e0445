//! Where an answer's bytes go.
//!
//! The writer takes back what it wrote of a position that turns out null, so places in the answer
//! are [`Mark`]s: counted from its first byte, whether or not the bytes before are still here.
//! What stands before every mark that may still be rolled back to is final, and can be sent while
//! the rest is being written.

/// The bytes of one answer, with the most it may have.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    bytes: Vec<u8>,
    /// How many bytes of the answer stood before `bytes` and are gone.
    sent: u64,
    budget: u64,
}

/// A place in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// The answer would be larger than its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer has more than {budget} bytes")]
pub struct TooLarge {
    pub budget: u64,
}

impl Sink {
    /// A sink that holds the beginning of the response already.
    #[must_use]
    pub fn new(bytes: Vec<u8>, budget: u64) -> Self {
        Self { bytes, sent: 0, budget }
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

    /// Takes the bytes before the mark out, to be sent.
    pub fn take_before(&mut self, mark: Mark) -> Vec<u8> {
        let length = usize::try_from(mark.0.saturating_sub(self.sent)).unwrap_or(usize::MAX);
        let rest = self.bytes.split_off(length.min(self.bytes.len()));
        self.sent = self.sent.max(mark.0);
        std::mem::replace(&mut self.bytes, rest)
    }

    /// Whether the answer keeps to its budget so far.
    pub fn check_budget(&self) -> Result<(), TooLarge> {
        if self.mark().0 > self.budget {
            return Err(TooLarge { budget: self.budget });
        }
        Ok(())
    }

    /// All bytes that are here.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{Sink, TooLarge};

    #[test]
    fn a_mark_is_the_same_place_after_bytes_were_sent() {
        let mut sink = Sink::new(b"{\"data\":".to_vec(), 100);
        sink.bytes().extend_from_slice(b"[1,");
        let element = sink.mark();
        sink.bytes().extend_from_slice(b"2");
        assert_eq!(sink.take_before(element), b"{\"data\":[1,");
        sink.roll_back(element);
        sink.bytes().extend_from_slice(b"null]");
        assert_eq!(sink.into_bytes(), b"null]");
    }

    #[test]
    fn sent_bytes_count_for_the_budget() {
        let mut sink = Sink::new(b"12345".to_vec(), 6);
        let end = sink.mark();
        assert_eq!(sink.take_before(end), b"12345");
        sink.bytes().push(b'6');
        assert_eq!(sink.check_budget(), Ok(()));
        sink.bytes().push(b'7');
        assert_eq!(sink.check_budget(), Err(TooLarge { budget: 6 }));
    }
}
