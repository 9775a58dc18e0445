//! Split joins: a form of a program that reads the rows of to-one relationships by statements of
//! their own, instead of joining them.
//!
//! It pays where many rows refer to few, which neither the catalog nor the request shows. So the
//! first answer with many rows is analysed: if it shows that, the request is compiled in this form,
//! and the next answers are read so until one of them has few rows or refers to many.
//!
//! Answers in portions have a form of their own. It begins with a portion of many rows, and ends with
//! one of many rows that refers to many.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ahash::AHashSet;
use relational::{Program, ToOne};
use response::ColumnRef;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::compile::Recompiler;
use super::execute::{PostgresPlan, PostgresProgram};
use super::wire::Rows;

/// Number of rows whose join costs about as much as another round trip and statement.
const MANY_ROWS: usize = 512;

/// Least ratio of referring rows to referenced rows that begins a split join.
const REFERRING: usize = 8;

/// Hysteresis: an answer with half of the required ratio ends it, so that it does not begin and end
/// with each.
const SLACK: usize = 2;

/// The form of a program that reads to-one rows by statements of their own.
#[derive(Debug)]
pub(super) struct SplitJoin {
    /// Compiled after the first answer of many rows; none where it would not pay.
    program: OnceLock<Option<Arc<PostgresProgram>>>,
    /// Whether an answer with many rows was analysed.
    has_begun: AtomicBool,
    /// Closed at the end of the compilation; it never has a permit.
    compiled: Semaphore,
    /// Whether an answer had few rows, or referred to many.
    has_not_paid: AtomicBool,
}

/// The rows of an answer, for the analysis.
#[derive(Debug)]
struct Seen<'a> {
    program: &'a Program,
    rows: &'a [Rows],
}

/// Ends a compilation when it is dropped, also by a panic.
struct Compiling(Arc<PostgresPlan>);

impl Drop for Compiling {
    fn drop(&mut self) {
        self.0.program.split_join.compiled.close();
    }
}

impl Default for SplitJoin {
    fn default() -> Self {
        Self {
            program: OnceLock::new(),
            has_begun: AtomicBool::new(false),
            compiled: Semaphore::const_new(0),
            has_not_paid: AtomicBool::new(false),
        }
    }
}

/// Learns from rows that were read with joins. Where many of them refer to few, another form of the
/// plan's program is compiled on the blocking pool, for the next request.
pub(super) fn learn(plan: &Arc<PostgresPlan>, recompiler: &Recompiler, rows: &[Rows]) {
    let PostgresProgram { program, split_join, .. } = &plan.program;
    let is_long = rows.iter().any(|rows| rows.len() >= MANY_ROWS);
    if !is_long || split_join.has_begun.swap(true, Ordering::Relaxed) {
        return;
    }
    let compiling = Compiling(Arc::clone(plan));
    let seen = Seen { program, rows };
    let mut chosen = recompiler.to_ones();
    chosen.retain(|to_one| seen.is_few(to_one));
    if chosen.is_empty() {
        let _ = split_join.program.set(None);
        return;
    }
    spawn_blocking(move || {
        let PostgresProgram { recompiler, split_join, .. } = &compiling.0.program;
        let program = recompiler.as_ref().and_then(|recompiler| recompiler.split(&chosen));
        // It is set once: it was chosen once.
        let _ = split_join.program.set(program.map(Arc::new));
    });
}

/// Learns from a portion of rows. Where many of them refer to few, another form of the program that
/// is read in portions is compiled, for the next request.
pub(super) fn learn_from_portion(
    whole: &PostgresProgram,
    program: &PostgresProgram,
    rows: &[Rows],
) {
    let Some(recompiler) = &whole.recompiler else { return };
    let Some(Some(joined)) = whole.in_portions.get() else { return };
    if program.program.levels.iter().any(|level| !level.apart.is_empty()) {
        joined.split_join.judge_portion(&program.program, rows);
        return;
    }
    let PostgresProgram { program, split_join, .. } = &**joined;
    let is_long = rows.iter().any(|rows| rows.len() >= MANY_ROWS);
    if !is_long || split_join.has_begun.swap(true, Ordering::Relaxed) {
        return;
    }
    let seen = Seen { program, rows };
    let mut chosen = recompiler.to_ones();
    chosen.retain(|to_one| seen.is_few(to_one));
    let program = match chosen.as_slice() {
        [] => None,
        chosen => recompiler.in_portions(chosen),
    };
    // It is set once: it was chosen once.
    let _ = split_join.program.set(program.map(Arc::new));
}

impl SplitJoin {
    /// Waits for the end of a compilation that has begun, so that the request after the answer that
    /// began it is read in this form.
    pub(super) async fn settled(&self) {
        if self.has_begun.load(Ordering::Relaxed) && self.program.get().is_none() {
            // An error means that the compilation has ended.
            let _ = self.compiled.acquire().await;
        }
    }

    /// The program, as long as it pays.
    pub(super) fn program(&self) -> Option<&Arc<PostgresProgram>> {
        let program = self.program.get()?.as_ref();
        program.filter(|_| !self.has_not_paid.load(Ordering::Relaxed))
    }

    /// The program, whether or not it pays still.
    pub(super) fn made(&self) -> Option<&PostgresProgram> {
        self.program.get()?.as_deref()
    }

    /// Learns from a portion that was read with split joins, unless it has few rows, as the first
    /// and the last have.
    fn judge_portion(&self, program: &Program, rows: &[Rows]) {
        self.judge_by(program, rows, |referring, referred| {
            referring < MANY_ROWS || is_many(referring, referred)
        });
    }

    /// Learns from rows that were read with split joins.
    pub(super) fn judge(&self, program: &Program, rows: &[Rows]) {
        self.judge_by(program, rows, |referring, referred| {
            referring >= MANY_ROWS / SLACK && is_many(referring, referred)
        });
    }

    /// Ends the split joins if one of them does not pay, by the numbers of referring rows and of
    /// those that they refer to.
    fn judge_by(&self, program: &Program, rows: &[Rows], pays: impl Fn(usize, usize) -> bool) {
        let count = |level: response::LevelId| rows.get(usize::from(level.0)).map_or(0, Rows::len);
        let has_paid = program.levels.iter().all(|level| {
            let referring = count(level.read_by());
            level.apart.iter().all(|apart| pays(referring, count(apart.level)))
        });
        if !has_paid {
            self.has_not_paid.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether the referring rows are still many, in relation to those that they refer to.
fn is_many(referring: usize, referred: usize) -> bool {
    referring >= referred * (REFERRING / SLACK)
}

impl Seen<'_> {
    /// Whether many rows refer to few.
    fn is_few(&self, to_one: &ToOne) -> bool {
        let Self { program, rows } = self;
        let level = program.layout.level(response::RowsId(to_one.rows.0));
        let level = level.and_then(|level| program.levels.get(usize::from(level.0)));
        let present = program.layout.place(response::OutputId(to_one.present.0));
        let (Some(level), ColumnRef::Column(column)) = (level, present) else { return false };
        let Some(rows) = rows.get(usize::from(level.read_by().0)) else { return false };
        if rows.len() < MANY_ROWS {
            return false;
        }
        let few = rows.len() / REFERRING;
        let mut seen = AHashSet::default();
        rows.iter().filter_map(|row| row.value(usize::from(column))).all(|key| {
            seen.insert(key);
            seen.len() <= few
        })
    }
}
