//! A SQLite file, read from every thread.
//!
//! A statement runs on the thread that serves the request for a short while only. One that
//! takes longer is started again on a thread of its own, and from then on goes there at once:
//! nobody waits behind a long query.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use catalog::Catalog;
use response::{Failure, Sink, Writer, Written};
use rusqlite::Connection;
use sql::Flavor;

use super::bind::{Bound, bind};
use super::connection::open;
use super::execute;
use super::introspect::introspect;
use crate::error::{SourceError, SourceErrorKind};
use crate::operand::Variables;
use crate::relational::{self, CompileError, Strategy};
use crate::source::{ExecuteError, OpenError, Plan};

/// How long a request may run on the thread that serves it.
const INLINE: Duration = Duration::from_micros(200);

/// After how many steps of SQLite's virtual machine the clock is read.
const STEPS: i32 = 1_000;

/// A file that was opened once to read its schema.
#[derive(Debug)]
pub struct SqliteSource {
    path: PathBuf,
    /// Connections that long requests use, one at a time each.
    idle: Arc<Mutex<Vec<Connection>>>,
}

#[derive(Debug)]
pub struct SqliteProgram {
    pub program: relational::Program,
    /// Whether it proved long: then it does not start on the serving thread.
    long: AtomicBool,
}

/// The connection of one thread, and the way to those for long requests.
#[derive(Debug)]
pub struct SqliteConnections {
    path: PathBuf,
    inline: RefCell<Option<Inline>>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

#[derive(Debug)]
struct Inline {
    connection: Connection,
    /// Nanoseconds since `start` after which its statements are interrupted.
    deadline: Arc<AtomicU64>,
    start: Instant,
}

impl SqliteSource {
    /// Opens a file that is there, and reads its schema.
    pub fn open(path: &Path) -> Result<(Self, Catalog), OpenError> {
        if !path.exists() {
            return Err(OpenError::NoFile(path.into()));
        }
        let connection =
            open(path).map_err(|source| OpenError::Sqlite { path: path.into(), source })?;
        let catalog = introspect(&connection)
            .map_err(|source| OpenError::SqliteCatalog { path: path.into(), source })?;
        let idle = Arc::new(Mutex::new(vec![connection]));
        Ok((Self { path: path.into(), idle }, catalog))
    }

    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<SqliteProgram, CompileError> {
        let program = relational::compile(catalog, request, Flavor::SQLITE, Strategy::Nested)?;
        Ok(SqliteProgram { program, long: AtomicBool::new(false) })
    }

    #[must_use]
    pub fn connections(&self) -> SqliteConnections {
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        SqliteConnections { path, inline: RefCell::new(None), idle }
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
    ) -> Result<Written<SourceError>, ExecuteError> {
        let (bound, failures) = bind(&program.program, variables);
        if !program.long.load(Ordering::Relaxed) {
            let writer = writer(plan, program, sink.clone(), &failures);
            let ran = self.execute_inline(program, &bound, writer);
            match setback(&ran) {
                None => return ran,
                Some(SourceErrorKind::Timeout) => program.long.store(true, Ordering::Relaxed),
                Some(_) => {}
            }
        }
        self.execute_apart(plan, bound, failures, sink).await
    }

    fn execute_inline(
        &self,
        program: &SqliteProgram,
        bound: &Bound,
        writer: Writer<'_, SourceError>,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let mut inline = self.inline.borrow_mut();
        if inline.is_none() {
            *inline = Some(Inline::open(&self.path)?);
        }
        let Some(inline) = &*inline else {
            return Err(ExecuteError::Source(unreachable_connection()));
        };
        let now = u64::try_from(inline.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let budget = u64::try_from(INLINE.as_nanos()).unwrap_or(u64::MAX);
        inline.deadline.store(now.saturating_add(budget), Ordering::Relaxed);
        execute::execute(&inline.connection, &program.program, bound, writer)
    }

    async fn execute_apart(
        &self,
        plan: &Arc<Plan>,
        bound: Bound,
        failures: Vec<(u32, SourceError)>,
        sink: Sink,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let taken = lock(&self.idle).pop();
        let connection = match taken {
            Some(connection) => connection,
            None => open(&self.path).map_err(SourceError::from)?,
        };
        let mut interrupt = Interrupt::new(&connection);
        let (plan, idle) = (Arc::clone(plan), Arc::clone(&self.idle));
        let task = tokio::task::spawn_blocking(move || {
            let crate::source::Program::Sqlite(program) = &plan.program else {
                return Err(ExecuteError::Source(unreachable_connection()));
            };
            let writer = writer(&plan, program, sink, &failures);
            let written = execute::execute(&connection, &program.program, &bound, writer);
            lock(&idle).push(connection);
            written
        });
        let written = task.await;
        interrupt.disarm();
        written.unwrap_or_else(|error| {
            Err(ExecuteError::Source(SourceError::new(
                SourceErrorKind::Internal,
                error.to_string(),
            )))
        })
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
        let connection = open(&self.path)?;
        let levels = &program.program.levels;
        levels.iter().map(|level| execute::explain(&connection, level)).collect()
    }
}

impl Inline {
    fn open(path: &Path) -> Result<Self, SourceError> {
        let mut connection = open(path)?;
        // Nobody waits for a lock on the serving thread.
        connection.busy_timeout(Duration::ZERO)?;
        let deadline = Arc::new(AtomicU64::new(u64::MAX));
        let start = Instant::now();
        let watched = Arc::clone(&deadline);
        let late = move || start.elapsed().as_nanos() > u128::from(watched.load(Ordering::Relaxed));
        connection.progress_handler(STEPS, Some(late))?;
        Ok(Self { connection, deadline, start })
    }
}

/// Interrupts a connection's statement if the request goes away before it is done.
struct Interrupt {
    handle: rusqlite::InterruptHandle,
    armed: Cell<bool>,
}

impl Interrupt {
    fn new(connection: &Connection) -> Self {
        Self { handle: connection.get_interrupt_handle(), armed: Cell::new(true) }
    }

    fn disarm(&mut self) {
        self.armed.set(false);
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        if self.armed.get() {
            self.handle.interrupt();
        }
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

/// Why a run on the serving thread is to be started again on a thread of its own: it took too
/// long, or the file is locked and someone has to wait.
fn setback(ran: &Result<Written<SourceError>, ExecuteError>) -> Option<SourceErrorKind> {
    match ran {
        Ok(written) => written.errors.iter().find_map(|error| match &error.failure {
            Failure::Source(error) => kind_of_setback(error),
            Failure::Leaf(_) | Failure::Null => None,
        }),
        Err(ExecuteError::Source(error)) => kind_of_setback(error),
        Err(ExecuteError::TooLarge(_)) => None,
    }
}

fn kind_of_setback(error: &SourceError) -> Option<SourceErrorKind> {
    let waits = matches!(error.kind, SourceErrorKind::Timeout | SourceErrorKind::Unavailable);
    waits.then_some(error.kind)
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    // A list of connections is whole at any time, even if a thread died while it held it.
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unreachable_connection() -> SourceError {
    SourceError::new(SourceErrorKind::Internal, "no connection to the file")
}
