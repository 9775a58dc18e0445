//! The input types of nested rows. They refer to one another in cycles, so each is made lazily, and
//! gets its relations once all exist.

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use graphql::schema::{TypeId, TypeKind, TypeRef};
use rustc_hash::FxHashMap;

use super::super::inputs;
use super::super::{add_member, claim_type};
use super::relations::{NestedRelation, can_be_said, keys_said, relations};
use crate::api_types::RowInput;
use crate::build::{Build, input};
use crate::descriptions::beyond;
use crate::entity::Served;
use api::binding::{ArgumentRole, FilterRole, NestedBinding, NestedVerb, WriteRole};

/// The types so far.
pub(super) struct NestedTypes<'s, 'c> {
    served: &'s [Served<'c>],
    /// The relations of each entity.
    ways: FxHashMap<EntityId, Vec<NestedRelation>>,
    /// The input of each entity's key.
    keys: FxHashMap<EntityId, Option<RowKey>>,
    /// Types of rows without relations so far.
    open: Vec<(EntityId, RowInput, TypeId)>,
}

/// The input of a row's key.
#[derive(Clone)]
struct RowKey {
    r#type: TypeId,
    keys: Arc<[Box<[FieldId]>]>,
}

impl<'s, 'c> NestedTypes<'s, 'c> {
    pub(super) fn new(build: &Build<'_>, served: &'s [Served<'c>]) -> Self {
        let ways =
            served.iter().map(|one| (one.entity.id, relations(build, served, one))).collect();
        Self { served, ways, keys: FxHashMap::default(), open: Vec::new() }
    }

    /// True if such a row has nested inputs for its connected rows.
    pub(super) fn is_connected(&self, entity: EntityId, row: RowInput) -> bool {
        let ways = self.ways.get(&entity).map_or(&[][..], |ways| ways);
        ways.iter().any(|way| !verbs(way, row).is_empty())
    }

    /// The input type of an entity's rows; `None` without writable columns.
    pub(super) fn of_rows(
        &mut self,
        build: &mut Build<'_>,
        entity: EntityId,
        row: RowInput,
    ) -> Option<TypeId> {
        if let Some(known) = build.row_inputs.get(&(entity, row)) {
            return *known;
        }
        let one = self.served.get(*build.places.get(&entity)?)?;
        let made = inputs::of_rows(build, self.served, one, row)?;
        self.open.push((entity, row, made));
        Some(made)
    }

    /// Adds the relations of all types.
    pub(super) fn complete(mut self, build: &mut Build<'_>) {
        while let Some((entity, row, r#type)) = self.open.pop() {
            let ways = self.ways.remove(&entity).unwrap_or_default();
            for way in &ways {
                self.add_relation(build, (entity, row, r#type), way);
            }
            self.ways.insert(entity, ways);
        }
    }

    fn add_relation(
        &mut self,
        build: &mut Build<'_>,
        (entity, row, r#type): (EntityId, RowInput, TypeId),
        way: &NestedRelation,
    ) -> Option<()> {
        if build.api.schema().find_input_field(r#type, &way.name).is_some() {
            // A writable column that is not readable may have the name.
            return None;
        }
        let one = self.served.get(*build.places.get(&entity)?)?;
        let other = self.served.get(*build.places.get(&way.entity)?)?;
        let mut members = Vec::new();
        for verb in verbs(way, row) {
            members.extend(self.member(build, way, *verb).map(|member| (*verb, member)));
        }
        if members.is_empty() {
            return None;
        }
        let name = format!("{}-{}", one.name, way.name);
        let name = match row {
            RowInput::NestedPatch => build.inflection.nested_patch(&name),
            _ => build.inflection.nested_input(&name),
        };
        if !claim_type(build, one, &name, "input type") {
            return None;
        }
        let description = beyond::nested_relation(&other.name);
        let kind = TypeKind::InputObject { fields: Vec::new() };
        let relation = build.add_type(&name, Some(description.clone().into()), kind)?;
        for (verb, member) in members {
            let (name, description) = words(verb, way.is_single);
            let role = WriteRole::NestedIn(verb);
            add_member(build, relation, input(name, description, member), role);
        }
        let keys = self.key(build, way.entity).map_or_else(|| Arc::from([]), |key| key.keys);
        let binding = NestedBinding {
            entity: way.entity,
            reference: way.reference.clone(),
            is_single: way.is_single,
            keys,
        };
        let definition = input(&way.name, &description, TypeRef::named(relation));
        add_member(build, r#type, definition, WriteRole::Nested(Box::new(binding)));
        Some(())
    }

    /// The type of a verb's input.
    fn member(
        &mut self,
        build: &mut Build<'_>,
        way: &NestedRelation,
        verb: NestedVerb,
    ) -> Option<TypeRef> {
        let row = match verb {
            NestedVerb::Create => self.of_rows(build, way.entity, RowInput::NestedCreate)?,
            NestedVerb::Disconnect if way.is_single => return build.scalar("Boolean"),
            NestedVerb::Disconnect | NestedVerb::Set | NestedVerb::Connect => {
                self.key(build, way.entity)?.r#type
            }
        };
        let row = TypeRef::named(row);
        Some(if way.is_single { row } else { row.non_null().list() })
    }

    /// The input of an entity's key, made lazily.
    fn key(&mut self, build: &mut Build<'_>, entity: EntityId) -> Option<RowKey> {
        if let Some(known) = self.keys.get(&entity) {
            return known.clone();
        }
        let made = self.make_key(build, entity);
        self.keys.insert(entity, made.clone());
        made
    }

    fn make_key(&self, build: &mut Build<'_>, entity: EntityId) -> Option<RowKey> {
        let one = self.served.get(*build.places.get(&entity)?)?;
        let name = build.inflection.nested_key(&one.name);
        if !can_be_said(build, one) || !claim_type(build, one, &name, "input type") {
            return None;
        }
        let kind = TypeKind::InputObject { fields: Vec::new() };
        let by_id = build.has_node_ids(entity);
        let description = beyond::nested_key(&one.name, by_id);
        let r#type = build.add_type(&name, Some(description.into()), kind)?;
        if by_id {
            let id = input(build.inflection.node_id(), beyond::NESTED_NODE_ID, build.scalar("ID")?);
            add_member(build, r#type, id, ArgumentRole::NodeId);
        }
        let keys: Vec<Box<[FieldId]>> = keys_said(build, one).into_iter().map(Into::into).collect();
        let mut given: Vec<FieldId> = keys.iter().flatten().copied().collect();
        given.sort_unstable();
        given.dedup();
        for field in given {
            let column = one.column(field)?;
            let description = build.annotations.field(field).description.clone();
            let description = description.as_deref().unwrap_or_default();
            let definition = graphql::schema::InputDefinition {
                description: (!description.is_empty()).then(|| description.into()),
                ..graphql::schema::InputDefinition::new(&column.name, column.value.input?)
            };
            add_member(build, r#type, definition, FilterRole::Equal(field));
        }
        Some(RowKey { r#type, keys: keys.into() })
    }
}

/// The verbs of a relation.
fn verbs(way: &NestedRelation, row: RowInput) -> &[NestedVerb] {
    match row {
        RowInput::NestedPatch => &way.of_there,
        _ => &way.of_new,
    }
}

/// The names of a verb in the API.
fn words(verb: NestedVerb, is_single: bool) -> (&'static str, &'static str) {
    match (verb, is_single) {
        (NestedVerb::Create, true) => ("create", beyond::NESTED_CREATE_ONE),
        (NestedVerb::Create, false) => ("create", beyond::NESTED_CREATE),
        (NestedVerb::Connect, true) => ("connect", beyond::NESTED_CONNECT_ONE),
        (NestedVerb::Connect, false) => ("connect", beyond::NESTED_CONNECT),
        (NestedVerb::Disconnect, true) => ("disconnect", beyond::NESTED_DISCONNECT_ONE),
        (NestedVerb::Disconnect, false) => ("disconnect", beyond::NESTED_DISCONNECT),
        (NestedVerb::Set, _) => ("set", beyond::NESTED_SET),
    }
}
