//! The API of the library's versions 7: connections with aggregates, an object of operators for each
//! value, and the older inputs, which are deprecated.
//!
//! * `schema.rs`: the order in which the parts are made; `link.rs`: relationships
//! * reading: `objects.rs`, `connections.rs`, `aggregates.rs`, `groups.rs`, `sort.rs`
//! * conditions: `operators.rs`, `text_operators.rs`, `conditions.rs`, `related.rs`,
//!   `aggregate_conditions.rs`
//! * mutations: `changes.rs` for single values, `writes.rs` for nodes, `nested.rs` for nested writes
//! * `subscriptions.rs`: events of nodes
//! * `root.rs`: the fields of the roots; `searches.rs`: those of indexes; `statements.rs`: `@cypher`
//!
//! The order of types and fields, the descriptions and the reasons for deprecations are those of
//! the library: clients compare schemas as texts.

mod aggregate_conditions;
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
mod subscriptions;
mod text_operators;
mod writes;

use crate::model::{Model, Placed};
pub use crate::shared::builder::Options;
use api::Api;
pub(crate) use schema::fixed_types;
pub(crate) use subscriptions::{EVENT_TYPE, conditions_name};

/// Makes the API of type definitions, whose ids in the catalog `placed` has.
#[must_use]
pub fn api(model: &Model, placed: &Placed, options: Options) -> Api {
    schema::build(model, placed, options)
}
