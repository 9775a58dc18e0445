//! Queries of the schema's author, in the source's own language: what a source makes functions of.

use crate::function::StatementPart;

/// The queries of an author, and the types of their rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenQueries {
    pub models: Vec<RowModel>,
    pub queries: Vec<WrittenQuery>,
}

/// A type of rows that no table defines. It becomes an entity of the kind
/// [`Model`](crate::EntityKind::Model), without a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowModel {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub fields: Vec<RowModelField>,
}

/// A column of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowModelField {
    pub name: Box<str>,
    /// A type of the source, as its language writes it.
    pub r#type: Box<str>,
    pub nullable: bool,
    pub description: Option<Box<str>>,
}

/// A query. It becomes a function without a namespace, whose rows are those of its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenQuery {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    /// The index of the model of its rows.
    pub model: usize,
    pub arguments: Vec<WrittenArgument>,
    /// One query, as text and arguments.
    pub parts: Vec<StatementPart>,
}

/// An argument of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenArgument {
    pub name: Box<str>,
    /// A type of the source, as its language writes it.
    pub r#type: Box<str>,
}

/// The reason why a source does not make a function of a query, with the part that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenProblem {
    pub part: WrittenPart,
    pub message: Box<str>,
}

/// A part of [`WrittenQueries`], by its indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPart {
    Field { model: usize, field: usize },
    Query(usize),
    Argument { query: usize, argument: usize },
}
