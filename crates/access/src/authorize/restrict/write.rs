//! Restrictions of changes.
//!
//! Nodes are updated, deleted, connected and disconnected only if they pass the filters of the action.
//! Validations hold before the change, after it, or both; those after hold once the node and all
//! nested changes along its relationships are written.

use catalog::{EntityId, FieldId};
use ir::{Assignment, ChildWrite, Filter, Insert, Operand, Update, ValueRef, Write, WriteKind};

use super::super::Walk;
use super::super::requirement::Requirement;
use crate::denial::Denial;
use crate::restriction::Action;
use crate::set::{Member, Stage};

impl Walk<'_> {
    /// Restricts the change of a root field.
    pub(in crate::authorize) fn restrict_write(&mut self, write: &mut Write) {
        match write.kind {
            WriteKind::Insert(_) | WriteKind::Update(_) | WriteKind::Delete { .. } => {
                self.nested(write, false);
            }
            WriteKind::Upsert { .. }
            | WriteKind::Link { .. }
            | WriteKind::Unlink { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::LinkOrInsert { .. }
            | WriteKind::Expect { .. }
            | WriteKind::Choose { .. } => {
                self.deny(Denial::NotUnderstood("this kind of change"));
            }
        }
    }

    fn nested(&mut self, write: &mut Write, is_nested: bool) {
        let entity = write.entity;
        let is_along = is_nested && !write.children.is_empty();
        match &mut write.kind {
            WriteKind::Insert(insert) => {
                let fields = inserted(&insert.fields);
                self.open(entity, &fields, Action::Create);
                let check = self.of_new(entity, insert);
                and(&mut write.check, check);
            }
            WriteKind::Update(Update { filter, assignments, .. }) => {
                let fields: Vec<Member> = assignments.iter().filter_map(said).collect();
                self.open(entity, &fields, Action::Update);
                // An update of relationships alone is no update of the node in version 7.
                let action = match !fields.is_empty() || is_along {
                    true => Action::Update,
                    false => Action::UpdateRelationships,
                };
                let check = self.before(filter, entity, &fields, action);
                and(&mut write.check, check);
            }
            WriteKind::Delete { filter, .. } => {
                self.open(entity, &[], Action::Delete);
                // No condition can hold on deleted nodes.
                self.before(filter, entity, &[], Action::Delete);
            }
            WriteKind::Link { filter, .. } => {
                self.open(entity, &[], Action::CreateRelationship);
                let action = Action::CreateRelationship;
                let check = self.before(filter, entity, &[], action);
                and(&mut write.check, check);
            }
            WriteKind::Unlink { filter } => {
                self.open(entity, &[], Action::DeleteRelationship);
                let action = Action::DeleteRelationship;
                let check = self.before(filter, entity, &[], action);
                and(&mut write.check, check);
            }
            WriteKind::LinkOrInsert { insert, .. } => {
                let action = Action::ConnectOrCreate;
                let fields = inserted(&insert.fields);
                self.open(entity, &fields, action);
                let check = self.set.restrictions.validation(entity, &fields, action, Stage::After);
                and(&mut write.check, check);
            }
            // It counts relationships, and reveals nothing.
            WriteKind::Expect { .. } => {}
            WriteKind::Upsert { .. } | WriteKind::SetLinks { .. } | WriteKind::Choose { .. } => {
                self.deny(Denial::NotUnderstood("this kind of change"));
            }
        }
        for action in [Action::CreateRelationship, Action::DeleteRelationship] {
            if write.children.iter().any(|child| is_of(child, action)) {
                self.source(write, action);
            }
        }
        for child in &mut write.children {
            self.nested(&mut child.write, true);
        }
    }

    /// The condition on new nodes. Rules of a field hold for nodes whose field the request sets: in
    /// another one it is null.
    fn of_new(&self, entity: EntityId, insert: &Insert) -> Filter {
        let (action, stage) = (Action::Create, Stage::After);
        let places = insert.fields.iter().copied().enumerate();
        let (of_all, of_some): (Vec<_>, Vec<_>) =
            places.partition(|(place, _)| insert.rows.all_set(*place));
        let of_all: Vec<Member> =
            of_all.into_iter().map(|(_, field)| Member::Field(field)).collect();
        let mut check = self.set.restrictions.validation(entity, &of_all, action, stage);
        for (_, field) in of_some {
            let own = self.set.restrictions.validation_of(Member::Field(field), action, stage);
            if !own.is_all() {
                and(&mut check, Filter::Or(vec![Filter::IsNull(ValueRef::field(field)), own]));
            }
        }
        check
    }

    /// Adds the conditions on the nodes from which relationships are created or deleted.
    fn source(&mut self, write: &mut Write, action: Action) {
        let entity = write.entity;
        self.open(entity, &[], action);
        let mut far = write.children.iter().filter(|child| is_of(child, action));
        let is_refused = far.any(|child| {
            let before =
                self.set.restrictions.validation(child.write.entity, &[], action, Stage::Before);
            before == Filter::none()
        });
        let own = match &mut write.kind {
            WriteKind::Update(Update { filter, .. })
            | WriteKind::Delete { filter, .. }
            | WriteKind::Link { filter, .. }
            | WriteKind::Unlink { filter } => Some(filter),
            // A new node does not exist before the change.
            WriteKind::Insert(_)
            | WriteKind::Upsert { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::LinkOrInsert { .. }
            | WriteKind::Expect { .. }
            | WriteKind::Choose { .. } => None,
        };
        if let Some(filter) = own {
            let passes = self.set.restrictions.filter(entity, &[], action);
            let asked = match action {
                Action::CreateRelationship => Action::CreateRelationshipFrom,
                action => action,
            };
            let mut required =
                vec![self.set.restrictions.validation(entity, &[], asked, Stage::Before)];
            // A condition that no node passes is an error where no node is found, too, as in the library.
            if is_refused {
                required.push(Filter::none());
            }
            Requirement { passes, required }.restrict(filter);
        } else if is_refused {
            and(&mut write.check, Filter::none());
        }
        let after = self.set.restrictions.validation(entity, &[], action, Stage::After);
        and(&mut write.check, after);
    }

    /// Adds the conditions on nodes before an action; returns those after it.
    fn before(
        &self,
        filter: &mut Filter,
        entity: EntityId,
        fields: &[Member],
        action: Action,
    ) -> Filter {
        let passes = self.set.restrictions.filter(entity, fields, action);
        let required =
            vec![self.set.restrictions.validation(entity, fields, action, Stage::Before)];
        Requirement { passes, required }.restrict(filter);
        self.set.restrictions.validation(entity, fields, action, Stage::After)
    }
}

/// Adds a condition on nodes after a change.
fn and(check: &mut Filter, other: Filter) {
    let own = std::mem::replace(check, Filter::all());
    *check = match own {
        Filter::And(mut all) => {
            all.push(other);
            Filter::and(all)
        }
        own => Filter::and(vec![own, other]),
    };
}

fn inserted(fields: &[FieldId]) -> Vec<Member> {
    fields.iter().copied().map(Member::Field).collect()
}

/// A field that the request sets; the time of the change is set by the dialect.
fn said((field, assignment): &(FieldId, Assignment)) -> Option<Member> {
    (*assignment != Assignment::Set(Operand::Now)).then_some(Member::Field(*field))
}

/// Returns true if a child creates relationships to existing nodes, or deletes them.
fn is_of(child: &ChildWrite, action: Action) -> bool {
    match child.write.kind {
        WriteKind::Link { .. } => action == Action::CreateRelationship,
        WriteKind::Unlink { .. } => action == Action::DeleteRelationship,
        WriteKind::Insert(_)
        | WriteKind::Update(_)
        | WriteKind::Delete { .. }
        | WriteKind::Upsert { .. }
        | WriteKind::SetLinks { .. }
        | WriteKind::LinkOrInsert { .. }
        | WriteKind::Expect { .. }
        | WriteKind::Choose { .. } => false,
    }
}
