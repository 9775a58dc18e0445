//! A SQLite file, read from every thread.
//!
//! A statement runs on the thread that serves the request for a short while only. One that
//! takes longer is started again on a thread of its own, and from then on goes there at once,
//! until it proves short; so does one that meets a writer: nobody waits behind a long query.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use catalog::Catalog;
use response::{Failure, Sink, Writer, Written};
use sql::Flavor;

use super::apart::{Apart, IdleFiles};
use super::bind::{Bound, bind};
use super::connection::OpenFile;
use super::cursor::SqliteCursor;
use super::execute;
use super::inline::{INLINE, Inline, belongs_elsewhere};
use super::introspect::introspect;
use super::planning::{Planning, has_partial_indexes};
use crate::error::{SourceError, SourceErrorKind};
use crate::observed::Observed;
use crate::operand::Variables;
use crate::relational::{self, CompileError, Strategy};
use crate::source::{ExecuteError, OpenError, Plan, Timeouts};
use crate::statistics::Counter;

/// A file that was opened once to read its schema.
#[derive(Debug)]
pub struct SqliteSource {
    path: PathBuf,
    idle: IdleFiles,
    timeouts: Timeouts,
    partial_indexes: bool,
}

#[derive(Debug)]
pub struct SqliteProgram {
    pub program: relational::Program,
    planning: Planning,
    /// Whether it proved long: then it does not start on the serving thread.
    long: AtomicBool,
}

/// The connection of one thread, and the way to those for long requests.
#[derive(Debug)]
pub struct SqliteConnections {
    path: PathBuf,
    /// Boxed, being large next to the connections of other sources.
    inline: RefCell<Option<Box<Inline>>>,
    /// For programs that are planned by their values: statements of the others keep their plans.
    inline_by_values: RefCell<Option<Box<Inline>>>,
    apart: Apart,
    timeouts: Timeouts,
}

impl SqliteSource {
    /// Opens a file that is there, and reads its schema.
    pub fn open(path: &Path, timeouts: Timeouts) -> Result<(Self, Catalog), OpenError> {
        if !path.exists() {
            return Err(OpenError::NoFile(path.into()));
        }
        let file = OpenFile::open(path, timeouts.acquire)
            .map_err(|source| OpenError::Sqlite { path: path.into(), source })?;
        let catalog = introspect(&file.connection)
            .map_err(|source| OpenError::SqliteCatalog { path: path.into(), source })?;
        let idle = IdleFiles::new(file, timeouts.acquire);
        let partial_indexes = has_partial_indexes(&catalog);
        Ok((Self { path: path.into(), idle, timeouts, partial_indexes }, catalog))
    }

    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<SqliteProgram, CompileError> {
        let program = relational::compile(catalog, request, Flavor::SQLITE, Strategy::Nested)?;
        let planning = Planning::of(&program, self.partial_indexes);
        Ok(SqliteProgram { program, planning, long: AtomicBool::new(false) })
    }

    /// The connections of one thread: one for itself, and at most `most` for long requests.
    #[must_use]
    pub fn connections(&self, most: usize) -> SqliteConnections {
        let timeouts = self.timeouts;
        let apart = Apart::new(&self.path, &self.idle, most, timeouts.acquire);
        SqliteConnections {
            path: self.path.clone(),
            inline: RefCell::default(),
            inline_by_values: RefCell::default(),
            apart,
            timeouts,
        }
    }
}

impl SqliteConnections {
    /// Runs a plan: here if it is short, else on a thread of its own.
    pub async fn execute(
        &self,
        plan: &Arc<Plan>,
        program: &SqliteProgram,
        variables: Variables<'_>,
        sink: Sink,
        observed: &mut Observed,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let (bound, failures) = bind(&program.program, variables);
        if program.program.levels.is_empty() {
            // The schema is told even where the file is out of reach.
            let mut nothing = SqliteCursor::new(&program.program, &bound, &mut []);
            return Ok(writer(plan, program, sink, &failures).write(&mut nothing)?);
        }
        // One statement asks for the rows of another while these are written.
        observed.begin_round(0..program.program.levels.len());
        if !program.long.load(Ordering::Relaxed) {
            let writer = writer(plan, program, sink.clone(), &failures);
            let written = self.execute_inline(program, &bound, writer);
            if !is_for_elsewhere(&written) {
                observed.end_round();
                return written;
            }
        }
        let (plan, planning) = (Arc::clone(plan), program.planning);
        let work = move |connection: &rusqlite::Connection| {
            let crate::source::Program::Sqlite(program) = &plan.program else {
                return Err(ExecuteError::Source(foreign_plan()));
            };
            let started = Instant::now();
            let writer = writer(&plan, program, sink, &failures);
            let written = execute::execute(connection, &program.program, &bound, writer);
            // A thread that had to wait for its processor may have made it look long.
            program.long.store(started.elapsed() > INLINE / 2, Ordering::Relaxed);
            written
        };
        let written = self.apart.run(planning, work).await;
        observed.end_round();
        written
    }

    fn execute_inline(
        &self,
        program: &SqliteProgram,
        bound: &Bound,
        writer: Writer<'_, SourceError>,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let inline = match program.planning {
            Planning::Once => &self.inline,
            Planning::ByValues => &self.inline_by_values,
        };
        let mut inline = inline.borrow_mut();
        let inline = Inline::at(&mut inline, &self.path, program.planning)?;
        let started = Instant::now();
        let written = execute::execute(inline.limited(), &program.program, bound, writer);
        // Some steps are long in themselves, such as counting a table, and cannot be interrupted.
        if started.elapsed() > 5 * INLINE {
            program.long.store(true, Ordering::Relaxed);
        }
        written
    }

    pub fn count(&mut self, counter: Counter) {
        self.apart.count(counter);
    }

    /// Reads from the file.
    pub async fn probe(&self) -> Result<(), SourceError> {
        self.apart.run(Planning::default(), execute::look).await
    }

    /// SQLite's own plan of each statement.
    pub fn explain(
        &self,
        program: &SqliteProgram,
        variables: Variables<'_>,
    ) -> Result<Vec<String>, SourceError> {
        let (_, failures) = bind(&program.program, variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        let file = OpenFile::open(&self.path, self.timeouts.acquire)?;
        let levels = &program.program.levels;
        levels.iter().map(|level| execute::explain(&file.connection, level)).collect()
    }
}

fn writer<'p>(
    plan: &'p Plan,
    program: &'p SqliteProgram,
    sink: Sink,
    failures: &[(u32, SourceError)],
) -> Writer<'p, SourceError> {
    let mut writer = Writer::new(&plan.shape, &program.program.layout, sink);
    for (root, error) in failures {
        writer.fail_root(*root as usize, error.clone());
    }
    writer
}

/// Whether a request is to be run again on another thread.
fn is_for_elsewhere(written: &Result<Written<SourceError>, ExecuteError>) -> bool {
    match written {
        Ok(written) => written.errors.iter().any(
            |error| matches!(&error.failure, Failure::Source(error) if belongs_elsewhere(error)),
        ),
        Err(ExecuteError::Source(error)) => belongs_elsewhere(error),
        Err(ExecuteError::TooLarge(_)) => false,
    }
}

fn foreign_plan() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "a plan of another source")
}
