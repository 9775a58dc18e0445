//! Programs that are run one after the other in one transaction, which is a snapshot.
//!
//! The transaction stays open between two programs, so that its connection counts as one with
//! outstanding answers: if the snapshot is dropped, running statements are cancelled, and the
//! connection is drained and closed ([`super::pool`]). Each program after the first has a savepoint,
//! so that its error does not end the snapshot.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use response::{Output, Written};
use source::{
    ExecuteError, ExecuteParams, Observed, ReadForm, Session, Snapshot, SourceError,
    SourceErrorKind,
};

use super::answer::Read;
use super::bind::Bound;
use super::execute::{PostgresPlan, PostgresProgram, Run, Scope, composed, run_in};
use super::pool::{Pool, Pooled};
use super::wire::{Rows, WireError};

/// A connection that the server closed is replaced without an error if it is noticed within this
/// time.
const REPLACED_WITHIN: Duration = Duration::from_secs(1);

/// A snapshot, which the first program takes.
#[derive(Debug)]
pub struct PostgresSnapshot {
    pool: Rc<Pool>,
    transaction: State,
}

#[derive(Debug)]
enum State {
    NotBegun,
    Open(Pooled),
    /// An error has ended it, or its connection is lost.
    Lost,
}

impl PostgresSnapshot {
    pub(super) fn new(pool: &Rc<Pool>) -> Self {
        Self { pool: Rc::clone(pool), transaction: State::NotBegun }
    }

    /// The rows of all levels. The root fields in `failures` are left out, and those that fail now are
    /// added.
    async fn rows(
        &mut self,
        program: &PostgresProgram,
        bound: &Bound,
        session: &Session,
        failures: &mut Vec<(u32, SourceError)>,
        observed: &mut Observed,
    ) -> Result<Vec<Rows>, SourceError> {
        let started = Instant::now();
        let settings = session.settings.as_deref();
        // Each further round has one root field less, or a connection that was not used before.
        loop {
            let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
            if composed(program, bound, &without).next().is_none() {
                return Ok(program.program.levels.iter().map(|_| Rows::default()).collect());
            }
            let (scope, mut connection) =
                match std::mem::replace(&mut self.transaction, State::Lost) {
                    State::NotBegun => {
                        let connection = self.pool.acquire_for(session.names()).await?;
                        (Scope::Begins, connection)
                    }
                    State::Open(connection) => (Scope::Continues, connection),
                    State::Lost => return Err(lost()),
                };
            let may_be_replaced = scope == Scope::Begins
                && connection.is_reused()
                && started.elapsed() < REPLACED_WITHIN;
            let ran =
                run_in(scope, &mut connection, program, bound, &without, settings, observed).await;
            let is_open = connection.has_outstanding();
            match ran {
                Ok(Run::Rows(rows)) => {
                    self.transaction = State::Open(connection);
                    return Ok(rows);
                }
                Ok(Run::Failed { root, error }) => {
                    failures.push((root, error));
                    match scope {
                        Scope::Continues if is_open => self.transaction = State::Open(connection),
                        Scope::Continues => {}
                        // Nothing was read yet, so that another snapshot is as good.
                        Scope::Begins | Scope::Alone => self.transaction = State::NotBegun,
                    }
                }
                Err(WireError::Closed { reason }) if may_be_replaced => {
                    tracing::debug!(?reason, "a closed connection is replaced");
                    self.transaction = State::NotBegun;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Snapshot for PostgresSnapshot {
    type Program = PostgresProgram;

    async fn answer<O: Output>(
        &mut self,
        plan: &Arc<PostgresPlan>,
        ExecuteParams { variables, session, echoes, .. }: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        let (bound, mut failures) = program.bind(variables);
        if bound.levels.iter().any(|level| level.bounding.is_some()) {
            observed.boundings = bound.levels.iter().map(|level| level.bounding).collect();
        }
        observed.form = ReadForm::Levels;
        let rows = self.rows(program, &bound, session, &mut failures, observed).await?;
        let read = Read { bound, failures, rows };
        read.write((plan, program), echoes, output, observed).await
    }

    async fn end(mut self) {
        if let State::Open(connection) = &mut self.transaction {
            let mut pipeline = connection.resumed_pipeline();
            let ended = match pipeline.commit() {
                Ok(()) => pipeline.sync_and_read(&mut Vec::new()).await,
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "the connection of a snapshot is lost");
            }
        }
    }
}

fn lost() -> SourceError {
    SourceError::new(
        SourceErrorKind::Unavailable,
        "the snapshot of the first part of the response is lost",
    )
}
