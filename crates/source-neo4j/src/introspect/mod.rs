//! Introspection of a graph: its labels, properties and relationships, and its constraints and
//! indexes.
//!
//! * [`query`]: statements that are sent together
//! * [`read`]: which statements these are; a graph that is not large is read as a whole
//! * [`sample`]: of a large one some nodes of each label and some relationships of each type are,
//!   which takes as long as there are labels and types, however many nodes there are
//! * [`counts`]: numbers of nodes and relationships, of which the server keeps count
//! * [`record`], [`rows`], [`types`]: the results of the statements
//! * [`whole`], [`sampled`]: the answers put together
//!
//! The statements are `.cypher` files beside this one. Those of a sample begin with one that
//! returns ids for a label or a type; the others take these as a parameter.

mod counts;
mod query;
mod read;
mod record;
mod rows;
mod sample;
mod sampled;
mod types;
mod whole;

pub(super) use counts::{PATIENCE, add as add_counts};
pub use read::Bounds;
pub(super) use read::{read_index_states, read_schema};
pub use record::Unexpected;

use catalog::GraphSummary;

use super::wire::{Connection, WireError};

/// The reason why a graph could not be read.
#[derive(Debug, thiserror::Error)]
pub enum IntrospectError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error(transparent)]
    Unexpected(#[from] Unexpected),
}

/// Introspects the connection's database. It is not changed.
///
/// If this fails, the connection has to be reset or closed.
pub async fn introspect(
    connection: &mut Connection,
    bounds: Bounds,
) -> Result<GraphSummary, IntrospectError> {
    read::read(connection, bounds).await
}
