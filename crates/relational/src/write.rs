//! Steps that change something, and what is read of them.
//!
//! A change is one statement that runs once. What the answer shows of the changed rows' own fields
//! stands in its RETURNING. Whatever else is asked of them, such as rows that they refer to or the
//! values of functions, is read by a statement after it, which has the rows as they were returned
//! and sees everything else as it is after the change. A function that may change something is
//! treated in the same way. `nested` makes several statements of a write with others below it.

mod call;
mod delete;
mod insert;
mod nested;
mod objects;
mod require;
mod result;
mod returned;
mod update;

use catalog::EntityId;
use ir::{Isolation, ObjectChange, Operand, Step, StepCondition, StepKind, Transaction, Write};
use response::LevelId;
use source::CompileError;
use sql::SelectItem;

pub(super) use result::ObjectTable;
pub(super) use returned::Returned;

use super::compile::{Compiler, width};
use super::items::Items;
use super::level::{Level, LevelKind, Parents, Requirement, Test, Unit, When, WriteKind};
use super::statement::Statement;
use returned::Wanted;

impl Compiler<'_> {
    /// Compiles the steps that run together.
    pub(super) fn transaction(&mut self, transaction: &Transaction) -> Result<(), CompileError> {
        let first = self.levels.len();
        self.round = 0;
        let mut unit = Unit {
            isolation: transaction.isolation,
            levels: 0..0,
            roots: Vec::new(),
            requirements: Vec::new(),
            writes: false,
            may_be_long: gives_rows(transaction),
            finds_or_inserts: false,
        };
        for step in &transaction.steps {
            self.root = step.root;
            if !unit.roots.contains(&step.root) {
                unit.roots.push(step.root);
            }
            self.when = self.conditions(&step.when)?;
            self.step(step, transaction, first, &mut unit)?;
        }
        self.when.clear();
        unit.levels = place(first)?..place(self.levels.len())?;
        self.units.push(unit);
        Ok(())
    }

    /// The conditions of a step on the levels of earlier reads.
    fn conditions(&self, when: &[StepCondition]) -> Result<Vec<When>, CompileError> {
        let condition = |condition: &StepCondition| {
            let later = CompileError::not_built("a condition on a later step");
            let level = *self.read.get(&condition.step).ok_or(later)?;
            Ok(When { level, is_there: condition.exists })
        };
        when.iter().map(condition).collect()
    }

    /// What comes next is done once the levels of its conditions have been read.
    fn wait_for_conditions(&mut self) {
        for when in &self.when {
            let decided = self.levels[usize::from(when.level.0)].round;
            self.round = self.round.max(decided + 1);
        }
    }

    fn step(
        &mut self,
        step: &Step,
        transaction: &Transaction,
        first: usize,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        match &step.kind {
            StepKind::Read(rows) | StepKind::Objects(ObjectChange::Find { rows, .. }) => {
                self.wait_for_conditions();
                self.read(rows)?;
                // The lists of later steps are found in the transaction of the change, even if the change
                // turns out to be none.
                unit.writes |= matches!(step.kind, StepKind::Objects(_));
                if let Some(level) = self.layout.rows[rows.id.0 as usize] {
                    self.read.insert(step.id, level);
                }
                Ok(())
            }
            StepKind::Require(require) => {
                self.wait_for_conditions();
                // Only transactions of changes test requirements: a change may have nothing to set.
                unit.writes = true;
                self.require(require, unit)
            }
            StepKind::Write(_) | StepKind::Call(_) | StepKind::Objects(_) => {
                if transaction.isolation != Isolation::ReadCommitted {
                    return Err(CompileError::not_built("a change in a snapshot"));
                }
                unit.writes = true;
                // What stands before it has been read when it runs.
                let rounds = self.levels[first..].iter().map(|level| level.round);
                self.round = rounds.max().unwrap_or(0);
                let wanted = Wanted::of(step.id, transaction);
                match &step.kind {
                    StepKind::Write(write) => {
                        let first = self.levels.len();
                        self.counts_affected = Wanted::counts_affected(step.id, transaction);
                        self.write(step, write, &wanted, unit)?;
                        self.counts_affected = false;
                        let levels = self.levels[first..].iter();
                        let own = levels.filter(|level| has_own_rows(level)).map(|level| level.id);
                        self.changes.insert(step.id, own.collect());
                        Ok(())
                    }
                    StepKind::Call(call) => self.call(step, call, &wanted),
                    StepKind::Objects(change) => {
                        unit.finds_or_inserts |= finds_or_inserts(change);
                        self.objects(step, change)
                    }
                    StepKind::Read(_) | StepKind::Require(_) => Ok(()),
                }
            }
        }
    }

    fn write(
        &mut self,
        step: &Step,
        write: &Write,
        wanted: &Wanted<'_>,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        use ir::WriteKind as Kind;
        let is_plain = write.children.is_empty() && write.check.is_all();
        if !is_plain || matches!(write.kind, Kind::Choose { .. }) {
            return self.nested(step, write, wanted, unit);
        }
        let entity = write.entity;
        let at_most = match &write.kind {
            Kind::Insert(insert) => {
                self.insert(step, entity, insert, None, wanted)?;
                None
            }
            Kind::Upsert { insert, conflict } => {
                self.insert(step, entity, insert, Some(conflict), wanted)?;
                None
            }
            Kind::Update(update) => {
                self.update(step, entity, update, wanted)?;
                update.at_most.as_ref()
            }
            Kind::Delete { filter, at_most } => {
                self.delete(step, entity, (filter, at_most.as_ref()), wanted)?;
                at_most.as_ref()
            }
            Kind::Link { .. }
            | Kind::Unlink { .. }
            | Kind::SetLinks { .. }
            | Kind::Expect { .. } => {
                return Err(CompileError::not_built("a change of a relationship of no row"));
            }
            Kind::LinkOrInsert { .. } | Kind::Choose { .. } => {
                return Err(CompileError::not_built("a choice of writes of no row"));
            }
        };
        if let Some(at_most) = at_most {
            let after = self.returned(step.id)?.level;
            self.require_at_most(at_most, after, unit);
        }
        Ok(())
    }

    fn require_at_most(&self, at_most: &ir::Operand, after: LevelId, unit: &mut Unit) {
        unit.requirements.push(Requirement {
            after,
            test: Test::AtMost(at_most.clone()),
            root: self.root,
            otherwise: require::too_many(),
            gaps: Box::default(),
            when: self.when.as_slice().into(),
        });
    }

    /// Adds the level of a statement that changes something.
    fn push_write(
        &mut self,
        name: String,
        text: &sql::Statement,
        statement: Statement,
    ) -> Result<LevelId, CompileError> {
        self.push_write_of(name, text, statement, Parents::Top)
    }

    /// The same, done once for each row of another level where it stands for those.
    fn push_write_of(
        &mut self,
        name: String,
        text: &sql::Statement,
        statement: Statement,
        parents: Parents,
    ) -> Result<LevelId, CompileError> {
        let columns = text.items().len();
        let id = self.next_level((text.tables(), columns), &statement)?;
        let kind = if columns == 0 { WriteKind::Counted } else { WriteKind::Rows };
        // What comes after it sees it.
        self.round = self.round.max(statement.round);
        self.wait_for_conditions();
        self.levels.push(Level {
            id,
            root: self.root,
            name: name.into(),
            kind: LevelKind::Write(kind),
            parent: None,
            end: id,
            text: sql::print_statement(text, &self.flavor).into(),
            columns: width(text.columns())?,
            bounded: None,
            parameters: statement.parameters,
            parents,
            repeats: None,
            apart: Vec::new(),
            link: None,
            sorted_by: None,
            round: self.round,
            calls: statement.calls,
            when: self.when.as_slice().into(),
        });
        self.close(id)?;
        Ok(id)
    }

    /// The level of a change of an entity, whose columns were made for what is read of it.
    fn push_change(
        &mut self,
        step: &Step,
        entity: EntityId,
        text: &sql::Statement,
        statement: Statement,
        (returned, items): (Returned, Items),
    ) -> Result<(), CompileError> {
        let name = self.catalog.qualified_name(entity);
        let level = self.push_write(name, text, statement)?;
        self.keep_returned(step.id, level, returned, items);
        Ok(())
    }
}

/// Returns true if the rows that a level gives are those that it changed, and not added to others.
fn has_own_rows(level: &Level) -> bool {
    matches!(level.kind, LevelKind::Write(WriteKind::Rows))
}

/// The columns of a statement that changes something.
fn returning(items: &Items) -> Vec<SelectItem> {
    let item = |expression| SelectItem { expression, name: None };
    items.expressions.iter().cloned().map(item).collect()
}

/// Returns true if an object of a change is inserted unless it is found, and not refused if it is.
fn finds_or_inserts(change: &ObjectChange) -> bool {
    let ObjectChange::Insert { keys: Operand::Objects(keys), .. } = change else { return false };
    let is_either = |object: &ir::ObjectKey| {
        object.new.is_some() && !object.found.is_empty() && object.existing.is_empty()
    };
    keys.set.objects.iter().any(is_either)
}

/// Whether what a transaction reads may be more than one row.
fn gives_rows(transaction: &Transaction) -> bool {
    transaction.steps.iter().any(|step| match &step.kind {
        StepKind::Read(rows) | StepKind::Objects(ObjectChange::Find { rows, .. }) => {
            are_many(rows, transaction)
        }
        StepKind::Write(_) | StepKind::Call(_) | StepKind::Require(_) | StepKind::Objects(_) => {
            false
        }
    })
}

fn are_many(rows: &ir::Rows, transaction: &Transaction) -> bool {
    let below = || {
        rows.outputs.iter().any(|output| match &output.kind {
            ir::OutputKind::Related { rows, .. } => are_many(rows, transaction),
            _ => false,
        })
    };
    let is_one = || match rows.from {
        ir::From::Returned { step, .. } => {
            transaction.steps.iter().any(|other| other.id == step && makes_one(other))
        }
        _ => false,
    };
    rows.shown && (!(rows.single || is_one()) || below())
}

/// Whether a step is the insert of one row.
fn makes_one(step: &Step) -> bool {
    let StepKind::Write(write) = &step.kind else { return false };
    match &write.kind {
        ir::WriteKind::Insert(insert) | ir::WriteKind::Upsert { insert, .. } => {
            matches!(&insert.rows, ir::InsertedRows::Each(rows) if rows.len() == 1)
        }
        _ => false,
    }
}

fn place(place: usize) -> Result<u16, CompileError> {
    u16::try_from(place).map_err(|_| CompileError::TooManyLevels)
}
