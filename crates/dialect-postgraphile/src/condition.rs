//! Conditions: an input type for each entity, whose fields must equal columns.

use graphql::schema::{TypeId, TypeKind, TypeRef};

use super::api_types::ComputedValue;
use super::api_types::ValueType;
use super::build::{Build, input};
use super::claims::Claimant;
use super::descriptions;
use super::entity::{Column, Served};
use super::tags::omit::Action;
use api::binding::{FilterRole, InputBinding, Meaning, ValueShape};

/// Adds the condition type of an entity; `None` if no column can be compared. PostGraphile includes
/// columns that the database cannot compare, for testing null.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>) -> Option<TypeId> {
    if !build.offers_entity(one.entity.id, Action::Filter) {
        return None;
    }
    let columns: Vec<(&Column, TypeRef)> = one
        .offered(build, Action::Filter)
        .filter_map(|column| column.value.input.map(|input| (column, input)))
        .collect();
    let computed = filterable(build, one);
    if columns.is_empty() && computed.is_empty() {
        return None;
    }
    let subject = build.entity_name(one.entity.id);
    let name = build.inflection.condition_type(&one.name);
    let claimant = Claimant { subject: &subject, what: "condition type" };
    if let Err(note) = build.types.claim(&name, claimant) {
        build.note_with(note, |build| build.rename_entity(one.entity.id));
        return None;
    }
    let description = descriptions::condition_type(&one.name);
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let r#type = build.add_type(&name, Some(description.into()), kind)?;
    for (column, value) in columns {
        let definition = input(&column.name, &descriptions::condition_field(&column.name), value);
        let role = match column.value.equal {
            true => FilterRole::Equal(column.field),
            false => FilterRole::IsNull { field: column.field, otherwise: refusal(&column.value) },
        };
        let binding =
            InputBinding { role: role.into(), null: Meaning::IsNull, empty: Meaning::Ignore };
        build.api.add_input_field(r#type, definition, binding);
    }
    for (computed, value) in computed {
        // A column has the name, so the function has no field.
        if one.columns.iter().any(|column| column.name == computed.name) {
            continue;
        }
        let description = descriptions::condition_field(&computed.name);
        let definition = input(&computed.name, &description, value);
        let role = FilterRole::EqualComputed(computed.function);
        let binding =
            InputBinding { role: role.into(), null: Meaning::IsNull, empty: Meaning::Ignore };
        build.api.add_input_field(r#type, definition, binding);
    }
    Some(r#type)
}

/// The functions whose values conditions compare, by the functions' tags, with the types of the
/// compared values.
fn filterable(build: &Build<'_>, one: &Served<'_>) -> Vec<(ComputedValue, TypeRef)> {
    let computed = build.computed.get(&one.entity.id).into_iter().flatten();
    let computed = computed.filter(|computed| {
        computed.value.equal
            && !computed.is_list
            && build.function_tags(computed.function).has("filterable")
    });
    computed.filter_map(|computed| Some((computed.clone(), computed.value.input?))).collect()
}

/// PostgreSQL's error where it cannot compare.
fn refusal(value: &ValueType) -> Box<str> {
    let name = &value.database_name;
    match value.value {
        ValueShape::List(_) | ValueShape::Composite => {
            format!("could not identify an equality operator for type {name}").into()
        }
        _ => format!("operator does not exist: {name} = unknown").into(),
    }
}
