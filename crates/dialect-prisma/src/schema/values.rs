//! Stored values in the API.

use std::sync::Arc;

use api::ApiBuilder;
use api::binding::{ColumnBinding, Cursors, EntityBinding, ValueShape};
use catalog::{Scalar as Stored, Type};
use ir::{Form, NewId, Operand, Value};
use response::{EnumNames, JsonForm, Leaf};

use crate::located::{Located, LocatedColumn, LocatedField};
use crate::model::{
    Behaviour, Default, EnumIndex, FieldKind, HiddenMoment, IdStrategy, Key, Model, ScalarField,
    ScalarType, TypeIndex,
};

/// Binds the output of the values of all types, the order of their rows, and the values that new and
/// changed rows get.
pub(super) fn bind(builder: &mut ApiBuilder, model: &Model, located: &Located) {
    for (index, r#type) in model.types.iter().enumerate() {
        let index = TypeIndex(index);
        let Some(rows) = located.r#type(index) else { continue };
        let mut entity = EntityBinding {
            tie_break: vec![rows.key],
            cursors: Cursors::Keys,
            ..EntityBinding::default()
        };
        if r#type.key == Key::Hidden {
            builder.bind_column(rows.key, single(Leaf::Text));
            entity.made_on_create.push((rows.key, Operand::NewId(NewId::Cuid)));
        }
        for (moment, field) in &rows.hidden {
            entity.made_on_create.push((*field, Operand::Now));
            if *moment == HiddenMoment::UpdatedAt {
                entity.made_on_update.push((*field, Operand::Now));
            }
        }
        for (field, place) in r#type.fields.iter().zip(&rows.fields) {
            match (&field.kind, place) {
                (FieldKind::Scalar(scalar), LocatedField::Column(column)) => {
                    let leaf = leaf(model, scalar.r#type, column);
                    builder.bind_column(column.field, single(leaf));
                    if column.is_generated {
                        continue;
                    }
                    entity.made_on_create.extend(made(scalar, column));
                    if scalar.behaviour == Behaviour::UpdatedAt {
                        entity.made_on_update.push((column.field, Operand::Now));
                    }
                }
                (FieldKind::ScalarList { r#type, .. }, LocatedField::List(list)) => {
                    let leaf = leaf(model, *r#type, &list.value);
                    builder.bind_column(list.value.field, single(leaf));
                    let elements = EntityBinding {
                        tie_break: vec![list.position],
                        value: Some(list.value.field),
                        ..EntityBinding::default()
                    };
                    builder.bind_entity(list.entity, elements);
                }
                _ => {}
            }
        }
        builder.bind_entity(rows.entity, entity);
    }
}

/// The value of a new row that its client does not give.
fn made(scalar: &ScalarField, column: &LocatedColumn) -> Option<(catalog::FieldId, Operand)> {
    let operand = match (&scalar.behaviour, &scalar.default) {
        (Behaviour::CreatedAt | Behaviour::UpdatedAt, _) => Operand::Now,
        (Behaviour::Id(IdStrategy::Auto), _) => match scalar.r#type {
            ScalarType::Uuid => Operand::NewId(NewId::Uuid),
            ScalarType::Int => return None,
            _ => Operand::NewId(NewId::Cuid),
        },
        (_, Some(default)) => Operand::Constant(match default {
            Default::OfDatabase => return None,
            Default::Text(text) => Value::Text(text.clone()),
            Default::Int(number) => Value::Integer(*number),
            Default::Float(number) => Value::Number(number.to_string().into()),
            Default::Boolean(value) => Value::Boolean(*value),
        }),
        (Behaviour::Plain | Behaviour::Id(_), None) => return None,
    };
    Some((column.field, operand))
}

/// The output of a field's value.
pub(super) fn leaf(model: &Model, r#type: ScalarType, column: &LocatedColumn) -> Leaf {
    match r#type {
        ScalarType::Id | ScalarType::String => Leaf::Text,
        ScalarType::Uuid => Leaf::Uuid,
        ScalarType::Int => Leaf::Int,
        ScalarType::Float => Leaf::Float,
        ScalarType::Boolean => Leaf::Boolean,
        ScalarType::DateTime => moment(&column.r#type),
        ScalarType::Json => Leaf::Json(JsonForm::Embedded),
        ScalarType::Enum(index) => enum_leaf(model, index),
    }
}

fn moment(stored: &Type) -> Leaf {
    match stored {
        Type::Scalar(Stored::Epoch(unit)) => Leaf::UtcMilliseconds(Some(api::epoch(*unit))),
        _ => Leaf::UtcMilliseconds(None),
    }
}

fn enum_leaf(model: &Model, EnumIndex(index): EnumIndex) -> Leaf {
    let names = model
        .enums
        .get(index)
        .into_iter()
        .flat_map(|known| known.labels.iter().cloned().zip(known.values.iter().cloned()));
    Leaf::Enum(Arc::new(EnumNames::new(names)))
}

fn single(leaf: Leaf) -> ColumnBinding {
    let value = ValueShape::Leaf(leaf.clone());
    ColumnBinding { value, form: Form::Stored, node_id: leaf.clone(), json: leaf }
}
