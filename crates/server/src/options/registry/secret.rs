//! A key that is never printed.

use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(Box<str>);

impl Secret {
    /// The key, for the request that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    /// Without the line end that a file of a secret may have.
    fn from(text: String) -> Self {
        Self(text.trim().into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(redact::HIDDEN)
    }
}
