//! Makes the constraints and indexes that type definitions want of a graph.

use catalog::GraphIndexState;
use dialects::neo4j::migration::{Migration, Wanted, migration};
use dialects::neo4j::model::Model;
use source::Timeouts;
use source_neo4j::Neo4jSource;
use source_neo4j::wire::{DatabaseError, WireError};
use sources::{Address, OpenOptions, Source};

use super::GraphError;
use crate::engine::OpenError;

/// A graph, and the changes that it needs.
#[derive(Debug)]
pub struct Plan {
    source: Neo4jSource,
    migration: Migration,
}

/// The reason why a change was not made.
#[derive(Debug)]
pub enum NotMade {
    /// The database refuses this one, and may take others.
    Refused {
        error: Box<DatabaseError>,
        /// The statement that finds the nodes that are in its way, where it is these.
        finder: Option<String>,
    },
    /// The database has it, or the like of it, since the plan was made.
    Unneeded,
    /// The connection is lost.
    Lost(WireError),
}

/// Compares the constraints and indexes of type definitions with those of a graph. Changes nothing.
pub async fn plan(address: &Address, model: &Model, timeouts: Timeouts) -> Result<Plan, OpenError> {
    if !matches!(address, Address::Neo4j(_)) {
        return Err(GraphError::NothingToMigrate.into());
    }
    let options = OpenOptions { timeouts, ..OpenOptions::default() };
    let (source, _) = Source::open(address, &options).await?;
    let Source::Neo4j(source) = source else { return Err(GraphError::NothingToMigrate.into()) };
    let (constraints, indexes) =
        source.constraints_and_indexes().await.map_err(GraphError::Introspect)?;
    let migration = migration(model, &constraints, &indexes);
    Ok(Plan { source, migration })
}

impl Plan {
    #[must_use]
    pub fn migration(&self) -> &Migration {
        &self.migration
    }

    /// The statement that makes a change.
    #[must_use]
    pub fn statement(&self, wanted: &Wanted) -> String {
        self.source.statement(&wanted.change)
    }

    /// The states of the database's indexes; none where they cannot be read.
    pub async fn index_states(&self) -> Result<Vec<GraphIndexState>, OpenError> {
        Ok(self.source.index_states().await.map_err(GraphError::Introspect)?)
    }

    /// Makes a change, in a transaction of its own.
    pub async fn make(&self, wanted: &Wanted) -> Result<(), NotMade> {
        match self.source.change(&self.statement(wanted)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(NotMade::Unneeded),
            Err(WireError::Database { error, .. }) => {
                let is_violated = error.title() == VIOLATED;
                let finder = is_violated.then(|| self.source.finder(&wanted.change)).flatten();
                Err(NotMade::Refused { error, finder })
            }
            Err(error) => Err(NotMade::Lost(error)),
        }
    }
}

/// Neo4j's error code if existing nodes violate a new constraint.
/// <https://neo4j.com/docs/status-codes/current/errors/all-errors/>
const VIOLATED: &str = "ConstraintCreationFailed";
