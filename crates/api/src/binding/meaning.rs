//! Meaning of null and of empty inputs.

/// What a null or an empty value means at an input position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// As if the input were absent.
    Ignore,
    IsNull,
    IsNotNull,
    /// Of [`RowsRole`](super::RowsRole): there are such rows.
    Related,
    /// There are none.
    Unrelated,
    True,
    False,
    /// A request error with this text.
    Refuse(Box<str>),
}
