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
    /// A number that belongs to the form of the statement.
    Integer(u32),
    List(Vec<Expression>),
    Map(Vec<(Name, Expression)>),
    /// Whether a node has the labels.
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
    /// The element of a list at a place, counted from 0.
    Element {
        list: Box<Expression>,
        place: Box<Expression>,
    },
    /// The beginning of a list, up to a place; one below 0 is counted from the end.
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
    /// What is made of the elements that pass.
    ListComprehension {
        variable: Variable,
        list: Box<Expression>,
        filter: Option<Box<Expression>>,
        value: Option<Box<Expression>>,
    },
    /// What is made of each way in which a pattern is found.
    PatternComprehension {
        path: Path,
        filter: Option<Box<Expression>>,
        value: Box<Expression>,
    },
    /// Whether an element of a list passes.
    Any {
        variable: Variable,
        list: Box<Expression>,
        filter: Box<Expression>,
    },
    /// A value that each element of a list changes.
    Reduce {
        accumulator: Variable,
        initial: Box<Expression>,
        variable: Variable,
        list: Box<Expression>,
        value: Box<Expression>,
    },
    /// Whether a query gives a row.
    Exists(Box<Query>),
    /// How many rows a query gives.
    Count(Box<Query>),
    /// The values that a query of one column gives.
    Collect(Box<Query>),
}

/// A value for the first condition that is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Never empty.
    pub branches: Vec<(Expression, Expression)>,
    /// Null where it is left out.
    pub otherwise: Option<Box<Expression>>,
}

/// An operator that gives a condition.
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

/// An operator that gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Of numbers; lists one behind the other; a duration after a moment.
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// A function of the server. The aggregates leave nulls out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Count,
    Collect,
    Sum,
    Average,
    Minimum,
    Maximum,
    /// Of the values given, the first that is not null.
    Coalesce,
    /// The moment of the statement.
    DateTime,
    /// Between two points.
    Distance,
    /// By which a node or a relationship is found again, for as long as it is there.
    Id,
    /// A new UUID as a text.
    RandomUuid,
    /// The whole numbers from one to another.
    Range,
    Size,
    /// The time of day of the statement.
    Time,
    /// A text in small letters.
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

    /// The conjunction, or nothing where every row passes.
    #[must_use]
    pub fn condition(mut conditions: Vec<Self>) -> Option<Self> {
        conditions.retain(|condition| *condition != Self::And(Vec::new()));
        (!conditions.is_empty()).then(|| Self::all(conditions))
    }
}
