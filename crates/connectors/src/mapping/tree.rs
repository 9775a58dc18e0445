//! The tree of a mapping.

use serde_json::Value;

use super::methods::Method;
use crate::variables::Variable;

/// A byte of the mapping's text.
pub(crate) type Offset = usize;

/// A whole mapping.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Root {
    /// Members of an object, or of each object of a list.
    Entries(Vec<Entry>),
    Expression(Expression),
}

/// A member of an object, or members.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) at: Offset,
    /// Without a name, the members of the value become members of the object.
    pub(crate) name: Option<Box<str>>,
    /// `...`: if the value is null, the whole object is.
    pub(crate) is_spread: bool,
    pub(crate) value: Expression,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Literal(Value),
    Object(Vec<Entry>),
    List(Vec<Self>),
    Path(Path),
    /// The first operand, and alternatives for when what is before them is absent.
    Coalesce(Box<Self>, Vec<(Coalesce, Self)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coalesce {
    /// `??`: instead of null and of a missing value.
    Null,
    /// `?!`: instead of a missing value.
    Missing,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) at: Offset,
    pub(crate) start: Start,
    pub(crate) steps: Vec<Step>,
    pub(crate) selection: Option<Vec<Entry>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Start {
    /// `$`: what the closest selection selects from.
    Selected,
    /// `@`: what the closest method is called on.
    Current,
    Variable(Variable),
    /// A member of `$`.
    Key(Box<str>),
    /// `$(…)`, or a literal.
    Expression(Box<Expression>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) at: Offset,
    pub(crate) kind: StepKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepKind {
    /// `.name`
    Key(Box<str>),
    /// `->method(…)`
    Call(Method, Vec<Expression>),
    /// `?`: a null ends the path without a value.
    Optional,
}
