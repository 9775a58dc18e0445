//! Plans that are run one after the other and see one state of a source of any driver.

use response::{Output, Written};
use source::{ExecuteError, ExecuteParams, Observed, Snapshot as _, SourceError, SourceErrorKind};
use source_neo4j::Neo4jReads;
use source_postgres::PostgresSnapshot;
use source_sqlite::SqliteSnapshot;

use crate::plan::Plan;

/// A snapshot of a source.
#[derive(Debug)]
pub enum Snapshot {
    Sqlite(SqliteSnapshot),
    Postgres(PostgresSnapshot),
    Neo4j(Neo4jReads),
}

impl Snapshot {
    /// Runs a plan that the same source has compiled, and writes the whole of its answer into an
    /// output.
    pub async fn answer<O: Output>(
        &mut self,
        plan: &Plan,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        match (self, plan) {
            (Self::Sqlite(own), Plan::Sqlite(plan)) => {
                own.answer(plan, params, output, observed).await
            }
            (Self::Postgres(own), Plan::Postgres(plan)) => {
                own.answer(plan, params, output, observed).await
            }
            (Self::Neo4j(own), Plan::Neo4j(plan)) => {
                own.answer(plan, params, output, observed).await
            }
            (Self::Sqlite(_) | Self::Postgres(_) | Self::Neo4j(_), _) => {
                let error = SourceError::new(SourceErrorKind::Internal, "a plan of another source");
                Err(error.into())
            }
        }
    }

    /// Ends it, and gives its connection back.
    pub async fn end(self) {
        match self {
            Self::Sqlite(own) => own.end().await,
            Self::Postgres(own) => own.end().await,
            Self::Neo4j(own) => own.end().await,
        }
    }
}
