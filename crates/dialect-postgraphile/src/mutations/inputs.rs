//! The input types of rows: of new ones, of patches, and of arguments of functions.

use catalog::{FieldId, Generated};
use graphql::schema::{InputDefinition, TypeId, TypeKind, TypeRef};
use ir::{Member, ValueForm};

use super::{add_member, claim_type};
use crate::api_types::RowInput;
use crate::build::Build;
use crate::descriptions::{self, beyond, mutations};
use crate::entity::{Column, Served, rows_of};
use api::binding::{RowsForm, WriteRole};

/// A writable column.
struct WritableColumn {
    field: FieldId,
    name: String,
    r#type: TypeRef,
    not_null: bool,
}

/// The input type of an entity's rows, made lazily; `None` without a writable column.
pub(crate) fn of_rows(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    row: RowInput,
) -> Option<TypeId> {
    let key = (one.entity.id, row);
    if let Some(known) = build.row_inputs.get(&key) {
        return *known;
    }
    // During its construction, a row that contains such rows gets nothing for them.
    build.row_inputs.insert(key, None);
    let made = make(build, served, one, row);
    build.row_inputs.insert(key, made);
    made
}

fn make(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    row: RowInput,
) -> Option<TypeId> {
    let fields = &one.entity.fields;
    let given = fields.iter().map(|field| given(build, served, one, row, *field));
    let given: Vec<Option<WritableColumn>> = given.collect();
    if given.iter().all(Option::is_none) {
        return None;
    }
    let inflection = build.inflection;
    let (name, description) = match row {
        RowInput::Create => (inflection.input_type(&one.name), descriptions::input_type(&one.name)),
        RowInput::Patch => (inflection.patch_type(&one.name), mutations::patch_type(&one.name)),
        RowInput::Base => {
            (inflection.base_input_type(&one.name), mutations::base_input_type(&one.name))
        }
        RowInput::NestedCreate => {
            (inflection.nested_input(&one.name), beyond::nested_input(&one.name))
        }
        RowInput::NestedPatch => {
            (inflection.nested_patch(&one.name), beyond::nested_patch(&one.name))
        }
    };
    if !claim_type(build, one, &name, "input type") {
        return None;
    }
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let r#type = build.add_type(&name, Some(description.into()), kind)?;
    let mut members = Vec::with_capacity(given.len());
    for given in given {
        let Some(WritableColumn { field, name, r#type: input, not_null }) = given else {
            members.push(None);
            continue;
        };
        let is_made = match row {
            RowInput::Create => true,
            // The reference to a row may come from that row.
            RowInput::NestedCreate => !refers(build, one, field),
            RowInput::Patch | RowInput::Base | RowInput::NestedPatch => false,
        };
        let is_required = is_made && not_null && !has_default(build, field);
        let description = build.annotations.field(field).description.as_deref();
        let definition = InputDefinition {
            description: description.map(Into::into),
            ..InputDefinition::new(&name, input.non_null_if(is_required))
        };
        add_member(build, r#type, definition, WriteRole::Stored(field));
        if build.gives_rows {
            let form = build.api.form(input);
            members.push(Some(Member { name: name.into(), form }));
        }
    }
    // For functions that take a row, and for columns of rows.
    if build.gives_rows {
        build.api.bind_form(r#type, ValueForm::Composite(members));
    }
    Some(r#type)
}

/// A column as an input: a value, or a new row that it contains.
fn given(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    row: RowInput,
    field: FieldId,
) -> Option<WritableColumn> {
    if !can_be_given(build, field, row) {
        return None;
    }
    let unread = || one.unread.iter().find(|column| column.field == field);
    if let Some(Column { name, value, not_null, .. }) = one.column(field).or_else(unread) {
        return Some(WritableColumn {
            field,
            name: name.clone(),
            r#type: value.input?,
            not_null: *not_null,
        });
    }
    let held = one.held.iter().find(|held| held.field == field)?;
    let other = served.get(*build.places.get(&held.entity)?)?;
    let input = TypeRef::named(of_rows(build, served, other, RowInput::Create)?);
    let (_, form) = rows_of(&build.catalog[field].r#type)?;
    let r#type = if form == RowsForm::List { input.list() } else { input };
    Some(WritableColumn { field, name: held.name.clone(), r#type, not_null: held.not_null })
}

/// True if the field can be set.
pub(super) fn can_be_given(build: &Build<'_>, field: FieldId, row: RowInput) -> bool {
    let generated = build.catalog[field].generated;
    !matches!(generated, Some(Generated::Stored | Generated::IdentityAlways))
        && build.offers_field(field, row.action())
}

/// True if the field refers to another row.
fn refers(build: &Build<'_>, one: &Served<'_>, field: FieldId) -> bool {
    let mut outgoing = one.entity.outgoing.iter().map(|id| &build.catalog[*id]);
    outgoing.any(|relationship| relationship.from_fields.contains(&field))
}

/// True if a new row has a default for the field.
pub(super) fn has_default(build: &Build<'_>, field: FieldId) -> bool {
    let definition = &build.catalog[field];
    definition.has_default
        || definition.generated.is_some()
        || build.field_tags(field).has("hasDefault")
}
