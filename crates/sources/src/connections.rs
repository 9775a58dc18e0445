//! The connections of one thread to a source of any driver.

use std::sync::Arc;

use response::{Output, Sink, Written};
use source::statistics::Counter;
use source::{
    Connections as _, Delivery, ExecuteError, ExecuteParams, Executed, Observed, PlanFigures,
    Session, SourceError, SourceErrorKind, Variables,
};
use source_neo4j::Neo4jConnections;
use source_postgres::{Answers, PostgresConnections};
use source_sqlite::SqliteConnections;

use crate::plan::Plan;
use crate::snapshot::Snapshot;

/// The connections of one thread.
#[derive(Debug)]
pub enum Connections {
    Sqlite(SqliteConnections),
    Postgres(PostgresConnections),
    Neo4j(Neo4jConnections),
}

/// Connections of a driver, with a plan of the same driver.
enum Paired<'a> {
    Sqlite(Pair<'a, SqliteConnections>),
    Postgres(Pair<'a, PostgresConnections>),
    Neo4j(Pair<'a, Neo4jConnections>),
}

type Pair<'a, C> = (&'a C, &'a Arc<source::Plan<<C as source::Connections>::Program>>);

impl Connections {
    /// Pairs the connections with a plan, which the same source has compiled.
    fn with<'a>(&'a self, plan: &'a Plan) -> Result<Paired<'a>, SourceError> {
        match (self, plan) {
            (Self::Sqlite(connections), Plan::Sqlite(plan)) => {
                Ok(Paired::Sqlite((connections, plan)))
            }
            (Self::Postgres(connections), Plan::Postgres(plan)) => {
                Ok(Paired::Postgres((connections, plan)))
            }
            (Self::Neo4j(connections), Plan::Neo4j(plan)) => Ok(Paired::Neo4j((connections, plan))),
            (Self::Sqlite(_) | Self::Postgres(_) | Self::Neo4j(_), _) => {
                Err(SourceError::new(SourceErrorKind::Internal, "a plan of another source"))
            }
        }
    }

    /// Runs a plan and writes the whole of its answer into an output.
    pub async fn answer<O: Output>(
        &self,
        plan: &Plan,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        match self.with(plan)? {
            Paired::Sqlite((own, plan)) => own.answer(plan, params, output, observed).await,
            Paired::Postgres((own, plan)) => own.answer(plan, params, output, observed).await,
            Paired::Neo4j((own, plan)) => own.answer(plan, params, output, observed).await,
        }
    }

    /// Runs a plan and appends its answer to what the sink holds; a long answer is sent while it is
    /// made, where the delivery allows it.
    pub async fn deliver(
        &self,
        plan: &Plan,
        params: ExecuteParams<'_>,
        sink: Sink,
        delivery: Delivery,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        match self.with(plan)? {
            Paired::Sqlite((own, plan)) => {
                own.deliver(plan, params, sink, delivery, observed).await
            }
            Paired::Postgres((own, plan)) => {
                own.deliver(plan, params, sink, delivery, observed).await
            }
            Paired::Neo4j((own, plan)) => own.deliver(plan, params, sink, delivery, observed).await,
        }
    }

    /// A snapshot for plans that only read and that the same source has compiled.
    #[must_use]
    pub fn snapshot(&self, plans: &[&Plan]) -> Snapshot {
        match self {
            Self::Sqlite(own) => {
                let of_driver = |plan: &&Plan| match plan {
                    Plan::Sqlite(plan) => Some(Arc::clone(plan)),
                    Plan::Postgres(_) | Plan::Neo4j(_) => None,
                };
                let plans: Vec<_> = plans.iter().filter_map(of_driver).collect();
                Snapshot::Sqlite(
                    own.snapshot(&plans.iter().map(|plan| &**plan).collect::<Vec<_>>()),
                )
            }
            Self::Postgres(own) => Snapshot::Postgres(own.snapshot(&[])),
            Self::Neo4j(own) => Snapshot::Neo4j(own.snapshot(&[])),
        }
    }

    /// Executes a plan for several requests of a session, whose sizes of pages are equal. After an
    /// error each of them has to be executed by itself.
    pub async fn answer_batch(
        &self,
        plan: &Plan,
        session: &Session,
        members: Vec<(ExecuteParams<'_>, Sink)>,
    ) -> Result<Answers, SourceError> {
        match self.with(plan)? {
            Paired::Postgres((own, plan)) => own.answer_batch(plan, session, members).await,
            Paired::Sqlite(_) | Paired::Neo4j(_) => {
                Err(SourceError::new(SourceErrorKind::Internal, "a batch of another source"))
            }
        }
    }

    /// The database's own plan of each statement. Statements that change something are not run for
    /// measured figures.
    pub async fn explain(
        &self,
        plan: &Plan,
        variables: Variables<'_>,
        session: &Session,
        figures: PlanFigures,
    ) -> Result<Vec<String>, SourceError> {
        match self.with(plan)? {
            Paired::Sqlite((own, plan)) => {
                own.explain(&plan.program, variables, session, figures).await
            }
            Paired::Postgres((own, plan)) => {
                own.explain(&plan.program, variables, session, figures).await
            }
            Paired::Neo4j((own, plan)) => {
                own.explain(&plan.program, variables, session, figures).await
            }
        }
    }

    /// Closes connections that were idle for long. Using connections does so too; calling this now
    /// and then closes them while there are no requests.
    pub fn close_old(&self) {
        match self {
            Self::Sqlite(own) => own.close_old(),
            Self::Postgres(own) => own.close_old(),
            Self::Neo4j(own) => own.close_old(),
        }
    }

    /// Registers the counter of these connections' figures.
    pub fn count(&mut self, counter: Counter) {
        match self {
            Self::Sqlite(own) => own.count(counter),
            Self::Postgres(own) => own.count(counter),
            Self::Neo4j(own) => own.count(counter),
        }
    }

    /// Checks that the source answers.
    pub async fn probe(&self) -> Result<(), SourceError> {
        match self {
            Self::Sqlite(own) => own.probe().await,
            Self::Postgres(own) => own.probe().await,
            Self::Neo4j(own) => own.probe().await,
        }
    }
}
