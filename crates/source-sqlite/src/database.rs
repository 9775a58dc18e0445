//! A SQLite file, read from every thread.
//!
//! A statement runs on the thread that serves the request for a short while only. A longer one is
//! started again on another thread, and from then on begins there, until it proves short; so does
//! one that meets a writer: no request waits behind a long query. Changes are started once, by the
//! one thread that writes.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catalog::Catalog;
use relational::Strategy;
use response::sink::PORTION;
use response::{Attempt, Echo, Failure, Output, Refused, Sink, Writer, Written};
use source::Observed;
use source::SourceError;
use source::offload::{HERE, write_offloaded};
use source::operand::Variables;
use source::statistics::Counter;
use source::streamed::{self, Abandoned, Delivery, End, Executed, Places, Sizes};
use source::{
    CommittedEvents, CompileError, Connections, ExecuteError, ExecuteParams, PlanFigures,
    PoolLimits, Session, SourceErrorKind, Timeouts,
};
use sql::Flavor;

use super::bind::{Bound, bind};
use super::changes::SqliteChanges;
use super::connection::{Cache, OpenFile};
use super::cursor::SqliteCursor;
use super::execute;
use super::inline::{Inline, belongs_elsewhere, ends_run};
use super::introspect::introspect_with;
use super::offload::{Manner, Offload};
use super::options::{OpenError, SqliteOptions};
use super::planning::{Planning, has_partial_indexes};
use super::program::{OffloadedRequest, SqlitePlan, SqliteProgram, writer};
use super::recording::{RecordedTable, recorded_tables};
use super::runtime_estimate::RuntimeClass;
use super::snapshot::SqliteSnapshot;
use super::stored::Stored;
use super::threads::Threads;
use super::writer::{
    self, BoundRequirement, Change, Changed, EventRecording, FileWriter, GatheredCursor,
};
use crate::error::map_error;

/// A file that was opened once to read its schema.
#[derive(Debug)]
pub struct SqliteSource {
    path: PathBuf,
    threads: Arc<Threads>,
    writer: Arc<FileWriter>,
    timeouts: Timeouts,
    partial_indexes: bool,
    /// The stored tables, whose changes can be recorded.
    tables: Arc<[RecordedTable]>,
}

/// The connection of one thread, and the way to those for long requests.
#[derive(Debug)]
pub struct SqliteConnections {
    path: PathBuf,
    /// Boxed, being large next to the connections of other sources.
    inline: RefCell<Option<Box<Inline>>>,
    /// For programs that are planned by their values: statements of the others keep their plans.
    inline_by_values: RefCell<Option<Box<Inline>>>,
    /// Boxed like the others.
    offload: Box<Offload>,
    writer: Arc<FileWriter>,
    places: Places,
    timeouts: Timeouts,
}

impl SqliteSource {
    /// Opens an existing file, and reads its schema.
    pub fn open(path: &Path, options: &SqliteOptions<'_>) -> Result<(Self, Catalog), OpenError> {
        let timeouts = options.timeouts;
        if !path.exists() {
            return Err(OpenError::NoFile(path.into()));
        }
        if path.is_dir() {
            return Err(OpenError::Folder(path.into()));
        }
        let file = OpenFile::open(path, timeouts.acquire, Cache::Little)
            .map_err(|source| OpenError::File { path: path.into(), source })?;
        let mut catalog = introspect_with(&file.connection, options.written)
            .map_err(|source| OpenError::Catalog { path: path.into(), source })?;
        options.declare(&mut catalog)?;
        let threads = Arc::new(Threads::new(path, file, timeouts.acquire));
        let writer = Arc::new(FileWriter::new(path, timeouts.acquire, options.durability));
        let partial_indexes = has_partial_indexes(&catalog);
        let (path, tables) = (path.into(), recorded_tables(&catalog).into());
        Ok((Self { path, threads, writer, timeouts, partial_indexes, tables }, catalog))
    }

    /// Ends the writing thread after its running transactions, with this timeout.
    pub fn close(&self, patience: Duration) {
        self.writer.close(patience);
    }

    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<SqliteProgram, CompileError> {
        let program = relational::compile(catalog, request, Flavor::SQLITE, Strategy::Nested)?;
        let planning = Planning::of(&program, self.partial_indexes);
        let stored = Stored::of(catalog, &program);
        let (estimate, streamed) = (Arc::default(), AtomicBool::default());
        Ok(SqliteProgram { program, stored, planning, estimate, streamed })
    }

    /// The changes of rows.
    #[must_use]
    pub fn changes(&self) -> SqliteChanges {
        SqliteChanges {
            path: self.path.clone(),
            tables: Arc::clone(&self.tables),
            writer: Arc::clone(&self.writer),
        }
    }

    /// The connections of one thread: one for itself, and those of `limits` for long requests.
    #[must_use]
    pub fn connections(&self, limits: PoolLimits) -> SqliteConnections {
        let most = limits.connections;
        let timeouts = self.timeouts;
        let offload = Box::new(Offload::new(&self.threads, most, timeouts.acquire));
        let places = Places::new(most, timeouts.acquire);
        SqliteConnections {
            path: self.path.clone(),
            inline: RefCell::default(),
            inline_by_values: RefCell::default(),
            offload,
            writer: Arc::clone(&self.writer),
            places,
            timeouts,
        }
    }
}

impl Connections for SqliteConnections {
    type Program = SqliteProgram;
    type Snapshot = SqliteSnapshot;

    /// All statements are planned by their values if one of the plans needs it.
    fn snapshot(&self, plans: &[&SqlitePlan]) -> SqliteSnapshot {
        let by_values = plans.iter().any(|plan| plan.program.planning == Planning::ByValues);
        let planning = if by_values { Planning::ByValues } else { Planning::Once };
        SqliteSnapshot::new(&self.offload, planning)
    }

    /// Runs a plan: on this thread if it is short, else on another one. A long answer is streamed
    /// if the delivery allows it.
    async fn deliver(
        &self,
        plan: &Arc<SqlitePlan>,
        params: ExecuteParams<'_>,
        sink: Sink,
        delivery: Delivery,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        let program = &plan.program;
        let sizes = match delivery {
            Delivery::Streamed(sizes)
                if !self.places.are_none()
                    && !program.program.levels.is_empty()
                    && !program.program.writes() =>
            {
                sizes
            }
            Delivery::Streamed(_) | Delivery::Whole => {
                let written = self.answer(plan, params, sink, observed).await;
                return written.map(Executed::Whole);
            }
        };
        let (bound, failures) = bind(&program.program, &program.stored, params.variables);
        observed.begin_round(0..program.program.levels.len());
        if !delivery.is_always_streamed() {
            let written = self.run_here(plan, &bound, &failures, params.echoes, &sink);
            if let Some(written) = written {
                observed.end_round();
                return written.map(Executed::Whole);
            }
        }
        let echoes = params.echoes.into();
        let work = OffloadedRequest { plan: Arc::clone(plan), bound, failures, echoes };
        let executed = self.stream(work, sink, sizes).await;
        observed.end_round();
        executed
    }

    /// Runs a plan and writes the whole of its answer into an output.
    async fn answer<O: Output>(
        &self,
        plan: &Arc<SqlitePlan>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        let (bound, failures) = bind(&program.program, &program.stored, params.variables);
        if program.program.levels.is_empty() {
            // The schema is served even if the file is out of reach.
            let mut nothing = SqliteCursor::new(&program.program, &bound, &mut []);
            let writer = writer(plan, output, &failures).echoing(params.echoes);
            return Ok(writer.write(&mut nothing)?);
        }
        if program.program.writes() {
            let echoes = params.echoes.into();
            let work = OffloadedRequest { plan: Arc::clone(plan), bound, failures, echoes };
            return self.change(work, params, output, observed).await;
        }
        // Statements of child rows run while their parents are written, so all are one round.
        observed.begin_round(0..program.program.levels.len());
        let written = self.run_here(plan, &bound, &failures, params.echoes, &output);
        if let Some(written) = written {
            observed.end_round();
            return written;
        }
        let echoes = params.echoes.into();
        let work = OffloadedRequest { plan: Arc::clone(plan), bound, failures, echoes };
        let work = move |file: &OpenFile| work.run(file, output);
        let written = self.offload.run(&program.manner(RuntimeClass::Short), work).await;
        observed.end_round();
        written
    }

    /// Threads keep their connections; there is no pool of idle ones.
    fn close_old(&self) {}

    fn count(&mut self, counter: Counter) {
        self.offload.count(counter);
    }

    /// Reads from the file.
    async fn probe(&self) -> Result<(), SourceError> {
        self.offload.run(&Manner::short(), execute::probe).await
    }

    /// SQLite's own plan of each statement.
    async fn explain(
        &self,
        program: &SqliteProgram,
        variables: Variables<'_>,
        _: &Session,
        _: PlanFigures,
    ) -> Result<Vec<String>, SourceError> {
        let (_, failures) = bind(&program.program, &program.stored, variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        let file =
            OpenFile::open(&self.path, self.timeouts.acquire, Cache::Little).map_err(map_error)?;
        let levels = &program.program.levels;
        levels.iter().map(|level| execute::explain(&file.connection, level)).collect()
    }
}

impl SqliteConnections {
    /// Runs a short request on this thread; `None` if it is to run elsewhere.
    fn run_here<O: Output>(
        &self,
        plan: &SqlitePlan,
        bound: &Bound,
        failures: &[(u32, SourceError)],
        echoes: &[Echo],
        output: &O,
    ) -> Option<Result<Written<SourceError, O::Data>, ExecuteError>> {
        let program = &plan.program;
        if program.estimate.is_offloaded() {
            return None;
        }
        let writer = writer(plan, output.clone(), failures).echoing(echoes);
        let writer = writer.ended_by(ends_run);
        let written = self.execute_inline(program, bound, writer);
        (!is_for_elsewhere(&written)).then_some(written)
    }

    /// Runs a change, once and on the thread that writes. Its answer is written after the commit.
    async fn change<O: Output>(
        &self,
        work: OffloadedRequest,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let OffloadedRequest { plan, bound, mut failures, echoes } = work;
        let program = &plan.program;
        let mut requirements = Vec::new();
        for own in program.program.units.iter().flat_map(|unit| &unit.requirements) {
            match BoundRequirement::new(own, params.variables) {
                Ok(requirement) => requirements.push(requirement),
                Err(error) => failures.push((own.root, error)),
            }
        }
        let held = output.another_held();
        let recording = params.recorders.map(|recorders| EventRecording {
            recorders: Arc::clone(recorders),
            shape: Arc::clone(&plan.shape),
            held: output.another_held(),
        });
        let change = Change { bound: Arc::new(bound), requirements, failures, held, recording };
        let apart = Arc::clone(&plan);
        observed.begin_round(0..program.program.levels.len());
        let run = move |file: &OpenFile, stop: &Abandoned, manner: writer::Manner<'_>| {
            change.run(&apart.program.program, file, stop, manner)
        };
        let joins = writer::joins(&program.program, program.estimate.class());
        let changed = self.writer.run(self.offload.counter(), joins, run).await;
        observed.end_round();
        let changed = changed.inspect_err(|error| {
            // One that waited for too long has not run.
            if !matches!(error.kind, SourceErrorKind::Busy | SourceErrorKind::Overloaded) {
                observed.committed = CommittedEvents::unknown();
            }
        })?;
        program.estimate.took(changed.took);
        observed.has_changed = program.program.has_changed(&changed.failures);
        if plan.shape.events.is_some() {
            let parts = (&*plan.shape, &program.program.layout);
            let mut top = GatheredCursor::new(&program.program, &changed.bound, &changed.gathered);
            let (held, failures) = (output.another_held(), &changed.failures);
            observed.committed = CommittedEvents::of_rows(parts, &mut top, held, failures);
        }
        let mut output = output;
        if !changed.is_long() {
            let writer = changed_writer(&plan, &changed, &echoes, output);
            let mut top = GatheredCursor::new(&program.program, &changed.bound, &changed.gathered);
            match writer.write_at_most(&mut top, HERE as u64)? {
                Attempt::Written(written) => return Ok(written),
                Attempt::TooLong(same) => output = same,
            }
        }
        // No other request waits for it meanwhile.
        let written = write_offloaded(output, move |output| {
            let writer = changed_writer(&plan, &changed, &echoes, output);
            let program = &plan.program.program;
            writer.write(&mut GatheredCursor::new(program, &changed.bound, &changed.gathered))
        });
        Ok(written.await??)
    }

    /// Streams the answer, if it proves long. Then the run ends, and begins again when there is a
    /// place for it: no queued request holds a connection or a partial answer.
    async fn stream(
        &self,
        work: OffloadedRequest,
        sink: Sink,
        sizes: Sizes,
    ) -> Result<Executed, ExecuteError> {
        let plan = Arc::clone(&work.plan);
        let program = &plan.program;
        let mut is_long = sizes.whole == 0 || program.streamed.load(Ordering::Relaxed);
        let work = Arc::new(work);
        loop {
            let (place, first, class) = match is_long {
                true => {
                    let place = self.places.enter(self.offload.counter()).await?;
                    (Some(place), PORTION.min(sizes.whole), RuntimeClass::Long)
                }
                false => (None, sizes.whole, RuntimeClass::Short),
            };
            let has_place = place.is_some();
            let (outlet, mut pieces) = streamed::channel(place);
            let ticket = self.offload.ticket();
            let sink = sink.clone().streaming(first, ticket.reporting(outlet));
            let work = Arc::clone(&work);
            let begin = move |file: &OpenFile| work.begin(file, sink, has_place);
            let ended = ticket.start(&program.manner(class), begin);
            let Some(first) = ticket.in_time(pieces.recv()).await else {
                return Err(ticket.none_free().into());
            };
            match End::new(ended, ticket).begun(first, pieces).await {
                Err(ExecuteError::Refused(Refused::NoPlace)) if !is_long => is_long = true,
                executed => {
                    let streamed = matches!(&executed, Ok(Executed::Streamed(_)));
                    program.streamed.store(streamed, Ordering::Relaxed);
                    return executed;
                }
            }
        }
    }

    fn execute_inline<O: Output>(
        &self,
        program: &SqliteProgram,
        bound: &Bound,
        writer: Writer<'_, SourceError, O>,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let inline = match program.planning {
            Planning::Once => &self.inline,
            Planning::ByValues => &self.inline_by_values,
        };
        let mut inline = inline.borrow_mut();
        let inline = Inline::at(&mut inline, &self.path, program.planning)?;
        let now = Instant::now();
        let run = program.estimate.begin_inline(now);
        let written = execute::execute(inline.limited(now), &program.program, bound, writer);
        run.end();
        written
    }
}

/// The writer of the answer of a request that changed something.
fn changed_writer<'p, O: Output>(
    plan: &'p SqlitePlan,
    changed: &Changed,
    echoes: &'p [Echo],
    output: O,
) -> Writer<'p, SourceError, O> {
    writer(plan, output, &changed.failures).echoing(echoes)
}

/// Whether a request has to run again on another thread.
fn is_for_elsewhere<D>(written: &Result<Written<SourceError, D>, ExecuteError>) -> bool {
    match written {
        Ok(written) => written.errors.iter().any(
            |error| matches!(&error.failure, Failure::Source(error) if belongs_elsewhere(error)),
        ),
        Err(ExecuteError::Source(error)) => belongs_elsewhere(error),
        Err(ExecuteError::TooLarge(_) | ExecuteError::Refused(_) | ExecuteError::Broken(_)) => {
            false
        }
    }
}
