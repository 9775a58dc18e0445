//! Sizes of the last execution of a plan, as an estimate for the next one.

use std::sync::atomic::{AtomicU32, Ordering};

/// A counter that each execution overwrites; only preallocation depends on it.
#[derive(Debug, Default)]
pub struct SizeHint(AtomicU32);

impl SizeHint {
    /// Returns the size to preallocate: at most `most`, so that one large response does not cost
    /// memory in all later executions.
    #[must_use]
    pub fn get(&self, most: usize) -> usize {
        (self.0.load(Ordering::Relaxed) as usize).min(most)
    }

    pub fn set(&self, length: usize) {
        self.0.store(u32::try_from(length).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}
