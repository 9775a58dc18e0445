//! Estimated length of a program's answers.
//!
//! An answer is built as a whole until it proves to be long, and then begins again as a stream.
//! Many requests for an unknown program may run at once: then each of them may receive fewer bytes
//! before it begins again, so that they take no more memory together than a few.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes that every answer may receive, whatever the number of concurrent ones.
const LEAST_BYTES: usize = 64 << 10;

#[derive(Debug, Default)]
pub(super) struct Length {
    /// Whether an answer proved to be long, so that the next ones are streamed.
    is_long: AtomicBool,
    /// Whether some answer was short.
    has_been_short: AtomicBool,
    /// Number of answers that are being built as a whole to measure them.
    trying: AtomicUsize,
}

/// An answer that is being built as a whole.
#[derive(Debug)]
pub(super) struct Trying<'l> {
    length: &'l Length,
    /// Most bytes of rows that it may receive.
    pub(super) bytes: usize,
    most: usize,
}

impl Length {
    /// Tries whether an answer has fewer bytes than `most`, which are more than none; `None` where
    /// that is known.
    pub(super) fn try_whole(&self, most: usize) -> Option<Trying<'_>> {
        if self.is_long.load(Ordering::Relaxed) || most == 0 {
            return None;
        }
        let others = self.trying.fetch_add(1, Ordering::Relaxed);
        let bytes = match self.has_been_short.load(Ordering::Relaxed) {
            true => most,
            false => (most / (others + 1)).max(LEAST_BYTES).min(most),
        };
        Some(Trying { length: self, bytes, most })
    }

    /// A streamed answer was complete before anything was sent.
    pub(super) fn is_short_again(&self) {
        self.is_long.store(false, Ordering::Relaxed);
    }
}

impl Trying<'_> {
    /// The answer is complete.
    pub(super) fn was_short(self) {
        self.length.has_been_short.store(true, Ordering::Relaxed);
    }

    /// Records a long answer.
    pub(super) fn was_long(self) {
        self.length.is_long.store(true, Ordering::Relaxed);
    }

    /// It exceeded the bytes that it may receive.
    pub(super) fn was_longer(self) {
        // With less than all it may be short all the same.
        if self.bytes == self.most {
            self.length.is_long.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        self.length.trying.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 1 << 20;

    #[test]
    fn answers_of_unknown_length_share_what_one_may_receive() {
        let length = Length::default();
        let trying: Vec<_> = (0..40).filter_map(|_| length.try_whole(MOST)).collect();
        let bytes: Vec<usize> = trying.iter().map(|trying| trying.bytes).collect();
        assert_eq!((bytes[0], bytes[1], bytes[3], bytes[39]), (MOST, MOST / 2, MOST / 4, 64 << 10));
        assert!(bytes.iter().sum::<usize>() < 6 * MOST);
        drop(trying);
        assert_eq!(length.try_whole(MOST).map(|trying| trying.bytes), Some(MOST));
    }

    #[test]
    fn answers_that_were_short_are_made_as_a_whole() {
        let length = Length::default();
        length.try_whole(MOST).into_iter().for_each(Trying::was_short);
        let trying: Vec<_> = (0..40).filter_map(|_| length.try_whole(MOST)).collect();
        assert!(trying.iter().all(|trying| trying.bytes == MOST));
    }

    #[test]
    fn only_an_answer_that_had_everything_shows_that_it_is_long() {
        let length = Length::default();
        let first = length.try_whole(MOST);
        length.try_whole(MOST).into_iter().for_each(Trying::was_longer);
        assert!(length.try_whole(MOST).is_some());
        first.into_iter().for_each(Trying::was_longer);
        assert!(length.try_whole(MOST).is_none());
        length.is_short_again();
        assert!(length.try_whole(MOST).is_some());
        assert!(length.try_whole(0).is_none());
    }
}
