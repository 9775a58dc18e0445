//! Fields of objects of other servers whose values are rows of the source.

/// A field of an object of another server whose value is rows of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedField {
    /// The root field of the rows, which has an argument `where`.
    pub root: Box<str>,
    pub keys: Box<[RelatedKey]>,
    /// False for one row, or null.
    pub is_list: bool,
}

/// A field of the object, and the column that is equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedKey {
    /// The key of the field in the answer.
    pub member: Box<str>,
    /// The column in conditions.
    pub column: Box<str>,
    /// The type of its values.
    pub r#type: Box<str>,
}
