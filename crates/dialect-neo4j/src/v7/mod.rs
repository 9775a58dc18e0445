//! The API of the library's versions 7: connections with what is made of all their rows, an object
//! of operators for each value, and the inputs that came before those, as deprecated ones.
//!
//! * `schema.rs`: the order in which the parts are made; `link.rs`: relationships
//! * reading: `objects.rs`, `connections.rs`, `aggregates.rs`, `groups.rs`, `sort.rs`
//! * conditions: `operators.rs`, `texts.rs`, `conditions.rs`, `related.rs`, `together.rs`
//! * mutations: `changes.rs` for single values, `writes.rs` for nodes, `nested.rs` for nested writes
//! * `root.rs`: the fields of the roots; `searches.rs`: those of indexes; `statements.rs`: `@cypher`
//!
//! The order of types and fields, the descriptions and the reasons for deprecations are those of
//! the library: clients compare schemas as texts.

mod aggregates;
mod changes;
mod conditions;
mod connections;
mod groups;
mod link;
mod nested;
mod objects;
mod operators;
mod related;
mod root;
mod schema;
mod searches;
mod sort;
mod statements;
mod texts;
mod together;
mod writes;

use crate::model::{Model, Placed};
pub use crate::shared::builder::Options;
use api::Api;
pub(crate) use schema::fixed_types;

/// Makes the API of type definitions and of what became of them in the catalog.
#[must_use]
pub fn api(model: &Model, placed: &Placed, options: Options) -> Api {
    schema::build(model, placed, options)
}
