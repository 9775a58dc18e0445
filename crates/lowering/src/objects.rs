//! Changes of objects that refer to each other: rows of several entities with keys of one sequence.
//!
//! The objects of the input become one flat table. Existing ones are looked up by their keys and
//! identifiers, new ones take keys of the sequence, and then each entity needs one statement for all
//! of its rows.
//!
//! * `table`: the objects of a change, and the steps that look for them
//! * `collect`: objects of an input
//! * `insert`: rows and relations of the collected objects
//! * `update`: values that are set and removed
//! * `payload`: results

mod collect;
mod insert;
mod payload;
mod table;
mod update;

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{
    Comparison, Filter, FindPurpose, From, ObjectChange, Operand, OutputId, Rows, StepId, StepKind,
    ValueRef,
};
use response::Node;

use super::filter::FilterContext;
use super::input::{Input, Presence};
use super::selection::misplaced;
use super::variants::OfVariant;
use super::{Context, LowerError, Outputs};
use api::binding::{
    Change, ChangedTypes, FilterRole, InputRole, MutationBinding, ObjectBinding, ObjectRole,
    VariantBinding, WriteRole,
};
use collect::{Collected, Object, Origin};
use payload::{ChangedObjects, Counted};

/// The objects that a filter finds: the step that reads their keys.
#[derive(Clone, Copy, Debug)]
struct Matched {
    step: StepId,
    output: OutputId,
}

/// One of the types of a change.
#[derive(Clone, Debug)]
struct ChangedType<'a> {
    binding: Arc<ObjectBinding>,
    /// Its index among the types.
    place: usize,
    /// Its fields for the common ones, if there are several types.
    variant: Option<&'a VariantBinding>,
}

impl ChangedType<'_> {
    /// Its field for a common one.
    fn field(&self, place: u16) -> Result<FieldId, LowerError> {
        let field = self.variant.and_then(|variant| variant.common.get(usize::from(place)));
        field.copied().ok_or_else(|| misplaced("a common value"))
    }

    /// Its field with the hash of a common password.
    fn password(&self, each: &[FieldId]) -> Result<FieldId, LowerError> {
        each.get(self.place).copied().ok_or_else(|| misplaced("a common password"))
    }
}

impl Matched {
    /// Their keys as a list.
    fn keys(self) -> Operand {
        Operand::Results { step: self.step, output: self.output }
    }
}

impl<'a> Context<'a> {
    /// The node of a change of objects; adds its steps.
    pub(super) fn change_objects(
        &mut self,
        binding: &'a MutationBinding,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        match &binding.change {
            Change::AddObjects(object) => self.add_objects(object, field),
            Change::UpdateObjects(object) => self.update_objects(object, field),
            Change::DeleteObjects(object) => self.delete_objects(object, field),
            _ => Err(misplaced("a change of objects")),
        }
    }

    fn add_objects(
        &mut self,
        binding: &Arc<ObjectBinding>,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let mut added = None;
        let mut is_upsert = false;
        for (id, value) in field.arguments {
            match &self.api.input(*id).role {
                InputRole::Write(WriteRole::Object(ObjectRole::Added)) => {
                    added = Some((*id, value))
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Upsert)) => {
                    is_upsert = self.is_true(&Input::new(value));
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, field.location)),
                _ => return Err(misplaced("an argument of added objects")),
            }
        }
        let mut collected = Collected::default();
        if let Some((id, value)) = added {
            let r#type = self.api.schema[id].r#type.base;
            let origin = if is_upsert { Origin::Upserted } else { Origin::Added };
            for input in self.stored_items(&Input::new(value))? {
                let place = (origin, field.location);
                let object = self.add_object(&input, r#type, binding, place, &mut collected)?;
                collected.top.push(object);
            }
        }
        let table = self.table(&collected, None);
        self.insert_objects(&collected, &table);
        let top = collected.top.iter().map(|object| Some(*object)).collect();
        let created = (0..collected.objects.len()).filter_map(|place| u32::try_from(place).ok());
        let created = created.map(Some).collect();
        let changed = ChangedObjects {
            filters: vec![(binding.entity, listed(binding.key, table.all(top)))],
            counted: Counted::List(binding.key, table.created(created)),
        };
        self.payload_of_objects(field, &changed)
    }

    fn update_objects(
        &mut self,
        types: &'a ChangedTypes,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let mut inputs = Vec::new();
        for (id, value) in field.arguments {
            self.members_of_change(*id, &Input::new(value), field.location, &mut inputs)?;
        }
        let types = self.changed_types(types)?;
        if !self.has_changes(&inputs, field.location)? {
            let first = types.first().ok_or_else(|| misplaced("a change of no type"))?;
            let counted = Counted::List(first.binding.key, Operand::List(Vec::new()));
            return self
                .payload_of_objects(field, &ChangedObjects { filters: Vec::new(), counted });
        }
        let mut found = Vec::new();
        for own in types {
            let purpose = FindPurpose::Update;
            let matched = self.matched(&own, &inputs, purpose, field.location)?;
            for (id, input) in &inputs {
                match &self.api.input(*id).role {
                    InputRole::Write(WriteRole::Object(ObjectRole::Set)) => {
                        self.set_values((*id, input), &own, matched, field.location)?;
                    }
                    InputRole::Write(WriteRole::Object(ObjectRole::Remove)) => {
                        self.remove_values((*id, input), &own, matched, field.location)?;
                    }
                    _ => {}
                }
            }
            found.push((own.binding, matched.keys()));
        }
        self.payload_of_objects(field, &ChangedObjects::found(found))
    }

    fn delete_objects(
        &mut self,
        types: &'a ChangedTypes,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let mut inputs = Vec::new();
        for (id, value) in field.arguments {
            self.members_of_change(*id, &Input::new(value), field.location, &mut inputs)?;
        }
        for (id, _) in &inputs {
            match &self.api.input(*id).role {
                InputRole::Filter(FilterRole::Conditions) => {}
                InputRole::Refused(text) => return Err(LowerError::refused(text, field.location)),
                _ => return Err(misplaced("an input of deleted objects")),
            }
        }
        let mut found = Vec::new();
        for own in self.changed_types(types)? {
            let purpose = FindPurpose::Delete;
            let matched = self.matched(&own, &inputs, purpose, field.location)?;
            found.push((own.binding, matched.keys()));
        }
        // The result shows the objects as they were.
        let node = self.payload_of_objects(field, &ChangedObjects::found(found.clone()))?;
        for (binding, keys) in found {
            let (entity, key) = (binding.entity, binding.key);
            self.add_step(StepKind::Objects(ObjectChange::Delete { entity, key, keys }));
        }
        Ok(node)
    }

    /// The types of a change, each with its fields for the common ones of several.
    fn changed_types(&self, types: &'a ChangedTypes) -> Result<Vec<ChangedType<'a>>, LowerError> {
        let (each, variants) = match types {
            ChangedTypes::One(binding) => {
                let binding = Arc::clone(binding);
                return Ok(vec![ChangedType { binding, place: 0, variant: None }]);
            }
            ChangedTypes::Each { each, variants } => (each, self.api.variants(*variants)),
        };
        if each.len() != variants.len() {
            return Err(misplaced("types of a change"));
        }
        let all = each.iter().zip(variants).enumerate();
        let all = all.map(|(place, (binding, variant))| ChangedType {
            binding: Arc::clone(binding),
            place,
            variant: Some(variant),
        });
        Ok(all.collect())
    }

    /// The arguments of a change, those within objects of inputs too.
    fn members_of_change<'o>(
        &self,
        id: InputId,
        input: &Input<'o>,
        location: Location,
        members: &mut Vec<(InputId, Input<'o>)>,
    ) -> Result<(), LowerError> {
        if self.api.input(id).role != InputRole::Write(WriteRole::Inputs) {
            members.push((id, input.clone()));
            return Ok(());
        }
        let object = self.api.schema[id].r#type.base;
        for (id, input) in self.members_given(input, object, location)? {
            self.members_of_change(id, &input, location, members)?;
        }
        Ok(())
    }

    /// Returns true if an update sets or removes anything; else it finds no object. Checks all inputs.
    fn has_changes(
        &self,
        inputs: &[(InputId, Input<'_>)],
        location: Location,
    ) -> Result<bool, LowerError> {
        let mut has_changes = false;
        for (id, input) in inputs {
            let object = self.api.schema[*id].r#type.base;
            match &self.api.input(*id).role {
                InputRole::Write(WriteRole::Object(ObjectRole::Set)) => {
                    let members = self.members_given(input, object, location)?;
                    let mut members = members.iter();
                    has_changes |=
                        members.any(|(_, input)| self.presence(input) == Presence::Present);
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Remove)) => {
                    has_changes |= !self.members_given(input, object, location)?.is_empty();
                }
                InputRole::Filter(FilterRole::Conditions) => {}
                InputRole::Refused(text) => return Err(LowerError::refused(text, location)),
                _ => return Err(misplaced("an input of updated objects")),
            }
        }
        Ok(has_changes)
    }

    /// The step that reads the keys of the objects which pass the conditions.
    fn matched(
        &mut self,
        own: &ChangedType<'a>,
        inputs: &[(InputId, Input<'_>)],
        purpose: FindPurpose,
        location: Location,
    ) -> Result<Matched, LowerError> {
        let binding = &own.binding;
        let around = match own.variant {
            Some(variant) => FilterContext::of_variant(OfVariant::new(variant)),
            None => FilterContext::default(),
        };
        let mut filters = Vec::new();
        for (id, input) in inputs {
            if let InputRole::Filter(FilterRole::Conditions) = &self.api.input(*id).role {
                filters.extend(self.condition(*id, input, around, location)?);
            }
        }
        let mut outputs = Outputs::default();
        let output = outputs.field(self, &[], binding.key, ir::Form::Stored);
        let rows = self.key_rows(From::Entity(binding.entity), Filter::and(filters), outputs);
        let step = self.add_step(StepKind::Objects(ObjectChange::Find { rows, purpose }));
        Ok(Matched { step, output: OutputId(output.0) })
    }

    /// Rows of which keys are read, and nothing is shown.
    fn key_rows(&mut self, from: From, filter: Filter, outputs: Outputs) -> Rows {
        Rows::unordered(self.rows_id(), from, filter, outputs.into_list())
    }

    /// Adds a part of a change, unless it would change nothing.
    fn add_change(&mut self, change: ObjectChange) {
        self.add_step(StepKind::Objects(change));
    }

    /// Values of updated objects that the dialect generates.
    fn generated_on_update(&self, entity: EntityId) -> &'a [(FieldId, Operand)] {
        self.api.find_entity(entity).map_or(&[], |entity| entity.made_on_update.as_slice())
    }

    /// Values of new objects that the dialect generates.
    fn generated_on_create(&self, entity: EntityId) -> &'a [(FieldId, Operand)] {
        self.api.find_entity(entity).map_or(&[], |entity| entity.made_on_create.as_slice())
    }
}

/// The condition that a key is one of a list.
fn listed(key: FieldId, keys: Operand) -> Filter {
    Filter::Compare { place: ValueRef::field(key), comparison: Comparison::In, operand: keys }
}

/// A list of one value of the request.
fn list_of(value: Operand) -> Operand {
    Operand::List(vec![value])
}

impl Object {
    fn place(place: usize) -> u32 {
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    fn is_outermost(&self) -> bool {
        match self.origin {
            Origin::Added | Origin::Upserted => true,
            Origin::Referred => false,
        }
    }

    /// Whether it has no more than identifiers.
    fn is_bare(&self) -> bool {
        !self.has_relations && self.values.len() == self.identifiers.len()
    }
}
