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
            Self::NoRole => "This request names no role, and nothing is let without one.",
            // The message does not reveal which roles exist.
            Self::UnknownRole => "Nothing is let to the role of this request.",
            Self::TooManySets => {
                "The claims of too many different kinds were seen: nothing more is let."
            }
        })
    }
}
