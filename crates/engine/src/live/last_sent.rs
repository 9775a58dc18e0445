//! The response of a subscription that was sent last.

use std::hash::{BuildHasher, RandomState};

use bytes::Bytes;

/// The last response, by which the first one after a reload is left out if it is the same.
#[derive(Debug, Default)]
pub struct LastSent {
    /// Its hash. Keeping the response would keep its memory.
    hash: Option<u64>,
    hasher: RandomState,
    /// True after a reload, until the next response, which may equal the last.
    may_repeat: bool,
}

impl LastSent {
    /// A reload: the next response is left out if it equals the last one, where responses are states.
    pub fn expect_repetition(&mut self, are_states: bool) {
        self.may_repeat = are_states;
    }

    /// Returns true if a response was sent before the reload already; else it is the last one now.
    #[must_use]
    pub fn is_repeated(&mut self, response: &Bytes) -> bool {
        let hash = Some(self.hasher.hash_one(response));
        let may_repeat = std::mem::replace(&mut self.may_repeat, false);
        std::mem::replace(&mut self.hash, hash) == hash && may_repeat
    }
}
