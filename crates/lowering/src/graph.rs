//! Changes of nodes of a graph, with nested writes along their relationships.
//!
//! They become one write: a nested write is a child of the write of the nodes that it starts from,
//! in order of execution.
//!
//! * `nested_write.rs`: the nested writes along one relationship
//! * `several.rs`: relationships with several entities at an end; `among.rs`: their form in version
//!   3
//! * `conflict.rs`: errors of conflicting inputs

mod among;
mod conflict;
mod nested_write;
mod several;

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::Location;
use graphql::schema::{InputId, TypeKind, TypeRef};
use graphql::value::Value;
use ir::{
    Assignment, ChildWrite, Filter, Hop, Operand, StepId, StepKind, Update, Write, WriteKind,
};

use super::input::{Input, Presence};
use super::new_rows::rows_to_insert;
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{
    AssignVerb, Change, FilterRole, InputRole, Meaning, MultiEntityRole, VariantRole, WriteRole,
};
use nested_write::Towards;
use several::Own;

/// The inputs of a change for nodes of one kind.
#[derive(Debug, Default)]
struct WriteInput {
    assignments: Vec<(FieldId, Assignment)>,
    /// The input that changes each field.
    changed: Vec<(FieldId, InputId)>,
    filters: Vec<Filter>,
    children: Vec<ChildWrite>,
    /// True if the write creates the nodes.
    is_new: bool,
    /// True if they are the nodes of the root field.
    is_outermost: bool,
    /// The entity of the nodes, or of the relationships.
    entity: Option<EntityId>,
    /// The one of several entities that the nodes have.
    own: Option<Own>,
    /// The relationship that leads to them.
    along: Option<Hop>,
}

impl WriteInput {
    fn of_new(entity: EntityId) -> Self {
        Self { is_new: true, entity: Some(entity), ..Self::default() }
    }
}

impl<'a> Context<'a> {
    /// Adds the step of a change of nodes.
    pub(super) fn change_nodes(
        &mut self,
        change: &Change,
        field: &CollectedField<'a>,
    ) -> Result<StepId, LowerError> {
        let write = match change {
            Change::CreateNodes(entity) => self.create_nodes(*entity, field)?,
            Change::UpdateNodes(entity) => {
                let mut said = self.read_arguments(*entity, field)?;
                let has_values = !said.assignments.is_empty();
                let assignments = self.updated(*entity, said.assignments, has_values);
                let filter = Filter::and(said.filters);
                let kind = WriteKind::Update(Update { filter, assignments, at_most: None });
                said.children.extend(self.expected(*entity));
                Write { entity: *entity, kind, children: said.children, check: Filter::all() }
            }
            Change::DeleteNodes(entity) => {
                let said = self.read_arguments(*entity, field)?;
                if !said.assignments.is_empty() {
                    return Err(misplaced("a value of nodes that are deleted"));
                }
                let kind = WriteKind::Delete { filter: Filter::and(said.filters), at_most: None };
                Write { entity: *entity, kind, children: said.children, check: Filter::all() }
            }
            _ => return Err(misplaced("a change of nodes")),
        };
        Ok(self.add_step(StepKind::Write(write)))
    }

    fn create_nodes(
        &self,
        entity: EntityId,
        field: &CollectedField<'_>,
    ) -> Result<Write, LowerError> {
        let mut rows = Vec::new();
        let mut children = Vec::new();
        for (id, value) in field.arguments {
            if self.api.input(*id).role != InputRole::Write(WriteRole::Rows) {
                return Err(misplaced("an input of new nodes"));
            }
            let r#type = self.api.schema[*id].r#type;
            for input in self.items(&Input::new(value))? {
                let mut said = WriteInput::of_new(entity);
                self.read_members(&input, r#type, field.location, &mut said)?;
                if !said.filters.is_empty() {
                    return Err(misplaced("a condition on new nodes"));
                }
                let place = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                let own = |child| ChildWrite { parents: vec![place], ..child };
                children.extend(said.children.into_iter().map(own));
                rows.push(self.created(entity, said.assignments));
            }
        }
        if !rows.is_empty() {
            children.extend(self.expected(entity));
        }
        let kind = WriteKind::Insert(rows_to_insert(rows));
        Ok(Write { entity, kind, children, check: Filter::all() })
    }

    /// Reads all arguments of a field for the nodes that it changes.
    fn read_arguments(
        &self,
        entity: EntityId,
        field: &CollectedField<'_>,
    ) -> Result<WriteInput, LowerError> {
        let mut said =
            WriteInput { entity: Some(entity), is_outermost: true, ..WriteInput::default() };
        let mut arguments: Vec<&(InputId, Value)> = field.arguments.iter().collect();
        arguments.sort_by_key(|(id, _)| self.rank_of(*id));
        for (id, value) in arguments {
            if self.is_given(*id, value, field.location)? {
                self.read_node_input(*id, &Input::new(value), field.location, &mut said)?;
            }
        }
        Ok(said)
    }

    /// The order of an argument among those of its field: the rank of its nested writes.
    fn rank_of(&self, id: InputId) -> i8 {
        let TypeKind::InputObject { fields } =
            &self.api.schema[self.api.schema[id].r#type.base].kind
        else {
            return 0;
        };
        if self.api.input(id).role != InputRole::Write(WriteRole::FurtherWrites) {
            return 0;
        }
        let rank = fields.iter().find_map(|field| match self.api.input(*field).role {
            InputRole::Write(WriteRole::NestedWrite { rank, .. })
            | InputRole::Write(WriteRole::Several(MultiEntityRole::NestedWrite { rank, .. })) => {
                Some(rank)
            }
            _ => None,
        });
        rank.unwrap_or(0)
    }

    /// Adds the inputs of an object, or of each of a list of objects.
    fn read_members(
        &self,
        input: &Input<'_>,
        r#type: TypeRef,
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        for input in self.each(input, r#type)? {
            let mut members = self.members_given(&input, r#type.base, location)?;
            self.leave_overridden(&mut members, location, said)?;
            // Nested writes along one relationship have a fixed order, independent of the
            // request's.
            members.sort_by_key(|(id, _)| match self.api.input(*id).role {
                InputRole::Write(WriteRole::NestedWrite { rank, .. })
                | InputRole::Write(WriteRole::Several(MultiEntityRole::NestedWrite {
                    rank, ..
                })) => rank,
                // Inputs for some entities alone come after those for all.
                InputRole::Variant(VariantRole::On) => i8::MAX,
                _ => i8::MIN,
            });
            for (id, input) in members {
                self.read_node_input(id, &input, location, said)?;
            }
        }
        Ok(())
    }

    /// The object of an input, or the objects of a list.
    fn each<'o>(&self, input: &Input<'o>, r#type: TypeRef) -> Result<Vec<Input<'o>>, LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(Vec::new());
        }
        let mut each = match r#type.item() {
            Some(_) => self.items(input)?,
            None => vec![input.clone()],
        };
        each.retain(|input| self.presence(input) == Presence::Present);
        Ok(each)
    }

    /// Adds one input.
    fn read_node_input(
        &self,
        id: InputId,
        input: &Input<'_>,
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        match &self.api.input(id).role {
            InputRole::Write(WriteRole::Inputs)
            | InputRole::Write(WriteRole::FurtherWrites)
            | InputRole::Variant(VariantRole::On) => {
                self.read_members(input, r#type, location, said)?;
            }
            InputRole::Filter(FilterRole::Conditions) => {
                let stated = self.condition(id, input, self.around(said), location)?;
                said.filters.extend(stated);
            }
            InputRole::Write(WriteRole::Stored(field)) => {
                self.claim(*field, id, location, said)?;
                let operand = self.operand(input, r#type);
                said.assignments.push((*field, Assignment::Set(operand)));
            }
            InputRole::Write(WriteRole::Assign { field, verb }) => {
                self.assign(*field, *verb, (id, input), location, said)?;
            }
            InputRole::Write(WriteRole::Assigns { field, is_required }) => {
                self.assign_by(*field, *is_required, (id, input), location, said)?;
            }
            InputRole::Write(WriteRole::Several(role)) => {
                self.read_several(*role, (id, input), location, said)?;
            }
            InputRole::Variant(VariantRole::Of(number)) => {
                self.read_variant(*number, (id, input), location, said)?;
            }
            InputRole::Write(WriteRole::NestedWrites(relationship)) => {
                for input in self.each(input, r#type)? {
                    let members = self.members_given(&input, r#type.base, location)?;
                    self.read_nested_writes(Towards::One(*relationship), &members, location, said)?;
                }
            }
            InputRole::Write(WriteRole::NestedWrite { relationship: Some(own), verb, .. }) => {
                self.read_nested_write(Towards::One(*own), *verb, (id, input), location, said)?;
            }
            InputRole::Refused(text) => {
                if self.presence(input) == Presence::Present {
                    return Err(LowerError::refused(text, location));
                }
            }
            _ => return Err(misplaced("an input of a change of nodes")),
        }
        Ok(())
    }

    /// Adds the assignment of a field.
    fn assign(
        &self,
        field: FieldId,
        verb: AssignVerb,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let is_required = matches!(self.api.input(id).null(), Meaning::Refuse(_));
        self.check_null((id, input), (verb, is_required), location, said)?;
        self.claim(field, id, location, said)?;
        let operand = self.operand(input, self.api.schema[id].r#type);
        said.assignments.push((field, assignment(verb, operand)));
        Ok(())
    }

    /// The same by an object that names the assignments.
    fn assign_by(
        &self,
        field: FieldId,
        is_required: bool,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        for input in self.each(input, r#type)? {
            let members = self.members_given(&input, r#type.base, location)?;
            if let [_, _, ..] = members.as_slice() {
                let verbs = members.iter().map(|(verb, _)| *verb);
                return Err(self.conflict_within(id, verbs, location, said));
            }
            if !members.is_empty() {
                self.claim(field, id, location, said)?;
            }
            for (member, input) in members {
                let InputRole::Write(WriteRole::AssignBy(verb)) = self.api.input(member).role
                else {
                    return Err(misplaced("what becomes of a value"));
                };
                self.check_null((id, &input), (verb, is_required), location, said)?;
                let operand = self.operand(&input, self.api.schema[member].r#type);
                said.assignments.push((field, assignment(verb, operand)));
            }
        }
        Ok(())
    }

    /// Rejects null for required values, and for operands of computations.
    fn check_null(
        &self,
        (id, input): (InputId, &Input<'_>),
        (verb, is_required): (AssignVerb, bool),
        location: Location,
        said: &WriteInput,
    ) -> Result<(), LowerError> {
        if self.presence(input) == Presence::Present || (verb == AssignVerb::Set && !is_required) {
            return Ok(());
        }
        // Version 7's name `title_SET` sets `title`.
        let name = &*self.api.schema[id].name;
        let name = name.strip_suffix("_SET").unwrap_or(name);
        let message = match verb {
            AssignVerb::Set => match self.name_of(said) {
                Some(of) => format!("Cannot set non-nullable field {of}.{name} to null"),
                None => format!("Cannot set non-nullable field {name} to null"),
            },
            _ => format!("Cannot change {name} by null."),
        };
        Err(LowerError::refused(&message, location))
    }

    /// The values of a new node, with generated ones.
    fn created(
        &self,
        entity: EntityId,
        said: Vec<(FieldId, Assignment)>,
    ) -> Vec<(FieldId, Operand)> {
        let mut values = nested_write::set(said);
        for (field, operand) in
            self.api.find_entity(entity).into_iter().flat_map(|entity| &entity.made_on_create)
        {
            if !values.iter().any(|(said, _)| self.api.hold_one_value(*said, *field)) {
                values.push((*field, operand.clone()));
            }
        }
        values
    }

    /// The assignments of an updated node, with generated ones.
    fn updated(
        &self,
        entity: EntityId,
        mut said: Vec<(FieldId, Assignment)>,
        has_values: bool,
    ) -> Vec<(FieldId, Assignment)> {
        let binding = self.api.find_entity(entity);
        let binding = binding.filter(|known| has_values || !known.rules.is_made_with_values);
        for (field, operand) in binding.into_iter().flat_map(|entity| &entity.made_on_update) {
            if !said.iter().any(|(known, _)| self.api.hold_one_value(*known, *field)) {
                said.push((*field, Assignment::Set(operand.clone())));
            }
        }
        said
    }
}

pub(super) fn assignment(verb: AssignVerb, operand: Operand) -> Assignment {
    match verb {
        AssignVerb::Set => Assignment::Set(operand),
        AssignVerb::Add => Assignment::Add(operand),
        AssignVerb::AddWithin => Assignment::AddWithin(operand),
        AssignVerb::Subtract => Assignment::Subtract(operand),
        AssignVerb::Multiply => Assignment::Multiply(operand),
        AssignVerb::Divide => Assignment::Divide(operand),
        AssignVerb::Push => Assignment::Push(operand),
        AssignVerb::Pop => Assignment::Pop(operand),
        AssignVerb::Merge => Assignment::Merge(operand),
        AssignVerb::Prepend => Assignment::Prepend(operand),
        AssignVerb::DeleteKey => Assignment::DeleteKey(operand),
        AssignVerb::DeleteElement => Assignment::DeleteElement(operand),
        AssignVerb::DeletePath => Assignment::DeletePath(operand),
    }
}
