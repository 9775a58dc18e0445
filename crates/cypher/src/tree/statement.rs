//! Authors' own statements.

use super::{Expression, Name, Variable};

/// An author's statement as a subquery: a row for each of its rows, with one of its columns. It
/// imports only the row, and its other columns are not visible outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The imported row, and the statement's name for it.
    pub row: Option<(Variable, Name)>,
    pub parts: Vec<StatementPart>,
    pub column: Name,
    /// The name of the column outside.
    pub variable: Variable,
    /// True if only its first row is used.
    pub only_first: bool,
}

/// A part of such a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementPart {
    /// Verbatim text.
    Text(Box<str>),
    /// A value in its place.
    Value(Expression),
    /// An alias of the column that ends before it.
    Name(Name),
    /// The end of a statement that returns nothing: no rows with a column of this name.
    Nothing(Name),
}
