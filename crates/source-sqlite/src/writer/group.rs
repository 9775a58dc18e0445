//! Requests that are committed together.
//!
//! Group commit: most of the time of a small change is the sync to disk, and that takes no longer
//! for several. So queued changes run one after the other in one transaction, each in a savepoint
//! of its own, and all are answered after the commit.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use relational::Program;
use rusqlite::{Connection, ErrorCode};
use source::SourceError;
use source::streamed::Abandoned;

use super::run::not_committed;
use super::scope::{Extent, Scope};
use super::task::{Manner, Task};
use crate::connection::OpenFile;
use crate::error::map_error;
use crate::recording::{Recorder, Recording};
use crate::runtime_estimate::RuntimeClass;

/// Most requests of one commit, and the time in which others may join them.
const MOST: usize = 64;
pub(super) const JOIN: Duration = Duration::from_millis(5);

const SCHEMA_VERSION: &str = include_str!("schema_version.sql");
const DEFERRED: &str = include_str!("deferred.sql");
const CHECKPOINT: &str = include_str!("checkpoint.sql");

/// The connection that changes a file.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) file: OpenFile,
    /// For how long requests may join others.
    join: Duration,
    watched: Watched,
    /// None while the changes have no reader.
    recorder: Option<Recorder>,
    /// The schema version that was checked, and whether some foreign keys are deferred.
    defers: Cell<Option<(i64, bool)>>,
}

/// Requests without any effect, which are to be answered.
#[derive(Default)]
struct Undone {
    tasks: Vec<Box<dyn Task>>,
    /// The one with which SQLite has rolled everything back.
    ended_by: Option<Box<dyn Task>>,
}

/// The abandonment flag of the request whose statement runs.
type Watched = Arc<Mutex<Option<Arc<Abandoned>>>>;

impl Writing {
    pub(super) fn new(file: OpenFile, join: Duration) -> Self {
        let watched = Watched::default();
        let looked_at = Arc::clone(&watched);
        let is_over = move || is_gone(&looked_at);
        file.interrupt.when(is_over);
        Self { file, join, watched, recorder: None, defers: Cell::default() }
    }

    /// With the recorder of its changes.
    pub(super) fn recorded_by(self, recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), ..self }
    }

    /// The recording of the changes of this connection.
    pub(super) fn recording(&self) -> Option<&Arc<Recording>> {
        self.recorder.as_ref().map(Recorder::recording)
    }

    /// Returns true unless changes are recorded by other definitions than those of the file.
    pub(super) fn is_current(&self) -> bool {
        self.recorder.as_ref().is_none_or(|recorder| recorder.is_current(&self.file.connection))
    }

    /// Passes recorded changes on, and detects those of other programs.
    pub(super) fn report_changes(&self) -> Result<(), SourceError> {
        let Some(recorder) = &self.recorder else { return Ok(()) };
        recorder.recording().pass_on();
        recorder.look(&self.file.connection)
    }

    /// Whether the state of the file is known: there is no transaction.
    pub(super) fn is_free(&self) -> bool {
        self.file.connection.is_autocommit()
    }

    /// Checkpoints the write-ahead log and truncates it. Does not wait: the log stays while other
    /// connections use it. Returns whether it is empty, as it is without a log, too.
    pub(super) fn empty_log(&self) -> bool {
        let connection = &self.file.connection;
        let emptied = connection
            .busy_timeout(Duration::ZERO)
            .and_then(|()| connection.query_row(CHECKPOINT, (), |row| row.get::<_, bool>(0)));
        match emptied {
            Ok(is_busy) => !is_busy,
            Err(error) => {
                tracing::debug!(%error, "the write-ahead log stays");
                false
            }
        }
    }

    pub(super) fn alone(&self, mut task: Box<dyn Task>) {
        self.run(&mut *task, Manner::Alone);
        task.respond();
    }

    /// Runs a request, and those that `next` returns meanwhile, in one transaction. Returns those
    /// that have to run alone, without any effect so far.
    #[must_use]
    pub(super) fn together(
        &self,
        first: Box<dyn Task>,
        next: impl FnMut() -> Option<Box<dyn Task>>,
    ) -> Vec<Box<dyn Task>> {
        let Undone { tasks, ended_by } = self.group(first, next);
        let mut others = tasks.into_iter();
        let mut alone = Vec::new();
        // Without the one that has ended it, there is nothing against another one.
        if ended_by.is_some()
            && others.len() > 1
            && let Some(first) = others.next()
        {
            let undone = self.group(first, || others.next());
            alone.extend(undone.tasks.into_iter().chain(undone.ended_by));
        }
        alone.extend(others.chain(ended_by));
        alone
    }

    /// One attempt, which is committed as a whole or rolled back.
    fn group(
        &self,
        first: Box<dyn Task>,
        mut next: impl FnMut() -> Option<Box<dyn Task>>,
    ) -> Undone {
        let connection = &self.file.connection;
        if matches!(self.defers.get(), Some((_, true))) && !matches!(self.defers(), Ok(false)) {
            return Undone::from(vec![first]);
        }
        let group = match Scope::begin(connection, Extent::Changing) {
            Ok(group) => group,
            Err(error) => {
                self.lose(vec![first], &map_error(error));
                return Undone::default();
            }
        };
        // With such foreign keys it would depend on the others whether one of them fails. The schema
        // stays as it is from now on.
        if !matches!(self.defers(), Ok(false)) {
            return Undone::from(vec![first]);
        }
        let since = Instant::now();
        let (mut tasks, mut joining) = (Vec::new(), Some(first));
        while let Some(mut task) = joining.take() {
            self.run(&mut *task, Manner::Together);
            // SQLite rolls everything back where a trigger raises ROLLBACK, where a statement is
            // interrupted, and where there is no space.
            if connection.is_autocommit() {
                return Undone { tasks, ended_by: Some(task) };
            }
            tasks.push(task);
            if tasks.len() < MOST && since.elapsed() < self.join {
                joining = next();
            }
        }
        match group.keep() {
            Ok(()) => tasks.into_iter().for_each(Task::respond),
            Err(error) if is_for_all(&error) => self.lose(tasks, &not_committed(error)),
            // Each runs again by itself, which shows the request at fault.
            Err(_) => return Undone::from(tasks),
        }
        Undone::default()
    }

    /// Whether some foreign keys are deferred.
    fn defers(&self) -> Result<bool, rusqlite::Error> {
        let connection = &self.file.connection;
        let version: i64 = query(connection, SCHEMA_VERSION)?;
        match self.defers.get() {
            Some((known, defers)) if known == version => Ok(defers),
            _ => {
                let defers = query(connection, DEFERRED)?;
                self.defers.set(Some((version, defers)));
                Ok(defers)
            }
        }
    }

    fn run(&self, task: &mut dyn Task, manner: Manner<'_>) {
        self.watch(Some(Arc::clone(task.stop())));
        task.run(&self.file, manner);
        // The common commit is not interrupted for one of them.
        self.watch(None);
    }

    fn watch(&self, stop: Option<Arc<Abandoned>>) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    }

    /// Answers all of them that they had no effect, or that the outcome is unknown.
    fn lose(&self, tasks: Vec<Box<dyn Task>>, error: &SourceError) {
        for mut task in tasks {
            self.run(&mut *task, Manner::Lost(error));
            task.respond();
        }
    }
}

impl From<Vec<Box<dyn Task>>> for Undone {
    fn from(tasks: Vec<Box<dyn Task>>) -> Self {
        Self { tasks, ended_by: None }
    }
}

/// Whether a request may be committed together with others. A long one would delay them; one with
/// several root fields in one transaction has its own.
pub(crate) fn joins(program: &Program, class: RuntimeClass) -> bool {
    class == RuntimeClass::Short && program.units.iter().all(|unit| unit.roots.len() <= 1)
}

/// Whether a failed commit would fail for each of the requests, too: the file is constantly locked,
/// or the disk has failed.
fn is_for_all(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::SystemIoFailure)
    )
}

fn is_gone(watched: &Mutex<Option<Arc<Abandoned>>>) -> bool {
    let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
    watched.as_ref().is_some_and(|stop| stop.is_set())
}

fn query<T: rusqlite::types::FromSql>(
    connection: &Connection,
    text: &str,
) -> Result<T, rusqlite::Error> {
    connection.prepare_cached(text)?.query_row((), |row| row.get(0))
}
