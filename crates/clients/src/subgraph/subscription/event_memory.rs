//! Memory of events that wait for listeners.

use std::fmt;
use std::sync::Arc;

/// A memory budget of events.
pub trait EventBudget: fmt::Debug + Send + Sync {
    /// Reserves memory; `false` if the budget is exhausted.
    fn take(&self, bytes: usize) -> bool;

    /// Releases memory.
    fn give_back(&self, bytes: usize);
}

/// The memory of an event; released when it is dropped.
#[derive(Debug)]
pub(super) struct EventReservation {
    budget: Arc<dyn EventBudget>,
    bytes: usize,
}

impl EventReservation {
    /// Reserves memory; `None` if the budget is exhausted.
    pub(super) fn take(budget: &Arc<dyn EventBudget>, bytes: usize) -> Option<Self> {
        budget.take(bytes).then(|| Self { budget: Arc::clone(budget), bytes })
    }
}

impl Drop for EventReservation {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}
