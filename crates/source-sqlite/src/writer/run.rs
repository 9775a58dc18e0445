//! The transactions of a request, one after the other.
//!
//! A failed transaction is rolled back, and its root fields are null. Nothing is run again, except
//! requests of a group whose transaction was rolled back for one of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use relational::{Level, LevelKind, ParameterSource, Parents, Program, Unit};
use response::MemoryReservation;
use rusqlite::{CachedStatement, ErrorCode};
use source::streamed::Abandoned;
use source::{SourceError, SourceErrorKind};

use super::event_rows::EventRecording;
use super::gathered::{Gathered, Holding, Owned, Rows};
use super::requirement::BoundRequirement;
use super::scope::{Extent, Scope};
use super::task::Manner;
use crate::bind::{Bound, BoundLevel, BoundParameter};
use crate::connection::OpenFile;
use crate::error::map_error;

/// Bytes of rows that are written in less than a millisecond.
const LONG: u64 = 64 << 10;

/// A request that changes something.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) bound: Arc<Bound>,
    pub(crate) requirements: Vec<BoundRequirement>,
    /// Errors of root fields before the run.
    pub(crate) failures: Vec<RootError>,
    /// The memory reservation of the rows.
    pub(crate) held: MemoryReservation,
    /// Its recording of events, if it has events.
    pub(crate) recording: Option<EventRecording>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) bound: Arc<Bound>,
    pub(crate) gathered: Gathered,
    pub(crate) failures: Vec<RootError>,
    /// Duration of the run, from BEGIN of its transactions until they could be committed.
    pub(crate) took: Duration,
    /// The reservation, until the rows are dropped.
    holding: Holding,
}

/// A root field, and why it is null.
pub(crate) type RootError = (u32, SourceError);

/// A request while it runs.
struct Run<'r> {
    file: &'r OpenFile,
    program: &'r Program,
    bound: &'r Bound,
    requirements: &'r [BoundRequirement],
    manner: Manner<'r>,
    gathered: Gathered,
    holding: Holding,
    took: Duration,
    recording: Option<&'r EventRecording>,
}

impl Change {
    /// Runs one transaction after the other, until the request goes away.
    pub(crate) fn run(
        &self,
        program: &Program,
        file: &OpenFile,
        stop: &Abandoned,
        manner: Manner<'_>,
    ) -> Changed {
        let Self { bound, requirements, failures: before, held, recording } = self;
        let (gathered, holding) = (Gathered::new(program), Holding::new(held.another()));
        let took = Duration::ZERO;
        let recording = recording.as_ref();
        let mut run =
            Run { file, program, bound, requirements, manner, gathered, holding, took, recording };
        let mut failures = Vec::new();
        for unit in &program.units {
            if stop.is_set() {
                break;
            }
            // Later statements would be committed by themselves.
            if manner == Manner::Together && file.connection.is_autocommit() {
                break;
            }
            if let Err((root, error)) = run.unit(unit, before, stop) {
                run.gathered.forget(unit.levels.clone());
                failures.extend(unit.failures(root, error));
            }
        }
        let Run { gathered, holding, took, .. } = run;
        Changed { bound: Arc::clone(bound), gathered, failures, took, holding }
    }
}

impl Changed {
    /// Whether writing its answer takes longer than others should wait.
    pub(crate) fn is_long(&self) -> bool {
        self.holding.bytes() > LONG
    }
}

impl Run<'_> {
    /// One transaction: it is committed when this returns without an error, and otherwise rolled
    /// back.
    fn unit(
        &mut self,
        unit: &Unit,
        before: &[RootError],
        stop: &Abandoned,
    ) -> Result<(), RootError> {
        if let Some(error) = before.iter().find(|(root, _)| unit.roots.contains(root)) {
            return Err(error.clone());
        }
        let (first, last) = ends(unit);
        let extent = match self.manner {
            Manner::Lost(error) => return Err((first, error.clone())),
            Manner::Together => Extent::Part,
            Manner::Alone if unit.writes => Extent::Changing,
            Manner::Alone => Extent::Reading,
        };
        // If it is dropped, it is rolled back.
        let scope = Scope::begin(&self.file.connection, extent);
        let scope = scope.map_err(|error| (first, map_error(error)))?;
        let since = Instant::now();
        let done = self.levels(unit);
        self.took += since.elapsed();
        done?;
        if stop.is_set() {
            return Err((
                last,
                SourceError::new(SourceErrorKind::Timeout, "the request went away"),
            ));
        }
        if let Some(recording) = self.recording {
            let Self { file, program, bound, gathered, .. } = self;
            let rows = (*program, *bound, &*gathered);
            let recorded = recording.record(&file.connection, rows, &unit.levels);
            recorded.map_err(|error| (last, error))?;
        }
        scope.keep().map_err(|error| (last, not_committed(error)))
    }

    /// The statements between BEGIN and COMMIT.
    fn levels(&mut self, unit: &Unit) -> Result<(), RootError> {
        for level in unit.levels.clone() {
            let next =
                self.program.levels[..usize::from(unit.levels.end)].get(usize::from(level) + 1);
            let level = &self.program.levels[usize::from(level)];
            self.level(level).map_err(|error| (level.root, error))?;
            let given = level.gives();
            if next.is_some_and(|next| next.gives() == given) {
                continue;
            }
            let count = self.gathered.level(given).count();
            let of_level =
                |own: &&BoundRequirement| own.after == given && self.gathered.meets(&own.when);
            for requirement in self.requirements.iter().filter(of_level) {
                requirement
                    .judge(count, &self.gathered)
                    .map_err(|error| (requirement.root, error))?;
            }
        }
        Ok(())
    }

    /// All rows of a level.
    fn level(&mut self, level: &Level) -> Result<(), SourceError> {
        let Self { file, bound, gathered, holding, .. } = self;
        if !gathered.meets(&level.when) {
            if level.gives() == level.id {
                gathered.set(level.id, Rows::none());
            }
            return Ok(());
        }
        let bound = &bound.levels[usize::from(level.id.0)];
        let mut statement =
            Running::new(file, &level.text, gathered, holding).map_err(map_error)?;
        let mut changed = 0;
        match (level.parents, level.parent) {
            (Parents::Returned { write }, _) => {
                let written = gathered.level(write);
                for row in 0..written.len() {
                    statement.run(bound, Some((written, row)))?;
                    changed += file.connection.changes();
                }
                statement.rows.end_parent(0);
            }
            (_, None) => {
                statement.run(bound, None)?;
                changed = file.connection.changes();
                statement.rows.end_parent(0);
            }
            (_, Some(parent)) => {
                let above = gathered.level(parent);
                for row in 0..above.len() {
                    let start = statement.rows.len();
                    // Rows with a null key belong to no parent.
                    if !is_orphan(bound, above, row) {
                        statement.run(bound, Some((above, row)))?;
                    }
                    statement.rows.end_parent(start);
                }
            }
        }
        let mut rows = statement.into_rows();
        if let LevelKind::Write(_) = level.kind {
            rows.changed = changed;
        }
        match level.gives() {
            given if given == level.id => gathered.set(given, rows),
            given => gathered.add(given, rows),
        }
        Ok(())
    }
}

/// The statement of a level, and the rows that it has given so far.
struct Running<'r> {
    statement: CachedStatement<'r>,
    /// Results of the levels before.
    gathered: &'r Gathered,
    holding: &'r mut Holding,
    rows: Rows,
}

impl<'r> Running<'r> {
    fn new(
        file: &'r OpenFile,
        text: &str,
        gathered: &'r Gathered,
        holding: &'r mut Holding,
    ) -> Result<Self, rusqlite::Error> {
        let statement = file.connection.prepare_cached(text)?;
        let rows = Rows::new(statement.column_count());
        Ok(Self { statement, gathered, holding, rows })
    }

    fn into_rows(self) -> Rows {
        self.rows
    }

    /// Runs it to its end, for a row of another level if there is one.
    fn run(
        &mut self,
        bound: &BoundLevel,
        above: Option<(&Rows, usize)>,
    ) -> Result<(), SourceError> {
        for (number, parameter) in (1..).zip(&bound.parameters) {
            let statement = &mut self.statement;
            match parameter {
                BoundParameter::Value(value) => {
                    statement.raw_bind_parameter(number, value).map_err(map_error)?
                }
                BoundParameter::File(content) => {
                    statement.raw_bind_parameter(number, &content[..]).map_err(map_error)?
                }
                BoundParameter::Parent(column) => {
                    let value = above.and_then(|(rows, row)| rows.value(row, *column));
                    statement.raw_bind_parameter(number, value).map_err(map_error)?;
                }
                BoundParameter::Keys(keys) => {
                    let text = self.gathered.key_list(keys)?;
                    statement.raw_bind_parameter(number, text).map_err(map_error)?;
                }
                BoundParameter::Columns(columns) => {
                    let text = self.gathered.rows_of_columns(columns)?;
                    statement.raw_bind_parameter(number, text).map_err(map_error)?;
                }
                BoundParameter::Result(level, row, column) => {
                    match self.gathered.level(*level).value(*row as usize, *column) {
                        None | Some(Owned::Null) => return Err(ParameterSource::no_result()),
                        Some(value) => {
                            statement.raw_bind_parameter(number, value).map_err(map_error)?
                        }
                    }
                }
            }
        }
        let mut given = self.statement.raw_query();
        while let Some(row) = given.next().map_err(map_error)? {
            self.holding.hold(self.rows.push(row).map_err(map_error)?)?;
        }
        Ok(())
    }
}

fn is_orphan(bound: &BoundLevel, above: &Rows, row: usize) -> bool {
    bound.parameters.iter().any(|parameter| match parameter {
        BoundParameter::Parent(column) => {
            matches!(above.value(row, *column), None | Some(Owned::Null))
        }
        BoundParameter::Value(_)
        | BoundParameter::File(_)
        | BoundParameter::Result(..)
        | BoundParameter::Keys(_)
        | BoundParameter::Columns(_) => false,
    })
}

/// The root fields that errors of BEGIN and of COMMIT belong to.
fn ends(unit: &Unit) -> (u32, u32) {
    let first = unit.roots.first().copied().unwrap_or_default();
    (first, unit.roots.last().copied().unwrap_or(first))
}

/// The error of a failed commit. If the file could not be written to its end, the outcome is
/// unknown.
pub(super) fn not_committed(error: rusqlite::Error) -> SourceError {
    let is_unknown = error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure);
    let error = map_error(error);
    match is_unknown {
        true => SourceError { kind: SourceErrorKind::OutcomeUnknown, ..error },
        false => error,
    }
}
