//! A request's whole run: rounds of pipelined statements in one snapshot.
//!
//! A single statement needs no transaction, unless it calls a function. Several run between BEGIN
//! and COMMIT of one repeatable read, read-only transaction (a snapshot). Statements that need keys
//! of earlier rows are sent in the next round; all other statements are pipelined, and the last
//! round carries the only Sync. Changes run in [`units`].

mod keys;
pub(super) mod units;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use ir::TextMatch;
use relational::{Against, Level, ParameterKind, ParameterSource, Parents, Program};
use source::Settings;
use source::SourceError;
use source::operand::Variables;
use source::{Observed, Plan, ReadForm};
use sql::PlanFigures;
use tokio::time::sleep;
use tokio_postgres::types::Type;

use super::bind::{Bound, BoundParameter, bind};
use super::compile::Recompiler;
use super::error::{Purpose, statement_error};
use super::introspect::PhysicalTypes;
use super::joined::Joined;
use super::length::Length;
use super::product::{ImplicitTransaction, Product};
use super::runtime_estimate::RuntimeEstimate;
use super::settings;
use super::split_join::SplitJoin;
use super::texts::Texts;
use super::wire::{
    Connection, DatabaseError, Parameter, Pipeline, Rows, Statement, Transaction, WireError,
};
use units::conflicts::{self, Conflicts};

pub(super) use keys::{has_results, key_arrays, object_error, result};

/// A request that was compiled for PostgreSQL.
pub type PostgresPlan = Plan<PostgresProgram>;

/// A program with its prepared statements.
#[derive(Debug)]
pub struct PostgresProgram {
    pub program: Program,
    pub(super) estimate: RuntimeEstimate,
    /// Compiles the forms below; none for programs that are run once.
    pub(super) recompiler: Option<Recompiler>,
    /// The form that is read in portions, compiled on demand; none if there is no such form.
    pub(super) in_portions: OnceLock<Option<Arc<PostgresProgram>>>,
    pub(super) length: Length,
    /// The form with levels joined to those above.
    joined: Option<Box<Joined>>,
    /// The form with split joins, compiled on demand.
    pub(super) split_join: SplitJoin,
    /// The form for batches, made when the first is executed; none if there is no such form.
    pub(super) batch: OnceLock<Option<Box<PostgresProgram>>>,
    texts: Vec<Texts>,
    /// Number of statements made after compilation, each when it was first sent.
    made: AtomicU32,
    rounds: u16,
    pub(super) product: Product,
}

impl PostgresProgram {
    /// Makes a program; sets the types of key arrays and of functions' arguments, and of values
    /// whose types PostgreSQL does not infer.
    #[must_use]
    pub fn new(program: Program, types: &PhysicalTypes) -> Self {
        let texts = program.levels.iter().map(|level| {
            let oids = level.parameters.iter().map(|parameter| match parameter.kind {
                ParameterKind::KeyArray { field } | ParameterKind::StoredArray { field, .. } => {
                    types.of(field).array_oid
                }
                ParameterKind::Value { against: Against::Field(field), .. } => {
                    types.of(field).parameter_oid
                }
                ParameterKind::List { against: Against::Field(field), .. } => {
                    types.of(field).parameter_array_oid
                }
                ParameterKind::KeyList { field, .. } => types.of(field).base_array_oid,
                ParameterKind::RangeElement { range } => types.element_of(range),
                ParameterKind::Text => Type::TEXT.oid(),
                ParameterKind::Search(TextMatch::Re2) => Type::TEXT.oid(),
                ParameterKind::TextList
                | ParameterKind::Search(_)
                | ParameterKind::Candidates { .. } => Type::TEXT_ARRAY.oid(),
                ParameterKind::GeoBox(_) => Type::BOX.oid(),
                ParameterKind::Float => Type::FLOAT8.oid(),
                ParameterKind::Index => Type::INT4.oid(),
                ParameterKind::Geo(_) | ParameterKind::Vector => Type::FLOAT8_ARRAY.oid(),
                ParameterKind::RowArray { entity } => types.row_array(entity),
                ParameterKind::Argument { function, place } => {
                    types.argument(function, place).oid
                }
                ParameterKind::ArgumentList { function, place } => {
                    types.argument(function, place).array_oid
                }
                ParameterKind::Returned { field } if types.product.needs_returned_types() => {
                    types.of(field).oid
                }
                ParameterKind::Value { against: Against::Count, .. } => Type::INT8.oid(),
                ParameterKind::VisitedVectors => Type::INT4.oid(),
                ParameterKind::List { against: Against::Count, .. } => Type::INT8_ARRAY.oid(),
                ParameterKind::Value {
                    against: Against::Attribute(..) | Against::Spatial(_), ..
                }
                | ParameterKind::Element { .. }
                | ParameterKind::List {
                    against: Against::Attribute(..) | Against::Spatial(_), ..
                }
                | ParameterKind::Key { .. }
                | ParameterKind::Returned { .. }
                | ParameterKind::KeyRows
                | ParameterKind::JsonElements
                | ParameterKind::Pattern { .. }
                | ParameterKind::Inferred
                | ParameterKind::InferredList
                | ParameterKind::PatternPrefix { .. }
                | ParameterKind::Limit { .. }
                // The type of the column, with its domain.
                | ParameterKind::Stored { .. }
                | ParameterKind::Offset => 0,
            });
            let stored = level.parameters.iter().map(|parameter| match parameter.kind {
                ParameterKind::Stored { field, .. } => types.of(field).oid,
                _ => 0,
            });
            let has_stored = level.is_write();
            let stored_types = if has_stored { stored.collect() } else { Box::default() };
            Texts::new(level, oids.collect(), stored_types)
        });
        let texts = texts.collect();
        let rounds = program.levels.iter().map(|level| level.round + 1).max().unwrap_or(0);
        let (in_portions, length) = (OnceLock::new(), Length::default());
        let (estimate, joined, split_join) =
            (RuntimeEstimate::default(), None, SplitJoin::default());
        let made = AtomicU32::new(0);
        Self {
            program,
            estimate,
            recompiler: None,
            in_portions,
            length,
            joined,
            split_join,
            batch: OnceLock::new(),
            texts,
            made,
            rounds,
            product: types.product,
        }
    }

    /// All forms that were made until now, this one first.
    pub fn forms(&self) -> impl Iterator<Item = &Self> {
        let joined = self.joined.as_deref().map(|joined| &joined.program);
        let in_portions = self.in_portions.get().and_then(Option::as_deref);
        let split_in_portions = in_portions.and_then(|program| program.split_join.made());
        let batch = self.batch.get().and_then(Option::as_deref);
        let forms =
            [Some(self), joined, in_portions, self.split_join.made(), split_in_portions, batch];
        forms.into_iter().flatten()
    }

    /// Changes whenever a form or a statement is made that was not there before.
    #[must_use]
    pub fn made(&self) -> u32 {
        let forms = self.forms().map(|form| form.made.load(Ordering::Relaxed).wrapping_add(1));
        forms.fold(0, u32::wrapping_add)
    }

    /// The bytes that other forms keep by themselves.
    #[must_use]
    pub fn form_bytes(&self) -> usize {
        let joined = self.joined.as_ref().map_or(0, |joined| size_of_val(&**joined));
        let others = self.forms().count() - 1 - usize::from(self.joined.is_some());
        joined + others * (2 * size_of::<usize>() + size_of::<Self>())
    }

    /// The bytes that the statements keep which were made until now, beside those of the levels.
    #[must_use]
    pub fn statement_bytes(&self) -> usize {
        let statements = self.texts.iter().map(Texts::bytes);
        self.texts.capacity() * size_of::<Texts>() + statements.sum::<usize>()
    }

    /// Adds the form with joined levels.
    #[must_use]
    pub(super) fn or_joined(self, joined: Self) -> Self {
        Self { joined: Some(Box::new(Joined::new(joined))), ..self }
    }

    /// The program with joined levels, as long as that pays.
    pub(super) fn joined(&self) -> Option<&Joined> {
        self.joined.as_deref().filter(|joined| joined.pays())
    }

    /// Adds the compiler of other forms.
    #[must_use]
    pub(super) fn or_recompiled(self, recompiler: Recompiler) -> Self {
        Self { recompiler: Some(recompiler), ..self }
    }

    /// The request that it keeps by itself.
    #[must_use]
    pub fn own_request(&self) -> Option<&ir::Request> {
        let recompiler = self.recompiler.as_ref().filter(|recompiler| recompiler.is_changed);
        recompiler.map(|recompiler| &*recompiler.request)
    }

    /// Updates the statistics of the joined form by rows that were read level by level.
    pub(super) fn learn_joined(&self, rows: &[Rows]) {
        if let Some(joined) = &self.joined {
            joined.learn(rows);
        }
    }

    /// The program that the next request runs.
    pub(super) fn current(&self) -> &Self {
        match (self.joined(), self.split_join.program()) {
            (Some(joined), _) => &joined.program,
            (None, Some(apart)) => apart,
            (None, None) => self,
        }
    }

    /// The levels of the program that the next request runs.
    #[must_use]
    pub fn current_levels(&self) -> &[Level] {
        &self.current().program.levels
    }

    /// The program in a form.
    pub(super) fn in_form(&self, form: ReadForm) -> &Self {
        let in_portions = || self.in_portions.get().and_then(Option::as_deref);
        let other = match form {
            ReadForm::Levels => None,
            ReadForm::Joined => self.joined.as_deref().map(|joined| &joined.program),
            ReadForm::SplitJoin => self.split_join.made(),
            ReadForm::Portions => in_portions(),
            ReadForm::SplitPortions => in_portions().and_then(|program| program.split_join.made()),
        };
        other.unwrap_or(self)
    }

    /// The levels as they are in a form.
    #[must_use]
    pub fn levels(&self, form: ReadForm) -> &[Level] {
        &self.in_form(form).program.levels
    }

    /// Whether all statements are one batch of reads, so that they may be pipelined behind those of
    /// other requests, and repeated.
    pub(super) fn is_one_batch(&self) -> bool {
        self.rounds == 1
            && !self.program.writes()
            && !self.program.levels.iter().any(|level| level.calls)
    }

    /// The levels of all root fields but those in `without`, as far as they look for anything.
    fn active_levels<'p>(
        &'p self,
        bound: &'p Bound,
        without: &'p [u32],
    ) -> impl Iterator<Item = (usize, &'p Level)> {
        let levels = self.program.levels.iter().enumerate();
        let is_empty = |place: usize| bound.levels.get(place).is_some_and(|level| level.is_empty);
        levels.filter(move |(place, level)| {
            !without.contains(&level.root) && level.has_statement() && !is_empty(*place)
        })
    }

    /// Whether its answer may be streamed: it only reads rows.
    pub(super) fn may_be_streamed(&self) -> bool {
        let levels = &self.program.levels;
        !self.program.writes() && !levels.is_empty() && !levels.iter().any(|level| level.calls)
    }

    /// Whether it can be read in portions: rows below are found by the key of their parent, and no
    /// statement writes.
    pub(super) fn is_in_portions(&self) -> bool {
        let mut levels = self.program.levels.iter();
        !self.program.writes()
            && levels.all(|level| {
                !level.calls && matches!(level.parents, Parents::Top | Parents::Arrays)
            })
    }

    /// The statement of a level without bounds of its pages.
    pub(super) fn plain_statement(&self, place: usize) -> &Arc<Statement> {
        self.texts[place].get(&self.program.levels[place], None, &self.made)
    }

    /// Binds all levels. An error comes with the root field it belongs to.
    #[must_use]
    pub fn bind(&self, variables: Variables<'_>) -> (Bound, Vec<(u32, SourceError)>) {
        let type_of = |place: usize, number| self.texts[place].parameter_type(number);
        bind(&self.program, type_of, variables)
    }

    /// The statement of a level, with the bounds that its pages have in this request.
    pub(super) fn statement(&self, place: usize, bound: &Bound) -> &Arc<Statement> {
        let bounding = bound.levels.get(place).and_then(|level| level.bounding);
        self.texts[place].get(&self.program.levels[place], bounding, &self.made)
    }

    pub(super) fn execute(
        &self,
        pipeline: &mut Pipeline<'_>,
        bound: &Bound,
        place: usize,
        keys: &[Vec<u8>],
    ) -> Result<(), WireError> {
        let mut keys = keys.iter();
        let parameters = bound.parameters(place).map(|parameter| match parameter {
            BoundParameter::Null => Parameter::Null,
            BoundParameter::Text(text) => Parameter::Text(text),
            BoundParameter::Binary(bytes) => Parameter::Binary(bytes),
            BoundParameter::Keys => {
                keys.next().map_or(Parameter::Null, |keys| Parameter::Text(keys))
            }
        });
        let statement = self.statement(place, bound);
        pipeline.execute_in_formats(statement, bound.formats(place), parameters)
    }
}

/// Composes the statements of a program that is one batch, those of the root fields in `without`
/// left out.
pub(super) fn compose(
    pipeline: &mut Pipeline<'_>,
    program: &PostgresProgram,
    bound: &Bound,
    without: &[u32],
) -> Result<(), WireError> {
    let in_transaction = program.active_levels(bound, without).count() > 1;
    if in_transaction {
        pipeline.begin(Transaction::Snapshot)?;
    }
    for (place, _) in program.active_levels(bound, without) {
        program.execute(pipeline, bound, place, &[])?;
    }
    if in_transaction {
        pipeline.commit()?;
    }
    Ok(())
}

/// The places of the levels that [`compose`] sends.
pub(super) fn composed<'p>(
    program: &'p PostgresProgram,
    bound: &'p Bound,
    without: &'p [u32],
) -> impl Iterator<Item = usize> {
    program.active_levels(bound, without).map(|(place, _)| place)
}

/// The rows of a batch by level.
pub(super) fn by_level(
    program: &PostgresProgram,
    bound: &Bound,
    without: &[u32],
    results: Vec<Rows>,
) -> Vec<Rows> {
    let levels = program.program.levels.len();
    if results.len() == levels {
        return results;
    }
    let mut rows: Vec<Rows> = Vec::new();
    rows.resize_with(levels, Rows::default);
    for (result, place) in results.into_iter().zip(composed(program, bound, without)) {
        rows[place] = result;
    }
    rows
}

/// The result of running all statements: rows by level, or the failed root field.
#[derive(Debug)]
pub enum Run {
    Rows(Vec<Rows>),
    /// A statement of this root field failed.
    Failed {
        root: u32,
        error: SourceError,
    },
}

/// The transaction of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Its own, if it needs one.
    Alone,
    /// It begins a transaction, which stays open after a success.
    Begins,
    /// It goes on in an open transaction, which stays open after an error, too.
    Continues,
}

/// Runs the statements of all root fields but those in `without`.
pub async fn run(
    connection: &mut Connection,
    program: &PostgresProgram,
    bound: &Bound,
    without: &[u32],
    settings: Option<&Settings>,
    observed: &mut Observed,
) -> Result<Run, WireError> {
    run_in(Scope::Alone, connection, program, bound, without, settings, observed).await
}

/// The same in a transaction.
pub async fn run_in(
    scope: Scope,
    connection: &mut Connection,
    program: &PostgresProgram,
    bound: &Bound,
    without: &[u32],
    settings: Option<&Settings>,
    observed: &mut Observed,
) -> Result<Run, WireError> {
    let mut attempted =
        attempt_run(scope, connection, program, bound, without, settings, observed).await;
    // A transaction that others began is theirs to repeat.
    let repeats = program.product.expects_retries() && scope != Scope::Continues;
    let mut attempts = match repeats {
        true => conflicts::MOST,
        false => 1,
    };
    let mut pauses = Conflicts::default();
    while let Err((error, _)) = &attempted
        && attempts > 0
        && may_succeed_now(error)
    {
        attempts -= 1;
        if repeats && !matches!(error, WireError::StalePlan(_)) {
            sleep(pauses.pause()).await;
        }
        attempted =
            attempt_run(scope, connection, program, bound, without, settings, observed).await;
    }
    match attempted {
        Ok(rows) => Ok(Run::Rows(rows)),
        Err((WireError::Database { error, .. } | WireError::StalePlan(error), Some(place))) => {
            let root = program.program.levels[place].root;
            Ok(Run::Failed { root, error: blamed(program, bound, Some(place), *error) })
        }
        Err((error, _)) => Err(error),
    }
}

/// The error of the statement of a level, or of no statement.
fn blamed(
    program: &PostgresProgram,
    bound: &Bound,
    place: Option<usize>,
    error: DatabaseError,
) -> SourceError {
    let Some(place) = place else { return error.into() };
    let level = &program.program.levels[place];
    let sent = bound.parameters(place).zip(&level.parameters);
    let sent = sent.filter_map(|(bound, parameter)| match (bound, &parameter.source) {
        (BoundParameter::Text(text), ParameterSource::Operand(_)) => Some(text),
        _ => None,
    });
    let mut kinds = level.parameters.iter().map(|parameter| parameter.kind);
    let has_pattern = kinds.any(|kind| {
        matches!(kind, ParameterKind::Pattern { .. } | ParameterKind::Search(TextMatch::Re2))
    });
    let purpose = if level.is_write() { Purpose::Write } else { Purpose::Read };
    statement_error(error, sent, has_pattern, purpose)
}

/// Whether the statements may be sent again at once: the plan was stale after a schema change and
/// is prepared again, or the statement was cancelled by a conflict with recovery on a standby.
fn may_succeed_now(error: &WireError) -> bool {
    match error {
        WireError::StalePlan(_) => true,
        WireError::Database { error, .. } => is_conflict(&error.code),
        _ => false,
    }
}

/// Whether other transactions are the reason of an error.
fn is_conflict(code: &str) -> bool {
    matches!(code, SERIALIZATION_FAILURE | DEADLOCK_DETECTED)
}

const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK_DETECTED: &str = "40P01";

/// An error, with the level of the failed statement.
type Blamed = (WireError, Option<usize>);

async fn attempt_run(
    scope: Scope,
    connection: &mut Connection,
    program: &PostgresProgram,
    bound: &Bound,
    without: &[u32],
    settings: Option<&Settings>,
    observed: &mut Observed,
) -> Result<Vec<Rows>, Blamed> {
    let levels = &program.program.levels;
    let mut rows: Vec<Rows> = Vec::new();
    rows.resize_with(levels.len(), Rows::default);
    let count = program.active_levels(bound, without).count();
    if count == 0 {
        return Ok(rows);
    }
    // A function that is declared as reading could write all the same.
    let form = program.product.settings_form();
    let is_divided = program.product.implicit_transaction() == ImplicitTransaction::EachStatement;
    let in_transaction = count > 1
        || (is_divided && settings.is_some())
        || program.active_levels(bound, without).any(|(_, level)| level.calls);
    let mut pipeline = match scope {
        Scope::Alone | Scope::Begins => connection.pipeline(),
        Scope::Continues => connection.resumed_pipeline(),
    };
    let begun = match scope {
        Scope::Alone => {
            let transaction = in_transaction.then_some(Transaction::Snapshot);
            settings::begin(&mut pipeline, transaction, settings, form)
        }
        Scope::Begins => {
            let transaction = Some(Transaction::Snapshot);
            settings::begin(&mut pipeline, transaction, settings, form)
        }
        Scope::Continues => pipeline.savepoint(),
    };
    begun.map_err(|error| (error, None))?;
    let mut results = Vec::new();
    let last = program.rounds.saturating_sub(1);
    for round in 0..program.rounds {
        let mut sent: Vec<usize> = Vec::new();
        for (place, level) in program.active_levels(bound, without) {
            if level.round != round {
                continue;
            }
            let keys = key_arrays(levels, level, bound, &rows);
            let keys = keys.map_err(|error| (WireError::from(error), Some(place)))?;
            let Some(keys) = keys else { continue };
            let executed = program.execute(&mut pipeline, bound, place, &keys);
            executed.map_err(|error| (error, Some(place)))?;
            sent.push(place);
        }
        let blame = |error: WireError| {
            let place = match &error {
                WireError::Database { execution, .. } => {
                    execution.and_then(|index| sent.get(index)).copied()
                }
                WireError::StalePlan(error) if error.is_of_settings => None,
                WireError::StalePlan(_) => sent.first().copied(),
                _ => None,
            };
            (error, place)
        };
        observed.begin_round(sent.iter().copied());
        if round < last || scope != Scope::Alone {
            match scope {
                Scope::Alone | Scope::Begins => pipeline.flush_and_read(&mut results).await,
                Scope::Continues => pipeline.flush_or_roll_back(&mut results).await,
            }
            .map_err(blame)?;
            observed.end_round();
        } else {
            if in_transaction {
                pipeline.commit().map_err(|error| (error, None))?;
            }
            pipeline.sync_and_read(&mut results).await.map_err(blame)?;
            observed.end_round();
            take(levels, &mut rows, &mut results, &sent);
            return Ok(rows);
        }
        take(levels, &mut rows, &mut results, &sent);
    }
    Ok(rows)
}

fn take(levels: &[Level], rows: &mut [Rows], results: &mut Vec<Rows>, sent: &[usize]) {
    for (result, place) in results.drain(..).zip(sent) {
        let level = &levels[*place];
        let rows = &mut rows[usize::from(level.gives().0)];
        match level.gives() == level.id {
            true => *rows = result,
            false => rows.append(result),
        }
    }
}

/// PostgreSQL's plan of each statement. For measured figures the statements run, those that need
/// keys with the keys of the rows before.
pub async fn explain(
    connection: &mut Connection,
    program: &PostgresProgram,
    bound: &Bound,
    settings: Option<&Settings>,
    figures: PlanFigures,
) -> Result<Vec<String>, SourceError> {
    let levels = &program.program.levels;
    // EXPLAIN ANALYZE would execute a change.
    let figures = match figures {
        PlanFigures::Measured if program.program.writes() => PlanFigures::Estimated,
        figures => figures,
    };
    let rows = if figures == PlanFigures::Measured {
        match run(connection, program, bound, &[], settings, &mut Observed::default()).await? {
            Run::Rows(rows) => rows,
            Run::Failed { error, .. } => return Err(error),
        }
    } else {
        levels.iter().map(|_| Rows::default()).collect()
    };
    let mut plans = Vec::with_capacity(levels.len());
    for (place, level) in program.active_levels(bound, &[]) {
        let keys = key_arrays(levels, level, bound, &rows)?.unwrap_or_default();
        let mut keys = keys.iter();
        let sources = level.parameters.iter().map(|parameter| &parameter.source);
        let known = bound.parameters(place).zip(sources);
        let parameters = known.map(|(parameter, source)| match parameter {
            BoundParameter::Null => Parameter::Null,
            BoundParameter::Text(text) => Parameter::Text(text),
            BoundParameter::Binary(bytes) => Parameter::Binary(bytes),
            // Changes are not run, so there is no result.
            BoundParameter::Keys if matches!(source, ParameterSource::Result { .. }) => {
                Parameter::Null
            }
            BoundParameter::Keys => {
                keys.next().map_or(Parameter::Text(b"{}"), |keys| Parameter::Text(keys))
            }
        });
        let sent = program.statement(place, bound);
        let text = sql::print_explain_plan(sent.text(), figures);
        let oids = sent.parameter_types();
        let statement = Arc::new(Statement::new(text, oids));
        let mut results = Vec::new();
        let mut pipeline = connection.pipeline();
        let transaction = Some(Transaction::Snapshot);
        settings::begin(&mut pipeline, transaction, settings, program.product.settings_form())?;
        pipeline.execute_in_formats(&statement, bound.formats(place), parameters)?;
        pipeline.commit()?;
        pipeline.sync_and_read(&mut results).await?;
        let lines = results.iter().flat_map(Rows::iter).filter_map(|row| row.value(0));
        let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
        plans.push(lines.join("\n"));
    }
    Ok(plans)
}
