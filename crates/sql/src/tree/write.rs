//! The nodes of statements that change rows.

use super::{Alias, Expression, Identifier, Select, SelectItem, TableName};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Select(Box<Select>),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
}

/// CREATE INDEX, for people to run.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    /// `None`: the database finds one.
    pub name: Option<Identifier>,
    /// Whether the table can be written meanwhile.
    pub concurrently: bool,
    pub on: TableName,
    pub columns: Vec<Identifier>,
}

/// ALTER TABLE that adds a foreign key, for people to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKey {
    pub on: TableName,
    pub columns: Vec<Identifier>,
    pub to: TableName,
    /// In the order of `columns`.
    pub target_columns: Vec<Identifier>,
}

/// INSERT. What its rows give is said with the alias of the table, as in the other statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub into: TableName,
    pub alias: Alias,
    /// Those that are said; the others take what the database gives them.
    pub columns: Vec<Identifier>,
    pub source: InsertSource,
    pub on_conflict: Option<OnConflict>,
    pub returning: Vec<SelectItem>,
}

/// Where the rows of an INSERT come from.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    /// One row of which nothing is said.
    Defaults,
    /// Rows with a cell for each column.
    Values(Vec<Vec<Cell>>),
    Select(Box<Select>),
}

/// What is written into a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Expression(Expression),
    /// What the database gives a column that is not said; see
    /// [`Flavor::default_cell`](crate::Flavor::default_cell).
    Default,
}

/// What becomes of a row that agrees with one that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct OnConflict {
    /// The columns of the key that decides; without any, each key of the table does.
    pub key: Vec<Identifier>,
    pub action: ConflictAction,
}

/// What is done instead of inserting.
#[derive(Clone, Debug, PartialEq)]
pub enum ConflictAction {
    Nothing,
    Update { sets: Vec<Set>, filter: Option<Expression> },
}

/// What becomes of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub column: Identifier,
    pub value: Expression,
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub table: TableName,
    pub alias: Alias,
    pub sets: Vec<Set>,
    /// Which rows: all of them must be said, by a condition that is always true.
    pub filter: Expression,
    pub returning: Vec<SelectItem>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub table: TableName,
    pub alias: Alias,
    /// Which rows: all of them must be said, by a condition that is always true.
    pub filter: Expression,
    pub returning: Vec<SelectItem>,
}

/// What is computed of two numbers or lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    /// Of two integers: a sum beyond this type is an error. Not every database has one of its own.
    AddWithin(IntegerType),
    Subtract,
    Multiply,
    Divide,
    /// Of an array and an element.
    Append,
    /// Of two lists: the first, and behind it those elements of the second that it lacks. No list is
    /// an empty one.
    With,
    /// Of two lists: the first without the elements of the second.
    Without,
    /// Of two JSON values: the members or the elements of both.
    Merge,
    /// Of JSON and a text: without this key, or without these texts.
    DeleteKey,
    /// Of a JSON list and an index.
    DeleteElement,
    /// Of JSON and a list of texts, the path to the value that is removed.
    DeletePath,
}

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerType {
    Int16,
    Int32,
    Int64,
}

impl Statement {
    /// What a row of the result holds.
    #[must_use]
    pub fn items(&self) -> &[SelectItem] {
        match self {
            Self::Select(select) => &select.items,
            Self::Insert(insert) => &insert.returning,
            Self::Update(update) => &update.returning,
            Self::Delete(delete) => &delete.returning,
        }
    }

    /// How many columns the rows of the result have.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Select(select) => select.columns(),
            Self::Insert(_) | Self::Update(_) | Self::Delete(_) => self.items().len(),
        }
    }

    /// How many tables it reads or changes, those of its subqueries included.
    #[must_use]
    pub fn tables(&self) -> usize {
        match self {
            Self::Select(select) => select.tables(),
            Self::Insert(Insert { source: InsertSource::Select(select), .. }) => {
                1 + select.tables()
            }
            Self::Insert(_) => 1,
            Self::Update(update) => 1 + update.filter.tables(),
            Self::Delete(delete) => 1 + delete.filter.tables(),
        }
    }
}

impl From<Select> for Statement {
    fn from(select: Select) -> Self {
        Self::Select(Box::new(select))
    }
}
