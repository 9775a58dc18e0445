//! Templates as trees of expressions.

use serde_json::Value;

use crate::function::Function;

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub(crate) root: Expression,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Value(Value),
    /// A string with expressions in it.
    Text(Vec<Expression>),
    List(Vec<Expression>),
    /// Of several members with one key the last one counts.
    Object(Vec<(Box<str>, Expression)>),
    Variable(Box<str>),
    /// Members or elements that have to exist.
    Path {
        of: Box<Expression>,
        step: Step,
        place: Location,
    },
    /// Members or elements that are null if they do not exist.
    OptionalPath {
        of: Box<Expression>,
        steps: Vec<Step>,
        place: Location,
    },
    If {
        /// Conditions with their values, in order.
        branches: Vec<(Expression, Expression, Location)>,
        otherwise: Box<Expression>,
    },
    Range(Box<Range>),
    Call {
        function: Function,
        argument: Box<Expression>,
        place: Location,
    },
    Binary {
        operator: Operator,
        operands: Box<(Expression, Expression)>,
        place: Location,
    },
}

/// A loop over a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Range {
    /// The variable of the index; `None` for `_`.
    pub(crate) index: Option<Box<str>>,
    pub(crate) item: Box<str>,
    pub(crate) list: Expression,
    pub(crate) body: Expression,
    pub(crate) place: Location,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Member(Box<str>),
    /// `[…]`: a name or an index.
    Computed(Box<Expression>),
}

/// A place in the text of a template: a line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    /// `??`: the second operand if the first is null.
    Default,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
