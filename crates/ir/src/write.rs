//! Writes: inserts, updates, deletes and links.

use catalog::{EntityId, FieldId};

use crate::filter::Filter;
use crate::operand::Operand;
use crate::request::Otherwise;
use crate::rows::Hop;

/// One write, with its nested writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub entity: EntityId,
    pub kind: WriteKind,
    /// Nested writes: on the other side of relationships of this entity. Those along a forward hop
    /// run first, since the row refers to their result; the others run after it.
    pub children: Vec<ChildWrite>,
    /// A check of each written row after it and its children are written; if a row fails it, the
    /// root field fails as a whole.
    pub check: Filter,
}

/// Kinds of writes.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteKind {
    Insert(Insert),
    Update(Update),
    Delete {
        filter: Filter,
        /// Limit of rows: exceeding it ends the transaction; `None` is no limit.
        at_most: Option<Operand>,
    },
    /// Inserts, or updates the row that equals the new one in `conflict`. A row that is neither is
    /// not returned, and has no children.
    Upsert {
        insert: Insert,
        conflict: Conflict,
    },
    /// Makes rows that the filter finds refer to the outer row, or the outer row to them.
    Link {
        filter: Filter,
        /// Behaviour for rows that are linked already.
        existing: ExistingLink,
    },
    Unlink {
        filter: Filter,
    },
    /// Links exactly these rows and unlinks the others.
    SetLinks {
        filter: Filter,
    },
    /// Links the row that equals the key, or inserts and links it: either way it is returned. The
    /// first fields of the insert are those of the key; a later repetition of one has the value for
    /// an inserted row.
    LinkOrInsert {
        insert: Insert,
        conflict: Conflict,
    },
    /// One of two writes of the same entity, by whether a row passes: that row is locked until the
    /// write has run. Unlike an upsert the two may have children of their own and need no common
    /// key; the outer write has no children.
    Choose {
        filter: Filter,
        found: Box<Write>,
        missing: Box<Write>,
    },
    /// Changes nothing: the transaction ends with the error unless each outer row has the expected
    /// number of links.
    Expect {
        links: ExpectedLinks,
        otherwise: Otherwise,
    },
}

/// The expected number of rows to which a row is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedLinks {
    None,
    OneOrNone,
    One,
}

/// Behaviour for rows to link that are linked already.
#[derive(Clone, Debug, PartialEq)]
pub enum ExistingLink {
    /// Adds another link.
    Link,
    /// Keeps the existing link and sets its values.
    Keep,
    /// Ends the transaction with the error.
    Refuse(Otherwise),
}

/// Rows to insert, and the fields that they set.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub fields: Vec<FieldId>,
    pub rows: InsertedRows,
}

/// The rows of an insert.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertedRows {
    /// Each a list of operands in the order of the fields. `None`: the default of the source.
    Each(Vec<Vec<Option<Operand>>>),
    /// One list operand for each field, all of one length: any number of rows by one statement.
    Columns(Vec<Operand>),
    /// The product of a list, whose values are those of the first field, and of rows as in `Columns`
    /// for the other fields.
    ForEach { list: Operand, columns: Vec<Operand> },
}

impl InsertedRows {
    /// Rows that set every field.
    #[must_use]
    pub fn each(rows: Vec<Vec<Operand>>) -> Self {
        let row = |row: Vec<Operand>| row.into_iter().map(Some).collect();
        Self::Each(rows.into_iter().map(row).collect())
    }

    /// Returns true if every row sets the field at this index.
    #[must_use]
    pub fn all_set(&self, place: usize) -> bool {
        match self {
            Self::Each(rows) => rows.iter().all(|row| matches!(row.get(place), Some(Some(_)))),
            Self::Columns(_) | Self::ForEach { .. } => true,
        }
    }
}

/// A filter of rows to update, and their assignments.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub filter: Filter,
    pub assignments: Vec<(FieldId, Assignment)>,
    /// Limit of rows: exceeding it ends the transaction; `None` is no limit.
    pub at_most: Option<Operand>,
}

/// Assignments to a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Assignment {
    Set(Operand),
    Add(Operand),
    /// Adds to an integer: a sum beyond the type of the field is an error, also in a source whose
    /// integers have no bounds of their own.
    AddWithin(Operand),
    Subtract(Operand),
    Multiply(Operand),
    Divide(Operand),
    /// Appends to a list.
    Push(Operand),
    /// Removes so many elements from the end of a list.
    Pop(Operand),
    /// JSON: the members of two objects, of which the operand's count; otherwise the elements of both,
    /// where a value that is no list is one element.
    Merge(Operand),
    /// The same with the operand before the value: of two objects the value's members count.
    Prepend(Operand),
    /// JSON: an object without a key, a list without the texts that equal it.
    DeleteKey(Operand),
    /// JSON: a list without the element of an index; a negative one counts from the end.
    DeleteElement(Operand),
    /// JSON: the value without the one at the end of a path, which is a list of keys and indexes.
    DeletePath(Operand),
    /// The value that an insert would have written, as SQL's `excluded`.
    Inserted,
}

/// Conflict handling of an upsert.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The key by which rows conflict; if empty, any key of the table, and nothing is updated.
    pub key: Vec<FieldId>,
    /// Nothing is updated when empty.
    pub assignments: Vec<(FieldId, Assignment)>,
    /// Rows that fail it are not updated.
    pub filter: Filter,
}

/// A write on the other side of a relationship of the rows of the outer write.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildWrite {
    pub hop: Hop,
    /// For each row of the child's insert, the index of its outer row in the outer insert. For a
    /// child without an insert, the outer rows that it applies to. Empty: every outer row.
    pub parents: Vec<u32>,
    /// An update, a delete or an unlink reaches only rows at the end of the hop.
    pub write: Write,
    /// Values of the relationship's own properties, the same for all its rows.
    pub edge: Vec<(FieldId, Assignment)>,
}

/// Counters of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    RowsInserted,
    RowsUpdated,
    RowsDeleted,
    LinksCreated,
    LinksDeleted,
    /// All rows touched, those of children included; of a step that reads, its rows.
    RowsAffected,
    /// The bookmark of the transaction, a text for causal consistency, where the source has one.
    Bookmark,
}
