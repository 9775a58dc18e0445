//! The nodes of statements that define tables, and of those that move rows between them.
//!
//! These statements run once and have no parameters. Their few values are literals: labels of CHECK
//! constraints, messages of triggers, names of tables in columns. The printer escapes them.

use super::{Identifier, TableName, VectorOperator};

/// A statement that defines something, or that moves rows from one definition to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    CreateExtension(Identifier),
    CreateTable(CreateTable),
    DropTable(TableName),
    RenameTable {
        table: TableName,
        to: Identifier,
    },
    /// States whether the following renames of tables change the references to them, where these do
    /// not always follow.
    FollowRenames(bool),
    AddColumn {
        table: TableName,
        column: ColumnDefinition,
        /// CHECK and foreign key of the column, where the database adds them with it.
        constraints: Vec<Constraint>,
    },
    DropColumn {
        table: TableName,
        column: Identifier,
    },
    RenameColumn {
        table: TableName,
        column: Identifier,
        to: Identifier,
    },
    RenameConstraint {
        table: TableName,
        name: Identifier,
        to: Identifier,
    },
    /// Changes the type of a column; the term computes the new value of each row.
    AlterType {
        table: TableName,
        column: Identifier,
        data_type: DataType,
        using: Term,
    },
    AlterNull {
        table: TableName,
        column: Identifier,
        is_required: bool,
    },
    AddConstraint {
        table: TableName,
        constraint: Constraint,
    },
    DropConstraint {
        table: TableName,
        name: Identifier,
    },
    CreateIndex(IndexDefinition),
    DropIndex(TableName),
    CreateWordTable(WordTable),
    /// Fills a table of words from its content.
    FillWordTable(TableName),
    CreatePlaceTable(PlaceTable),
    /// Fills a table of places from its content.
    FillPlaceTable(PlaceTable),
    CreateFunction {
        name: TableName,
        body: Vec<Action>,
    },
    DropFunction(TableName),
    CreateTrigger(Trigger),
    DropTrigger {
        name: Identifier,
        on: TableName,
    },
    Action(Action),
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTable {
    pub name: TableName,
    pub columns: Vec<ColumnDefinition>,
    pub constraints: Vec<Constraint>,
    /// Its rows are stored in the order of the primary key, where the database has such tables.
    pub is_clustered: bool,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDefinition {
    pub name: Identifier,
    pub data_type: DataType,
    pub is_required: bool,
    pub key: Option<NumberKey>,
}

/// The primary key of a table that is one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberKey {
    /// Its default is the next number of the sequence of all tables, where the database has
    /// sequences.
    Sequence,
    /// Each insert gives it.
    Given,
    /// Its default is the next number of a sequence of its own, where the database has sequences, and
    /// elsewhere one more than the last number.
    Serial { sequence: TableName, initial_value: i64 },
}

/// Types of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    Boolean,
    Integer,
    BigInteger,
    Double,
    Text,
    /// A text with at most so many characters.
    Varchar(u16),
    Uuid,
    Decimal {
        precision: u16,
        scale: u16,
    },
    TimestampWithZone,
    /// A moment without a time zone, in milliseconds.
    Timestamp,
    Json,
    /// An array, or a JSON array where the database has no arrays: see
    /// [`Definitions::arrays`](crate::flavor::Definitions::arrays).
    Array(Box<DataType>),
}

/// A constraint of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The database names it.
    PrimaryKey(Vec<Identifier>),
    Unique {
        name: Identifier,
        columns: Vec<Identifier>,
    },
    Check {
        name: Identifier,
        condition: Condition,
    },
    Reference {
        name: Identifier,
        columns: Vec<Identifier>,
        to: TableName,
        /// In the order of `columns`.
        target_columns: Vec<Identifier>,
        on_delete: DeleteAction,
        /// Checked at the end of the transaction.
        is_deferred: bool,
    },
}

/// ON DELETE of a foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteAction {
    SetNull,
    Cascade,
    Restrict,
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    pub name: Identifier,
    pub on: TableName,
    pub columns: Vec<Identifier>,
    pub method: IndexMethod,
}

/// Searches that an index serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexMethod {
    /// Equality, comparisons and orders: a B-tree.
    Tree,
    /// Equality of values of any length: see
    /// [`Definitions::hash_indexes`](crate::flavor::Definitions::hash_indexes).
    Hash,
    /// Words of texts.
    Words(WordForm),
    /// Parts of texts.
    Trigrams,
    /// Elements of arrays.
    Elements,
    /// Boxes around places in GeoJSON.
    Places,
    /// The nearest of the vectors of one length, of lists of floats: HNSW of pgvector.
    Vectors {
        dimensions: u16,
        operator: VectorOperator,
        /// `ef_construction`: the number of candidates for the neighbors of a new vector.
        construction: Option<u16>,
    },
}

/// Forms in which words are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordForm {
    /// As written, without regard to case.
    Plain,
    /// By their English stems.
    Stemmed,
}

/// A virtual table that indexes the words of a column: FTS5 of SQLite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordTable {
    pub name: TableName,
    /// The table that has the texts.
    pub content: Identifier,
    /// The key of that table, which is its rowid.
    pub key: Identifier,
    pub column: Identifier,
    pub tokens: Tokens,
}

/// Tokens of a table of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    Words(WordForm),
    Trigrams,
}

/// A virtual table of the boxes around the places of a column: an R-tree of SQLite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceTable {
    pub name: TableName,
    /// The table that has the places, in GeoJSON.
    pub content: TableName,
    /// The key of that table.
    pub key: Identifier,
    pub column: Identifier,
}

/// CREATE TRIGGER, for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    pub name: Identifier,
    pub on: TableName,
    pub event: TriggerEvent,
    pub body: TriggerBody,
}

/// Changes that fire a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerEvent {
    /// The others fire after the change.
    BeforeInsert,
    Insert,
    /// Of these columns.
    Update(Vec<Identifier>),
    Delete,
}

/// The statements of a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerBody {
    /// A function has them: see
    /// [`Definitions::trigger_functions`](crate::flavor::Definitions::trigger_functions).
    Function(TableName),
    Actions(Vec<Action>),
}

/// A statement that changes rows, alone or in a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Insert {
        into: TableName,
        columns: Vec<Identifier>,
        rows: InsertedRows,
    },
    Update {
        table: TableName,
        sets: Vec<(Identifier, Term)>,
        filter: Option<Condition>,
    },
    Delete {
        from: TableName,
        filter: Option<Condition>,
    },
    /// Adds the box around the place of the row that fired a trigger.
    InsertPlace(PlaceTable),
    /// Fails with a message, if the condition holds: only in triggers that have statements.
    Refuse {
        message: Box<str>,
        when: Condition,
    },
}

/// Rows of an INSERT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertedRows {
    One(Vec<Term>),
    Of(TableRows),
}

/// Rows of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRows {
    pub distinct: bool,
    pub terms: Vec<Term>,
    pub from: TableName,
    pub filter: Option<Condition>,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// Null of a type.
    Null(DataType),
    Text(Box<str>),
    Number(i64),
    /// The value of a type by its text.
    Literal(Box<str>, DataType),
    /// The moment.
    Now,
    /// The moment in UTC, without a time zone.
    NowInUtc,
    /// The first one that is not null.
    OrElse(Box<Term>, Box<Term>),
    /// Of the innermost table.
    Column(Identifier),
    /// Of a table by its name.
    Of(TableName, Identifier),
    /// Of the row after the change that fired a trigger.
    New(Identifier),
    /// Of the row before it.
    Old(Identifier),
    Cast(Box<Term>, DataType),
    /// The value where the condition is true, and null elsewhere.
    When(Box<Condition>, Box<Term>),
    /// A list of one value of this type; null for null.
    ListOf(Box<Term>, DataType),
    FirstElement(Box<Term>),
    ListLength(Box<Term>),
    CountRows,
    /// Number of values that equal another value of the column.
    Surplus(Identifier),
    Minimum(Box<Term>),
    /// The only value of a query that returns at most one row.
    Query(Box<TableRows>),
}

/// Texts that are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numeral {
    /// Digits without leading zeros, perhaps after a minus, from the least to the greatest of 32 or 64 bits.
    Integer { least: i64, most: i64 },
    /// Digits, perhaps after a minus, and perhaps a point and further ones: at most so many characters.
    Decimal { most: u16 },
    /// A decimal whose digits a floating point number keeps. Those of 64 bits have all integers of
    /// this many digits, and are themselves written with some more.
    Float { most: u16, whole_digits: u8, digits: u8 },
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Equal(Term, Term),
    NotEqual(Term, Term),
    AtMost(Term, Term),
    More(Term, Term),
    Within(Term, i64, i64),
    Outside(Term, i64, i64),
    /// A number within these is an integer.
    IsWhole(Term, i64, i64),
    /// A text is a number as it is written here.
    IsNumeral(Term, Numeral),
    IsNull(Term),
    IsNotNull(Term),
    /// Equal to one of these texts.
    OneOf(Term, Vec<Box<str>>),
    NotOneOf(Term, Vec<Box<str>>),
    /// Each element of an array equals one of these texts. True where there are no arrays.
    ElementsOneOf(Identifier, Vec<Box<str>>),
    /// A text is a JSON array.
    IsJsonArray(Identifier),
    /// A value of the only column of rows.
    Among(Term, Box<TableRows>),
    NotAmong(Term, Box<TableRows>),
    Not(Box<Condition>),
    All(Vec<Condition>),
}

impl TableRows {
    /// The number of rows of a table that satisfy a condition.
    #[must_use]
    pub fn count(from: TableName, filter: Option<Condition>) -> Self {
        Self { distinct: false, terms: vec![Term::CountRows], from, filter }
    }

    /// Values of one term.
    #[must_use]
    pub fn of(term: Term, from: TableName, filter: Option<Condition>) -> Self {
        Self { distinct: false, terms: vec![term], from, filter }
    }
}
