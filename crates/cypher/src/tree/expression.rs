//! Values and conditions.

use super::{Labels, Name, Parameter, Path, Query, Variable};

/// A value or a condition. Conditions have three values, as in SQL.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Variable(Variable),
    Parameter(Parameter),
    /// Of a node, a relationship or a map.
    Property {
        of: Box<Expression>,
        name: Name,
    },
    Null,
    Boolean(bool),
    /// A literal number of the statement itself.
    Integer(u32),
    List(Vec<Expression>),
    Map(Vec<(Name, Expression)>),
    /// True if a node has the labels.
    HasLabels {
        node: Variable,
        labels: Labels,
    },
    Compare {
        left: Box<Expression>,
        comparison: Comparison,
        right: Box<Expression>,
    },
    /// True when empty.
    And(Vec<Expression>),
    /// False when empty.
    Or(Vec<Expression>),
    Not(Box<Expression>),
    IsNull(Box<Expression>),
    IsNotNull(Box<Expression>),
    Compute {
        left: Box<Expression>,
        operation: Operation,
        right: Box<Expression>,
    },
    /// The element of a list at an index, counted from 0.
    Element {
        list: Box<Expression>,
        place: Box<Expression>,
    },
    /// The beginning of a list, up to an index; a negative one is counted from the end.
    Head {
        list: Box<Expression>,
        to: Box<Expression>,
    },
    Call {
        function: Function,
        distinct: bool,
        arguments: Vec<Expression>,
    },
    /// The number of rows of a group.
    CountRows,
    Case(Case),
    /// A value for each element that passes the condition.
    ListComprehension {
        variable: Variable,
        list: Box<Expression>,
        filter: Option<Box<Expression>>,
        value: Option<Box<Expression>>,
    },
    /// A value for each match of a pattern.
    PatternComprehension {
        path: Path,
        filter: Option<Box<Expression>>,
        value: Box<Expression>,
    },
    /// True if an element of a list passes the condition.
    Any {
        variable: Variable,
        list: Box<Expression>,
        filter: Box<Expression>,
    },
    /// An accumulator over the elements of a list.
    Reduce {
        accumulator: Variable,
        initial: Box<Expression>,
        variable: Variable,
        list: Box<Expression>,
        value: Box<Expression>,
    },
    /// True if a query returns a row.
    Exists(Box<Query>),
    /// The number of rows of a query.
    Count(Box<Query>),
    /// The values of a query of one column.
    Collect(Box<Query>),
}

/// The value of the first true condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Never empty.
    pub branches: Vec<(Expression, Expression)>,
    /// Null where it is omitted.
    pub otherwise: Option<Box<Expression>>,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// An element of a list.
    In,
    StartsWith,
    EndsWith,
    Contains,
    /// A regular expression of the whole text.
    Matches,
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Numbers, concatenation of lists, a duration added to a moment.
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// A function of the server. The aggregates ignore nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Count,
    Collect,
    Sum,
    Average,
    Minimum,
    Maximum,
    /// The first value that is not null.
    Coalesce,
    /// The moment of the statement.
    DateTime,
    /// Between two points.
    Distance,
    /// The id of a node or a relationship, stable for its lifetime.
    Id,
    /// The labels of a node.
    Labels,
    /// The properties of a node as a map.
    Properties,
    /// A new UUID as a text.
    RandomUuid,
    /// The whole numbers from one to another.
    Range,
    Size,
    /// The time of day of the statement.
    Time,
    /// The time of the statement, in milliseconds since 1970.
    Timestamp,
    /// A text in lower case.
    ToLower,
}

impl Expression {
    #[must_use]
    pub fn property(of: Variable, name: &str) -> Self {
        Self::Property { of: Box::new(Self::Variable(of)), name: Name(name.into()) }
    }

    #[must_use]
    pub fn compare(self, comparison: Comparison, right: Self) -> Self {
        Self::Compare { left: Box::new(self), comparison, right: Box::new(right) }
    }

    #[must_use]
    pub fn compute(self, operation: Operation, right: Self) -> Self {
        Self::Compute { left: Box::new(self), operation, right: Box::new(right) }
    }

    #[must_use]
    pub fn call(function: Function, arguments: Vec<Self>) -> Self {
        Self::Call { function, distinct: false, arguments }
    }

    /// The conjunction, without a wrapper around a single condition.
    #[must_use]
    pub fn all(mut conditions: Vec<Self>) -> Self {
        match conditions.len() {
            1 => conditions.swap_remove(0),
            _ => Self::And(conditions),
        }
    }

    /// The conjunction, or `None` if it is empty.
    #[must_use]
    pub fn condition(mut conditions: Vec<Self>) -> Option<Self> {
        conditions.retain(|condition| *condition != Self::And(Vec::new()));
        (!conditions.is_empty()).then(|| Self::all(conditions))
    }
}
