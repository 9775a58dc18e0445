//! Nested mutations of a row with its connected rows.
//!
//! Their fields and input types differ from those without the option: a column that refers to a row
//! is required there, and here it may come from the row.
//!
//! * [`relations`]: relations of an entity
//! * [`types`]: the input types

mod relations;
mod types;

use graphql::schema::TypeRef;

use super::rows::{self, claim_field};
use super::{Mutations, add_input_type, add_member, claim_type, has_distinct_members, is_offered};
use crate::api_types::RowInput;
use crate::build::{Build, field, input};
use crate::descriptions::mutations as descriptions;
use crate::entity::Served;
use crate::naming::Verb;
use api::binding::{Change, MutationBinding, NestedChange, WriteRole};
use types::NestedTypes;

/// Adds the fields that insert or update a row of each entity with connected rows, with a limit of
/// `most` rows in all.
pub(super) fn add(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    most: u32,
    mutations: &mut Mutations,
) {
    let mut types = NestedTypes::new(build, served);
    for one in served {
        add_create(build, one, most, &mut types, mutations);
    }
    for one in served {
        add_updates(build, one, most, &mut types, mutations);
    }
    types.complete(build);
}

fn add_create(
    build: &mut Build<'_>,
    one: &Served<'_>,
    most: u32,
    types: &mut NestedTypes<'_, '_>,
    mutations: &mut Mutations,
) -> Option<()> {
    let entity = one.entity.id;
    let payload = *mutations.payloads.get(&(entity, Verb::Create))?;
    if one.primary_key().is_empty() || !types.is_connected(entity, RowInput::NestedCreate) {
        return None;
    }
    let table = build.table_name(entity);
    let name = build.inflection.nested(&build.inflection.create(table));
    let member = build.inflection.table_field(table);
    if !has_distinct_members(build, one, &name, [(&*member, None)])
        || !claim_field(build, one, mutations, &name)
    {
        return None;
    }
    let row = types.of_rows(build, entity, RowInput::NestedCreate)?;
    let input_name = build.inflection.input_of(&name);
    if !claim_type(build, one, &input_name, "input type") {
        return None;
    }
    let input_type = add_input_type(build, &input_name, descriptions::input_of(&name))?;
    let r#type = TypeRef::named(row).non_null();
    let description = descriptions::to_be_created(&one.name);
    let definition = input(&member, &description, r#type);
    add_member(build, input_type, definition, WriteRole::Inputs);
    let definition = field(&name, &descriptions::creates(&one.name), TypeRef::named(payload));
    let definition = rows::nested_definition(definition);
    let change = Change::Nested(nested_change(one, most, true));
    let binding = MutationBinding { change, ..rows::binding(build, one, Verb::Create) };
    rows::add_field(build, one, mutations, (definition, binding), input_type);
    Some(())
}

fn add_updates(
    build: &mut Build<'_>,
    one: &Served<'_>,
    most: u32,
    types: &mut NestedTypes<'_, '_>,
    mutations: &mut Mutations,
) -> Option<()> {
    let entity = one.entity.id;
    let payload = *mutations.payloads.get(&(entity, Verb::Update))?;
    let is_connected = types.is_connected(entity, RowInput::NestedPatch);
    if one.primary_key().is_empty() || !is_connected || !is_offered(build, one, Verb::Update) {
        return None;
    }
    let patch = types.of_rows(build, entity, RowInput::NestedPatch)?;
    let change = nested_change(one, most, false);
    rows::add_nested_changes(build, one, (patch, payload), change, mutations);
    Some(())
}

fn nested_change(one: &Served<'_>, most: u32, is_new: bool) -> NestedChange {
    NestedChange { entity: one.entity.id, key: one.primary_key().into(), is_new, most }
}
