//! Dialects: pure functions from a catalog to an API in the style of a system people use.
//!
//! A dialect is data: it fills an [`Api`], which is a GraphQL schema with a binding for each
//! field, input and enum value. One shared [`lower()`] reads the bindings; a dialect has code of
//! its own only for names and for what it offers.
//!
//! * [`api`]: the schema with its bindings
//! * [`binding`]: what a position means
//! * [`check`]: inputs whose role their position does not read
//! * [`case`] for names
//! * [`postgraphile`], [`phrag`], [`neo4j`]: the dialects
//! * [`federation`]: an API as a subgraph of a federated graph
//! * [`make`]: from a source to an API
//! * [`lower()`]: operation → request and shape

pub mod api;
pub mod binding;
pub mod case;
pub mod check;
mod epoch;
mod extremes;
pub mod federation;
pub mod lower;
pub mod make;
pub mod neo4j;
pub mod phrag;
mod plural;
pub mod postgraphile;

pub use api::{Api, ApiBuilder, Transactions};
pub use binding::{
    AggregateField, AggregateValue, AlongVerb, AssignVerb, Change, ColumnBinding, ConnectionField,
    Cursors, EdgeField, EntitiesBinding, EntityBinding, EntityType, FieldBinding, GroupBy,
    InputBinding, InputRole, Meaning, MutationBinding, MutationForm, NodeIdBinding, OrderBy,
    PageInfoField, PayloadField, RowsBinding, RowsForm, RowsFrom, ValueBinding, ValueShape,
    VariantBinding, VariantsId, Way,
};
pub use lower::{Echoed, Introspection, LowerError, Lowered, StatedPattern, lower};
pub use make::{ConstraintMessage, Declaration, DialectError, Made};

/// Which API a source is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    PostGraphile(postgraphile::Options),
    Phrag(phrag::Options),
    Neo4j(neo4j::Options),
}
