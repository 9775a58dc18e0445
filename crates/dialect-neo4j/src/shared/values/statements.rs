//! Results of statements in responses, and the arguments of statements.

use super::column;
use crate::model::{
    ApiVersion, FieldKind, Given, Model, Placed, PlacedField, PlacedStatement, StatementField,
};
use api::ApiBuilder;
use api::binding::{ArgumentBinding, CallBinding, Cursors, EntityBinding};

/// Binds all statements, and the objects that they give.
pub(super) fn bind(
    builder: &mut ApiBuilder,
    (model, version): (&Model, ApiVersion),
    placed: &Placed,
) {
    for (object, (entity, ids)) in model.objects.iter().zip(&placed.objects) {
        for (field, id) in object.fields.iter().zip(ids) {
            if let Given::Value(property) = &field.given {
                builder.bind_column(*id, column(model, property, version));
            }
        }
        let binding = EntityBinding { cursors: Cursors::Offsets, ..EntityBinding::default() };
        builder.bind_entity(*entity, binding);
    }
    for (node, placed) in model.nodes.iter().zip(&placed.nodes) {
        for (field, placed) in node.fields.iter().zip(&placed.fields) {
            if let (FieldKind::Statement(statement), PlacedField::Statement(placed)) =
                (&field.kind, placed)
            {
                bind_statement(builder, (model, version), statement, *placed, true);
            }
        }
    }
    let queries = model.queries.iter().zip(&placed.queries);
    let mutations = model.mutations.iter().zip(&placed.mutations);
    for (field, placed) in queries.chain(mutations) {
        if let FieldKind::Statement(statement) = &field.kind {
            bind_statement(builder, (model, version), statement, *placed, false);
        }
    }
}

fn bind_statement(
    builder: &mut ApiBuilder,
    (model, version): (&Model, ApiVersion),
    statement: &StatementField,
    placed: PlacedStatement,
    of_row: bool,
) {
    let arguments = arguments(statement, of_row).collect();
    builder.bind_call(placed.function, CallBinding { arguments, ..CallBinding::default() });
    if let (Given::Value(property), Some(value)) = (&statement.result, placed.value) {
        let mut property = property.clone();
        // Of a root the values of a list are rows.
        property.is_list &= of_row;
        builder.bind_column(value, column(model, &property, version));
        let binding = EntityBinding {
            cursors: Cursors::Offsets,
            value: Some(value),
            ..EntityBinding::default()
        };
        builder.bind_entity(placed.entity, binding);
    }
}

/// The arguments of a statement: the row comes before them.
pub(crate) fn arguments(
    statement: &StatementField,
    of_row: bool,
) -> impl Iterator<Item = ArgumentBinding> {
    let first = usize::from(of_row);
    let places = first..first + statement.arguments.len();
    places.map(|place| ArgumentBinding {
        place: u16::try_from(place).unwrap_or(u16::MAX),
        optional: false,
        named: true,
    })
}
