//! The log of events in a file: triggers that record changes of rows, claims of the server that delivers
//! them, schedules.
//!
//! One process at a time delivers the events of a file: it holds a lock of the operating system, which
//! ends with the process however that ends, so the next one knows that all claims are those of a server
//! that has ended.
//!
//! * `install`: the log and the triggers of a file
//! * `lead`: the lock
//! * `claims`: events that are due, and what becomes of them
//! * `schedule`: times of cron triggers, and single events
//! * `cleanup`: removal of old events
//! * `listing`: events for people

mod claims;
mod cleanup;
mod install;
mod lead;
mod listing;
mod schedule;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use source::Timeouts;
use source::event_log::{Outcome, Queue};
use tokio::task::spawn_blocking;

use super::connection::OpenFile;
use super::durability::Durability;

/// An error of the log.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    #[error("cannot open {}: {source}", redact::address(&path.to_string_lossy()))]
    Open { path: PathBuf, source: rusqlite::Error },
    #[error("there is no file {}; give the path of a SQLite file", redact::address(&.0.to_string_lossy()))]
    Missing(PathBuf),
    #[error("cannot lock {}: {error}", redact::address(&path.to_string_lossy()))]
    Lock { path: PathBuf, error: io::Error },
    #[error("{0}")]
    Statement(#[from] rusqlite::Error),
    #[error("the thread of the log of events has ended")]
    Died,
}

impl EventLogError {
    /// Whether SQLite has refused a value; otherwise another attempt may succeed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Statement(error) => error.sqlite_error_code() == Some(ErrorCode::TooBig),
            Self::Open { .. } | Self::Missing(_) | Self::Lock { .. } | Self::Died => false,
        }
    }
}

/// The log of a file.
#[derive(Debug)]
pub struct SqliteEventLog {
    shared: Arc<Shared>,
}

/// What threads of blocking work share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    timeouts: Timeouts,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<OpenFile>,
    /// The lock of the server that delivers events.
    lead: Option<File>,
    /// The version of the file when events were looked for.
    version: i64,
}

impl SqliteEventLog {
    #[must_use]
    pub fn new(path: &Path, timeouts: Timeouts) -> Self {
        let path = path.to_owned();
        Self { shared: Arc::new(Shared { path, timeouts, state: Mutex::default() }) }
    }

    /// Runs work with the connection on a thread for blocking work.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, EventLogError> + Send + 'static,
    ) -> Result<T, EventLogError> {
        self.run_with_state(|shared, state| work(shared.connection(state)?)).await
    }

    async fn run_with_state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared, &mut State) -> Result<T, EventLogError> + Send + 'static,
    ) -> Result<T, EventLogError> {
        let shared = Arc::clone(&self.shared);
        let done = spawn_blocking(move || {
            let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            work(&shared, &mut state)
        });
        done.await.map_err(|_| EventLogError::Died)?
    }
}

impl Shared {
    /// The connection, which is opened if there is none, or if another file is at the path.
    fn connection<'s>(&self, state: &'s mut State) -> Result<&'s mut Connection, EventLogError> {
        if state.file.as_ref().is_some_and(|file| !file.is_at(&self.path)) {
            state.file = None;
        }
        let file = match state.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        Ok(&mut state.file.insert(file).connection)
    }

    fn open(&self) -> Result<OpenFile, EventLogError> {
        if !self.path.is_file() {
            return Err(EventLogError::Missing(self.path.clone()));
        }
        // What a power failure loses of a claim or of a delivery is repeated.
        let opened =
            OpenFile::open_for_changes(&self.path, self.timeouts.acquire, Durability::Normal);
        opened.map_err(|source| EventLogError::Open { path: self.path.clone(), source })
    }
}

/// Runs work in a transaction that may write.
pub(super) fn change<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, EventLogError>,
) -> Result<T, EventLogError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// The flag that a statement returns.
pub(super) fn flag(
    connection: &Connection,
    statement: &str,
    parameters: impl rusqlite::Params,
) -> Result<bool, EventLogError> {
    let mut statement = connection.prepare_cached(statement)?;
    Ok(statement.query_row(parameters, |row| row.get(0))?)
}

/// The name of an outcome in the statements.
fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Delivered => "delivered",
        Outcome::Retry(_) => "retry",
        Outcome::Failed => "failed",
    }
}

/// The statement for a log.
fn of_queue(queue: Queue, [rows, cron, one_off]: [&str; 3]) -> &str {
    match queue {
        Queue::Rows => rows,
        Queue::Cron => cron,
        Queue::OneOff => one_off,
    }
}
