//! State of the pooler between here and the server, as the connections of a source found it out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by all copies of a configuration.
#[derive(Debug, Clone)]
pub(super) struct PoolerState {
    flags: Arc<Flags>,
    /// Whether the source is only probed: the caller logs the result.
    is_probe: bool,
}

#[derive(Debug)]
struct Flags {
    is_there: AtomicBool,
    keeps_statements: AtomicBool,
}

impl PoolerState {
    pub(super) fn new(is_there: bool, keeps_statements: bool) -> Self {
        let [is_there, keeps_statements] = [is_there, keeps_statements].map(AtomicBool::new);
        Self { flags: Arc::new(Flags { is_there, keeps_statements }), is_probe: false }
    }

    /// Copies the state, for changes that do not affect other sessions.
    pub(super) fn detached(&self) -> Self {
        let apart = Self::new(self.is_there(), self.keeps_statements());
        Self { is_probe: self.is_probe, ..apart }
    }

    pub(super) fn probing(&self) -> Self {
        Self { is_probe: true, ..self.detached() }
    }

    pub(super) fn set_there(&self) {
        self.flags.is_there.store(true, Ordering::Relaxed);
    }

    pub(super) fn set_keeps_statements(&self, keeps_statements: bool) {
        self.flags.keeps_statements.store(keeps_statements, Ordering::Relaxed);
    }

    pub(super) fn is_there(&self) -> bool {
        self.flags.is_there.load(Ordering::Relaxed)
    }

    /// Whether a session keeps its prepared statements, so that they can have names.
    pub(super) fn keeps_statements(&self) -> bool {
        self.flags.keeps_statements.load(Ordering::Relaxed)
    }

    /// Records that there is a pooler, whatever was detected when the source was opened.
    pub(super) fn is_noticed(&self, reason: &str) {
        if !self.flags.is_there.swap(true, Ordering::Relaxed) && !self.is_probe {
            tracing::warn!(
                reason,
                "a pooler is in front of PostgreSQL since a moment ago: no connection is shared"
            );
        }
    }

    /// Records that it assigns sessions without the client's statements.
    pub(super) fn leaves_statements(&self, error: &str) {
        if self.flags.keeps_statements.swap(false, Ordering::Relaxed) && !self.is_probe {
            tracing::warn!(
                error,
                "a pooler mixes up prepared statements: from now on they are sent without names"
            );
        }
    }
}
