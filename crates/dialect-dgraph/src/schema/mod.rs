//! The whole GraphQL API of Dgraph for type definitions, each position with its binding.
//!
//! * `section.rs`: the order of the types; `builder.rs`: the state of the construction
//! * `facts.rs`: facts about types and fields that decide which parts of the API they have
//! * `base.rs`, `operators.rs`: types that every schema has
//! * `definitions.rs`: the types of the definitions; `arguments.rs`: the arguments of their fields
//! * `filters.rs`, `orders.rs`, `aggregates.rs`: conditions, orders and aggregates of a type
//! * `inputs.rs`, `payloads.rs`, `changes.rs`: values and results of mutations, and their bindings; `clean.rs`: inputs without members
//! * `roots.rs`: queries, mutations and subscriptions; `similar.rs`: similarity queries
//! * `reads.rs`, `variants.rs`, `values.rs`: bindings of rows, of rows of several types, of values
//!
//! The order of types and fields and the descriptions are those of Dgraph: clients compare schemas
//! as texts.

mod aggregates;
mod arguments;
mod base;
mod builder;
mod changes;
mod clean;
mod definitions;
mod facts;
mod filters;
mod inputs;
mod operators;
mod orders;
mod payloads;
mod reads;
mod roots;
mod section;
mod similar;
#[cfg(test)]
mod tests;
mod values;
mod variants;

use api::{Api, ApiBuilder, Transactions};

use crate::located::Located;
use crate::model::{Model, UnionIndex};
use builder::Builder;

/// Makes the API of type definitions, whose ids in the catalog `located` has.
#[must_use]
pub fn api(model: &Model, located: &Located, nested_filters: bool) -> Api {
    let mut build = Builder::new(model, located);
    build.nested_filters = nested_filters;
    base::add(&mut build.draft);
    definitions::add(&mut build);
    roots::add_custom(&mut build);
    for (index, union) in model.unions.iter().enumerate() {
        if !union.is_remote {
            inputs::add_union(&mut build, UnionIndex(index));
            filters::add_union(&mut build, UnionIndex(index));
        }
    }
    for index in build.stored_types() {
        inputs::add(&mut build, index);
        payloads::add(&mut build, index);
        filters::add(&mut build, index);
        orders::add(&mut build, index);
        aggregates::add(&mut build, index);
        roots::add(&mut build, index);
    }
    let mut builder = ApiBuilder::default();
    build.finish(&mut builder);
    let mut api = builder.finish();
    api.transactions = Transactions::Each;
    // Clients send it for documents with one operation.
    api.schema.leniency.empty_operation_name = true;
    api
}
