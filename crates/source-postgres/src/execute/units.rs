//! Requests that change something: a transaction for each of their units, one after the other.
//!
//! PostgreSQL makes one transaction of the statements up to a Sync. Where nothing has to be tested
//! before it is committed, and where the session's transactions are read committed by themselves,
//! that is all there is: a change that is read by nothing but its own statement costs one write
//! and one read. Elsewhere the unit stands between BEGIN and COMMIT.
//!
//! A change may return many rows. They are read, and the length of the answer is checked, before
//! the unit is committed: so a change whose answer would be refused is not made.
//!
//! A change is sent again only after PostgreSQL has rolled everything back: once because of a stale
//! plan, and a few times if another transaction has inserted an object that the unit looked for and
//! did not find (`conflicts`). If the connection is lost between COMMIT and its confirmation, it is
//! unknown whether the change was made, and the answer reports that.

pub(super) mod conflicts;
mod recording;

use std::rc::Rc;

use relational::{Level, LevelKind, ParameterSource, Requirement, Unit, When, WriteKind};
use response::LevelId;
use source::Observed;
use source::operand::Variables;
use source::{NameSet, Session};
use source::{SourceError, SourceErrorKind};
use tokio::task::yield_now;
use tokio::time::sleep;

use super::super::answer::Judging;
use super::super::bind::Bound;
use super::super::pool::{Pool, PoolError, Pooled};
use super::super::product::ImplicitTransaction;
use super::super::settings;
use super::super::wire::{Connection, Pipeline, Rows, Transaction, WireError};
use conflicts::Conflicts;
pub(in super::super) use recording::Recording;
use recording::record;

use super::{
    PostgresProgram, blamed, has_results, is_conflict, key_arrays, object_error, result, take,
};

/// A program that changes something and is about to be run.
pub(in super::super) struct Changing<'r> {
    pub(in super::super) pool: &'r Rc<Pool>,
    pub(in super::super) program: &'r PostgresProgram,
    pub(in super::super) bound: &'r Bound,
    pub(in super::super) variables: Variables<'r>,
    pub(in super::super) session: &'r Session,
    pub(in super::super) observed: &'r mut Observed,
    pub(in super::super) most: MostGiven<'r>,
    /// Its recording of events, if it has events.
    pub(in super::super) recording: Option<Recording<'r>>,
}

/// Limits of the rows that a change returns.
#[derive(Clone, Copy)]
pub(in super::super) struct MostGiven<'r> {
    /// Most bytes of a round's rows.
    pub(in super::super) bytes: usize,
    /// Returns the error if the answer with the rows read so far would be refused.
    pub(in super::super) refuse: &'r (dyn Fn(Vec<Rows>) -> Judging<'r> + 'r),
}

/// The reason why a unit failed.
enum Failure {
    /// It was rolled back, because of this root field.
    Undone { root: u32, error: SourceError },
    /// It was rolled back, because of other transactions.
    Conflict { root: u32, error: SourceError },
    /// A stale plan: the unit may be sent again.
    Stale { root: u32, error: SourceError },
    /// The returned rows exceed a limit. The remaining ones are not read, and the connection is
    /// given up: nothing was committed.
    Left { root: u32, error: SourceError },
    /// The source does not accept the session's settings; nothing was done.
    Unknown(SourceError),
    /// The connection is of no use any more.
    Lost(SourceError),
}

/// The progress of sending a unit.
#[derive(Default)]
struct Progress {
    /// The places of the levels of the round, in the order in which they were sent.
    sent: Vec<usize>,
    /// The end of the transaction was sent with it.
    is_ending: bool,
}

impl Changing<'_> {
    /// Runs all units. The root fields of those in `failures` are not run, and those that fail now
    /// are added.
    pub(in super::super) async fn run(
        mut self,
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<Vec<Rows>, SourceError> {
        let program = &self.program.program;
        let mut rows: Vec<Rows> = Vec::new();
        rows.resize_with(program.levels.len(), Rows::default);
        let mut kept: Option<Pooled> = None;
        let mut has_run = false;
        for unit in &program.units {
            let refused = failures.iter().position(|(root, _)| unit.roots.contains(root));
            if let Some(place) = refused {
                let (root, error) = failures.swap_remove(place);
                failures.retain(|(root, _)| !unit.roots.contains(root));
                failures.extend(unit.failures(root, error));
                continue;
            }
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => match open_connection(self.pool, self.session.names()).await {
                    Ok(connection) => connection,
                    // Nothing was changed.
                    Err(error) if !has_run => return Err(error.into()),
                    Err(error) => {
                        fail(unit, &SourceError::from(error), failures);
                        continue;
                    }
                },
            };
            let is_first = !std::mem::replace(&mut has_run, true);
            if unit.may_be_long {
                connection.allow(self.most.bytes);
            }
            let ran = self.unit_or_again(unit, &mut connection, &mut rows).await;
            if !matches!(ran, Err(Failure::Left { .. })) {
                connection.allow(usize::MAX);
            }
            match ran {
                Ok(()) => kept = Some(connection),
                Err(
                    Failure::Undone { root, error }
                    | Failure::Conflict { root, error }
                    | Failure::Stale { root, error },
                ) => {
                    kept = Some(connection);
                    failures.extend(unit.failures(root, error));
                }
                // It concerns all units, of which none was done.
                Err(Failure::Unknown(error)) if is_first => return Err(error),
                Err(Failure::Unknown(error)) => {
                    kept = Some(connection);
                    fail(unit, &error, failures);
                }
                // The statement is stopped, and the next unit needs another connection.
                Err(Failure::Left { root, error }) => failures.extend(unit.failures(root, error)),
                Err(Failure::Lost(error)) => fail(unit, &error, failures),
            }
        }
        Ok(rows)
    }

    /// Runs a unit, and again if it was rolled back for a reason that has passed.
    async fn unit_or_again(
        &mut self,
        unit: &Unit,
        connection: &mut Connection,
        rows: &mut [Rows],
    ) -> Result<(), Failure> {
        let (mut is_stale, mut conflicts) = (false, Conflicts::default());
        loop {
            let ran = self.unit(unit, connection, rows).await;
            if ran.is_err() {
                let levels = usize::from(unit.levels.start)..usize::from(unit.levels.end);
                rows[levels].iter_mut().for_each(Rows::clear);
            }
            match ran {
                Err(Failure::Stale { .. }) if !is_stale => is_stale = true,
                Err(Failure::Conflict { error, .. })
                    if self.program.product.expects_retries() && conflicts.has_attempts() =>
                {
                    tracing::debug!(%error, "a change is repeated, as the database expects it");
                    sleep(conflicts.next_pause(error)).await;
                }
                Err(Failure::Undone { error, .. } | Failure::Conflict { error, .. })
                    if unit.finds_or_inserts && conflicts.may_pass(&error) =>
                {
                    tracing::debug!(%error, "another transaction has inserted the same object");
                    sleep(conflicts.next_pause(error)).await;
                }
                ran => return ran,
            }
        }
    }

    async fn unit(
        &mut self,
        unit: &Unit,
        connection: &mut Connection,
        rows: &mut [Rows],
    ) -> Result<(), Failure> {
        let mut progress = Progress::default();
        let ran = self.send(unit, connection, rows, &mut progress).await;
        ran.map_err(|error| self.failure(unit, error, connection, &progress))?;
        Ok(())
    }

    /// Sends a unit round by round.
    async fn send(
        &mut self,
        unit: &Unit,
        connection: &mut Connection,
        rows: &mut [Rows],
        progress: &mut Progress,
    ) -> Result<(), SendError> {
        let levels = &self.program.program.levels;
        let places = usize::from(unit.levels.start)..usize::from(unit.levels.end);
        let is_tested_first =
            unit.is_tested_first(levels) || unit.may_be_long || self.recording.is_some();
        // Other servers commit what a statement did that stands in no transaction of its own.
        let settings = self.session.settings.as_deref();
        let product = self.program.product;
        let is_each_alone = product.implicit_transaction() == ImplicitTransaction::EachStatement;
        let is_divided = is_each_alone && (places.len() > 1 || settings.is_some());
        let is_explicit = is_tested_first || is_divided || !connection.reads_committed().await?;
        let last = levels[places.clone()].iter().map(|level| level.round).max().unwrap_or(0);
        let mut pipeline = connection.pipeline();
        let transaction = is_explicit.then_some(Transaction::ReadCommitted);
        settings::begin(&mut pipeline, transaction, settings, product.settings_form())?;
        if product.runs_in_parallel() && is_explicit {
            settings::run_in_sequence(&mut pipeline)?;
        }
        let mut results = Vec::new();
        for round in 0..=last {
            progress.sent.clear();
            let is_due = |level: &&Level| level.round == round && is_met(level, rows);
            let mut due = levels[places.clone()].iter().filter(is_due);
            if let Some(level) = due.find(|level| !has_results(level, rows)) {
                roll_back(pipeline).await?;
                return Err(SendError::Unmet(level.root, ParameterSource::no_result()));
            }
            let mut due = levels[places.clone()].iter().filter(is_due);
            let refused =
                due.find_map(|level| Some((level.root, object_error(level, self.bound, rows)?)));
            if let Some((root, error)) = refused {
                roll_back(pipeline).await?;
                return Err(SendError::Unmet(root, error));
            }
            for place in places.clone() {
                let level = &levels[place];
                if level.round != round || !level.has_statement() || !is_met(level, rows) {
                    continue;
                }
                let keys = key_arrays(levels, level, self.bound, rows).map_err(WireError::from)?;
                let Some(keys) = keys else { continue };
                self.program.execute(&mut pipeline, self.bound, place, &keys)?;
                progress.sent.push(place);
            }
            self.observed.begin_round(progress.sent.iter().copied());
            if round == last && !is_tested_first {
                if is_explicit {
                    pipeline.commit()?;
                }
                progress.is_ending = true;
                let read = pipeline.sync_and_read(&mut results).await;
                self.finish_round(unit, read, &mut results, rows, progress)?;
                // Nothing was changed where this fails.
                return match self.unmet(unit, round, places.end, rows)? {
                    Some(requirement) => {
                        Err(SendError::Unmet(requirement.root, self.refusal(requirement, rows)))
                    }
                    None => Ok(()),
                };
            }
            let read = pipeline.flush_and_read(&mut results).await;
            self.finish_round(unit, read, &mut results, rows, progress)?;
            match self.unmet(unit, round, places.end, rows) {
                Ok(None) => {}
                Ok(Some(requirement)) => {
                    roll_back(pipeline).await?;
                    return Err(SendError::Unmet(
                        requirement.root,
                        self.refusal(requirement, rows),
                    ));
                }
                Err(error) => {
                    roll_back(pipeline).await?;
                    return Err(error);
                }
            }
        }
        if unit.may_be_long
            && let Some(error) = self.refused(rows).await
        {
            roll_back(pipeline).await?;
            let root = unit.roots.last().copied().unwrap_or_default();
            return Err(SendError::Unmet(root, error));
        }
        progress.sent.clear();
        if let Some(recording) = &self.recording {
            let recorded = match recording.of_unit(rows, &unit.levels) {
                Ok(recorded) => recorded,
                Err(error) => {
                    roll_back(pipeline).await?;
                    let root = unit.roots.last().copied().unwrap_or_default();
                    return Err(SendError::Unmet(root, error));
                }
            };
            if let Some(recorded) = recorded {
                record(&mut pipeline, &recorded)?;
            }
        }
        pipeline.commit()?;
        progress.is_ending = true;
        pipeline.sync_and_read(&mut results).await?;
        Ok(())
    }

    /// The error if the answer with the rows read so far would be refused.
    async fn refused(&self, rows: &mut [Rows]) -> Option<SourceError> {
        let taken = rows.iter_mut().map(std::mem::take).collect();
        let (taken, error) = (self.most.refuse)(taken).await;
        rows.iter_mut().zip(taken).for_each(|(place, rows)| *place = rows);
        error
    }

    /// Takes the results of a round. If PostgreSQL refused a statement, a statement before it may
    /// have failed its requirement: then that is the reason of the rollback.
    fn finish_round(
        &mut self,
        unit: &Unit,
        read: Result<(), WireError>,
        results: &mut Vec<Rows>,
        rows: &mut [Rows],
        progress: &Progress,
    ) -> Result<(), SendError> {
        if let Err(WireError::Database { execution: Some(failed), .. }) = &read
            && let Some(place) = progress.sent.get(*failed)
        {
            take(&self.program.program.levels, rows, results, &progress.sent[..*failed]);
            let round = self.program.program.levels[*place].round;
            if let Some(requirement) = self.unmet(unit, round, *place, rows)? {
                return Err(SendError::Unmet(requirement.root, self.refusal(requirement, rows)));
            }
        }
        read?;
        self.observed.end_round();
        take(&self.program.program.levels, rows, results, &progress.sent);
        Ok(())
    }

    /// The error of a requirement that is not met.
    fn refusal(&self, requirement: &Requirement, rows: &[Rows]) -> SourceError {
        requirement.refusal(self.variables).error(|level, row, column| {
            let value = result(rows, level, row, column)?;
            Some(String::from_utf8_lossy(value).into_owned())
        })
    }

    /// The first requirement that the levels of a round do not meet, of those before a place.
    fn unmet<'u>(
        &self,
        unit: &'u Unit,
        round: u16,
        end: usize,
        rows: &[Rows],
    ) -> Result<Option<&'u Requirement>, SendError> {
        for requirement in &unit.requirements {
            let place = usize::from(requirement.after.0);
            let level = &self.program.program.levels[place];
            if level.round != round || place >= end || !are_met(&requirement.when, rows) {
                continue;
            }
            // A level that was not sent, since it has no parents, has no result.
            let rows = &rows[place];
            let count = match level.kind {
                LevelKind::Write(WriteKind::Counted) => rows.affected(),
                _ => rows.len() as u64,
            };
            match requirement.rows(self.variables) {
                Ok(wanted) if wanted.contains(&count) => {}
                Ok(_) => return Ok(Some(requirement)),
                Err(error) => return Err(SendError::Unmet(requirement.root, error)),
            }
        }
        Ok(None)
    }

    /// The errors of an incomplete unit, by its root fields.
    fn failure(
        &self,
        unit: &Unit,
        error: SendError,
        connection: &Connection,
        progress: &Progress,
    ) -> Failure {
        let error = match error {
            SendError::Unmet(root, error) => return Failure::Undone { root, error },
            SendError::Wire(error) => error,
        };
        let place = match &error {
            WireError::Database { execution, .. } => {
                execution.and_then(|index| progress.sent.get(index)).copied()
            }
            WireError::StalePlan(_) => progress.sent.first().copied(),
            _ => None,
        };
        // An error of COMMIT belongs to all statements of the transaction.
        let root = place.map(|place| self.program.program.levels[place].root);
        let root = root.or(unit.roots.last().copied()).unwrap_or_default();
        match error {
            WireError::Database { error, .. } | WireError::StalePlan(error)
                if error.is_of_settings =>
            {
                Failure::Unknown((*error).into())
            }
            WireError::Database { error, .. } => {
                let is_conflict = is_conflict(&error.code);
                let error = blamed(self.program, self.bound, place, *error);
                match is_conflict {
                    true => Failure::Conflict { root, error },
                    false => Failure::Undone { root, error },
                }
            }
            WireError::StalePlan(error) => {
                Failure::Stale { root, error: blamed(self.program, self.bound, place, *error) }
            }
            // The server gave its reason for closing the session before all statements were done:
            // nothing was committed.
            WireError::Closed { reason: Some(_) }
                if connection.executed() < progress.sent.len() =>
            {
                Failure::Lost(error.into())
            }
            WireError::TooLarge { limit } if !progress.is_ending => {
                Failure::Left { root, error: too_large(limit as u64) }
            }
            WireError::BudgetExceeded(_) if !progress.is_ending => {
                Failure::Left { root, error: error.into() }
            }
            error if progress.is_ending => Failure::Lost(outcome_unknown(&error)),
            error => Failure::Lost(error.into()),
        }
    }
}

/// The reason why the statements of a unit are incomplete.
enum SendError {
    Wire(WireError),
    /// A requirement is not met, or cannot be tested; the unit is rolled back.
    Unmet(u32, SourceError),
}

impl From<WireError> for SendError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// Acquires a connection that is open as far as can be known before sending. The runtime learns
/// that an idle one was closed when it polls the socket.
async fn open_connection(pool: &Rc<Pool>, names: &NameSet) -> Result<Pooled, PoolError> {
    loop {
        let mut connection = pool.acquire_for(names).await?;
        if !connection.is_reused() {
            return Ok(connection);
        }
        yield_now().await;
        if connection.is_open() {
            return Ok(connection);
        }
    }
}

/// Whether the conditions for sending a level are met.
fn is_met(level: &Level, rows: &[Rows]) -> bool {
    are_met(&level.when, rows)
}

fn are_met(conditions: &[When], rows: &[Rows]) -> bool {
    let count = |level: LevelId| rows.get(usize::from(level.0)).map_or(0, Rows::len);
    conditions.iter().all(|when| when.is_met(count(when.level)))
}

/// Ends a transaction without any change, one that was not begun by BEGIN too.
async fn roll_back(mut pipeline: Pipeline<'_>) -> Result<(), WireError> {
    pipeline.rollback()?;
    pipeline.sync_and_read(&mut Vec::new()).await
}

/// Adds the same error for all root fields of a unit.
fn fail(unit: &Unit, error: &SourceError, failures: &mut Vec<(u32, SourceError)>) {
    failures.extend(unit.roots.iter().map(|root| (*root, error.clone())));
}

/// The error of a change that returns too many bytes.
pub(in super::super) fn too_large(limit: u64) -> SourceError {
    let message = format!("The answer would have more than {limit} bytes; nothing was changed.");
    SourceError::new(SourceErrorKind::TooLarge, message)
}

fn outcome_unknown(error: &WireError) -> SourceError {
    tracing::warn!(%error, "the outcome of a change is not known");
    let message =
        "The connection was lost before the change was acknowledged: it may have been made.";
    SourceError::new(SourceErrorKind::OutcomeUnknown, message)
}
