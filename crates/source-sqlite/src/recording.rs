//! Recorded changes, between the thread that writes a file and the stream of its changes.
//!
//! * `recorder`: the triggers of the connection that writes
//! * `tables`: the tables, and the texts of their values

mod recorder;
mod tables;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use source::changes::{ChangedRows, ChangedTable, NoStream, RowChange, TableChange, TableName};
use source::{SourceError, SourceErrorKind};
use tokio::sync::Notify;

pub(crate) use recorder::{INTERVAL, Recorder};
pub(crate) use tables::{RecordedTable, recorded_tables};

/// Rows of a table that are listed; of more, only the table is reported.
const MOST_ROWS: usize = 1_000;

/// The changes of a file, from the beginning of their recording.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The tables by their numbers.
    pub(crate) tables: Vec<RecordedTable>,
    described: Vec<Arc<ChangedTable>>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// Of the transaction that runs, by table.
    uncommitted: Vec<Rows>,
    committed: Vec<Rows>,
    /// True if another connection has committed something.
    has_foreign: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// The writing connection has still to begin.
    Waiting,
    Running {
        /// The tables whose changes are recorded.
        covered: Vec<usize>,
    },
    /// The recording cannot begin, or has ended; changes may be missing since then.
    Failed(NoStream),
    /// There is no reader any more.
    Closed,
}

/// The changed rows of a table.
#[derive(Clone, Debug, Default)]
struct Rows {
    rows: Vec<RowChange>,
    /// True if there are rows that are not listed.
    is_any: bool,
}

impl Recording {
    pub(crate) fn new(tables: Vec<RecordedTable>) -> Self {
        let described = tables.iter().map(|table| {
            let name = TableName { namespace: None, name: table.name.clone() };
            let columns = table.columns.iter().map(|column| column.name.clone()).collect();
            Arc::new(ChangedTable { name, columns })
        });
        let none = vec![Rows::default(); tables.len()];
        let state = State {
            stage: Stage::Waiting,
            uncommitted: none.clone(),
            committed: none,
            has_foreign: false,
        };
        let described = described.collect();
        Self { tables, described, state: Mutex::new(state), changed: Notify::new() }
    }

    /// Records that the changes of these tables are recorded from now on.
    pub(crate) fn begin(&self, covered: Vec<usize>) {
        let mut state = self.lock();
        if state.stage == Stage::Waiting {
            state.stage = Stage::Running { covered };
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Ends the recording.
    pub(crate) fn fail(&self, error: NoStream) {
        let mut state = self.lock();
        if state.stage != Stage::Closed {
            state.stage = Stage::Failed(error);
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Ends the recording for its reader.
    pub(crate) fn close(&self) {
        self.lock().stage = Stage::Closed;
    }

    /// Returns true if the recording can begin.
    pub(crate) fn is_waiting(&self) -> bool {
        self.lock().stage == Stage::Waiting
    }

    /// Returns true if it has failed or has no reader.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.lock().stage, Stage::Failed(_) | Stage::Closed)
    }

    /// Adds a changed row of the running transaction.
    fn add(&self, table: usize, row: RowChange) {
        if let Some(rows) = self.lock().uncommitted.get_mut(table) {
            rows.add(row);
        }
    }

    /// Adds all rows of a table, as changed by the running transaction.
    fn add_all(&self, table: usize) {
        if let Some(rows) = self.lock().uncommitted.get_mut(table) {
            rows.add_all();
        }
    }

    /// Passes the changes of transactions that have ended to the reader. Changes that were rolled back
    /// are among them.
    pub(crate) fn pass_on(&self) {
        let mut state = self.lock();
        let State { uncommitted, committed, .. } = &mut *state;
        let mut is_empty = true;
        for (rows, committed) in uncommitted.iter_mut().zip(committed) {
            if !rows.is_empty() {
                is_empty = false;
                committed.append(rows);
            }
        }
        drop(state);
        if !is_empty {
            self.changed.notify_one();
        }
    }

    /// Records that another connection has committed something.
    pub(crate) fn add_foreign(&self) {
        self.lock().has_foreign = true;
        self.changed.notify_one();
    }

    /// Waits until changes are recorded, and returns the tables.
    pub(crate) async fn begun(&self) -> Result<Vec<TableName>, NoStream> {
        loop {
            match &self.lock().stage {
                Stage::Waiting => {}
                Stage::Running { covered } => return Ok(self.names(covered)),
                Stage::Failed(error) => return Err(error.clone()),
                Stage::Closed => return Err(NoStream::NotOffered),
            }
            self.changed.notified().await;
        }
    }

    /// Waits for committed changes. Cancel safe.
    pub(crate) async fn next(&self) -> Result<Vec<TableChange>, SourceError> {
        loop {
            if let Some(changes) = self.take()? {
                return Ok(changes);
            }
            self.changed.notified().await;
        }
    }

    /// Takes the committed changes; none if there are none.
    fn take(&self) -> Result<Option<Vec<TableChange>>, SourceError> {
        let mut state = self.lock();
        let State { stage, committed, has_foreign, .. } = &mut *state;
        let covered = match stage {
            Stage::Running { covered } => &*covered,
            Stage::Failed(NoStream::Failed(error)) => return Err(error.clone()),
            Stage::Failed(NoStream::NotOffered | NoStream::NotAllowed(_)) => {
                return Err(SourceError::new(SourceErrorKind::Internal, "no change is recorded"));
            }
            Stage::Waiting | Stage::Closed => return Ok(None),
        };
        let is_foreign = std::mem::take(has_foreign);
        let changes = covered.iter().filter_map(|table| {
            let rows = committed.get_mut(*table).map(std::mem::take).unwrap_or_default();
            let rows = match (is_foreign || rows.is_any, rows.rows) {
                (true, _) => ChangedRows::Any,
                (false, rows) if rows.is_empty() => return None,
                (false, rows) => ChangedRows::Rows(rows),
            };
            Some(TableChange { table: Arc::clone(self.described.get(*table)?), rows })
        });
        let changes: Vec<_> = changes.collect();
        Ok((is_foreign || !changes.is_empty()).then_some(changes))
    }

    fn names(&self, tables: &[usize]) -> Vec<TableName> {
        let known = tables.iter().filter_map(|table| self.described.get(*table));
        known.map(|table| table.name.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    fn add(&mut self, row: RowChange) {
        match self.rows.len() < MOST_ROWS {
            true if !self.is_any => self.rows.push(row),
            _ => self.add_all(),
        }
    }

    fn add_all(&mut self) {
        *self = Self { rows: Vec::new(), is_any: true };
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && !self.is_any
    }

    /// Moves the rows of another list to the end of this one.
    fn append(&mut self, other: &mut Self) {
        match self.is_any || other.is_any || self.rows.len() + other.rows.len() > MOST_ROWS {
            true => self.add_all(),
            false => self.rows.append(&mut other.rows),
        }
        *other = Self::default();
    }
}
