//! Calls of asynchronous actions: the log that keeps them, and the handlers that receive them.

use sources::{ActionLog, ActionLogError, Address};
use tokio::sync::Notify;

/// The calls of an engine's actions.
#[derive(Debug)]
pub(crate) struct ActionCalls {
    pub(crate) log: ActionLog,
    /// Wakes the delivery of this process.
    pub(crate) wake: Notify,
}

/// The reason why asynchronous actions cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("asynchronous actions of the metadata: {0}")]
pub struct ActionCallsError(#[from] ActionLogError);

impl ActionCalls {
    /// The calls of a source; `None` without asynchronous actions.
    pub(crate) fn open(
        api: &dialects::Api,
        address: &Address,
        timeouts: source::Timeouts,
    ) -> Result<Option<Self>, ActionCallsError> {
        if api.async_actions.is_empty() {
            return Ok(None);
        }
        let log = ActionLog::new(address, timeouts)?;
        Ok(Some(Self { log, wake: Notify::new() }))
    }
}
