//! Arguments of a field as one text: equal ones have equal texts, whatever their notation.

use graphql::schema::{FieldId, InputId, Schema, TypeKind, TypeRef};
use graphql::value::{Const, Value};
use graphql::variables::Variables;
use serde_json::{Map, Value as Json};

/// The arguments that a field is executed with, defaults in their places.
pub(super) fn canonical(schema: &Schema, field: FieldId, given: &Map<String, Json>) -> String {
    let arguments = &schema[field].arguments;
    if arguments.is_empty() {
        return String::new();
    }
    Json::Object(completed(schema, arguments, given)).to_string()
}

/// The arguments of an operation; absent variables leave them out.
pub(super) fn of_operation(
    schema: &Schema,
    given: &[(InputId, Value)],
    variables: &Variables,
) -> Map<String, Json> {
    let pairs = given.iter().filter_map(|(input, value)| {
        Some((schema[*input].name.to_string(), plain(schema, value, variables)?))
    });
    pairs.collect()
}

/// A literal of a field set.
pub(super) fn of_constant(constant: &Const) -> Json {
    match constant {
        Const::Null => Json::Null,
        Const::Boolean(value) => (*value).into(),
        Const::Int(value) => (*value).into(),
        Const::Float(value) => (*value).into(),
        Const::String(text) | Const::Enum(text) => (&**text).into(),
        Const::List(items) => items.iter().map(of_constant).collect(),
        Const::Object(members) => {
            let members = members.iter();
            Json::Object(
                members.map(|(name, value)| (name.to_string(), of_constant(value))).collect(),
            )
        }
    }
}

/// JSON of the library that requests are read with as JSON of the one that tests are written with.
pub(super) fn json(value: &serde_json_bytes::Value) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

fn plain(schema: &Schema, value: &Value, variables: &Variables) -> Option<Json> {
    let below = |value: &Value| plain(schema, value, variables);
    Some(match value {
        Value::Variable(slot) => json(variables.values.get(usize::from(slot.0))?.as_ref()?),
        Value::Null => Json::Null,
        Value::Boolean(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Number(text) | Value::Json(text) => serde_json::from_str(text).unwrap_or_default(),
        Value::String(text) => (&**text).into(),
        Value::Enum(id) => (&*schema[*id].name).into(),
        Value::List(items) => items.iter().map(|item| below(item).unwrap_or_default()).collect(),
        Value::Object(members) => {
            let members = members.iter().filter_map(|(input, value)| {
                Some((schema[*input].name.to_string(), below(value)?))
            });
            Json::Object(members.collect())
        }
        Value::Members(members) => {
            let members =
                members.iter().filter_map(|(name, value)| Some((name.to_string(), below(value)?)));
            Json::Object(members.collect())
        }
    })
}

fn completed(schema: &Schema, inputs: &[InputId], given: &Map<String, Json>) -> Map<String, Json> {
    let pairs = inputs.iter().filter_map(|input| {
        let input = &schema[*input];
        let default = || input.default.as_deref().map(of_constant);
        let value = given.get(&*input.name).cloned().or_else(default)?;
        Some((input.name.to_string(), coerced(schema, input.r#type, value)))
    });
    pairs.collect()
}

/// Input coercion, <https://spec.graphql.org/draft/#sec-Input-Values>.
fn coerced(schema: &Schema, r#type: TypeRef, value: Json) -> Json {
    if value.is_null() {
        return value;
    }
    if let Some(item) = r#type.item() {
        return match value {
            Json::Array(items) => {
                items.into_iter().map(|value| coerced(schema, item, value)).collect()
            }
            one => Json::Array(vec![coerced(schema, item, one)]),
        };
    }
    let definition = &schema[r#type.base];
    match (&definition.kind, &*definition.name, value) {
        (TypeKind::InputObject { fields }, _, Json::Object(members)) => {
            Json::Object(completed(schema, fields, &members))
        }
        (_, "ID", Json::Number(number)) => number.to_string().into(),
        (_, "Float", Json::Number(number)) => number.as_f64().into(),
        (_, _, value) => value,
    }
}
