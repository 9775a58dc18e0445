//! Meaning of null and of empty inputs.

use std::sync::Arc;

/// The meaning of a null or an empty value at an input position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// As if the input were absent.
    Ignore,
    IsNull,
    IsNotNull,
    /// For [`RowsRole`](super::RowsRole): there are such rows.
    Related,
    /// For [`RowsRole`](super::RowsRole): there are no such rows.
    Unrelated,
    True,
    False,
    /// A request error with this text, which many inputs share: a thin pointer, since each input has two
    /// of these.
    Refuse(Arc<Box<str>>),
}

impl Meaning {
    /// A request error with this text.
    #[must_use]
    pub fn refuse(text: impl Into<Box<str>>) -> Self {
        Self::Refuse(Arc::new(text.into()))
    }
}
