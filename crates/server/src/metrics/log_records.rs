//! Records of the log that are exported.

use std::sync::atomic::AtomicU64;

/// Records by their outcomes.
#[derive(Debug, Default)]
pub(crate) struct LogCounts {
    pub(crate) sent: AtomicU64,
    /// The queue was full.
    pub(crate) dropped: AtomicU64,
    /// The collector did not accept them.
    pub(crate) failed: AtomicU64,
}
