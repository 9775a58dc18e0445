//! How large the last answer of a plan was: the next will be about as large.

use std::sync::atomic::{AtomicU32, Ordering};

/// A number that each execution may change: nothing depends on it but how often room is made.
#[derive(Debug, Default)]
pub struct Usual(AtomicU32);

impl Usual {
    /// For so much room is made: no more than `most`, so that one large answer does not cost all
    /// others memory.
    #[must_use]
    pub fn get(&self, most: usize) -> usize {
        (self.0.load(Ordering::Relaxed) as usize).min(most)
    }

    pub fn set(&self, length: usize) {
        self.0.store(u32::try_from(length).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}
