//! Conditions: an input type for each entity, whose fields must equal columns.

use graphql::schema::{TypeId, TypeKind};

use super::build::{Build, input};
use super::claims::Claimant;
use super::descriptions;
use super::entity::Served;
use crate::binding::{InputBinding, InputRole, Meaning};

/// Adds the condition type of an entity; `None` if no column can be compared.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>) -> Option<TypeId> {
    let mut columns = one
        .columns
        .iter()
        .filter_map(|column| column.value.input.map(|input| (column, input)))
        .peekable();
    columns.peek()?;
    let subject = build.entity_name(one.entity.id);
    let name = build.inflection.condition_type(&one.name);
    let claimant = Claimant { subject: &subject, what: "condition type" };
    if let Err(note) = build.types.claim(&name, claimant) {
        build.note(note);
        return None;
    }
    let description = descriptions::condition_type(&one.name);
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let r#type = build.add_type(&name, Some(description.into()), kind)?;
    for (column, value) in columns {
        let definition = input(&column.name, &descriptions::condition_field(&column.name), value);
        let role = InputRole::Equal(column.field);
        let binding = InputBinding { role, null: Meaning::IsNull, empty: Meaning::Ignore };
        build.api.add_input_field(r#type, definition, binding);
    }
    Some(r#type)
}
