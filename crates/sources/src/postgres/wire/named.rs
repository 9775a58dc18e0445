//! Whether statements are prepared by name: all connections of a source do, or none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by all copies of a configuration.
#[derive(Debug, Clone)]
pub(super) struct NamedStatements(Arc<AtomicBool>);

impl NamedStatements {
    pub(super) fn new(are_named: bool) -> Self {
        Self(Arc::new(AtomicBool::new(are_named)))
    }

    pub(super) fn are_named(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sends them without names from now on. Whether they had names until now.
    pub(super) fn unname(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
