//! How large the last answer of a plan was: the next will be about as large.

use std::sync::atomic::{AtomicU32, Ordering};

/// Nobody makes room for more at once, so that one large answer does not cost all others memory.
const MOST: usize = 1 << 15;

/// A number that each execution may change: nothing depends on it but how often room is made.
#[derive(Debug, Default)]
pub struct Usual(AtomicU32);

impl Usual {
    /// For so much room is made.
    #[must_use]
    pub fn get(&self) -> usize {
        (self.0.load(Ordering::Relaxed) as usize).min(MOST)
    }

    pub fn set(&self, length: usize) {
        self.0.store(u32::try_from(length).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}
