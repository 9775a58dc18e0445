//! Restrictions of changes of objects.
//!
//! Objects are updated and deleted only if they pass the filters of the action; an upsert of one that
//! does not pass is an error. New objects must pass the validations after the change.

use catalog::{EntityId, FieldId};
use ir::{Filter, FindPurpose, From, ObjectChange, Operand};

use super::super::listed::Listed;
use super::super::requirement::Requirement;
use super::super::{StepOfRoot, Walk};
use crate::denial::Denial;
use crate::restriction::Action;
use crate::set::{Member, Stage};

/// A list of rows with the fields that a change sets.
type Changed<'c> = (Listed<'c>, &'c [(FieldId, Operand)]);

impl Walk<'_> {
    pub(in crate::authorize) fn restrict_objects(
        &mut self,
        step: StepOfRoot,
        change: &mut ObjectChange,
    ) {
        match change {
            ObjectChange::Find { rows, purpose } => {
                let action = match purpose {
                    // A reference reveals nothing but that the object exists.
                    FindPurpose::Refer | FindPurpose::Count => return,
                    FindPurpose::Update => Action::Update,
                    FindPurpose::Delete => Action::Delete,
                };
                let entity = match &rows.from {
                    From::Entity(entity) | From::Keys { entity, .. } => *entity,
                    _ => return self.deny(Denial::NotUnderstood("objects of this kind")),
                };
                self.hide_in_conditions(rows);
                self.open(entity, &[], action);
                let set = &self.set.restrictions;
                let passes = set.filter(entity, &[], action);
                let required = vec![set.validation(entity, &[], action, Stage::Before)];
                Requirement { passes, required }.restrict(&mut rows.filter);
            }
            ObjectChange::NewKeys { .. } | ObjectChange::Delete { .. } => {}
            ObjectChange::Insert { entity, key, keys, fields } => {
                let listed = Listed { entity: *entity, lists: vec![(*key, keys)] };
                self.after((listed, fields), Action::Create, step);
            }
            ObjectChange::SetEach { entity, key, keys, fields, is_upsert: true, .. } => {
                let listed = Listed { entity: *entity, lists: vec![(*key, keys)] };
                let members = members(fields);
                let action = Action::Update;
                let set = &self.set.restrictions;
                let passes = Filter::and(vec![
                    set.filter(*entity, &members, action),
                    set.validation(*entity, &members, action, Stage::Before),
                ]);
                self.require_before(step, &listed, passes, "update");
                self.after((listed, fields), action, step);
            }
            ObjectChange::SetAll { entity, key, keys, fields, .. } => {
                let listed = Listed { entity: *entity, lists: vec![(*key, keys)] };
                self.after((listed, fields), Action::Update, step);
            }
            // Lists of values have no rules of their own.
            ObjectChange::RemoveElements { entity, key, keys, field, elements } => {
                let listed = Listed { entity: *entity, lists: vec![(*key, keys)] };
                self.after((listed, &[(*field, elements.clone())]), Action::Update, step);
            }
            ObjectChange::SetEach { entity, .. } | ObjectChange::Clear { entity, .. } => {
                self.links(*entity);
            }
            ObjectChange::Connect { joining, .. } | ObjectChange::Disconnect { joining, .. } => {
                self.links(*joining);
            }
        }
    }

    /// Adds the conditions on rows after a change of them.
    fn after(&mut self, (listed, fields): Changed<'_>, action: Action, step: StepOfRoot) {
        let members = members(fields);
        self.open(listed.entity, &members, action);
        let set = &self.set.restrictions;
        let check = set.validation(listed.entity, &members, action, Stage::After);
        let verb = if action == Action::Create { "insert" } else { "update" };
        self.require_after(step, &listed, check, verb);
    }

    /// Denies links of rows with restrictions of relationships, which no dialect of objects has.
    fn links(&mut self, entity: EntityId) {
        for action in [Action::CreateRelationship, Action::DeleteRelationship] {
            let set = &self.set.restrictions;
            let is_free = set.is_open(entity, None, action)
                && set.filter(entity, &[], action).is_all()
                && [Stage::Before, Stage::After]
                    .into_iter()
                    .all(|stage| set.validation(entity, &[], action, stage).is_all());
            if !is_free {
                self.deny(Denial::NotUnderstood("links of these objects"));
            }
        }
    }
}

fn members(fields: &[(FieldId, Operand)]) -> Vec<Member> {
    fields.iter().map(|(field, _)| Member::Field(*field)).collect()
}
