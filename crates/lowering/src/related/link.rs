//! Relating rows, and what relations require of them.

use catalog::{EntityId, FieldId};
use ir::{
    Authority, Conflict, Filter, From, Insert, InsertedRows, NewId, Operand, Otherwise,
    OtherwiseKind, Quantifier, Require, Rows, State, StepId, StepKind, WriteKind,
};

use super::super::nested::steps;
use super::super::{Context, LowerError};
use super::data::Selector;
use super::{Known, equal};
use api::binding::{RelatedRows, RelationLink, RelationPath, RelationWrites};

impl<'a> Known<'a> {
    /// The key as a list, which is empty if there is no row.
    pub(super) fn read_keys(&self) -> Operand {
        match &self.key {
            Operand::Result { step, output } => Operand::Results { step: *step, output: *output },
            key => key.clone(),
        }
    }
}

/// The condition that a row is related to one that passes.
pub(super) fn related(path: RelationPath, filter: Filter) -> Filter {
    let quantifier = Quantifier::Some;
    let along = |hop, filter| Filter::Relation { hop, quantifier, filter: Box::new(filter) };
    match path {
        RelationPath::Hop(hop) => along(hop, filter),
        RelationPath::Through { near, far } => along(near, along(far, filter)),
    }
}

/// The condition that a row of the other end is related to this row.
pub(super) fn related_to(writes: &RelationWrites, row: &Known<'_>) -> Filter {
    match writes.link {
        RelationLink::Backward { field } => equal(field, row.key.clone()),
        RelationLink::Forward { .. } | RelationLink::Joined { .. } => {
            related(writes.back, row.is_it())
        }
    }
}

impl<'a> Context<'a> {
    /// Ends the transaction with an error if a step that finds a row has found none.
    pub(super) fn require_row(&mut self, found: &Known<'_>, otherwise: Otherwise) {
        self.require_step(found.read, otherwise);
    }

    /// Ends the transaction with an error if a step has touched no row.
    pub(super) fn require_step(&mut self, step: StepId, otherwise: Otherwise) {
        let from = From::Returned { step, state: State::After };
        let rows = Rows::unordered(self.rows_id(), from, Filter::all(), Vec::new());
        self.add_requirement(rows, true, otherwise);
    }

    /// Ends the transaction with an error if a step has written a row that passes.
    pub(super) fn forbid_changed(&mut self, step: StepId, filter: Filter, otherwise: Otherwise) {
        let from = From::Returned { step, state: State::After };
        let rows = Rows::unordered(self.rows_id(), from, filter, Vec::new());
        self.by(Authority::Model, |own| own.add_requirement(rows, false, otherwise));
    }

    fn add_requirement(&mut self, rows: Rows, exists: bool, otherwise: Otherwise) {
        let filter = Filter::all();
        self.add_step(StepKind::Require(Require { rows, filter, exists, otherwise }));
    }

    /// Ends the transaction with the error of a relation that is required, where a row exists.
    pub(super) fn violate(&mut self, writes: &RelationWrites, row: &Known<'_>) {
        self.forbid(row.rows, row.is_it(), &writes.violated);
    }

    /// The same if there is a row that passes.
    pub(super) fn forbid(&mut self, rows: &RelatedRows, filter: Filter, message: &str) {
        self.forbid_with(rows, filter, violated(message));
    }

    /// Ends the transaction with an error if there is a row that passes.
    pub(super) fn forbid_with(&mut self, rows: &RelatedRows, filter: Filter, otherwise: Otherwise) {
        let from = From::Entity(rows.entity);
        let rows = Rows::unordered(self.rows_id(), from, filter, Vec::new());
        self.by(Authority::Model, |own| own.add_requirement(rows, false, otherwise));
    }

    /// Requires that a row is not related yet.
    pub(super) fn require_unrelated_child(&mut self, writes: &RelationWrites, child: &Known<'_>) {
        let is_related = related(writes.back, Filter::all());
        let filter = Filter::and(vec![child.is_it(), is_related]);
        self.forbid(child.rows, filter, &writes.violated);
    }

    /// Requires that a row of this end has no other yet.
    pub(super) fn require_no_child(
        &mut self,
        writes: &RelationWrites,
        parent: &Known<'_>,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        self.forbid(target, related_to(writes, parent), &writes.violated);
        Ok(())
    }

    /// Requires that a row is related to this one.
    pub(super) fn require_related(
        &mut self,
        writes: &RelationWrites,
        (parent, child): (&Known<'_>, &Known<'_>),
    ) {
        let filter = Filter::and(vec![child.is_it(), related_to(writes, parent)]);
        let from = From::Entity(child.rows.entity);
        let rows = Rows::unordered(self.rows_id(), from, filter, Vec::new());
        self.add_requirement(rows, true, unrelated(writes, &Unrelated::Both { parent, child }));
    }

    /// Makes two rows related.
    pub(super) fn relate(
        &mut self,
        writes: &RelationWrites,
        (parent, child): (&Known<'_>, &Known<'_>),
    ) {
        match writes.link {
            RelationLink::Forward { field } => {
                let values = vec![(field, child.key.clone())];
                self.set_row(parent.rows.entity, parent.is_it(), values);
            }
            RelationLink::Backward { field } => {
                let values = vec![(field, parent.key.clone())];
                self.set_row(child.rows.entity, child.is_it(), values);
            }
            RelationLink::Joined { joining, near, far, id } => {
                let mut fields = vec![near, far];
                let mut row = vec![parent.key.clone(), child.key.clone()];
                if let Some(id) = id {
                    fields.push(id);
                    row.push(Operand::NewId(NewId::Cuid));
                }
                let insert = Insert { fields, rows: InsertedRows::each(vec![row]) };
                // Tables that Prisma did not make may have no key of pairs.
                let (key, assignments) = (Vec::new(), Vec::new());
                let conflict = Conflict { key, assignments, filter: Filter::all() };
                self.add_write(joining, WriteKind::Upsert { insert, conflict });
            }
        }
    }

    /// Removes the relation of a row of this end to all others.
    pub(super) fn unrelate_parent(
        &mut self,
        writes: &RelationWrites,
        parent: &Known<'_>,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        match writes.link {
            RelationLink::Forward { field } => self.clear(parent.rows, parent.is_it(), field),
            RelationLink::Backward { field } => {
                self.clear(target, equal(field, parent.key.clone()), field);
            }
            RelationLink::Joined { joining, near, .. } => {
                self.delete_pairs(joining, equal(near, parent.key.clone()));
            }
        }
        Ok(())
    }

    /// Removes the relation of a row of the other end to all of this one.
    pub(super) fn unrelate_child(
        &mut self,
        writes: &RelationWrites,
        (rows, child): (&RelatedRows, &Known<'_>),
    ) {
        match writes.link {
            RelationLink::Forward { field } => {
                self.clear(rows, equal(field, child.key.clone()), field);
            }
            RelationLink::Backward { field } => self.clear(child.rows, child.is_it(), field),
            RelationLink::Joined { joining, far, .. } => {
                self.delete_pairs(joining, equal(far, child.key.clone()));
            }
        }
    }

    /// Removes the relation of two rows.
    pub(super) fn unrelate(
        &mut self,
        writes: &RelationWrites,
        (parent, child): (&Known<'_>, &Known<'_>),
    ) {
        match writes.link {
            RelationLink::Forward { field } => {
                let is_child = equal(field, child.key.clone());
                self.clear(parent.rows, Filter::and(vec![parent.is_it(), is_child]), field);
            }
            RelationLink::Backward { field } => {
                let is_parent = equal(field, parent.key.clone());
                self.clear(child.rows, Filter::and(vec![child.is_it(), is_parent]), field);
            }
            RelationLink::Joined { joining, near, far, .. } => {
                let pair = [(near, parent), (far, child)];
                let pair = pair.map(|(field, row)| equal(field, row.key.clone()));
                self.delete_pairs(joining, Filter::and(pair.into()));
            }
        }
    }

    fn clear(&mut self, rows: &RelatedRows, filter: Filter, field: FieldId) {
        self.set_row(rows.entity, filter, steps::nulls(&[field]));
    }

    /// Sets values of rows, all of which the session must be permitted to change.
    fn set_row(&mut self, entity: EntityId, filter: Filter, values: Vec<(FieldId, Operand)>) {
        self.by(Authority::SessionOfAll, |own| own.set_all(entity, filter, values, None));
    }

    /// Removes pairs of a join entity, all of which the session must be permitted to delete.
    fn delete_pairs(&mut self, joining: EntityId, filter: Filter) {
        self.by(Authority::SessionOfAll, |own| own.delete(joining, filter, None));
    }
}

fn violated(message: &str) -> Otherwise {
    Otherwise::new(OtherwiseKind::RequiredRelation, message)
}

/// What an error about rows that are not related says of them.
#[derive(Debug)]
pub(super) enum Unrelated<'s> {
    /// The row above and the named one, by their keys.
    Both {
        parent: &'s Known<'s>,
        child: &'s Known<'s>,
    },
    /// The row above, which has no other.
    Parent(&'s Known<'s>, &'s RelatedRows),
    /// The named row, as the request names it.
    Child(&'s RelatedRows, &'s Selector<'s>),
    Neither(&'s RelatedRows),
}

/// The error of a row that is not related to the one in whose changes it is named.
pub(super) fn unrelated(writes: &RelationWrites, rows: &Unrelated<'_>) -> Otherwise {
    const PATH: &str = "on your mutation path.";
    let gap = Otherwise::GAP;
    let of = |name: &str| format!("with the value '{gap}' for the field '{name}'");
    let key = |row: &Known<'_>| of(&row.rows.key_name);
    let begin = &writes.unrelated;
    let (message, gaps) = match rows {
        Unrelated::Both { parent, child } => (
            format!(
                "{begin} {} connected to a node for the model {} {}",
                key(parent),
                child.rows.name,
                key(child)
            ),
            vec![parent.key.clone(), child.key.clone()],
        ),
        Unrelated::Parent(parent, child) => (
            format!(
                "{begin} {} connected to a node for the model {} {PATH}",
                key(parent),
                child.name
            ),
            vec![parent.key.clone()],
        ),
        Unrelated::Child(child, selected) => (
            format!(
                "{begin} connected to a Node for the model {} {} {PATH}",
                child.name,
                of(selected.name)
            ),
            vec![selected.value.clone()],
        ),
        Unrelated::Neither(child) => {
            (format!("{begin} connected to a Node for the model {} {PATH}", child.name), Vec::new())
        }
    };
    Otherwise { gaps, ..Otherwise::new(OtherwiseKind::Unrelated, message) }
}
