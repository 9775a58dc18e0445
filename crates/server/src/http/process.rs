//! What lasts as long as the process, and is shared by all threads, whatever is reloaded.

use std::sync::atomic::AtomicBool;

use super::readiness::Readiness;

#[derive(Debug, Default)]
pub(crate) struct Process {
    /// Whether a signal to stop has come. Requests may still be taken for a while, but who shares
    /// them out had better send them elsewhere.
    pub(super) is_stopping: AtomicBool,
    pub(super) readiness: Readiness,
}
