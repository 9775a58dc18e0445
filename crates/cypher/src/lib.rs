//! A subset of Cypher as a tree, and the only printer of statement text.
//!
//! Names and parameters are node types of their own; values are only ever parameters. Differences
//! between servers are facts in [`Flavor`], not tests in the printer's callers.
//!
//! * [`tree`]: the nodes
//! * [`flavor`]: features of each version of the server
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
