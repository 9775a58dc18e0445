//! Conditions on rows after all writes of a transaction.
//!
//! A row that fails ends the transaction, which is rolled back. A row that fails after one write
//! may pass after another, such as one of a row that refers to it, so all are checked after the
//! last. Some sources find a row again by its key, so that a check precedes a change of the key.

use catalog::{EntityId, EntityKind, FieldId};
use ir::{
    Filter, From, Otherwise, Require, Rows, RowsId, State, Step, StepId, StepKind, Transaction,
    WriteKind,
};

use super::super::{StepOfRoot, Walk};
use crate::denial::{failed_check, not_updatable};

impl Walk<'_> {
    /// No row that the step wrote may fail the check.
    pub(super) fn add_check(
        &mut self,
        step: StepOfRoot,
        entity: EntityId,
        verb: &str,
        check: Filter,
    ) {
        let fails = Filter::Except(Box::new(check));
        let otherwise = failed_check(self.catalog, self.set, entity, verb);
        self.add_requirement(step, fails, false, otherwise);
    }

    /// The row is returned: it was not left unchanged.
    pub(super) fn add_return(&mut self, step: StepOfRoot, entity: EntityId) {
        let otherwise = not_updatable(self.catalog, entity);
        self.add_requirement(step, Filter::all(), true, otherwise);
    }

    /// No row may pass before a step.
    pub(super) fn forbid_before(
        &mut self,
        (step, root): StepOfRoot,
        entity: EntityId,
        filter: Filter,
        otherwise: Otherwise,
    ) {
        let guard = self.requirement_step((From::Entity(entity), root), filter, false, otherwise);
        self.guards.push((step, guard));
    }

    fn add_requirement(
        &mut self,
        (step, root): StepOfRoot,
        filter: Filter,
        exists: bool,
        otherwise: Otherwise,
    ) {
        let from = From::Returned { step, state: State::After };
        let check = self.requirement_step((from, root), filter, exists, otherwise);
        self.checks.push(check);
    }

    /// A requirement for the visited step, with its conditions.
    fn requirement_step(
        &mut self,
        (from, root): (From, u32),
        filter: Filter,
        exists: bool,
        otherwise: Otherwise,
    ) -> Step {
        let rows = Rows::unordered(RowsId(self.next.rows), from, filter, Vec::new());
        let require = Require { rows, filter: Filter::all(), exists, otherwise };
        let id = StepId(self.next.steps);
        self.next.rows += 1;
        self.next.steps += 1;
        let when = self.when.clone();
        Step { when, ..Step::new(id, root, StepKind::Require(require)) }
    }

    /// Adds the checks of a transaction after its last change, or earlier where a change might take
    /// from a row the key by which it is found.
    pub(in crate::authorize) fn add_checks(&mut self, transaction: &mut Transaction) {
        let steps = &transaction.steps;
        let changes = |step: &Step| {
            matches!(step.kind, StepKind::Write(_) | StepKind::Call(_) | StepKind::Objects(_))
        };
        let last = steps.iter().rposition(changes).map_or(0, |last| last + 1);
        let mut checks: Vec<(usize, Step)> = std::mem::take(&mut self.checks)
            .into_iter()
            .map(|check| (self.moved_at(&check, steps).unwrap_or(last), check))
            .collect();
        // Those of one place keep their order.
        checks.sort_by_key(|(place, _)| *place);
        for (place, check) in checks.into_iter().rev() {
            transaction.steps.insert(place, check);
        }
        for (before, guard) in std::mem::take(&mut self.guards) {
            let place = transaction.steps.iter().position(|step| step.id == before);
            transaction.steps.insert(place.unwrap_or(0), guard);
        }
    }

    /// The position of the first step that may change the key of rows that are checked.
    fn moved_at(&self, check: &Step, steps: &[Step]) -> Option<usize> {
        let StepKind::Require(require) = &check.kind else { return None };
        let From::Returned { step, .. } = require.rows.from else { return None };
        let entity = self.changed.get(&step)?.entity?;
        let written = steps.iter().position(|own| own.id == step)?;
        let mut later = steps.iter().enumerate().skip(written + 1).peekable();
        later.peek()?;
        let deciding = self.deciding_on_key(entity);
        later.find(|(_, step)| self.may_move(entity, &deciding, step)).map(|(place, _)| place)
    }

    /// The fields of the primary key, and those of other rows that the source may copy into it by
    /// `ON UPDATE CASCADE`.
    fn deciding_on_key(&self, entity: EntityId) -> Vec<FieldId> {
        let key = self.catalog[entity].primary_key();
        let mut fields: Vec<FieldId> = key.map(|key| key.fields.clone()).unwrap_or_default();
        let mut place = 0;
        while let Some(field) = fields.get(place).copied() {
            place += 1;
            for relationship in &self.catalog[self.catalog[field].entity].outgoing {
                let relationship = &self.catalog[*relationship];
                let pairs = relationship.from_fields.iter().zip(&relationship.to_fields);
                for (_, to) in pairs.filter(|(from, _)| **from == field) {
                    if !fields.contains(to) {
                        fields.push(*to);
                    }
                }
            }
        }
        fields
    }

    /// Returns true if a step may change one of the fields.
    fn may_move(&self, entity: EntityId, deciding: &[FieldId], step: &Step) -> bool {
        let StepKind::Write(write) = &step.kind else { return false };
        let assignments = match &write.kind {
            WriteKind::Insert(_) => return false,
            WriteKind::Update(update) => &update.assignments,
            WriteKind::Upsert { conflict, .. } => &conflict.assignments,
            // Rows that refer to a deleted one may get a default instead.
            WriteKind::Delete { .. } => {
                let is_of_it = |field: &FieldId| self.catalog[*field].entity == write.entity;
                return write.entity != entity && deciding.iter().any(is_of_it);
            }
            // None of these is permitted at all.
            WriteKind::Link { .. }
            | WriteKind::Unlink { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::LinkOrInsert { .. }
            | WriteKind::Choose { .. }
            | WriteKind::Expect { .. } => return true,
        };
        // The effect of an update of a view on its tables is unknown.
        self.catalog[write.entity].kind != EntityKind::Table
            || assignments.iter().any(|(field, _)| deciding.contains(field))
    }
}
