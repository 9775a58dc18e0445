//! Orders: an enum for each entity.

use catalog::FieldId;
use graphql::schema::{EnumValueDefinition, TypeId, TypeKind};
use ir::Direction;

use super::api_types::ComputedValue;
use super::build::Build;
use super::claims::{Claimant, Claims};
use super::descriptions;
use super::entity::Served;
use super::tags::omit::Action;
use api::binding::{OrderBy, ValueBinding};

/// No order of its own.
pub(super) const NATURAL: &str = "NATURAL";
pub(super) const PRIMARY_KEY_ASC: &str = "PRIMARY_KEY_ASC";
const PRIMARY_KEY_DESC: &str = "PRIMARY_KEY_DESC";

pub(super) const DIRECTIONS: [(&str, Direction); 2] =
    [("asc", Direction::Ascending), ("desc", Direction::Descending)];

/// Adds the enum of an entity's orders: `NATURAL`, each column in both directions, the primary key
/// in both directions. PostGraphile includes columns that the database cannot sort, too, which then
/// returns an error.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>) -> Option<TypeId> {
    if !build.offers_entity(one.entity.id, Action::Order) {
        return None;
    }
    let subject = build.entity_name(one.entity.id);
    let name = build.inflection.order_type(&one.name);
    if let Err(note) = build.types.claim(&name, Claimant { subject: &subject, what: "order type" })
    {
        build.note_with(note, |build| build.rename_entity(one.entity.id));
        return None;
    }
    let description = descriptions::order_type(&one.name);
    let kind = TypeKind::Enum { values: Vec::new() };
    let r#type = build.add_type(&name, Some(description.into()), kind)?;
    let mut names = Claims::default();
    names.reserve(NATURAL, "the order that PostGraphile calls natural");
    let key = one.primary_key();
    if !key.is_empty() {
        names.reserve(PRIMARY_KEY_ASC, "the order by the primary key");
        names.reserve(PRIMARY_KEY_DESC, "the order by the primary key");
    }

    add_value(build, r#type, NATURAL, ValueBinding::Order(OrderBy::Natural));
    for column in one.offered(build, Action::Order).cloned().collect::<Vec<_>>() {
        let subject = build.field_name(column.field);
        for (suffix, direction) in DIRECTIONS {
            let name = build.inflection.order_value(build.column_name(column.field), suffix);
            match names.claim(&name, Claimant { subject: &subject, what: "order" }) {
                Ok(()) => {
                    let binding = match column.value.ordered {
                        true => ValueBinding::Order(fields(&[column.field], direction, &name)),
                        false => ValueBinding::Refused(refusal(&column.value.database_name)),
                    };
                    add_value(build, r#type, &name, binding);
                }
                Err(note) => build.note_with(note, |build| build.rename_field(column.field)),
            }
        }
    }
    for computed in build.computed.get(&one.entity.id).cloned().unwrap_or_default() {
        add_computed(build, r#type, &computed, &mut names);
    }
    if !key.is_empty() {
        for (name, (_, direction)) in [PRIMARY_KEY_ASC, PRIMARY_KEY_DESC].iter().zip(DIRECTIONS) {
            let order = ValueBinding::Order(fields(key, direction, name));
            add_value(build, r#type, name, order);
        }
    }
    Some(r#type)
}

/// Adds both orders by a function's value, if its tags make it sortable.
fn add_computed(
    build: &mut Build<'_>,
    r#type: TypeId,
    computed: &ComputedValue,
    names: &mut Claims,
) {
    if computed.is_list || !build.function_tags(computed.function).has("sortable") {
        return;
    }
    let function = &build.catalog[computed.function];
    let subject = format!("{}()", build.catalog.function_name(computed.function));
    for (suffix, direction) in DIRECTIONS {
        let name = build.inflection.order_value(&computed.name, suffix);
        if let Err(note) = names.claim(&name, Claimant { subject: &subject, what: "order" }) {
            build.note_with(note, |build| build.rename_function(function, "fieldName"));
            continue;
        }
        let binding = match computed.value.ordered {
            true => ValueBinding::Order(OrderBy::Computed {
                function: computed.function,
                value: computed.field,
                direction,
                cursor_name: name.to_ascii_lowercase().into(),
            }),
            false => ValueBinding::Refused(refusal(&computed.value.database_name)),
        };
        add_value(build, r#type, &name, binding);
    }
}

fn fields(fields: &[FieldId], direction: Direction, name: &str) -> OrderBy {
    let cursor_name = name.to_ascii_lowercase().into();
    OrderBy::Fields { fields: fields.into(), direction, cursor_name }
}

/// PostgreSQL's error where it cannot sort.
fn refusal(database_name: &str) -> Box<str> {
    format!("could not identify an ordering operator for type {database_name}").into()
}

fn add_value(build: &mut Build<'_>, r#type: TypeId, name: &str, binding: ValueBinding) {
    build.api.add_enum_value(r#type, EnumValueDefinition::new(name), binding);
}
