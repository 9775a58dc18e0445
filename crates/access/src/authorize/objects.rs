//! Grants of changes of objects.
//!
//! Objects that are referred to must be readable; those that are updated or deleted by a condition are
//! the readable ones of which a grant permits that. Every other row that a change reaches must be
//! changeable by a grant, or the change is an error: requirements before it look for one that is not.

use std::collections::HashSet;

use catalog::{EntityId, FieldId};
use ir::{
    Filter, FindPurpose, From, ObjectChange, Operand, Otherwise, Require, Rows, RowsId, Step,
    StepId, StepKind,
};

use super::listed::Listed;
use super::requirement::Requirement;
use super::{StepOfRoot, Walk};
use crate::condition::any;
use crate::denial::{Denial, failed_check};
use crate::grant::Privilege;

impl Walk<'_> {
    pub(super) fn grant_objects(&mut self, step: StepOfRoot, change: &mut ObjectChange) {
        match change {
            ObjectChange::Find { rows, purpose } => self.grant_find(rows, *purpose),
            // A key alone reveals and changes nothing.
            ObjectChange::NewKeys { .. } => {}
            ObjectChange::Insert { entity, key, keys, fields } => {
                self.grant_insert(step, *entity, (*key, keys), fields);
            }
            ObjectChange::SetEach { entity, key, keys, fields, .. }
            | ObjectChange::SetAll { entity, key, keys, fields, .. } => {
                self.grant_set(step, *entity, (*key, keys), fields);
            }
            ObjectChange::RemoveElements { entity, key, keys, field, .. } => {
                let listed = Listed { entity: *entity, lists: vec![(*key, keys)] };
                self.grant_clear(step, &listed, *field);
            }
            ObjectChange::Clear { entity, field, values, rows } => {
                let mut lists = vec![(*field, &*values)];
                lists.extend(rows.iter().map(|(key, keys)| (*key, keys)));
                let listed = Listed { entity: *entity, lists };
                self.grant_clear(step, &listed, *field);
            }
            ObjectChange::Connect { joining, near, far, .. } => {
                let said = HashSet::from([near.0, far.0]);
                let Some(granted) = self.candidates(*joining, Privilege::Insert, &said) else {
                    return;
                };
                if !granted.presets.is_empty() {
                    self.deny(Denial::NotUnderstood("presets of links"));
                }
                let lists = vec![(near.0, &near.1), (far.0, &far.1)];
                let listed = Listed { entity: *joining, lists };
                if let Some(check) = granted.check {
                    self.require_after(step, &listed, check, "insert");
                }
            }
            ObjectChange::Disconnect { joining, near, far } => {
                let mut lists = vec![(near.0, &near.1)];
                lists.extend(far.iter().map(|(field, keys)| (*field, keys)));
                let listed = Listed { entity: *joining, lists };
                let passes = self.deletable(*joining);
                self.require_before(step, &listed, passes, "delete");
            }
            // Their keys are those of objects that were found for this purpose.
            ObjectChange::Delete { .. } => {}
        }
    }

    fn grant_find(&mut self, rows: &mut Rows, purpose: FindPurpose) {
        if purpose == FindPurpose::Count {
            return self.rows(rows, None);
        }
        let entity = match &rows.from {
            From::Entity(entity) | From::Keys { entity, .. } => *entity,
            _ => return self.unsupported("objects of this kind"),
        };
        self.rows(rows, None);
        let passes = match purpose {
            FindPurpose::Refer | FindPurpose::Count => return,
            FindPurpose::Delete => self.deletable(entity),
            FindPurpose::Update => {
                self.check(entity, Privilege::Update, None);
                let grants = self.set.grants(entity, Privilege::Update);
                let rows = grants.iter().map(|grant| grant.rows.clone()).collect();
                if grants.is_empty() {
                    self.deny(Denial::Entity(entity, Privilege::Update));
                }
                any(rows)
            }
        };
        Requirement { passes, required: Vec::new() }.restrict(&mut rows.filter);
    }

    /// The rows of an entity that may be deleted.
    fn deletable(&mut self, entity: EntityId) -> Filter {
        self.check(entity, Privilege::Delete, None);
        let grants = self.set.grants(entity, Privilege::Delete);
        let rows = grants.iter().map(|grant| grant.rows.clone()).collect();
        if grants.is_empty() {
            self.deny(Denial::Entity(entity, Privilege::Delete));
        }
        Filter::and(vec![any(rows), self.visible(entity)])
    }

    fn grant_insert(
        &mut self,
        step: StepOfRoot,
        entity: EntityId,
        (key, keys): (FieldId, &Operand),
        fields: &mut Vec<(FieldId, Operand)>,
    ) {
        let said: HashSet<FieldId> = fields.iter().map(|(field, _)| *field).collect();
        if may_be_none(keys, true) && !self.has_candidates(entity, Privilege::Insert, &said) {
            let listed = Listed { entity, lists: vec![(key, keys)] };
            return self.require_after(step, &listed, Filter::none(), "insert");
        }
        let Some(granted) = self.candidates(entity, Privilege::Insert, &said) else { return };
        for (field, operand) in granted.presets.iter().cloned() {
            match keys {
                Operand::Objects(keys) => {
                    let values = vec![operand; keys.each.len()];
                    fields.push((field, Operand::List(values)));
                }
                _ => self.deny(Denial::NotUnderstood("presets of these objects")),
            }
        }
        if let Some(check) = granted.check {
            let listed = Listed { entity, lists: vec![(key, keys)] };
            self.require_after(step, &listed, check, "insert");
        }
    }

    fn grant_set(
        &mut self,
        step: StepOfRoot,
        entity: EntityId,
        (key, keys): (FieldId, &Operand),
        fields: &mut Vec<(FieldId, Operand)>,
    ) {
        let said: HashSet<FieldId> = fields.iter().map(|(field, _)| *field).collect();
        let listed = Listed { entity, lists: vec![(key, keys)] };
        if may_be_none(keys, false) && !self.has_candidates(entity, Privilege::Update, &said) {
            return self.require_before(step, &listed, Filter::none(), "update");
        }
        let Some(granted) = self.candidates(entity, Privilege::Update, &said) else { return };
        let passes = Filter::and(vec![granted.rows, self.visible(entity)]);
        self.require_before(step, &listed, passes, "update");
        for (field, operand) in granted.presets.iter().cloned() {
            match keys {
                Operand::Objects(keys) => {
                    let values = vec![operand; keys.each.len()];
                    fields.push((field, Operand::List(values)));
                }
                _ => fields.push((field, operand)),
            }
        }
        if let Some(check) = granted.check {
            self.require_after(step, &listed, check, "update");
        }
    }

    fn grant_clear(&mut self, step: StepOfRoot, listed: &Listed<'_>, field: FieldId) {
        let said = HashSet::from([field]);
        let entity = listed.entity;
        if !self.has_candidates(entity, Privilege::Update, &said) {
            return self.require_before(step, listed, Filter::none(), "update");
        }
        let Some(granted) = self.candidates(entity, Privilege::Update, &said) else { return };
        if !granted.presets.is_empty() || granted.check.is_some() {
            self.deny(Denial::NotUnderstood("checks of values that are removed"));
        }
        let passes = Filter::and(vec![granted.rows, self.visible(entity)]);
        self.require_before(step, listed, passes, "update");
    }

    /// Returns true if a grant permits to write all of these fields.
    fn has_candidates(
        &self,
        entity: EntityId,
        privilege: Privilege,
        said: &HashSet<FieldId>,
    ) -> bool {
        let grants = self.set.grants(entity, privilege);
        grants.iter().any(|grant| said.iter().all(|field| grant.permits(*field)))
    }

    /// All listed rows must pass before the change.
    pub(super) fn require_before(
        &mut self,
        step: StepOfRoot,
        listed: &Listed<'_>,
        passes: Filter,
        verb: &str,
    ) {
        if let Some(guard) = self.requirement_of(step, listed, passes, verb) {
            self.guards.push((step.0, guard));
        }
    }

    /// All listed rows must pass after the last change of the transaction.
    pub(super) fn require_after(
        &mut self,
        step: StepOfRoot,
        listed: &Listed<'_>,
        passes: Filter,
        verb: &str,
    ) {
        let check = self.requirement_of(step, listed, passes, verb);
        self.checks.extend(check);
    }

    /// The requirement that no listed row fails; `None` if none can.
    fn requirement_of(
        &mut self,
        (_, root): StepOfRoot,
        listed: &Listed<'_>,
        passes: Filter,
        verb: &str,
    ) -> Option<Step> {
        if passes.is_all() {
            return None;
        }
        let fails = Filter::Except(Box::new(passes));
        let (from, filter) =
            (From::Entity(listed.entity), Filter::and(vec![listed.filter(), fails]));
        let rows = Rows::unordered(RowsId(self.next.rows), from, filter, Vec::new());
        let otherwise: Otherwise = failed_check(self.catalog, self.set, listed.entity, verb);
        let require = Require { rows, filter: Filter::all(), exists: false, otherwise };
        let step = Step::new(StepId(self.next.steps), root, StepKind::Require(require));
        self.next.rows += 1;
        self.next.steps += 1;
        Some(step)
    }
}

/// Returns true if a list of keys may name no object when the change runs: nested objects are created
/// only if they do not exist, and changed only if they do. An outermost object is always inserted.
fn may_be_none(keys: &Operand, is_insert: bool) -> bool {
    let Operand::Objects(keys) = keys else { return false };
    let objects = keys.each.iter().flatten();
    let mut objects = objects.filter_map(|place| keys.set.objects.get(*place as usize));
    !is_insert || !objects.any(|object| object.is_outermost)
}
