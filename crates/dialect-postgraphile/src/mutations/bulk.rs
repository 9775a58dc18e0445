//! Bulk mutations: insert, update and delete of several rows.
//!
//! A mutation has a condition on the rows, and a limit: one that would change more rows changes
//! nothing.

use graphql::schema::{FieldDefinition, TypeId, TypeRef};

use super::inputs::{self};
use super::rows::claim_field;
use super::{
    Field, Mutations, add_input_type, add_member, claim_type, has_distinct_members, is_offered,
    payload,
};
use crate::api_types::RowInput;
use crate::build::{Build, field, input};
use crate::descriptions::{beyond, mutations as descriptions};
use crate::entity::Served;
use crate::filter;
use crate::naming::Verb;
use crate::tags::deprecation;
use api::binding::{Change, FilterRole, MutationBinding, MutationForm, WriteRole};

/// Adds the fields that change up to `most` rows of each entity.
pub(super) fn add(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    most: u32,
    mutations: &mut Mutations,
) {
    for verb in [Verb::Create, Verb::Update, Verb::Delete] {
        for one in served {
            if is_offered(build, one, verb) {
                add_one(build, served, one, (verb, most), mutations);
            }
        }
    }
}

fn add_one(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    (verb, most): (Verb, u32),
    mutations: &mut Mutations,
) -> Option<()> {
    let row = match verb {
        Verb::Create => Some(inputs::of_rows(build, served, one, RowInput::Create)?),
        Verb::Update => Some(inputs::of_rows(build, served, one, RowInput::Patch)?),
        Verb::Delete => None,
    };
    let types = one.types?;
    if verb != Verb::Create && types.condition.is_none() && types.filter.is_none() {
        // Rows could not be selected.
        return None;
    }
    let table = build.table_name(one.entity.id);
    let name = build.inflection.change_many(verb, table);
    let (rows, patch) = (build.inflection.many_rows(table), build.inflection.patch_field(table));
    let members: &[&str] = match verb {
        Verb::Create => &[&rows],
        Verb::Update => &["condition", "filter", &patch, "atMost"],
        Verb::Delete => &["condition", "filter", "atMost"],
    };
    let members = members.iter().map(|member| (*member, None));
    if !has_distinct_members(build, one, &name, members)
        || !claim_field(build, one, mutations, &name)
    {
        return None;
    }
    let payload = payload::of_many(build, one, verb, &name)?;
    let input_name = build.inflection.input_of(&name);
    if !claim_type(build, one, &input_name, "input type") {
        return None;
    }
    let input_type = add_input_type(build, &input_name, descriptions::input_of(&name))?;
    match (verb, row) {
        (Verb::Create, Some(row)) => add_rows(build, one, input_type, row),
        (_, patch) => add_which(build, one, input_type, patch)?,
    }
    let description = beyond::changes_many(verb, &one.name);
    let definition = FieldDefinition {
        deprecated: deprecation(build.entity_tags(one.entity.id)),
        ..field(&name, &description, TypeRef::named(payload))
    };
    let entity = one.entity.id;
    let change = match verb {
        Verb::Create => Change::CreateMany { entity, most },
        Verb::Update => Change::UpdateMany { entity, most },
        Verb::Delete => Change::DeleteMany { entity, most },
    };
    let binding = MutationBinding {
        change,
        returned: Some(entity),
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    };
    mutations.add_field(build, Field { definition, binding }, input_type);
    Some(())
}

/// Adds the rows to insert.
fn add_rows(build: &mut Build<'_>, one: &Served<'_>, input_type: TypeId, row: TypeId) {
    let name = build.inflection.many_rows(build.table_name(one.entity.id));
    let r#type = TypeRef::named(row).non_null().list().non_null();
    let definition = input(&name, &beyond::rows_to_be_created(&one.name), r#type);
    add_member(build, input_type, definition, WriteRole::Rows);
}

/// Adds the condition and the limit of the rows, and their new values.
fn add_which(
    build: &mut Build<'_>,
    one: &Served<'_>,
    input_type: TypeId,
    patch: Option<TypeId>,
) -> Option<()> {
    let number = build.scalar("Int")?.non_null();
    let types = one.types?;
    if let Some(condition) = types.condition {
        let definition = input("condition", beyond::CONDITION, TypeRef::named(condition));
        add_member(build, input_type, definition, FilterRole::Conditions);
    }
    if let (Some(r#type), Some(options)) = (types.filter, &build.options.connection_filter) {
        let definition = input("filter", beyond::FILTER, TypeRef::named(r#type));
        build.api.add_input_field(input_type, definition, filter::argument(options));
    }
    if let Some(patch) = patch {
        let name = build.inflection.patch_field(build.table_name(one.entity.id));
        let description = descriptions::patch_input(&one.name);
        let definition = input(&name, &description, TypeRef::named(patch).non_null());
        add_member(build, input_type, definition, WriteRole::Inputs);
    }
    let definition = input("atMost", beyond::AT_MOST, number);
    add_member(build, input_type, definition, WriteRole::AtMost);
    Some(())
}
