//! Search indexes.

use crate::ids::{EntityId, FieldId, SearchId};

/// A search index that finds rows of an entity for a text or a vector, each with a score.
#[derive(Clone, Debug)]
pub struct Search {
    pub id: SearchId,
    /// Its name in the source.
    pub name: Box<str>,
    pub kind: SearchKind,
    /// The entity of the wanted rows; the index may find rows of others, too.
    pub entity: EntityId,
    /// The score of a row: a field of an entity of its own, as if the search were related to the
    /// row.
    pub score: FieldId,
}

/// Kinds of searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// Words, in the language of the index.
    Text,
    /// The nearest rows to a vector, with a limit.
    Vector { most: u32 },
}
