//! A request as statements of Cypher, and the places of its rows in their results.

use ir::{Counter, Operand};
use response::Layout;

/// A compiled request.
#[derive(Debug, Default)]
pub struct GraphProgram {
    pub transactions: Vec<GraphTransaction>,
    /// By [`response::LevelId`].
    pub levels: Vec<GraphLevel>,
    pub layout: Layout,
}

impl GraphProgram {
    /// All statements, in the order in which levels count them.
    pub fn statements(&self) -> impl Iterator<Item = &GraphStatement> {
        self.transactions.iter().flat_map(|transaction| &transaction.statements)
    }
}

/// Statements that are committed together.
#[derive(Debug)]
pub struct GraphTransaction {
    pub access: Access,
    pub statements: Vec<GraphStatement>,
}

/// The access mode of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// A statement with its parameters, of which the one at place `i` is called `p{i}`.
#[derive(Debug)]
pub struct GraphStatement {
    /// Its root field.
    pub root: u32,
    pub text: Box<str>,
    pub parameters: Vec<GraphParameter>,
    /// The column of its only record with the nodes that it has created, updated and deleted; see
    /// `crate::events`.
    pub touched: Option<u16>,
}

#[derive(Debug)]
pub struct GraphParameter {
    pub operand: Operand,
    pub r#type: ParameterType,
}

/// The Cypher type of a sent value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParameterType {
    Boolean,
    Integer,
    Float,
    Text,
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
    Duration,
    GeographicPoint,
    CartesianPoint,
    List(Box<ParameterType>),
    /// A map of values, each by its name.
    Row(Vec<(Box<str>, ParameterType)>),
    /// A map of those values that are given.
    Map(Vec<(Box<str>, ParameterType)>),
    /// Whatever the value itself is.
    Any,
    /// A value in the form of the wire, as a text in base64.
    Packed,
}

/// Rows of one kind.
#[derive(Debug)]
pub struct GraphLevel {
    pub rows: LevelRows,
    /// Number of columns of a row.
    pub width: u16,
    pub page: LevelPage,
    /// The counter of each column of a [`LevelRows::Summary`].
    pub counters: Box<[Counter]>,
}

/// The place of a level's rows. Statements are counted over all transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelRows {
    /// Each record of the statement is a row, and its fields are the columns.
    Records { statement: u16 },
    /// A column of the statement's only record is a list of rows, each a list of columns.
    InRecord { statement: u16, column: u16 },
    /// A column of the row of the level above is.
    InRow { column: u16 },
    /// One row of the server's counters of the statement.
    Summary { statement: u16 },
}

/// The requested page of the rows.
#[derive(Debug, Default)]
pub struct LevelPage {
    pub limit: Option<Operand>,
    pub offset: Option<Operand>,
    /// Whether one more row is read, to learn whether there are more.
    pub look_ahead: bool,
}
