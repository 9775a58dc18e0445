//! Comments of a datamodel's text: what the tables have and a datamodel cannot say.
//!
//! As in Prisma, a field or type that is not possible stands as a comment where it would be.

use crate::model::TypeIndex;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) place: CommentPosition,
    /// The reasons, a line each.
    pub(super) reasons: Vec<Box<str>>,
}

/// The place of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommentPosition {
    /// Above a type.
    Type(TypeIndex),
    /// Above the field of this name.
    Field { of: TypeIndex, name: Box<str> },
    /// In place of a field, in the order of the names.
    NoField { of: TypeIndex, name: Box<str>, definition: Box<str> },
    /// In place of a type, in the order of the names.
    NoType { name: Box<str>, definition: Box<str> },
}

impl Comment {
    pub(super) fn new(place: CommentPosition, reason: &str) -> Self {
        Self { place, reasons: vec![reason.into()] }
    }
}
