//! Values of fields that an insert omits.

/// The value that the source gives a field that an insert omits, if it is a literal or the next number
/// of a sequence. Other expressions are known to the source alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldDefault {
    /// A literal in quotes, without them: a value of whatever type.
    Text(Box<str>),
    /// A number as it is written.
    Number(Box<str>),
    Boolean(bool),
    Sequence(Sequence),
}

/// A sequence in the namespace of the field's entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub name: Box<str>,
    pub start: i64,
}
