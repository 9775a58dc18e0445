//! Nested writes along a relationship of changed nodes.

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use graphql::schema::{InputId, TypeId};
use ir::{
    Assignment, ChildWrite, Conflict, ExistingLink, ExpectedLinks, Filter, Insert, InsertedRows,
    Operand, Otherwise, OtherwiseKind, Update, Write, WriteKind,
};

use super::super::filter::FilterContext;
use super::super::input::{Input, Presence};
use super::super::{Context, LowerError};
use super::WriteInput;
use super::several::Own;
use crate::new_rows::rows_to_insert;
use api::binding::{FilterRole, InputRole, NestedRelationship, NestedWriteVerb, WriteRole};

/// The direction of a nested write: its relationship and nodes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Towards {
    One(NestedRelationship),
    /// Towards the nodes of one of several entities.
    OneOf(Own),
}

/// The inputs of one object for a nested write.
#[derive(Debug, Default)]
struct Step {
    node: WriteInput,
    edge: WriteInput,
    /// True if it has input for the relationship, even an empty one.
    has_edge: bool,
    key: WriteInput,
    /// The error if a node is connected already.
    unless_related: Option<Otherwise>,
}

impl Context<'_> {
    /// Adds all nested writes of one object along a relationship. A condition beside them filters
    /// the changed nodes.
    pub(super) fn read_nested_writes(
        &self,
        to: Towards,
        members: &[(InputId, Input<'_>)],
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let around = match to {
            Towards::One(_) => FilterContext::default(),
            Towards::OneOf(own) => self.around_own(own),
        };
        let mut filters = Vec::new();
        for (id, input) in members {
            if self.api.input(*id).role == InputRole::Filter(FilterRole::Conditions) {
                filters.extend(self.condition(*id, input, around, location)?);
            }
        }
        // A fixed order, independent of the request's: the order of a variable's members is
        // irrelevant.
        let mut members: Vec<&(InputId, Input<'_>)> = members.iter().collect();
        members.sort_by_key(|(id, _)| match self.api.input(*id).role {
            InputRole::Write(WriteRole::NestedWrite { rank, .. }) => rank,
            _ => i8::MIN,
        });
        for (id, input) in members {
            match &self.api.input(*id).role {
                InputRole::Filter(FilterRole::Conditions) => {}
                InputRole::Write(WriteRole::NestedWrite { relationship: None, verb, .. }) => {
                    let before = said.children.len();
                    self.read_nested_write(to, *verb, (*id, input), location, said)?;
                    for child in said.children.iter_mut().skip(before) {
                        self.complete(child, &filters);
                    }
                }
                _ => self.read_node_input(*id, input, location, said)?,
            }
        }
        Ok(())
    }

    /// Adds the filters of the enclosing object to a change, and the requirements on its nodes at
    /// the end.
    fn complete(&self, child: &mut ChildWrite, filters: &[Filter]) {
        let is_changed = match &mut child.write.kind {
            WriteKind::Update(update) => {
                let own = std::mem::replace(&mut update.filter, Filter::all());
                update.filter = Filter::and(filters.iter().cloned().chain([own]).collect());
                !update.assignments.is_empty() || !child.write.children.is_empty()
            }
            WriteKind::Insert(_) => true,
            _ => false,
        };
        if is_changed {
            child.write.children.extend(self.expected(child.write.entity));
        }
    }

    /// Requirements on an entity's relationships, as children of its change.
    pub(super) fn expected(&self, entity: EntityId) -> impl Iterator<Item = ChildWrite> {
        let rules = self.api.find_entity(entity).into_iter();
        rules.flat_map(|entity| &entity.rules.links).map(|rule| {
            let otherwise = rule.otherwise.clone();
            let links = match rule.is_required {
                true => ExpectedLinks::One,
                false => ExpectedLinks::OneOrNone,
            };
            let kind = WriteKind::Expect { links, otherwise };
            let write =
                Write { entity: rule.entity, kind, children: Vec::new(), check: Filter::all() };
            ChildWrite { hop: rule.hop, parents: Vec::new(), write, edge: Vec::new() }
        })
    }

    /// Adds nested writes along a relationship, a child for each object.
    pub(super) fn read_nested_write(
        &self,
        to: Towards,
        verb: NestedWriteVerb,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        for input in self.each(input, r#type)? {
            let input = (&input, r#type.base);
            match to {
                Towards::One(relationship) => {
                    let child = self.nested_write(relationship, verb, None, input, location)?;
                    said.children.push(child);
                }
                Towards::OneOf(own) => {
                    said.children.extend(self.nested_write_of_own(own, verb, input, location)?);
                }
            }
        }
        Ok(())
    }

    /// The nested write of one object along a relationship.
    pub(super) fn nested_write(
        &self,
        relationship: NestedRelationship,
        verb: NestedWriteVerb,
        own: Option<Own>,
        (input, object): (&Input<'_>, TypeId),
        location: Location,
    ) -> Result<ChildWrite, LowerError> {
        let is_new = verb == NestedWriteVerb::Create;
        let NestedRelationship { hop, entity, edge } = relationship;
        let (entity, along) = (Some(entity), Some(hop));
        let node = WriteInput { is_new, entity, own, along, ..WriteInput::default() };
        let edge = WriteInput { entity: edge, own, ..WriteInput::default() };
        let key = WriteInput { entity, ..WriteInput::default() };
        let mut step = Step { node, edge, key, ..Step::default() };
        for (id, input) in self.members_given(input, object, location)? {
            self.read_step(id, &input, location, &mut step)?;
        }
        self.child(relationship, verb, step, location)
    }

    fn read_step(
        &self,
        id: InputId,
        input: &Input<'_>,
        location: Location,
        step: &mut Step,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        match &self.api.input(id).role {
            InputRole::Write(WriteRole::NestedNode) => {
                self.read_members(input, r#type, location, &mut step.node)?
            }
            InputRole::Write(WriteRole::NestedEdge) => {
                step.has_edge = true;
                self.read_members(input, r#type, location, &mut step.edge)?;
            }
            InputRole::Write(WriteRole::NestedKey) => {
                self.read_key(input, id, location, &mut step.key)?
            }
            // The wrapper of a node and its relationship.
            InputRole::Write(WriteRole::Inputs) => {
                for (id, input) in self.members_given(input, r#type.base, location)? {
                    self.read_step(id, &input, location, step)?;
                }
            }
            InputRole::Write(WriteRole::Overwrite { otherwise }) => {
                if self.presence(input) == Presence::Present && !self.is_true(input) {
                    let otherwise = Otherwise::new(OtherwiseKind::Invalid, otherwise.clone());
                    step.unless_related = Some(otherwise);
                }
            }
            _ => self.read_node_input(id, input, location, &mut step.node)?,
        }
        Ok(())
    }

    /// Adds the values of a node's key, none of which is null.
    fn read_key(
        &self,
        input: &Input<'_>,
        id: InputId,
        location: Location,
        key: &mut WriteInput,
    ) -> Result<(), LowerError> {
        for (id, input) in self.members_given(input, self.api.schema[id].r#type.base, location)? {
            if self.presence(&input) != Presence::Present {
                let name = &self.api.schema[id].name;
                let message = format!("{name} must not be null: it tells which node is meant.");
                return Err(LowerError::refused(&message, location));
            }
            self.read_node_input(id, &input, location, key)?;
        }
        Ok(())
    }

    fn child(
        &self,
        relationship: NestedRelationship,
        verb: NestedWriteVerb,
        step: Step,
        location: Location,
    ) -> Result<ChildWrite, LowerError> {
        let NestedRelationship { hop, entity, edge } = relationship;
        let Step { node: WriteInput { assignments, filters, mut children, .. }, .. } = step;
        let filter = Filter::and(filters);
        let said = step.edge.assignments;
        let edge = match (edge, verb) {
            (
                Some(edge),
                NestedWriteVerb::Create
                | NestedWriteVerb::ConnectOnce
                | NestedWriteVerb::ConnectOrCreate,
            ) => {
                let set = |(field, operand)| (field, Assignment::Set(operand));
                self.created(edge, said).into_iter().map(set).collect()
            }
            (Some(edge), NestedWriteVerb::Update) => self.updated(edge, said, step.has_edge),
            // The relationship to an existing node gets the given values, as in the library.
            (
                Some(_),
                NestedWriteVerb::Connect | NestedWriteVerb::Disconnect | NestedWriteVerb::Delete,
            )
            | (None, _) => said,
        };
        let kind = match verb {
            NestedWriteVerb::Create => {
                WriteKind::Insert(rows_to_insert(vec![self.created(entity, assignments)]))
            }
            NestedWriteVerb::Connect => WriteKind::Link { filter, existing: ExistingLink::Link },
            NestedWriteVerb::ConnectOnce => {
                self.expect_connected(entity, &mut children, step.unless_related.is_some());
                let existing = step.unless_related.map_or(ExistingLink::Keep, ExistingLink::Refuse);
                WriteKind::Link { filter, existing }
            }
            NestedWriteVerb::ConnectOrCreate => {
                self.link_or_insert(entity, step.key.assignments, assignments, location)?
            }
            NestedWriteVerb::Disconnect => WriteKind::Unlink { filter },
            NestedWriteVerb::Update => {
                let has_values = !assignments.is_empty();
                let assignments = self.updated(entity, assignments, has_values);
                WriteKind::Update(Update { filter, assignments, at_most: None })
            }
            NestedWriteVerb::Delete => WriteKind::Delete { filter, at_most: None },
        };
        let write = Write { entity, kind, children, check: Filter::all() };
        Ok(ChildWrite { hop, parents: Vec::new(), write, edge })
    }

    /// Nodes that are connected with further ones must meet their requirements, and so must these;
    /// and newly connected ones in any case.
    fn expect_connected(&self, entity: EntityId, children: &mut Vec<ChildWrite>, is_anew: bool) {
        for child in &mut *children {
            child.write.children.extend(self.expected(child.write.entity));
        }
        if is_anew || !children.is_empty() {
            children.extend(self.expected(entity));
        }
    }

    /// A node that is connected, whether it exists or is created.
    fn link_or_insert(
        &self,
        entity: EntityId,
        key: Vec<(FieldId, Assignment)>,
        said: Vec<(FieldId, Assignment)>,
        location: Location,
    ) -> Result<WriteKind, LowerError> {
        let key = set(key);
        if key.is_empty() {
            let message = "What is connected or created is told by a unique value.";
            return Err(LowerError::refused(message, location));
        }
        let are_said: Vec<FieldId> = said.iter().map(|(field, _)| *field).collect();
        let mut values = key.clone();
        for (field, operand) in self.created(entity, said) {
            let own = key.iter().find(|(known, _)| *known == field);
            // Generated values do not replace those of the key.
            if own.is_none_or(|(_, known)| are_said.contains(&field) && *known != operand) {
                values.push((field, operand));
            }
        }
        let (fields, row): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let insert = Insert { fields, rows: InsertedRows::each(vec![row]) };
        let key = key.into_iter().map(|(field, _)| field).collect();
        let conflict = Conflict { key, assignments: Vec::new(), filter: Filter::all() };
        Ok(WriteKind::LinkOrInsert { insert, conflict })
    }
}

/// The assigned values.
pub(super) fn set(assignments: Vec<(FieldId, Assignment)>) -> Vec<(FieldId, Operand)> {
    let values = assignments.into_iter().filter_map(|(field, assignment)| match assignment {
        Assignment::Set(operand) => Some((field, operand)),
        _ => None,
    });
    values.collect()
}
