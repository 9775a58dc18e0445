//! Changing: what a write step inserts, updates, deletes or links.

use catalog::{EntityId, FieldId};

use crate::filter::Filter;
use crate::operand::Operand;
use crate::request::Otherwise;
use crate::rows::Hop;

/// One write, with the writes that hang on its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub entity: EntityId,
    pub kind: WriteKind,
    /// Writes on the other side of relationships of this entity. Those along a forward hop run
    /// first, since the row refers to their result; the others run after it.
    pub children: Vec<ChildWrite>,
    /// What each of its rows has to pass once it and its children are done: where one does not,
    /// the root field fails as a whole.
    pub check: Filter,
}

/// What a write does.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteKind {
    Insert(Insert),
    Update(Update),
    Delete {
        filter: Filter,
        /// More rows than this end the transaction; `None` is no guard.
        at_most: Option<Operand>,
    },
    /// Insert, or update the row that agrees in `conflict`. A row that is neither is not among
    /// the returned, and has no children.
    Upsert {
        insert: Insert,
        conflict: Conflict,
    },
    /// Makes rows that the filter finds refer to the outer row, or the outer row to them.
    Link {
        filter: Filter,
        /// What becomes of a row that is linked already.
        again: Again,
    },
    Unlink {
        filter: Filter,
    },
    /// Links exactly these and unlinks the others.
    SetLinks {
        filter: Filter,
    },
    /// Links the row that agrees in the key, or inserts it and links it: either way it is among
    /// the returned. The first fields of the insert are those of the key; one that is said once
    /// more has that value if the row is inserted.
    LinkOrInsert {
        insert: Insert,
        conflict: Conflict,
    },
    /// One of two writes of the same entity, by whether a row passes: that row is kept from
    /// changing until the write has run. Unlike an upsert the two may have children of their own
    /// and agree in no key; the outer write has no children.
    Choose {
        filter: Filter,
        found: Box<Write>,
        missing: Box<Write>,
    },
    /// Changes nothing: the transaction ends with the error unless each outer row is linked to so
    /// many rows.
    Expect {
        links: ExpectedLinks,
        otherwise: Otherwise,
    },
}

/// To how many rows a row is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedLinks {
    None,
    OneOrNone,
    One,
}

/// What becomes of a row that is linked already where it is to be linked.
#[derive(Clone, Debug, PartialEq)]
pub enum Again {
    /// It is linked once more.
    Link,
    /// It is not linked once more, and the link that is there gets the values.
    Keep,
    /// The transaction ends with the error.
    Refuse(Otherwise),
}

/// Rows to insert, and which of their fields are said.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub fields: Vec<FieldId>,
    pub rows: InsertedRows,
}

/// The rows of an insert.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertedRows {
    /// Each a list of operands in the order of the fields. `None`: what the source gives a field
    /// that nobody says.
    Each(Vec<Vec<Option<Operand>>>),
    /// One list operand for each field, all of one length: any number of rows by one statement.
    Columns(Vec<Operand>),
}

impl InsertedRows {
    /// Rows that say every field.
    #[must_use]
    pub fn each(rows: Vec<Vec<Operand>>) -> Self {
        let row = |row: Vec<Operand>| row.into_iter().map(Some).collect();
        Self::Each(rows.into_iter().map(row).collect())
    }

    /// Whether every row says the field of this place.
    #[must_use]
    pub fn all_say(&self, place: usize) -> bool {
        match self {
            Self::Each(rows) => rows.iter().all(|row| matches!(row.get(place), Some(Some(_)))),
            Self::Columns(_) => true,
        }
    }
}

/// Which rows are changed, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub filter: Filter,
    pub assignments: Vec<(FieldId, Assignment)>,
    /// More rows than this end the transaction; `None` is no guard.
    pub at_most: Option<Operand>,
}

/// What becomes of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Assignment {
    Set(Operand),
    Add(Operand),
    Subtract(Operand),
    Multiply(Operand),
    Divide(Operand),
    /// Appends to a list.
    Push(Operand),
    /// Takes so many from the end of a list.
    Pop(Operand),
    /// Merges into a JSON object.
    Merge(Operand),
    /// The value that an insert would have written: SQL's `excluded`.
    Inserted,
}

/// What an upsert does with a row that is there already.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The key that decides whether it is the same row.
    pub key: Vec<FieldId>,
    /// Nothing is changed when empty.
    pub assignments: Vec<(FieldId, Assignment)>,
    /// Rows that do not pass stay as they are.
    pub filter: Filter,
}

/// A write on the other side of a relationship of the rows of the outer write.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildWrite {
    pub hop: Hop,
    /// For each row of the child's insert, the place of its outer row in the outer insert. For a
    /// child without an insert, the outer rows that it concerns. Empty: every outer row.
    pub parents: Vec<u32>,
    /// An update, a delete or an unlink reaches only rows that the hop leads to.
    pub write: Write,
    /// Values of the relationship's own properties, the same for all its rows.
    pub edge: Vec<(FieldId, Assignment)>,
}

/// What a write counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    RowsInserted,
    RowsUpdated,
    RowsDeleted,
    LinksCreated,
    LinksDeleted,
    /// All rows touched, those of children included.
    RowsAffected,
    /// No number: the text by which others wait for what was written, where the source has one.
    Bookmark,
}
