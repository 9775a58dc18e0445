//! What is meant by what is not there.

/// What a null or an empty value means at an input position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// As if the input were absent.
    Ignore,
    IsNull,
    IsNotNull,
    /// Of [`RelatedBy`](super::InputRole::RelatedBy) and [`Quantified`](super::InputRole::Quantified):
    /// there are such rows.
    Related,
    /// There are none.
    Unrelated,
    True,
    False,
    /// A request error with this text.
    Refuse(Box<str>),
}
