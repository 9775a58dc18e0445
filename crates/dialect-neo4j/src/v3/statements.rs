//! Fields of `@cypher` of node types, and orders by their values.

use super::roles::unserved;
use crate::model::{FieldKind, Given, ModelField, PlacedField, StatementField, Target};
use crate::shared::attribute::of_statement;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::kinds::Kind;
use crate::shared::objects::in_interface;
use crate::shared::sort::DIRECTION;
use crate::shared::statements::{StatementCall, StatementFields, statement_field};
use api::binding::{InputBinding, OrderRole};

/// The fields of a type that statements return.
pub(super) fn statement_fields(build: &mut Builder<'_>, owner: Owner) -> Vec<DraftField> {
    let mut drawn = Vec::new();
    for (place, field, statement) in statements(build.fields(owner)) {
        if !field.offers.on_read {
            continue;
        }
        drawn.push(match of_statement(build, owner, place, field) {
            Some((statement, placed)) => {
                statement_field(build, field, StatementCall { statement, placed, of_row: true })
            }
            // Those of an interface are those of its types.
            None => StatementFields::of(build).drawn(field, statement, true, in_interface()),
        });
    }
    drawn
}

/// The nodes or maps in maps, by their kinds: interfaces, types and unions, each in the order
/// of the definitions.
pub(super) fn part_fields(build: &Builder<'_>, owner: Owner) -> Vec<DraftField> {
    // An interface has its unions before the others.
    let rank = |given: &Given| match (given, owner) {
        (Given::Several(Target::Union(_), _), Owner::Interface(_)) => 0,
        (Given::Several(Target::Interface(_), _), _) => 1,
        (Given::Node(..) | Given::Value(_) | Given::Object(..), _) => 2,
        (Given::Several(..), _) => 3,
    };
    let all = build.fields(owner).iter().enumerate();
    let mut parts: Vec<(usize, &ModelField, &Given)> = all
        .filter(|(_, field)| field.offers.on_read)
        .filter_map(|(place, field)| match &field.kind {
            FieldKind::Part(given) => Some((place, field, given)),
            FieldKind::Property(_) | FieldKind::Relationship(_) | FieldKind::Statement(_) => None,
        })
        .collect();
    parts.sort_by_key(|(_, _, given)| rank(given));
    let fields = StatementFields::of(build);
    let drawn = |(place, field, given): (usize, &ModelField, &Given)| {
        let binding = match build.placed_field(owner, place) {
            Some(PlacedField::Property(id)) => fields.value_rows(given, *id),
            Some(PlacedField::Paths(_) | PlacedField::Statement(_)) | None => in_interface(),
        };
        DraftField::of(field, &fields.written(given), binding)
    };
    parts.into_iter().map(drawn).collect()
}

/// The orders by values that statements return.
pub(super) fn statement_orders(build: &Builder<'_>, owner: Owner) -> Vec<DraftInput> {
    let sorted =
        statements(build.fields(owner)).filter(|(_, _, statement)| match &statement.result {
            Given::Value(value) => {
                let kind = value.r#type.kind();
                !value.is_list && !matches!(kind, Kind::Point | Kind::Enum | Kind::Scalar)
            }
            Given::Node(..) | Given::Object(..) | Given::Several(..) => false,
        });
    let order = |(place, field, _): (usize, &ModelField, _)| {
        let binding = match of_statement(build, owner, place, field) {
            Some((_, placed)) => InputBinding::lenient(OrderRole::Computed(placed.function)),
            None => unserved("An order by what statements give of nodes of several types"),
        };
        DraftInput::new(&field.name, DIRECTION, binding).deprecated(field.deprecated.as_ref())
    };
    sorted.map(order).collect()
}

/// The fields of statements, each with its place.
fn statements(
    fields: &[ModelField],
) -> impl Iterator<Item = (usize, &ModelField, &StatementField)> {
    fields.iter().enumerate().filter_map(|(place, field)| match &field.kind {
        FieldKind::Statement(statement) => Some((place, field, statement)),
        FieldKind::Property(_) | FieldKind::Relationship(_) | FieldKind::Part(_) => None,
    })
}
