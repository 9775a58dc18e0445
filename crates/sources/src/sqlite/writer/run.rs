//! The transactions of a request, one after the other.
//!
//! Nothing is run twice: what fails is rolled back, and its root fields are null.

use std::sync::Arc;

use response::{Held, LevelId};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, ErrorCode, Transaction, TransactionBehavior};

use super::gathered::{Gathered, Rows};
use crate::error::{SourceError, SourceErrorKind};
use crate::relational::{Level, LevelKind, Parents, Program, Unit};
use crate::source::Plan;
use crate::sqlite::bind::{Bound, BoundLevel, BoundParameter};
use crate::sqlite::connection::OpenFile;
use crate::streamed::Abandoned;

/// A request that changes something.
pub(in crate::sqlite) struct Change {
    pub(in crate::sqlite) plan: Arc<Plan>,
    pub(in crate::sqlite) bound: Bound,
    /// What was wrong with root fields before anything was done.
    pub(in crate::sqlite) failures: Vec<(u32, SourceError)>,
    /// What is read is counted here.
    pub(in crate::sqlite) held: Held,
}

/// What became of it.
#[derive(Debug)]
pub(in crate::sqlite) struct Changed {
    pub(in crate::sqlite) bound: Bound,
    pub(in crate::sqlite) gathered: Gathered,
    pub(in crate::sqlite) failures: Vec<(u32, SourceError)>,
}

/// A request while it runs.
struct Run<'r> {
    file: &'r OpenFile,
    program: &'r Program,
    bound: &'r Bound,
    gathered: Gathered,
}

/// A root field, and why it is null.
type RootError = (u32, SourceError);

impl Change {
    /// Runs one transaction after the other, until the request goes away.
    pub(in crate::sqlite) fn run(self, file: &OpenFile, stop: &Abandoned) -> Changed {
        let Self { plan, bound, failures: before, held } = self;
        let mut failures = Vec::new();
        let gathered = match &plan.program {
            crate::source::Program::Sqlite(program) => {
                let program = &program.program;
                let gathered = Gathered::new(program, held);
                let mut run = Run { file, program, bound: &bound, gathered };
                for unit in &program.units {
                    if stop.is_set() {
                        break;
                    }
                    if let Err(error) = run.unit(unit, &before) {
                        run.gathered.forget(unit.levels.clone());
                        failures.extend(failed(unit, error));
                    }
                }
                run.gathered
            }
            // The source has compiled the plan itself.
            crate::source::Program::Postgres(_) => return Changed::nothing(bound, held),
        };
        Changed { bound, gathered, failures }
    }
}

impl Run<'_> {
    /// One transaction. What stands in the file afterwards is known where this returns without an
    /// error.
    fn unit(&mut self, unit: &Unit, before: &[RootError]) -> Result<(), RootError> {
        if let Some(error) = before.iter().find(|(root, _)| unit.roots.contains(root)) {
            return Err(error.clone());
        }
        let (first, last) = ends(unit);
        let behavior = match unit.writes {
            // Whoever waited for the lock with rows that it has read already could not get it.
            true => TransactionBehavior::Immediate,
            false => TransactionBehavior::Deferred,
        };
        let begun = Transaction::new_unchecked(&self.file.connection, behavior);
        // If it is dropped, it is rolled back.
        let transaction = begun.map_err(|error| (first, error.into()))?;
        for level in unit.levels.clone() {
            let level = &self.program.levels[usize::from(level)];
            self.level(level).map_err(|error| (level.root, error))?;
            self.judge(unit, level.id)?;
        }
        transaction.commit().map_err(|error| (last, not_committed(error)))
    }

    fn judge(&self, unit: &Unit, level: LevelId) -> Result<(), RootError> {
        let count = self.gathered.level(level).count();
        let requirements = unit.requirements.iter().zip(&self.bound.requirements(unit));
        for requirement in unit.requirements.iter().filter(|requirement| requirement.after == level)
        {
        }
        Ok(())
    }

    /// All rows of a level.
    fn level(&mut self, level: &Level) -> Result<(), SourceError> {
        let mut statement = self.file.connection.prepare_cached(&level.text)?;
        let mut rows = Rows { columns: statement.column_count(), ..Rows::default() };
        let bound = &self.bound.levels[usize::from(level.id.0)];
        match (level.parents, level.parent) {
            (Parents::Returned { write }, _) => {
                for row in 0..self.gathered.level(write).len() {
                    let above = Some((self.gathered.level(write), row));
                    self.statement(&mut statement, bound, above, &mut rows)?;
                }
                rows.end_parent(0);
            }
            (_, None) => {
                self.statement(&mut statement, bound, None, &mut rows)?;
                rows.end_parent(0);
            }
            (_, Some(parent)) => {
                for row in 0..self.gathered.level(parent).len() {
                    let start = rows.len();
                    self.below(&mut statement, bound, (parent, row), &mut rows)?;
                    rows.end_parent(start);
                }
            }
        }
        if let LevelKind::Write(_) = level.kind {
            rows.changed = self.file.connection.changes();
        }
        self.gathered.set(level.id, rows);
        Ok(())
    }
}
