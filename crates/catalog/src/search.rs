//! Indexes by which rows are searched for.

use crate::ids::{EntityId, FieldId, SearchId};

/// An index that finds rows of an entity for a text or a vector, each with a score.
#[derive(Clone, Debug)]
pub struct Search {
    pub id: SearchId,
    /// What the source calls it.
    pub name: Box<str>,
    pub kind: SearchKind,
    /// It may find other rows, too: those of this one are meant.
    pub entity: EntityId,
    /// How well a row fits: a field of an entity of its own, as if the search were related to the
    /// row.
    pub score: FieldId,
}

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// Words, in the language of the index.
    Text,
    /// The nearest rows to a vector, so many at most.
    Vector { most: u32 },
}
