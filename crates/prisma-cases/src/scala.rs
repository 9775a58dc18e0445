//! A reader for the part of Scala in which Prisma's tests are written.
//!
//! It is tolerant: what it cannot read becomes an expression of its own, with its text, so that the
//! rest of a file is read and a test knows where it stops.

mod lexer;
mod parser;
mod syntax;

pub(crate) use parser::parse;
pub(crate) use syntax::{
    Argument, Case, Definition, Enumerator, Expression, Function, Parameter, Pattern, Statement,
    Template, TemplateKind, TextPart,
};
