//! Upserts: insert of a row, or update of the existing one, by each writable key.

use graphql::schema::{FieldDefinition, TypeId, TypeRef};

use super::inputs::{self};
use super::rows::{claim_field, columns_of_key};
use super::{
    Field, Mutations, add_input_type, add_member, claim_type, has_distinct_members, is_offered,
    payload,
};
use crate::api_types::RowInput;
use crate::build::{Build, field, input};
use crate::descriptions::{beyond, mutations as descriptions};
use crate::entity::{Column, Served};
use crate::naming::Verb;
use crate::root;
use crate::tags::deprecation;
use crate::tags::omit::Action;
use api::binding::{Change, MutationBinding, MutationForm, WriteRole};

/// Adds the fields of each entity whose rows may be both inserted and updated.
pub(super) fn add(build: &mut Build<'_>, served: &[Served<'_>], mutations: &mut Mutations) {
    for one in served {
        if is_offered(build, one, Verb::Create) && is_offered(build, one, Verb::Update) {
            add_of(build, served, one, mutations);
        }
    }
}

fn add_of(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    mutations: &mut Mutations,
) -> Option<()> {
    let keys: Vec<Vec<Column>> =
        root::keys(one).into_iter().filter_map(|place| key(build, one, place)).collect();
    if keys.is_empty() {
        return None;
    }
    let row = inputs::of_rows(build, served, one, RowInput::Create)?;
    let payload = payload::of_upsert(build, served, one)?;
    for key in &keys {
        add_by(build, one, key, (row, payload), mutations);
    }
    Some(())
}

/// A key that the source enforces immediately, and that a new row can set.
fn key(build: &Build<'_>, one: &Served<'_>, place: usize) -> Option<Vec<Column>> {
    one.entity.keys.get(place).filter(|key| key.detects_conflicts())?;
    let columns = columns_of_key(build, one, place, Verb::Update)?;
    let is_given = |column: &Column| inputs::can_be_given(build, column.field, RowInput::Create);
    columns.iter().all(is_given).then_some(columns)
}

fn add_by(
    build: &mut Build<'_>,
    one: &Served<'_>,
    key: &[Column],
    (row, payload): (TypeId, TypeId),
    mutations: &mut Mutations,
) -> Option<()> {
    let table = build.table_name(one.entity.id);
    let key: Box<[_]> = key.iter().map(|column| column.field).collect();
    let name = build.inflection.upsert_by(table, &build.column_names(&key));
    let member = build.inflection.table_field(table);
    if !has_distinct_members(build, one, &name, [(&*member, None)])
        || !claim_field(build, one, mutations, &name)
    {
        return None;
    }
    let input_name = build.inflection.input_of(&name);
    if !claim_type(build, one, &input_name, "input type") {
        return None;
    }
    let input_type = add_input_type(build, &input_name, descriptions::input_of(&name))?;
    let description = beyond::to_be_upserted(&one.name);
    let r#type = TypeRef::named(row).non_null();
    let definition = input(&member, &description, r#type);
    add_member(build, input_type, definition, WriteRole::Inputs);
    let definition = FieldDefinition {
        deprecated: deprecation(build.entity_tags(one.entity.id)),
        ..field(&name, &beyond::upserts(&one.name), TypeRef::named(payload))
    };
    let entity = one.entity.id;
    // Columns that an update cannot set, an upsert cannot set either.
    let fields = one.entity.fields.iter().copied();
    let kept = fields.filter(|field| !build.offers_field(*field, Action::Update)).collect();
    let binding = MutationBinding {
        change: Change::Upsert { entity, key, kept },
        returned: Some(entity),
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    };
    mutations.add_field(build, Field { definition, binding }, input_type);
    Some(())
}
