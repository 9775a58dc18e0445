//! Errors that executions of one subscription have in common.
//!
//! A subscription is executed again and again, also while the same error lasts. The error is logged once,
//! and keeps the id of that line: so responses with it are equal, and the client receives one of them.

use std::cell::RefCell;
use std::pin::pin;
use std::sync::Arc;

use tokio::task_local;

use crate::log_throttle::{Cause, Logged};

task_local! {
    static EXECUTION: RefCell<Execution>;
}

/// The logged errors of the last execution of a subscription.
#[derive(Debug, Default)]
pub(crate) struct KnownErrors(Vec<KnownError>);

#[derive(Clone, Debug)]
struct KnownError {
    cause: Cause,
    message: Box<str>,
    id: Arc<str>,
}

/// A running execution.
#[derive(Debug, Default)]
struct Execution {
    /// The errors of the one before.
    former: KnownErrors,
    found: KnownErrors,
}

impl KnownErrors {
    fn find(&self, cause: &Cause, message: &str) -> Option<&KnownError> {
        self.0.iter().find(|known| known.cause == *cause && *known.message == *message)
    }

    /// Runs an execution of a subscription, whose errors are known afterwards.
    pub(crate) async fn in_execution<F: Future>(&mut self, execution: F) -> F::Output {
        let state = Execution { former: std::mem::take(self), found: Self::default() };
        let mut scoped = pin!(EXECUTION.scope(RefCell::new(state), execution));
        let output = scoped.as_mut().await;
        if let Some(state) = scoped.take_value() {
            *self = state.into_inner().found;
        }
        output
    }
}

/// Judges the log line of an error, unless an execution of the same subscription has logged it.
pub(crate) fn judge_once(
    cause: Cause,
    message: &str,
    judge: impl FnOnce(Cause) -> Logged,
) -> Logged {
    let known = EXECUTION.try_with(|execution| {
        let mut execution = execution.borrow_mut();
        let Execution { former, found } = &mut *execution;
        if let Some(known) = found.find(&cause, message) {
            return Some(Arc::clone(&known.id));
        }
        let known = former.find(&cause, message)?.clone();
        found.0.push(known.clone());
        Some(known.id)
    });
    if let Ok(Some(id)) = known {
        return Logged::Counted { id };
    }
    let logged = judge(cause.clone());
    let (Logged::Written { id, .. } | Logged::Counted { id }) = &logged;
    let known = KnownError { cause, message: message.into(), id: Arc::clone(id) };
    // Without an execution of a subscription nothing is remembered.
    let _ = EXECUTION.try_with(|execution| execution.borrow_mut().found.0.push(known));
    logged
}

#[cfg(test)]
mod tests {
    use graphql::ErrorCode;

    use super::*;

    /// The id of an error, and whether it was logged. `number` makes ids differ.
    fn judge(message: &str, number: u32) -> (String, bool) {
        let cause = Cause { code: ErrorCode::PermissionDenied, detail: "42501".into() };
        let logged = judge_once(cause, message, |_| Logged::Written {
            id: number.to_string().into(),
            suppressed: 0,
        });
        match logged {
            Logged::Written { id, .. } => (id.to_string(), true),
            Logged::Counted { id } => (id.to_string(), false),
        }
    }

    #[tokio::test]
    async fn an_error_that_lasts_is_logged_once_and_keeps_its_id() {
        let mut known = KnownErrors::default();
        let first = known.in_execution(async { (judge("a", 1), judge("a", 2)) }).await;
        assert_eq!(first, (("1".into(), true), ("1".into(), false)));
        let second = known.in_execution(async { (judge("b", 3), judge("a", 4)) }).await;
        assert_eq!(second, (("3".into(), true), ("1".into(), false)));
        // It is a new one after an execution without it.
        known.in_execution(async {}).await;
        assert_eq!(known.in_execution(async { judge("a", 5) }).await, ("5".into(), true));
        assert_eq!(judge("a", 6), ("6".into(), true));
    }
}
