//! Refusals of whole sessions.

use std::fmt;

/// Reasons why a session has no access at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRefusal {
    /// The session names no role, and there is no default role.
    NoRole,
    UnknownRole,
    /// The limit of distinct access sets is reached by different tokens.
    TooManySets,
}

impl fmt::Display for SessionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRole => "The request has no role, and nobody has access without one.",
            // The message does not reveal which roles exist.
            Self::UnknownRole => "The role of this request has no access.",
            Self::TooManySets => {
                "Sessions have too many different combinations of claims: this one has no access."
            }
        })
    }
}
