//! The statements of an introspection, and their order.

use catalog::{Coverage, End, GraphConstraint, GraphIndex, GraphIndexState, GraphSummary};

use super::query::{IntrospectionQuery, Parameter, rows, send};
use super::rows as row;
use super::whole::{self, Whole};
use super::{IntrospectError, sample};
use crate::wire::{Connection, ServerVersion, WireError};

/// Limits of the sample of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// A graph of as many nodes and relationships is read as a whole: that takes about a second
    /// for 100,000.
    pub whole: u64,
    /// Sample size of a larger graph: nodes of each label and relationships of each type.
    pub sample: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { whole: 200_000, sample: 1_000 }
    }
}

pub(super) async fn read(
    connection: &mut Connection,
    bounds: Bounds,
) -> Result<GraphSummary, IntrospectError> {
    // Both are kept by the server, and cost nothing.
    let counts = [
        IntrospectionQuery::plain(include_str!("node_count.cypher"), connection),
        IntrospectionQuery::plain(include_str!("relationship_count.cypher"), connection),
    ];
    let counted = send(connection, &counts).await?;
    let mut size = 0_u64;
    for records in &counted {
        let counts = rows(Some(records), row::count)?;
        size = counts.into_iter().fold(size, u64::saturating_add);
    }
    let (constraints, indexes) = read_schema(connection).await?;
    let mut summary = match size <= bounds.whole {
        true => read_whole(connection).await?,
        false => GraphSummary {
            coverage: Coverage::Sample { most: u64::from(bounds.sample) },
            ..sample::read(connection, bounds.sample).await?
        },
    };
    summary.constraints = constraints;
    summary.indexes = indexes;
    Ok(summary)
}

/// Constraints and indexes. A user without the privilege to list them reads the graph without.
pub(crate) async fn read_schema(
    connection: &mut Connection,
) -> Result<(Vec<GraphConstraint>, Vec<GraphIndex>), IntrospectError> {
    let constraints = match knows_types(connection.server_version()) {
        true => include_str!("constraints_with_types.cypher"),
        false => include_str!("constraints.cypher"),
    };
    let statements = [
        IntrospectionQuery::plain(constraints, connection),
        IntrospectionQuery::plain(include_str!("indexes.cypher"), connection),
    ];
    let answered = match send(connection, &statements).await {
        Ok(answered) => answered,
        Err(WireError::Database { error, .. }) if error.title() == "Forbidden" => {
            tracing::warn!("constraints and indexes are not read: {}", error.message);
            connection.reset().await?;
            Vec::new()
        }
        Err(error) => return Err(error.into()),
    };
    Ok((rows(answered.first(), row::constraint)?, rows(answered.get(1), row::index)?))
}

/// The states of the database's indexes. A user without the privilege to list them gets none.
pub(crate) async fn read_index_states(
    connection: &mut Connection,
) -> Result<Vec<GraphIndexState>, IntrospectError> {
    let statements = [IntrospectionQuery::plain(include_str!("index_states.cypher"), connection)];
    match send(connection, &statements).await {
        Ok(answered) => rows(answered.first(), row::index_state),
        Err(WireError::Database { error, .. }) if error.title() == "Forbidden" => {
            tracing::warn!("how far indexes are is not known: {}", error.message);
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether there are constraints on the types of properties, and a column for them.
fn knows_types(version: ServerVersion) -> bool {
    (version.major, version.minor) >= (5, 9)
}

async fn read_whole(connection: &mut Connection) -> Result<GraphSummary, IntrospectError> {
    let statements = [
        include_str!("groups.cypher"),
        include_str!("node_properties.cypher"),
        include_str!("relationship_properties.cypher"),
        include_str!("triples.cypher"),
        include_str!("degrees_from.cypher"),
        include_str!("degrees_to.cypher"),
    ];
    let statements = statements.map(|text| IntrospectionQuery::plain(text, connection));
    let answered = send(connection, &statements).await?;
    let mut degrees = rows(answered.get(4), |record| row::degree(End::From, record))?;
    degrees.extend(rows(answered.get(5), |record| row::degree(End::To, record))?);
    let mut whole = Whole {
        groups: rows(answered.first(), row::group)?,
        node_properties: rows(answered.get(1), row::node_property)?,
        relationship_properties: rows(answered.get(2), row::relationship_property)?,
        triples: rows(answered.get(3), row::triple)?,
        degrees,
        ..Whole::default()
    };
    let of_nodes = whole::unclear_names(&whole.node_properties);
    let of_relationships = whole::unclear_names(&whole.relationship_properties);
    let statements = [
        IntrospectionQuery::with(
            include_str!("node_values.cypher"),
            Parameter::Names(&of_nodes),
            connection,
        ),
        IntrospectionQuery::with(
            include_str!("relationship_values.cypher"),
            Parameter::Names(&of_relationships),
            connection,
        ),
    ];
    let answered = send(connection, &statements).await?;
    let node_values = rows(answered.first(), row::node_values)?;
    let relationship_values = rows(answered.get(1), row::relationship_values)?;
    whole.node_values = node_values;
    whole.relationship_values = relationship_values;
    Ok(whole::summary(whole))
}
