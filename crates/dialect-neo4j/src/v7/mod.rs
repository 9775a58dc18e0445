//! The API of the library's versions 7: connections with what is made of all their rows, an object
//! of operators for each value, and the inputs that came before those, as deprecated ones.
//!
//! * `build.rs`: what all parts need; `schema.rs`: the order in which they are made; `attribute.rs` and
//!   `link.rs` for the two kinds of fields
//! * reading: `objects.rs`, `connections.rs`, `aggregates.rs`, `groups.rs`, `sort.rs`
//! * conditions: `operators.rs`, `texts.rs`, `conditions.rs`, `related.rs`, `together.rs`
//! * changes: `changes.rs` for single values, `writes.rs` for nodes, `nested.rs` for what is
//!   connected with them
//! * `variants.rs`: nodes of several types in one list; `declared.rs`: what leads from such nodes on;
//!   `ways.rs`: how they are changed
//! * `root.rs`: the fields of the roots; `global.rs`: ids that are found among all nodes
//! * `searches.rs`: root fields of indexes
//! * `statements.rs`: fields that statements of the author give
//!
//! The order of types and fields, the descriptions and the reasons for deprecations are those of
//! the library: clients compare schemas as texts.

mod aggregates;
mod attribute;
mod build;
mod changes;
mod conditions;
mod connections;
mod declared;
mod global;
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
mod unserved;
mod variants;
mod ways;
mod writes;

pub use unserved::unserved;

use crate::model::{Model, Placed};
use crate::shared::text_filters::TextFilter;
use api::Api;

/// What may be chosen of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether what the library calls deprecated is left out.
    pub exclude_deprecated: bool,
    /// Operators on texts beside those that there always are.
    pub filters: Vec<TextFilter>,
    /// Whether lists and connections have to be told how long they are.
    pub limit_required: bool,
    /// Whether nodes can be changed.
    pub mutations: bool,
}

/// Makes the API of type definitions and of what became of them in the catalog.
#[must_use]
pub fn api(model: &Model, placed: &Placed, options: Options) -> Api {
    schema::build(model, placed, options)
}
