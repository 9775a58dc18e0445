//! Stored values in the API.

use std::sync::Arc;

use catalog::{Scalar as Stored, Type};
use ir::{Form, Operand, Value};
use response::{EnumNames, JsonForm, Leaf};

use super::facts::{is_foreign_id, is_id};
use crate::located::{Located, LocatedColumn};
use crate::model::{Base, Default, EnumIndex, Field, Model, Scalar, TypeIndex};
use api::binding::{ColumnBinding, EntityBinding, ValueShape};
use api::{Absent, ApiBuilder, epoch};

/// The text of a true default.
const TRUE: &str = "true";

/// Binds the output of the values of all types, and the order of their rows.
pub(super) fn bind(builder: &mut ApiBuilder, model: &Model, located: &Located) {
    for (index, r#type) in model.types.iter().enumerate() {
        let index = TypeIndex(index);
        let Some(rows) = located.rows(index) else { continue };
        let id = single(Leaf::HexadecimalId);
        builder.bind_column(rows.key, id);
        for (place, field) in r#type.fields.iter().enumerate() {
            match located.column(index, place) {
                Some(column) if is_foreign_id(field) => {
                    builder.bind_column(column.field, single(Leaf::Text));
                }
                Some(column) if !is_id(field) => {
                    builder.bind_column(column.field, column_binding(model, field, column));
                    // A list without a value is empty in answers.
                    if field.r#type.list.is_some() {
                        let json = Some(b"[]".as_slice().into());
                        builder.bind_absent(column.field, Absent { value: None, json });
                    }
                }
                Some(_) | None => {}
            }
        }
        let generated = |default: fn(&Field) -> &Option<Default>| {
            let fields = r#type.fields.iter().enumerate();
            let generated = fields.filter_map(|(place, field)| {
                let column = located.column(index, place)?;
                Some((column.field, generated(field, default(field).as_ref()?)))
            });
            generated.collect()
        };
        let binding = EntityBinding {
            tie_break: vec![rows.key],
            made_on_create: generated(|field| &field.default_on_add),
            made_on_update: generated(|field| &field.default_on_update),
            ..EntityBinding::default()
        };
        builder.bind_entity(rows.entity, binding);
    }
}

/// The value of `@default`.
fn generated(field: &Field, default: &Default) -> Operand {
    let text = match default {
        Default::Now => return Operand::Now,
        Default::Value(text) => text,
    };
    Operand::Constant(match field.r#type.base {
        Base::Scalar(Scalar::Boolean) => Value::Boolean(&**text == TRUE),
        Base::Scalar(Scalar::Int | Scalar::Int64) => {
            text.parse().map_or_else(|_| Value::Number(text.clone()), Value::Integer)
        }
        Base::Scalar(Scalar::Float) => Value::Number(text.clone()),
        _ => Value::Text(text.clone()),
    })
}

/// The output of one value.
pub(super) fn leaf(model: &Model, base: Base, stored: &Type) -> Leaf {
    match base {
        Base::Scalar(scalar) => match scalar {
            Scalar::Boolean => Leaf::Boolean,
            Scalar::Int => Leaf::Int,
            Scalar::Int64 => Leaf::LongNumber,
            Scalar::Float => Leaf::Float,
            Scalar::String => Leaf::Text,
            Scalar::DateTime => moment(stored),
            Scalar::Id => Leaf::HexadecimalId,
            Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon => Leaf::Any,
        },
        Base::Enum(index) => enum_leaf(model, index),
        Base::Type(_) | Base::Union(_) | Base::Input(_) => Leaf::Any,
    }
}

fn column_binding(model: &Model, field: &Field, column: &LocatedColumn) -> ColumnBinding {
    let base = field.r#type.base;
    let json = || single(Leaf::Json(JsonForm::Embedded));
    match (&field.r#type.list, &column.r#type) {
        (Some(_), Type::List(_)) if is_place(base) => {
            let value = ValueShape::List(Box::new(ValueShape::Geometry));
            ColumnBinding { value, ..json() }
        }
        _ if is_place(base) => ColumnBinding { value: ValueShape::Geometry, ..json() },
        (None, stored) => single(leaf(model, base, stored)),
        (Some(_), Type::List(element)) => {
            let leaf = leaf(model, base, element);
            let value = ValueShape::List(Box::new(ValueShape::Leaf(leaf.clone())));
            ColumnBinding { value, ..single(Leaf::List(Box::new(leaf))) }
        }
        // A database without lists stores JSON.
        (Some(_), _) => json(),
    }
}

fn is_place(base: Base) -> bool {
    matches!(base, Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon))
}

fn single(leaf: Leaf) -> ColumnBinding {
    let value = ValueShape::Leaf(leaf.clone());
    ColumnBinding { value, form: Form::Stored, node_id: leaf.clone(), json: leaf }
}

fn moment(stored: &Type) -> Leaf {
    match stored {
        Type::Scalar(Stored::Epoch(unit)) => Leaf::Epoch(epoch(*unit)),
        Type::Scalar(Stored::Timestamp) => Leaf::Timestamp,
        _ => Leaf::UtcTimestamp,
    }
}

/// Only the names that the definitions have can be returned.
fn enum_leaf(model: &Model, EnumIndex(index): EnumIndex) -> Leaf {
    let values = model.enums.get(index).map(|known| known.values.as_slice()).unwrap_or_default();
    let names = values.iter().map(|value| (value.name.clone(), value.name.clone()));
    Leaf::Enum(Arc::new(EnumNames::new(names)))
}
