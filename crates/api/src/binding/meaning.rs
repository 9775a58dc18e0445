//! Meaning of null and of empty inputs.

/// The meaning of a null or an empty value at an input position.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// A request error with this text.
    Refuse(Box<str>),
}
