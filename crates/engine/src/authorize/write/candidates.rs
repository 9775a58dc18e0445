//! The rules that let a change.

use std::collections::HashSet;

use catalog::{EntityId, EntityKind, FieldId, Generated};
use ir::{Filter, Operand};

use super::super::condition::any;
use super::super::denial::Denial;
use super::super::read::Walk;
use super::super::set::{Grant, Verb};

/// What is written beside what the request says.
pub(super) type Presets = Vec<(FieldId, Operand)>;

/// What the rules that let a change say of it together.
pub(super) struct Candidates {
    /// Which rows may be changed.
    pub(super) rows: Filter,
    pub(super) presets: Presets,
    /// What the rows have to pass then, where not all do for sure.
    pub(super) check: Option<Filter>,
}

impl Walk<'_> {
    /// The rules that let all of these fields be written together; `None` if none does.
    pub(super) fn candidates(
        &mut self,
        entity: EntityId,
        verb: Verb,
        said: &HashSet<FieldId>,
    ) -> Option<Candidates> {
        self.ask(entity, verb, None);
        said.iter().for_each(|field| self.ask(entity, verb, Some(*field)));
        let grants = self.set.grants(entity, verb);
        if grants.is_empty() {
            self.deny(Denial::Entity(entity, verb));
            return None;
        }
        let candidates: Vec<&Grant> =
            grants.iter().filter(|grant| said.iter().all(|field| lets(grant, *field))).collect();
        // Each has what the one with the most presets has, or less.
        let strictest = candidates.iter().copied().max_by_key(|grant| grant.presets.len());
        let Some(strictest) = strictest else {
            let mut denied: Vec<FieldId> = said
                .iter()
                .copied()
                .filter(|field| !grants.iter().any(|grant| lets(grant, *field)))
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
        let check = self.check_of(entity, &strict, said);
        Some(Candidates { rows, presets: strictest.presets.clone(), check })
    }

    /// What rows have to pass once they are written by rules with the same presets.
    fn check_of(
        &self,
        entity: EntityId,
        grants: &[&Grant],
        said: &HashSet<FieldId>,
    ) -> Option<Filter> {
        if grants.iter().all(|grant| self.stays(entity, grant, said)) {
            return None;
        }
        let check = any(grants.iter().map(|grant| grant.check.clone()).collect());
        (!check.is_all()).then_some(check)
    }

    /// Whether a row that may be updated passes the check all the same, since nothing is written
    /// that decides on it.
    fn stays(&self, entity: EntityId, grant: &Grant, said: &HashSet<FieldId>) -> bool {
        let Some(deciding) = &grant.stays_without else { return false };
        let entity = &self.catalog[entity];
        let is_written = |field: &FieldId| {
            said.contains(field)
                || grant.presets.iter().any(|(preset, _)| preset == field)
                || self.catalog[*field].generated == Some(Generated::Stored)
        };
        let is_as_said = entity.kind == EntityKind::Table && !entity.rewritten && !entity.triggered;
        is_as_said && !deciding.iter().any(is_written)
    }
}

/// Whether the rule lets the request say the field.
fn lets(grant: &Grant, field: FieldId) -> bool {
    grant.fields.contains(&field) && !grant.presets.iter().any(|(preset, _)| *preset == field)
}
