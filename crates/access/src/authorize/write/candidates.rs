//! Grants that permit a change.

use std::collections::HashSet;

use catalog::{EntityId, EntityKind, FieldId, Generated};
use ir::Filter;

use super::super::Walk;
use crate::condition::any;
use crate::denial::Denial;
use crate::grant::{Presets, Privilege};
use crate::granted::Granted;

/// Grants that permit a change, together.
pub(in crate::authorize) struct Candidates {
    /// The rows that may be changed.
    pub(in crate::authorize) rows: Filter,
    pub(in crate::authorize) presets: Presets,
    /// The condition on the written rows, where they may fail it.
    pub(in crate::authorize) check: Option<Filter>,
}

impl Walk<'_> {
    /// The grants of writing all of these fields together; `None` if there are none.
    pub(in crate::authorize) fn candidates(
        &mut self,
        entity: EntityId,
        privilege: Privilege,
        said: &HashSet<FieldId>,
    ) -> Option<Candidates> {
        self.check(entity, privilege, None);
        said.iter().for_each(|field| self.check(entity, privilege, Some(*field)));
        let grants = self.set.grants(entity, privilege);
        if grants.is_empty() {
            self.deny(Denial::Entity(entity, privilege));
            return None;
        }
        let candidates: Vec<&Granted> =
            grants.iter().filter(|grant| said.iter().all(|field| grant.permits(*field))).collect();
        // Each has a subset of the presets of the one with the most.
        let strictest = candidates.iter().copied().max_by_key(|grant| grant.presets.len());
        let Some(strictest) = strictest else {
            let mut denied: Vec<FieldId> = said
                .iter()
                .copied()
                .filter(|field| !grants.iter().any(|grant| grant.permits(*field)))
                .collect();
            denied.sort_unstable();
            match denied.is_empty() {
                true => self.deny(Denial::Together(entity, privilege)),
                false => {
                    denied.into_iter().for_each(|one| self.deny(Denial::Field(one, privilege)))
                }
            }
            return None;
        };
        let has = |preset| strictest.presets.contains(preset);
        if !candidates.iter().all(|grant| grant.presets.iter().all(has)) {
            self.deny(Denial::Together(entity, privilege));
            return None;
        }
        // An update of a rule's rows without its presets would exceed the rule, and so would one
        // with the presets of another rule that does not permit these rows.
        let is_strictest = |grant: &&Granted| grant.presets.len() == strictest.presets.len();
        let (strict, others): (Vec<&Granted>, Vec<&Granted>) =
            candidates.into_iter().partition(is_strictest);
        let rows = any(strict.iter().map(|grant| grant.rows.clone()).collect());
        let is_let = |grant: &&Granted| strict.iter().any(|own| own.rows == grant.rows);
        if !rows.is_all() && !others.iter().all(is_let) {
            self.deny(Denial::Together(entity, privilege));
            return None;
        }
        let check = self.check_of(entity, &strict, said);
        Some(Candidates { rows, presets: strictest.presets.clone(), check })
    }

    /// The check of rows written by rules with the same presets.
    fn check_of(
        &self,
        entity: EntityId,
        grants: &[&Granted],
        said: &HashSet<FieldId>,
    ) -> Option<Filter> {
        if grants.iter().all(|grant| self.stays(entity, grant, said)) {
            return None;
        }
        let check = any(grants.iter().map(|grant| grant.check.clone()).collect());
        (!check.is_all()).then_some(check)
    }

    /// Returns true if an updatable row passes the check unchanged, since no field that decides it
    /// is written.
    fn stays(&self, entity: EntityId, grant: &Granted, said: &HashSet<FieldId>) -> bool {
        let Some(deciding) = &grant.unchecked_without else { return false };
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
