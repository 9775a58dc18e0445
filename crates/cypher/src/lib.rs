//! A subset of Cypher as a tree, and the one place that writes statement text.
//!
//! Names and parameters are node types of their own; values are only ever parameters. What the
//! servers say differently is a fact in [`Flavor`], not a test in the printer's callers.
//!
//! * [`tree`]: the nodes
//! * [`flavor`]: what each version of the server understands
//! * [`print`](mod@print): tree → text

pub mod flavor;
pub mod print;
pub mod tree;

pub use flavor::Flavor;
pub use print::{print, print_schema};
pub use tree::{
    Case, Clause, Comparison, Direction, Expression, Function, Labels, Match, Merge, Name,
    NodePattern, Operation, OrderItem, Parameter, Path, Projection, ProjectionItem, Query,
    RelationshipDirection, RelationshipPattern, Removal, SchemaChange, Search, SearchIndex, Set,
    Statement, StatementPart, Step, Union, Variable,
};
