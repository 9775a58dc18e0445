//! The refusal of an operation by a hook.

use hyper::StatusCode;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HookRefusal {
    pub(super) status: StatusCode,
    pub(super) message: Box<str>,
    /// The `code` of the error, if it is not that of all refusals of hooks.
    pub(super) code: Option<Box<str>>,
}
