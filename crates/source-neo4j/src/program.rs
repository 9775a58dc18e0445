//! A request as statements of Cypher, and where in what they give its rows stand.

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

/// What a transaction does to the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// A statement with its parameters, of which the one at place `i` is called `p{i}`.
#[derive(Debug)]
pub struct GraphStatement {
    /// The root field that it belongs to.
    pub root: u32,
    pub text: Box<str>,
    pub parameters: Vec<GraphParameter>,
}

#[derive(Debug)]
pub struct GraphParameter {
    pub operand: Operand,
    pub r#type: ParameterType,
}

/// As which type of Cypher a value is sent.
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
}

/// Rows of one kind.
#[derive(Debug)]
pub struct GraphLevel {
    pub rows: LevelRows,
    /// How many columns a row has.
    pub width: u16,
    pub page: LevelPage,
    /// Of [`LevelRows::Summary`] what each column counts.
    pub counters: Box<[Counter]>,
}

/// Where the rows of a level stand. Statements are counted over all transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelRows {
    /// Each record of the statement is a row, and its fields are the columns.
    Records { statement: u16 },
    /// A column of the statement's only record is a list of rows, each a list of columns.
    InRecord { statement: u16, column: u16 },
    /// A column of the row of the level above is.
    InRow { column: u16 },
    /// One row of what the server counted while it ran the statement.
    Summary { statement: u16 },
}

/// Which part of the rows was asked for.
#[derive(Debug, Default)]
pub struct LevelPage {
    pub limit: Option<Operand>,
    pub offset: Option<Operand>,
    /// Whether one row more was asked for, to learn whether there is more.
    pub look_ahead: bool,
}
