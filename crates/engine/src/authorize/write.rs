//! What a request is let to change.
//!
//! A change needs one rule that lets all of its fields together; several rules that do so add up in
//! the rows that they let. Rows are changed only if they may be seen: otherwise a condition would
//! tell of rows that the answer hides. What rules preset is written beside what the request says.

use std::collections::HashSet;

use catalog::{EntityId, FieldId, FunctionResult};
use ir::{
    Assignment, Call, Filter, From, Insert, InsertedRows, Operand, Require, StepId, Update, Write,
    WriteKind,
};

use super::condition::any;
use super::denial::Denial;
use super::read::{Walk, both};
use super::set::{Grant, Verb};

/// What is written beside what the request says.
type Presets = Vec<(FieldId, Operand)>;

impl Walk<'_> {
    pub(super) fn write(&mut self, step: StepId, write: &mut Write) {
        let entity = write.entity;
        self.changed.insert(step, Some(entity));
        if !write.children.is_empty() {
            self.deny(Denial::NotUnderstood("writes within a write"));
        }
        match &mut write.kind {
            WriteKind::Insert(insert) => self.insert(entity, insert),
            WriteKind::Update(update) => self.update(entity, update),
            WriteKind::Delete { filter, .. } => {
                self.ask(entity, Verb::Delete, None);
                let grants = self.set.grants(entity, Verb::Delete);
                if grants.is_empty() {
                    self.deny(Denial::Entity(entity, Verb::Delete));
                }
                let rows = any(grants.iter().map(|grant| grant.rows.clone()).collect());
                self.restrict(entity, filter, rows);
            }
            WriteKind::Upsert { .. }
            | WriteKind::Link { .. }
            | WriteKind::Unlink { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::LinkOrInsert { .. }
            | WriteKind::Choose { .. } => {
                self.deny(Denial::NotUnderstood("this kind of write"));
            }
        }
    }

    /// A function that is called for its effect.
    pub(super) fn effect(&mut self, step: StepId, call: &Call) {
        if call.of_row.is_some() {
            self.deny(Denial::NotUnderstood("a function of no row"));
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
        self.changed.insert(step, entity);
    }

    /// Whether a step changed anything is no secret; another requirement asks for more.
    pub(super) fn require(&mut self, require: &mut Require) {
        let Require { rows, filter, .. } = require;
        let asks_nothing = rows.filter.is_all()
            && rows.order.is_empty()
            && rows.distinct.is_empty()
            && rows.outputs.is_empty()
            && filter.is_all();
        if !matches!(rows.from, From::Returned { .. }) || !asks_nothing {
            self.deny(Denial::NotUnderstood("this requirement"));
        }
    }

    fn insert(&mut self, entity: EntityId, insert: &mut Insert) {
        let said: HashSet<FieldId> = insert.fields.iter().copied().collect();
        let Some((_, presets)) = self.candidates(entity, Verb::Insert, &said) else { return };
        for (field, operand) in presets {
            insert.fields.push(field);
            match &mut insert.rows {
                InsertedRows::Each(rows) => {
                    rows.iter_mut().for_each(|row| row.push(Some(operand.clone())));
                }
                InsertedRows::Columns(_) => {
                    self.deny(Denial::NotUnderstood("presets of any number of rows"));
                }
            }
        }
    }

    fn update(&mut self, entity: EntityId, update: &mut Update) {
        let said: HashSet<FieldId> = update.assignments.iter().map(|(field, _)| *field).collect();
        // What is made of a value tells of it.
        for (field, assignment) in &update.assignments {
            if !matches!(assignment, Assignment::Set(_)) {
                self.plain(*field);
            }
        }
        let Some((rows, presets)) = self.candidates(entity, Verb::Update, &said) else { return };
        let preset = |(field, operand)| (field, Assignment::Set(operand));
        update.assignments.extend(presets.into_iter().map(preset));
        self.restrict(entity, &mut update.filter, rows);
    }

    /// The rows that may be changed are those that rules let be changed, of those that may be seen.
    fn restrict(&mut self, entity: EntityId, filter: &mut Filter, rows: Filter) {
        self.filter_of(filter, entity);
        let visible = self.visible(entity);
        let own = std::mem::replace(filter, Filter::all());
        *filter = match rows == visible {
            true => both(own, rows),
            false => both(both(own, rows), visible),
        };
    }

    /// The rows that rules let be changed in all of these fields, and what they preset.
    fn candidates(
        &mut self,
        entity: EntityId,
        verb: Verb,
        said: &HashSet<FieldId>,
    ) -> Option<(Filter, Presets)> {
        self.ask(entity, verb, None);
        said.iter().for_each(|field| self.ask(entity, verb, Some(*field)));
        let grants = self.set.grants(entity, verb);
        if grants.is_empty() {
            self.deny(Denial::Entity(entity, verb));
            return None;
        }
        let lets = |grant: &Grant, field: &FieldId| {
            let is_preset = grant.presets.iter().any(|(preset, _)| preset == field);
            grant.fields.contains(field) && !is_preset
        };
        let candidates: Vec<&Grant> =
            grants.iter().filter(|grant| said.iter().all(|field| lets(grant, field))).collect();
        // Each has what the one with the most presets has, or less.
        let strictest = candidates.iter().copied().max_by_key(|grant| grant.presets.len());
        let Some(strictest) = strictest else {
            let mut denied: Vec<FieldId> = said
                .iter()
                .copied()
                .filter(|field| !grants.iter().any(|grant| lets(grant, field)))
                .collect();
            denied.sort_unstable();
            match denied.is_empty() {
                true => self.deny(Denial::Together(entity, verb)),
                false => denied.into_iter().for_each(|one| self.deny(Denial::Field(one, verb))),
            }
            return None;
        };
        let has = |preset| strictest.presets.contains(preset);
        if !candidates.iter().all(|grant| grant.presets.iter().all(has)) {
            self.deny(Denial::Together(entity, verb));
            return None;
        }
        // An update of a rule's rows without its presets would be more than the rule lets, and so
        // would be one with the presets of another rule that does not let these rows.
        let is_strictest = |grant: &&Grant| grant.presets.len() == strictest.presets.len();
        let (strict, others): (Vec<&Grant>, Vec<&Grant>) =
            candidates.into_iter().partition(is_strictest);
        let rows = any(strict.iter().map(|grant| grant.rows.clone()).collect());
        let is_let = |grant: &&Grant| strict.iter().any(|own| own.rows == grant.rows);
        if !rows.is_all() && !others.iter().all(is_let) {
            self.deny(Denial::Together(entity, verb));
            return None;
        }
        Some((rows, strictest.presets.clone()))
    }
}
