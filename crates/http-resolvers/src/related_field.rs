//! Fields of objects of other servers whose values a query of the same API gives.

use crate::remote_path::RemotePath;

/// A field of an object of another server whose value a query of the same API gives.
#[derive(Clone, Debug, PartialEq)]
pub enum RelatedField {
    Rows(RelatedRows),
    Remote(Box<RelatedRemote>),
    /// Rows of a source in this process, which gives those of all objects at once.
    Source(Box<RelatedSource>),
}

/// Rows of another source whose columns are equal to fields of the object.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedSource {
    pub path: RemotePath,
    /// The keys of the fields in the answer.
    pub members: Box<[Box<str>]>,
}

/// Rows of the source whose columns are equal to fields of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedRows {
    /// The fields from the type of queries to that of the rows, which has an argument `where`.
    pub path: Box<[Box<str>]>,
    pub keys: Box<[RelatedKey]>,
    pub form: RelatedForm,
}

/// What the field has of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelatedForm {
    /// One row, or null.
    One,
    All,
    Aggregate,
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

/// A field of a remote schema whose arguments are fields of the object.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedRemote {
    /// The field of queries that has the first one, if it is none itself.
    pub namespace: Option<Box<str>>,
    pub path: RemotePath,
    /// The keys of the fields in the answer.
    pub members: Box<[Box<str>]>,
    /// For each step of the path, its arguments with their types in the API.
    pub arguments: Box<[Vec<TypedArgument>]>,
}

/// The name of an argument, and its type.
pub type TypedArgument = (Box<str>, Box<str>);

impl RelatedField {
    /// The keys in the answer of the fields of the object.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        let (keys, members) = match self {
            Self::Rows(rows) => (&*rows.keys, &[][..]),
            Self::Remote(remote) => (&[][..], &*remote.members),
            Self::Source(source) => (&[][..], &*source.members),
        };
        keys.iter().map(|key| &*key.member).chain(members.iter().map(|member| &**member))
    }
}

/// The response name of a field of the object, in a request to a GraphQL server.
pub(crate) fn key_alias(member: &str) -> String {
    format!("_join_key_{member}")
}
