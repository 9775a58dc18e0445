//! A request's whole run.
//!
//! A single statement that reads is its own transaction. Several run between BEGIN and COMMIT, and
//! so do changes; all messages are one write, and the answers are read one after the other. Reads
//! are run again without the root fields that failed. Statements that failed because of other
//! transactions, or because the connection was lost, are run again if nothing of them can have been
//! committed.

mod retry;

use std::rc::Rc;
use std::time::{Duration, Instant};

use source::Observed;
use source::{SourceError, SourceErrorKind};
use tokio::task::yield_now;

use self::retry::Backoff;
use super::arithmetic;
use super::bind::Bound;
use super::events::events;
use super::pool::{Pool, PoolError, Pooled};
use super::program::{Access, GraphProgram, GraphStatement};
use super::wire::{Counters, Records, Scope, Transaction, WireError};

/// A connection that the server closed is replaced without an error if it is noticed within this
/// time. After longer it was closed while it worked, maybe because it worked for so long.
const REPLACED_WITHIN: Duration = Duration::from_secs(1);

/// The server computes timeouts in nanoseconds. A longer timeout is none.
const LONGEST_LIMIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A program that is about to be run.
pub(super) struct Running<'r> {
    pub(super) pool: &'r Rc<Pool>,
    pub(super) program: &'r GraphProgram,
    pub(super) bound: &'r Bound,
    /// Timeout of a transaction, which the server enforces.
    pub(super) time_limit: Option<Duration>,
    pub(super) observed: &'r mut Observed,
}

/// Statements with their places among those of all transactions.
type Placed<'r> = Vec<(usize, &'r GraphStatement)>;

impl Running<'_> {
    /// Runs the statements; returns their results by their places. The root fields in `failures`
    /// are left out, and those that fail now are added.
    pub(super) async fn run(
        mut self,
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<Vec<Records>, SourceError> {
        let program = self.program;
        let transactions = &program.transactions;
        let count = transactions.iter().map(|transaction| transaction.statements.len()).sum();
        let mut results: Vec<Records> = Vec::new();
        results.resize_with(count, Records::default);
        let only_reads = transactions.iter().all(|transaction| transaction.access == Access::Read);
        if only_reads {
            let statements = transactions.iter().flat_map(|transaction| &transaction.statements);
            let statements: Placed<'_> = statements.enumerate().collect();
            self.read(&statements, &mut results, failures).await?;
            return Ok(results);
        }
        let mut first = 0;
        let mut has_run = false;
        for transaction in transactions {
            let statements: Placed<'_> = (first..).zip(&transaction.statements).collect();
            first += statements.len();
            let ran = match transaction.access {
                Access::Read => self.read(&statements, &mut results, failures).await,
                Access::Write => self.write(&statements, &mut results, failures).await,
            };
            match ran {
                Ok(()) => {}
                // Nothing was changed.
                Err(error) if !has_run => return Err(error),
                Err(error) => fail_all(&error, &statements, failures),
            }
            has_run = true;
        }
        Ok(results)
    }

    async fn read(
        &mut self,
        statements: &Placed<'_>,
        results: &mut [Records],
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<(), SourceError> {
        let started = Instant::now();
        let mut again = Backoff::default();
        let mut given = Vec::new();
        loop {
            let has_failed = |root: u32| failures.iter().any(|(failed, _)| *failed == root);
            let is_wanted = |(place, own): &(usize, &GraphStatement)| {
                !has_failed(own.root) && !self.bound.is_without_keys(*place)
            };
            let wanted: Placed<'_> = statements.iter().copied().filter(is_wanted).collect();
            if wanted.is_empty() {
                return Ok(());
            }
            let mut connection = self.pool.acquire(Access::Read).await?;
            self.observed.begin_round(wanted.iter().map(|(place, _)| *place));
            let ran = self.exchange(&mut connection, Access::Read, &wanted, &mut given).await;
            self.observed.end_round();
            let error = match ran {
                Ok(()) => {
                    take(results, &mut given, &wanted);
                    return Ok(());
                }
                Err(error) => error,
            };
            connection.note(&error);
            let is_replaced = connection.is_reused() && started.elapsed() < REPLACED_WITHIN;
            drop(connection);
            if error.is_of_connection() && is_replaced {
                tracing::debug!(%error, "a closed connection is replaced");
                continue;
            }
            if error.is_transient() && again.wait().await {
                continue;
            }
            match (failed(&error, &wanted), error) {
                // Each round has one root field less, so this ends.
                (Some(root), WireError::Database { error, .. }) => {
                    failures.push((root, (*error).into()));
                }
                (_, error) => return Err(error.into()),
            }
        }
    }

    /// Runs changes, at most once as far as is known. An error means that no server was reached.
    async fn write(
        &mut self,
        statements: &Placed<'_>,
        results: &mut [Records],
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<(), SourceError> {
        let refused = failures.iter().position(|(root, _)| is_of(*root, statements));
        if let Some(place) = refused {
            let (root, error) = failures.swap_remove(place);
            failures.retain(|(root, _)| !is_of(*root, statements));
            fail_because(root, error, statements, failures);
            return Ok(());
        }
        let mut again = Backoff::default();
        let mut given = Vec::new();
        loop {
            let mut connection = open_connection(self.pool).await?;
            self.observed.begin_round(statements.iter().map(|(place, _)| *place));
            let ran = self.exchange(&mut connection, Access::Write, statements, &mut given).await;
            self.observed.end_round();
            let error = match ran {
                Ok(()) => {
                    self.observed.has_changed |= given.iter().any(has_changed);
                    self.observe_events(statements, &given);
                    take(results, &mut given, statements);
                    return Ok(());
                }
                Err(error) => error,
            };
            connection.note(&error);
            let is_too_much =
                matches!(error, WireError::TooLarge { .. } | WireError::BudgetExceeded(_));
            if is_too_much && let Ok(is_committed) = connection.read_to_end().await {
                self.observed.has_changed |= is_committed;
                self.observed.committed.is_incomplete |= is_committed;
                fail_all(&too_much(error, is_committed), statements, failures);
                return Ok(());
            }
            if connection.outcome_is_unknown() {
                self.observed.has_changed = true;
                self.observed.committed.is_incomplete = true;
                fail_all(&outcome_unknown(&error), statements, failures);
                return Ok(());
            }
            drop(connection);
            if error.is_transient() && again.wait().await {
                tracing::debug!(%error, "a change is made again");
                continue;
            }
            // An error of COMMIT belongs to all statements of the transaction.
            let root = failed(&error, statements)
                .or_else(|| statements.last().map(|(_, statement)| statement.root));
            fail_because(root.unwrap_or(0), of_change(error), statements, failures);
            return Ok(());
        }
    }

    /// Adds the events of a committed transaction.
    fn observe_events(&mut self, statements: &Placed<'_>, given: &[Records]) {
        let committed = &mut self.observed.committed;
        for ((_, statement), records) in statements.iter().zip(given) {
            let Some(column) = statement.touched else { continue };
            match events(records.record(0), column) {
                Ok(events) => committed.events.extend(events),
                Err(error) => {
                    tracing::warn!(%error, "the nodes that a change has touched are not known");
                    committed.is_incomplete = true;
                }
            }
        }
    }

    /// Sends statements with one write, and reads their results.
    async fn exchange(
        &self,
        connection: &mut Pooled,
        access: Access,
        statements: &Placed<'_>,
        given: &mut Vec<Records>,
    ) -> Result<(), WireError> {
        let cluster = self.pool.cluster();
        let bookmarks = cluster.bookmarks();
        let timeout = self.time_limit.filter(|limit| *limit <= LONGEST_LIMIT);
        let transaction = Transaction { timeout, ..Transaction::new(access, &bookmarks) };
        let is_explicit = access == Access::Write || statements.len() > 1;
        let mut batch = connection.batch();
        if is_explicit {
            batch.begin(&transaction)?;
        }
        for (place, statement) in statements {
            let scope = if is_explicit { Scope::InTransaction } else { Scope::Alone(&transaction) };
            let count = statement.parameters.len();
            batch.run(scope, &statement.text, count, |pack| {
                self.bound.write(*place, pack);
                Ok::<_, WireError>(())
            })?;
        }
        if is_explicit {
            batch.commit()?;
        }
        batch.exchange(given).await?;
        if access == Access::Write
            && let Some(bookmark) = connection.take_bookmark()
        {
            cluster.bookmark(&bookmarks, &bookmark);
            given.iter_mut().for_each(|records| records.set_bookmark(&bookmark));
        }
        Ok(())
    }
}

fn take(results: &mut [Records], given: &mut Vec<Records>, statements: &Placed<'_>) {
    for (records, (place, _)) in given.drain(..).zip(statements) {
        if let Some(own) = results.get_mut(*place) {
            *own = records;
        }
    }
}

/// The root field of the statement that failed.
fn failed(error: &WireError, statements: &Placed<'_>) -> Option<u32> {
    let WireError::Database { result: Some(result), .. } = error else { return None };
    statements.get(*result).map(|(_, statement)| statement.root)
}

fn is_of(root: u32, statements: &Placed<'_>) -> bool {
    statements.iter().any(|(_, statement)| statement.root == root)
}

/// Whether a statement changed something; an unreadable summary may mean so.
fn has_changed(records: &Records) -> bool {
    records.summary().map_or(true, |summary| summary.counters != Counters::default())
}

/// The error of a root field, because of which nothing was done for the others of its transaction.
fn fail_because(
    root: u32,
    error: SourceError,
    statements: &Placed<'_>,
    failures: &mut Vec<(u32, SourceError)>,
) {
    let undone = SourceError::new(
        SourceErrorKind::Aborted,
        "The change was taken back because another of the same transaction failed.",
    );
    failures.push((root, error));
    fail_all(&undone, statements, failures);
}

/// Adds the same error for all root fields that have none yet.
fn fail_all(error: &SourceError, statements: &Placed<'_>, failures: &mut Vec<(u32, SourceError)>) {
    for (_, statement) in statements {
        if !failures.iter().any(|(failed, _)| *failed == statement.root) {
            failures.push((statement.root, error.clone()));
        }
    }
}

/// Acquires a connection that is open as far as can be known before sending. The runtime learns
/// that an idle one was closed when it polls the socket.
async fn open_connection(pool: &Rc<Pool>) -> Result<Pooled, PoolError> {
    loop {
        let mut connection = pool.acquire(Access::Write).await?;
        if !connection.is_reused() {
            return Ok(connection);
        }
        yield_now().await;
        if connection.is_open() {
            return Ok(connection);
        }
    }
}

/// The error of a change that returns too many bytes.
fn too_much(error: WireError, is_committed: bool) -> SourceError {
    let error = SourceError::from(error);
    let became = if is_committed { "; the change was made" } else { "; nothing was changed" };
    SourceError { message: [&error.message, became].concat().into(), ..error }
}

/// The error of a change. Its values are the client's own, and the database's message may show
/// other values of the computation.
fn of_change(error: WireError) -> SourceError {
    let message = match &error {
        WireError::Database { error, .. } => {
            let is_of_values = matches!(error.title(), "ArithmeticError" | "ArgumentError");
            is_of_values.then(|| arithmetic::message(&error.message))
        }
        _ => None,
    };
    let error = SourceError::from(error);
    match message {
        Some(message) => {
            SourceError { kind: SourceErrorKind::Input, message: message.into(), ..error }
        }
        None => error,
    }
}

fn outcome_unknown(error: &WireError) -> SourceError {
    tracing::warn!(%error, "the outcome of a change is not known");
    let message =
        "The connection was lost before the change was acknowledged: it may have been made.";
    SourceError::new(SourceErrorKind::OutcomeUnknown, message)
}

#[cfg(test)]
mod tests;
