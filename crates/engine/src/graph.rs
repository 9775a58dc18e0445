//! Inspection of a graph without type definitions; and [`migrate`]: the constraints and indexes
//! that type definitions require.

pub mod migrate;

use std::borrow::Cow;
use std::sync::Arc;

use catalog::{GraphSummary, Note};
use dialects::Dialect;
use dialects::neo4j::introspected::{self, Indexes, Introspected};
use dialects::neo4j::model::ApiVersion;
use source::Timeouts;
use source_neo4j::introspect::{Bounds, IntrospectError};
use source_neo4j::wire::WireError;
use sources::{Address, OpenOptions, Source};

use crate::engine::OpenError;

/// The reason why no type definitions can be written for a source.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error(
        "type definitions are written for graphs; give an address such as neo4j://localhost:7687"
    )]
    NoGraph,
    #[error("cannot read what is in the graph: {0}")]
    Introspect(#[from] IntrospectError),
    #[error(
        "constraints and indexes are made in graphs; give an address such as neo4j://localhost:7687"
    )]
    NothingToMigrate,
    #[error("cannot change the graph: {0}")]
    Change(WireError),
    #[error(
        "there is nothing in the graph that an API could show; write type definitions, and give them with --types"
    )]
    Empty,
    #[error(
        "an API of what is in the graph is not served: {0}; print type definitions with `thalweg \
         types`, change them, and give them with --types"
    )]
    Refused(String),
}

/// Writes type definitions for the contents of a graph.
pub async fn written(
    address: &Address,
    version: ApiVersion,
    timeouts: Timeouts,
) -> Result<Introspected, OpenError> {
    if !matches!(address, Address::Neo4j(_)) {
        return Err(GraphError::NoGraph.into());
    }
    let options = OpenOptions { timeouts, ..OpenOptions::default() };
    let (source, _) = Source::open(address, &options).await?;
    let summary = summary(&source).await?;
    Ok(introspected::definitions(&summary, version, Indexes::served(version)))
}

/// The dialect with a model of the graph, if it has no other, and the notes of that model.
pub(crate) async fn defined<'d>(
    source: &Source,
    dialect: &'d Dialect,
) -> Result<(Cow<'d, Dialect>, Vec<Note>), GraphError> {
    let options = match dialect {
        Dialect::Neo4j(options) if options.is_introspected => options,
        _ => return Ok((Cow::Borrowed(dialect), Vec::new())),
    };
    let summary = summary(source).await?;
    let made = dialects::neo4j::model_of(&summary, options.version);
    let made = made.map_err(GraphError::Refused)?;
    let (model, notes) = made.ok_or(GraphError::Empty)?;
    let options = dialects::neo4j::Options { model: Arc::new(model), ..options.clone() };
    Ok((Cow::Owned(Dialect::Neo4j(options)), notes))
}

async fn summary(source: &Source) -> Result<GraphSummary, GraphError> {
    match source {
        Source::Neo4j(graph) => Ok(graph.summary(Bounds::default()).await?),
        _ => Err(GraphError::NoGraph),
    }
}
