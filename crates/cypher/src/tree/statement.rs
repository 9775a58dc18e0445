//! Statements that somebody else wrote.

use super::{Expression, Name, Variable};

/// Somebody else's statement as a subquery: a row for each of its rows, with one of its columns.
/// It sees nothing of what is around it but the row, and nothing around it sees its other columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The row that it is asked of, and what it calls that.
    pub row: Option<(Variable, Name)>,
    pub parts: Vec<StatementPart>,
    pub column: Name,
    /// What the column is called outside.
    pub variable: Variable,
    /// Whether its first row alone counts.
    pub only_first: bool,
}

/// A part of such a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementPart {
    /// As its author wrote it.
    Text(Box<str>),
    /// A value in its place.
    Value(Expression),
    /// A name for the column that ends before it.
    Name(Name),
    /// Behind what returns nothing: no rows with a column of this name.
    Nothing(Name),
}
