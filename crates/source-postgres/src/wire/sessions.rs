//! Number of open sessions of a configuration.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shared by all copies of a configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct Sessions(Arc<AtomicUsize>);

/// Counts as one session until it is dropped.
#[derive(Debug)]
pub(super) struct CountedSession(Sessions);

impl Sessions {
    pub(super) fn begin(&self) -> CountedSession {
        self.0.fetch_add(1, Ordering::Relaxed);
        CountedSession(self.clone())
    }

    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for CountedSession {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
