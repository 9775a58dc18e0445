//! Registry of the dialects: pure functions from a catalog to an API in the style of a system that
//! people use.
//!
//! A dialect fills an [`Api`], which is a GraphQL schema with a binding for each field, input and
//! enum value. One shared [`lower()`] reads the bindings; a dialect has code of its own only for
//! names and for what it offers.
//!
//! * [`make`]: from a source to an API

pub mod make;

pub use api::{Api, ConstraintMessage, EntitiesBinding, Transactions, federation};
pub use dialect_neo4j as neo4j;
pub use dialect_phrag as phrag;
pub use dialect_postgraphile as postgraphile;
pub use lowering::{Echoed, Introspection, LowerError, Lowered, StatedPattern, lower};
pub use make::{Declaration, DialectError, Made};

/// Which API a source is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    PostGraphile(postgraphile::Options),
    Phrag(phrag::Options),
    Neo4j(neo4j::Options),
}
