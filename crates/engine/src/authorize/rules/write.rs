//! What a request is let to change.
//!
//! Nodes are changed, deleted, connected and disconnected only if they pass the filters of that.
//! Validations are asked before, after or both; those after once the change of the node and all that
//! is said along its relationships is done.

use catalog::{EntityId, FieldId};
use dialects::neo4j::rules::Operation;
use ir::{
    Assignment, ChildWrite, Filter, Insert, Operand, Place, StepId, Update, Write, WriteKind,
};

use super::super::denial::Denial;
use super::read::{Changed, Walk};
use super::restriction::Restriction;
use super::{Member, Stage};

impl Walk<'_> {
    /// The change of a root field.
    pub(super) fn top(&mut self, step: StepId, write: &mut Write) {
        let is_new = matches!(write.kind, WriteKind::Insert(_));
        self.changed.insert(step, Changed { entity: write.entity, is_new });
        match write.kind {
            WriteKind::Insert(_) | WriteKind::Update(_) | WriteKind::Delete { .. } => {
                self.write(write, false);
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

    fn write(&mut self, write: &mut Write, is_nested: bool) {
        let entity = write.entity;
        let is_along = is_nested && !write.children.is_empty();
        match &mut write.kind {
            WriteKind::Insert(insert) => {
                let fields = inserted(&insert.fields);
                self.open(entity, &fields, Operation::Create);
                let check = self.of_new(entity, insert);
                and(&mut write.check, check);
            }
            WriteKind::Update(Update { filter, assignments, .. }) => {
                let fields: Vec<Member> = assignments.iter().filter_map(said).collect();
                self.open(entity, &fields, Operation::Update);
                // What is done along relationships alone is no change of the node to form 7.
                let operation = match !fields.is_empty() || is_along {
                    true => Operation::Update,
                    false => Operation::UpdateAlong,
                };
                let check = self.restrict(filter, entity, &fields, operation);
                and(&mut write.check, check);
            }
            WriteKind::Delete { filter, .. } => {
                self.open(entity, &[], Operation::Delete);
                // There is nothing to be asked of them afterwards.
                self.restrict(filter, entity, &[], Operation::Delete);
            }
            WriteKind::Link { filter, .. } => {
                self.open(entity, &[], Operation::CreateRelationship);
                let operation = Operation::CreateRelationship;
                let check = self.restrict(filter, entity, &[], operation);
                and(&mut write.check, check);
            }
            WriteKind::Unlink { filter } => {
                self.open(entity, &[], Operation::DeleteRelationship);
                let operation = Operation::DeleteRelationship;
                let check = self.restrict(filter, entity, &[], operation);
                and(&mut write.check, check);
            }
            WriteKind::LinkOrInsert { insert, .. } => {
                let operation = Operation::ConnectOrCreate;
                let fields = inserted(&insert.fields);
                self.open(entity, &fields, operation);
                let check = self.set.validation(entity, &fields, operation, Stage::After);
                and(&mut write.check, check);
            }
            // It asks how many relationships there are, and shows nothing.
            WriteKind::Expect { .. } => {}
            WriteKind::Upsert { .. } | WriteKind::SetLinks { .. } | WriteKind::Choose { .. } => {
                self.deny(Denial::NotUnderstood("this kind of change"));
            }
        }
        for operation in [Operation::CreateRelationship, Operation::DeleteRelationship] {
            if write.children.iter().any(|child| is_of(child, operation)) {
                self.source(write, operation);
            }
        }
        for child in &mut write.children {
            self.write(&mut child.write, true);
        }
    }

    /// What new nodes have to pass. The rules of a field are for the nodes of which the request says
    /// it: in another one it is null.
    fn of_new(&self, entity: EntityId, insert: &Insert) -> Filter {
        let (operation, stage) = (Operation::Create, Stage::After);
        let places = insert.fields.iter().copied().enumerate();
        let (of_all, of_some): (Vec<_>, Vec<_>) =
            places.partition(|(place, _)| insert.rows.all_say(*place));
        let of_all: Vec<Member> =
            of_all.into_iter().map(|(_, field)| Member::Field(field)).collect();
        let mut check = self.set.validation(entity, &of_all, operation, stage);
        for (_, field) in of_some {
            let own = self.set.validation_of(Member::Field(field), operation, stage);
            if !own.is_all() {
                and(&mut check, Filter::Or(vec![Filter::IsNull(Place::field(field)), own]));
            }
        }
        check
    }

    /// Adds what is asked of the nodes from which relationships are made or deleted.
    fn source(&mut self, write: &mut Write, operation: Operation) {
        let entity = write.entity;
        self.open(entity, &[], operation);
        let mut far = write.children.iter().filter(|child| is_of(child, operation));
        let is_refused = far.any(|child| {
            let before = self.set.validation(child.write.entity, &[], operation, Stage::Before);
            before == Filter::none()
        });
        let own = match &mut write.kind {
            WriteKind::Update(Update { filter, .. })
            | WriteKind::Delete { filter, .. }
            | WriteKind::Link { filter, .. }
            | WriteKind::Unlink { filter } => Some(filter),
            // A new node is not there before.
            WriteKind::Insert(_)
            | WriteKind::Upsert { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::LinkOrInsert { .. }
            | WriteKind::Expect { .. }
            | WriteKind::Choose { .. } => None,
        };
        if let Some(filter) = own {
            let passes = self.set.filter(entity, &[], operation);
            let asked = match operation {
                Operation::CreateRelationship => Operation::CreateRelationshipFrom,
                operation => operation,
            };
            let mut required = vec![self.set.validation(entity, &[], asked, Stage::Before)];
            // What no node passes is told where none is found, too, as in the library.
            if is_refused {
                required.push(Filter::none());
            }
            Restriction { passes, required }.restrict(filter);
        } else if is_refused {
            and(&mut write.check, Filter::none());
        }
        let after = self.set.validation(entity, &[], operation, Stage::After);
        and(&mut write.check, after);
    }

    /// Adds what is asked of nodes before something is done with them; gives what is asked after.
    fn restrict(
        &self,
        filter: &mut Filter,
        entity: EntityId,
        fields: &[Member],
        operation: Operation,
    ) -> Filter {
        let passes = self.set.filter(entity, fields, operation);
        let required = vec![self.set.validation(entity, fields, operation, Stage::Before)];
        Restriction { passes, required }.restrict(filter);
        self.set.validation(entity, fields, operation, Stage::After)
    }
}

/// Adds to what nodes have to pass after a change.
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

/// A field that the request says: no request says the time of the change, which is made.
fn said((field, assignment): &(FieldId, Assignment)) -> Option<Member> {
    (*assignment != Assignment::Set(Operand::Now)).then_some(Member::Field(*field))
}

/// Whether a child makes relationships of what is there, or deletes them.
fn is_of(child: &ChildWrite, operation: Operation) -> bool {
    match child.write.kind {
        WriteKind::Link { .. } => operation == Operation::CreateRelationship,
        WriteKind::Unlink { .. } => operation == Operation::DeleteRelationship,
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
