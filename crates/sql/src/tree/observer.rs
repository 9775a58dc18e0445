//! Temporary triggers that report changed rows to the program.

use super::Identifier;

/// A temporary trigger of one connection, which passes each changed row to a function. SQLite only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowObserver {
    pub name: Identifier,
    /// A table of the database `main`.
    pub on: Identifier,
    pub change: ObservedChange,
    /// The function. Its arguments are the number of the table, the number of the change, and the
    /// values of `columns` before and after it.
    pub function: Identifier,
    pub table: u32,
    pub columns: Vec<Identifier>,
}

/// A change of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedChange {
    Insert,
    Update,
    Delete,
}

impl ObservedChange {
    pub const ALL: [Self; 3] = [Self::Insert, Self::Update, Self::Delete];

    /// The number of the change.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Insert => 0,
            Self::Update => 1,
            Self::Delete => 2,
        }
    }
}
