//! A source of any driver: opened once, read from every thread.

use std::sync::Arc;
use std::time::Duration;

use catalog::Catalog;
use response::{MemoryBudget, Shape};
use source::changes::Relay;
use source::{CompileError, PoolLimits, SourceError};
use source_neo4j::Neo4jSource;
use source_postgres::{PostgresChannels, PostgresSource};
use source_sqlite::SqliteSource;

use crate::address::Address;
use crate::changes::Changes;
use crate::connections::Connections;
use crate::open::{OpenError, OpenOptions, ReadStatus};
use crate::plan::Plan;

/// An opened source, shared by all threads.
#[derive(Debug)]
pub enum Source {
    Sqlite(SqliteSource),
    Postgres(PostgresSource),
    Neo4j(Neo4jSource),
}

impl Source {
    /// Opens a source and reads its schema.
    pub async fn open(
        address: &Address,
        options: &OpenOptions,
    ) -> Result<(Self, Catalog), OpenError> {
        match address {
            Address::Sqlite(path) => {
                let (source, catalog) = SqliteSource::open(path, &options.sqlite())?;
                Ok((Self::Sqlite(source), catalog))
            }
            Address::Postgres(url) => {
                // Boxed, since it is large, and so would be each future around it.
                let options = options.postgres();
                let (source, catalog) = Box::pin(PostgresSource::open(url, &options)).await?;
                Ok((Self::Postgres(source), catalog))
            }
            Address::Neo4j(url) => {
                let opened = Neo4jSource::open(url, options.timeouts).await;
                let (source, catalog) = opened.map_err(OpenError::Neo4j)?;
                Ok((Self::Neo4j(source), catalog))
            }
        }
    }

    /// Adds statistics to the catalog of an API, where opening the source could not read them: what
    /// a graph contains is known from type definitions only.
    pub async fn add_statistics(&self, catalog: &mut Catalog) {
        match self {
            Self::Neo4j(source) => source.add_counts(catalog).await,
            Self::Sqlite(_) | Self::Postgres(_) => {}
        }
    }

    /// Whether the source decides by the role of a session what it shows and changes.
    #[must_use]
    pub fn has_roles(&self) -> bool {
        match self {
            Self::Postgres(_) => true,
            Self::Sqlite(_) | Self::Neo4j(_) => false,
        }
    }

    /// Identity of the database, wherever it is reached; `None` for a file or a graph, which have
    /// none.
    pub async fn identity(&self) -> Result<Option<String>, SourceError> {
        match self {
            Self::Postgres(source) => source.identity().await.map(Some),
            Self::Sqlite(_) | Self::Neo4j(_) => Ok(None),
        }
    }

    /// The state of reads from replicas; `None` without replicas.
    #[must_use]
    pub fn reads(&self) -> Option<ReadStatus> {
        match self {
            Self::Postgres(source) => source.reads(),
            Self::Sqlite(_) | Self::Neo4j(_) => None,
        }
    }

    /// Whether several statements can see one state of the source.
    #[must_use]
    pub fn has_snapshots(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Postgres(_) => true,
            Self::Neo4j(_) => false,
        }
    }

    /// Leaves the source in order when no request comes any more, within this time.
    pub fn close(&self, patience: Duration) {
        match self {
            Self::Sqlite(source) => source.close(patience),
            // Servers do it themselves.
            Self::Postgres(_) | Self::Neo4j(_) => {}
        }
    }

    /// Compiles a request that is run once.
    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
        shape: Shape,
    ) -> Result<Plan, CompileError> {
        Ok(match self {
            Self::Sqlite(source) => {
                Plan::Sqlite(source::Plan::new(source.compile(catalog, request)?, shape))
            }
            Self::Postgres(source) => {
                Plan::Postgres(source::Plan::new(source.compile(catalog, request)?, shape))
            }
            Self::Neo4j(source) => {
                Plan::Neo4j(source::Plan::new(source.compile(catalog, request)?, shape))
            }
        })
    }

    /// Compiles a request that is kept and run again: its plan may compile other forms of its program
    /// when answers show that they pay.
    pub fn compile_kept(
        &self,
        catalog: &Arc<Catalog>,
        request: &Arc<ir::Request>,
        shape: Shape,
    ) -> Result<Plan, CompileError> {
        match self {
            Self::Postgres(source) => {
                let program = source.compile_kept(catalog, request)?;
                Ok(Plan::Postgres(source::Plan::new(program, shape)))
            }
            Self::Sqlite(_) | Self::Neo4j(_) => self.compile(catalog, request, shape),
        }
    }

    /// Compiles a request whose changes have events, with the shape of its plan; `None` if the source
    /// has no events of changes.
    pub fn compile_touched(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
        plan: &Plan,
    ) -> Result<Option<Plan>, CompileError> {
        Ok(match (self, plan) {
            (Self::Neo4j(source), Plan::Neo4j(plan)) => {
                let program = source.compile_touched(catalog, request)?;
                let shape = Arc::clone(&plan.shape);
                Some(Plan::Neo4j(Arc::new(source::Plan { program, shape })))
            }
            (Self::Sqlite(_) | Self::Postgres(_) | Self::Neo4j(_), _) => None,
        })
    }

    /// The changes of rows.
    #[must_use]
    pub fn changes(&self, relay: Relay) -> Changes {
        match self {
            Self::Sqlite(source) => Changes::Sqlite(source.changes()),
            Self::Postgres(source) => Changes::Postgres(Box::new(source.changes(relay))),
            Self::Neo4j(_) => Changes::Neo4j,
        }
    }

    /// The channels of notifications, if the source has them.
    #[must_use]
    pub fn channels(&self) -> Option<PostgresChannels> {
        match self {
            Self::Postgres(source) => Some(source.channels()),
            Self::Sqlite(_) | Self::Neo4j(_) => None,
        }
    }

    /// Connections for one thread, opened on demand. Memory of the rows read is reserved in
    /// `memory`.
    #[must_use]
    pub fn connections(&self, limits: PoolLimits, memory: &Arc<MemoryBudget>) -> Connections {
        match self {
            Self::Sqlite(source) => Connections::Sqlite(source.connections(limits)),
            Self::Postgres(source) => Connections::Postgres(source.connections(limits, memory)),
            Self::Neo4j(source) => Connections::Neo4j(source.connections(limits, memory)),
        }
    }
}
