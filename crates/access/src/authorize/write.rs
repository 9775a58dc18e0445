//! Grants of writes.
//!
//! A write needs one grant of all of its fields together; several such grants add up in their rows.
//! Rows are changed only if they are readable: otherwise a condition would reveal rows that the
//! response hides. Presets of grants are written beside the values of the request. After all writes
//! of a transaction, the rows must pass the check of one of the grants.
//!
//! * [`candidates`]: the grants that permit a write
//! * [`checks`]: conditions after the write
//! * [`nested`]: writes within a write

mod candidates;
mod checks;
mod nested;

use std::collections::HashSet;

use catalog::{EntityId, FieldId, FunctionResult};
use ir::{
    Assignment, Authority, Call, Conflict, Filter, From, Insert, InsertedRows, Otherwise, Require,
    StepId, Update, Write, WriteKind,
};

use super::{Changed, StepOfRoot, Walk};
use crate::condition::any;
use crate::denial::{Denial, none_updatable, not_deletable};
use crate::grant::{Presets, Privilege};
use candidates::Candidates;
use nested::{as_preset, both};

impl Walk<'_> {
    pub(super) fn write(&mut self, step: StepOfRoot, authority: Authority, write: &mut Write) {
        let entity = write.entity;
        let of_all = (authority == Authority::SessionOfAll).then_some(step);
        self.children(write);
        let determined = self.determined(write, None);
        match &mut write.kind {
            WriteKind::Insert(insert) => {
                if let Some(check) = self.insert(entity, insert, &determined) {
                    self.add_check(step, entity, "insert", check);
                }
            }
            WriteKind::Update(update) => self.update((step, of_all), entity, update),
            WriteKind::Delete { filter, .. } => {
                self.check(entity, Privilege::Delete, None);
                let grants = self.set.grants(entity, Privilege::Delete);
                if grants.is_empty() {
                    self.deny(Denial::Entity(entity, Privilege::Delete));
                }
                let rows = any(grants.iter().map(|grant| grant.rows.clone()).collect());
                let otherwise = not_deletable(self.catalog, entity);
                self.restrict(entity, filter, rows, of_all.map(|step| (step, otherwise)));
            }
            WriteKind::Upsert { insert, conflict } => {
                let check = self.upsert(entity, insert, conflict, &determined);
                let is_one = matches!(&insert.rows, InsertedRows::Each(rows) if rows.len() == 1);
                let may_be_left = !conflict.assignments.is_empty() && !conflict.filter.is_all();
                if is_one && may_be_left && !self.set.changes_unreadable() {
                    self.add_return(step, entity);
                }
                if let Some(check) = check {
                    self.add_check(step, entity, "upsert", check);
                }
            }
            WriteKind::Link { .. }
            | WriteKind::Unlink { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::LinkOrInsert { .. }
            | WriteKind::Choose { .. }
            | WriteKind::Expect { .. } => {
                self.deny(Denial::NotUnderstood("this kind of write"));
            }
        }
    }

    /// A function that is called for its effect, not its result.
    pub(super) fn effect(&mut self, step: StepId, call: &Call) {
        if call.of_row.is_some() {
            self.unsupported("a function of no row");
        }
        self.may_call(call);
        let entity = match self.catalog[call.function].result {
            FunctionResult::Nothing => None,
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => Some(entity),
            FunctionResult::Value(field) | FunctionResult::Values(field) => {
                Some(self.catalog[field].entity)
            }
        };
        self.changed
            .insert(step, Changed { entity, is_gone: false, is_new: false, is_given: true });
    }

    /// A requirement may only reveal whether a step changed anything, or whether a row exists that the
    /// session may read; other ones would reveal more.
    pub(super) fn require(&mut self, require: &mut Require) {
        let Require { rows, filter, exists, .. } = require;
        if *exists && filter.is_all() && matches!(rows.from, From::Entity(_)) {
            return self.rows(rows, None);
        }
        let asks_nothing = rows.filter.is_all()
            && rows.order.is_empty()
            && rows.distinct.is_empty()
            && rows.outputs.is_empty()
            && filter.is_all();
        if !matches!(rows.from, From::Returned { .. }) || !asks_nothing {
            self.unsupported("this requirement");
        }
    }

    /// An insert of rows, some of whose fields relationships determine; returns the check of them.
    fn insert(
        &mut self,
        entity: EntityId,
        insert: &mut Insert,
        determined: &[FieldId],
    ) -> Option<Filter> {
        let said: HashSet<FieldId> = insert.fields.iter().copied().collect();
        let let_by = self.candidates(entity, Privilege::Insert, &said)?;
        self.preset(insert, &let_by.presets);
        both(let_by.check, as_preset(&let_by.presets, determined))
    }

    fn preset(&mut self, insert: &mut Insert, presets: &Presets) {
        for (field, operand) in presets.iter() {
            insert.fields.push(*field);
            match &mut insert.rows {
                InsertedRows::Each(rows) => {
                    rows.iter_mut().for_each(|row| row.push(Some(operand.clone())));
                }
                InsertedRows::Columns(_) | InsertedRows::ForEach { .. } => {
                    self.deny(Denial::NotUnderstood("presets of any number of rows"));
                }
            }
        }
    }

    fn update(
        &mut self,
        (step, of_all): (StepOfRoot, Option<StepOfRoot>),
        entity: EntityId,
        update: &mut Update,
    ) {
        let Some(let_by) = self.assign(entity, &mut update.assignments) else { return };
        let of_all = of_all.map(|step| (step, none_updatable(self.catalog, entity)));
        self.restrict(entity, &mut update.filter, let_by.rows, of_all);
        if let Some(check) = let_by.check {
            self.add_check(step, entity, "update", check);
        }
    }

    /// Upsert: rows that are inserted, or updated where they exist; both must be granted.
    /// Afterwards it is unknown which of the two happened, so that the row must pass both checks.
    fn upsert(
        &mut self,
        entity: EntityId,
        insert: &mut Insert,
        conflict: &mut Conflict,
        determined: &[FieldId],
    ) -> Option<Filter> {
        let said: HashSet<FieldId> = insert.fields.iter().copied().collect();
        let inserts = self.candidates(entity, Privilege::Insert, &said);
        let mut check = None;
        if !conflict.assignments.is_empty() {
            let updates = self.assign(entity, &mut conflict.assignments)?;
            self.restrict(entity, &mut conflict.filter, updates.rows, None);
            check = updates.check;
        }
        let inserts = inserts?;
        self.preset(insert, &inserts.presets);
        let check = match (inserts.check, check) {
            (Some(insert), Some(update)) if insert != update => {
                Some(Filter::and(vec![insert, update]))
            }
            (insert, update) => insert.or(update),
        };
        both(check, as_preset(&inserts.presets, determined))
    }

    /// Adds presets to the assignments, if grants permit these.
    fn assign(
        &mut self,
        entity: EntityId,
        assignments: &mut Vec<(FieldId, Assignment)>,
    ) -> Option<Candidates> {
        let said: HashSet<FieldId> = assignments.iter().map(|(field, _)| *field).collect();
        // A value that is computed from another reveals it.
        for (field, assignment) in assignments.iter() {
            if !matches!(assignment, Assignment::Set(_) | Assignment::Inserted) {
                self.plain(*field);
            }
        }
        let let_by = self.candidates(entity, Privilege::Update, &said)?;
        let preset = |(field, operand): &_| (*field, Assignment::Set(Clone::clone(operand)));
        assignments.extend(let_by.presets.iter().map(preset));
        Some(let_by)
    }

    /// Restricts a change to rows that are readable and may be changed. With an error, it is one of
    /// all rows that pass: none of them may be left.
    fn restrict(
        &mut self,
        entity: EntityId,
        filter: &mut Filter,
        rows: Filter,
        of_all: Option<(StepOfRoot, Otherwise)>,
    ) {
        let meant = of_all.map(|of_all| (of_all, filter.clone()));
        self.filter_of(filter, entity);
        let visible = match self.set.changes_unreadable() {
            true => Filter::all(),
            false => self.visible(entity),
        };
        let own = std::mem::replace(filter, Filter::all());
        let first = match rows == visible || visible.is_all() {
            true => rows,
            false => Filter::and(vec![rows, visible]),
        };
        if let Some(((step, otherwise), meant)) = meant.filter(|_| !first.is_all()) {
            let left = Filter::and(vec![meant, Filter::Except(Box::new(first.clone()))]);
            self.forbid_before(step, entity, left, otherwise);
        }
        *filter = Filter::barrier(first, own);
    }
}
