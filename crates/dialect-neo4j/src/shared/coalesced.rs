//! `@coalesce`: values that stand for those that are not there, where they are shown and where
//! conditions compare them; in version 3 only where conditions compare those of nodes. Orders and
//! aggregates ignore them.

use catalog::FieldId;
use ir::Value;
use response::Leaf;

use crate::model::{ApiVersion, Constant, FieldKind, Model, ModelField, Placed, PlacedField};
use crate::shared::values;
use api::binding::ValueShape;
use api::{Absent, ApiBuilder};

/// Binds the values that replace nulls of the fields of all entities.
pub(crate) fn bind(builder: &mut ApiBuilder, model: &Model, placed: &Placed, version: ApiVersion) {
    for (node, placed) in model.nodes.iter().zip(&placed.nodes) {
        for (field, placed) in node.fields.iter().zip(&placed.fields) {
            match placed {
                PlacedField::Property(id) => bind_field(builder, (model, version), field, *id),
                PlacedField::Paths(_) | PlacedField::Statement(_) => {}
            }
        }
    }
    if version == ApiVersion::V3 {
        return;
    }
    for (properties, (_, fields)) in model.properties.iter().zip(&placed.properties) {
        for (field, id) in properties.fields.iter().zip(fields) {
            bind_field(builder, (model, version), field, *id);
        }
    }
}

fn bind_field(
    builder: &mut ApiBuilder,
    (model, version): (&Model, ApiVersion),
    field: &ModelField,
    id: FieldId,
) {
    let FieldKind::Property(property) = &field.kind else { return };
    let Some(constant) = &property.coalesce else { return };
    let leaf = match values::column(model, property, version).value {
        ValueShape::Leaf(leaf) => leaf,
        ValueShape::List(item) => match *item {
            ValueShape::Leaf(leaf) => leaf,
            _ => return,
        },
        _ => return,
    };
    let mut json = Vec::new();
    write(constant, &leaf, &mut json);
    let json = (version == ApiVersion::V7).then(|| json.into());
    builder.bind_absent(id, Absent { value: Some(value(constant)), json });
}

/// As a stored value of the type is written.
fn write(constant: &Constant, leaf: &Leaf, out: &mut Vec<u8>) {
    let stored = match constant {
        Constant::Boolean(true) => return out.extend_from_slice(b"true"),
        Constant::Boolean(false) => return out.extend_from_slice(b"false"),
        Constant::Integer(value) => response::Value::Integer(*value),
        Constant::Float(text) => response::Value::Real(text.parse().unwrap_or_default()),
        Constant::Text(text) | Constant::Enum(text) => response::Value::Text(text.as_bytes()),
        Constant::List(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write(item, leaf, out);
            }
            return out.push(b']');
        }
    };
    let start = out.len();
    // The definitions' values are of their types.
    if leaf.write(stored, out).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

fn value(constant: &Constant) -> Value {
    match constant {
        Constant::Boolean(value) => Value::Boolean(*value),
        Constant::Integer(value) => Value::Integer(*value),
        Constant::Float(text) => Value::Number((&**text).into()),
        Constant::Text(text) | Constant::Enum(text) => Value::Text((&**text).into()),
        Constant::List(items) => Value::List(items.iter().map(value).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use crate::definitions;
    use crate::v7;

    /// What stands for the only field of a type that is null, as JSON and as it is compared.
    fn check(field: &str, json: &str, expected: &Value) {
        let text = format!("enum E {{ A B }} type Movie @node {{ {field} }}");
        let model = definitions::read(&text, ApiVersion::V7).expect("definitions");
        let placed = catalog::declare(&mut ::catalog::Catalog::default(), &model);
        let api = v7::api(&model, &placed, v7::Options::default());
        let Some(PlacedField::Property(id)) =
            placed.nodes.first().and_then(|node| node.fields.first())
        else {
            panic!("{field} has a place");
        };
        let absent = api.find_absent(*id).expect("what stands for it");
        assert_eq!(
            String::from_utf8_lossy(absent.json.as_deref().expect("it is shown")),
            json,
            "{field}"
        );
        assert_eq!(absent.value.as_ref(), Some(expected), "{field}");
    }

    #[test]
    fn values_are_written_as_those_that_are_stored() {
        check("a: Int @coalesce(value: 7)", "7", &Value::Integer(7));
        check("a: Boolean @coalesce(value: false)", "false", &Value::Boolean(false));
        check("a: String @coalesce(value: \"x\\\"y\")", r#""x\"y""#, &Value::Text("x\"y".into()));
        check("a: ID! @coalesce(value: \"7\")", r#""7""#, &Value::Text("7".into()));
        check("a: Float @coalesce(value: 1.50)", "1.5", &Value::Number("1.50".into()));
        check("a: Float @coalesce(value: 2.0)", "2", &Value::Number("2.0".into()));
        check("a: E @coalesce(value: B)", r#""B""#, &Value::Text("B".into()));
    }

    #[test]
    fn lists_stand_for_lists() {
        let list = Value::List(vec![Value::Text("A".into()), Value::Text("B".into())]);
        check("a: [E!] @coalesce(value: [A, B])", r#"["A","B"]"#, &list);
        let list = Value::List(vec![Value::Integer(1)]);
        check("a: [Int!]! @coalesce(value: [1])", "[1]", &list);
        check("a: [Int!] @coalesce(value: [])", "[]", &Value::List(Vec::new()));
    }
}
