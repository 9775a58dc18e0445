//! Values of the arguments of fields in the documents of fetches.

use graphql::operation::Operation;
use graphql::schema::{FieldId, InputId, Schema, TypeKind};
use graphql::value::{Const, Value};
use graphql::variables::Variables;
use serde_json_bytes::serde_json;
use serde_json_bytes::{ByteString, Map, Value as Json};

/// Returns the values of the arguments, with the defaults of absent ones, in the order of the schema.
pub(crate) fn argument_values(
    schema: &Schema,
    field: FieldId,
    given: &[(InputId, Value)],
    variables: &Variables,
) -> Map<ByteString, Json> {
    members(schema, &schema[field].arguments, given, variables)
}

fn members(
    schema: &Schema,
    inputs: &[InputId],
    given: &[(InputId, Value)],
    variables: &Variables,
) -> Map<ByteString, Json> {
    let mut values = Map::new();
    for input in inputs {
        let definition = &schema[*input];
        let found = given.iter().find(|(id, _)| id == input);
        let found = found.and_then(|(_, found)| value(schema, found, *input, variables));
        let default = || definition.default.as_deref().map(constant);
        if let Some(value) = found.or_else(default) {
            values.insert(&*definition.name, value);
        }
    }
    values
}

/// Returns a value; `None` for an absent variable. Recursion is bounded: validation limits the nesting
/// of values.
fn value(schema: &Schema, given: &Value, input: InputId, variables: &Variables) -> Option<Json> {
    Some(match given {
        Value::Variable(slot) => {
            return variables.values.get(usize::from(slot.0)).cloned().flatten();
        }
        Value::Null => Json::Null,
        Value::Boolean(value) => Json::Bool(*value),
        Value::Int(value) => Json::from(*value),
        Value::Number(digits) => serde_json::from_str(digits).unwrap_or(Json::Null),
        Value::String(text) => Json::from(&**text),
        Value::Enum(value) => Json::from(&*schema[*value].name),
        Value::List(items) => {
            let items = items.iter();
            let items =
                items.map(|item| value(schema, item, input, variables).unwrap_or(Json::Null));
            Json::Array(items.collect())
        }
        Value::Object(given) => {
            let base = schema[input].r#type.base;
            let inputs = match &schema[base].kind {
                TypeKind::InputObject { fields } => fields.as_slice(),
                _ => &[],
            };
            Json::Object(members(schema, inputs, given, variables))
        }
        Value::Json(text) => serde_json::from_str(text).unwrap_or(Json::Null),
        Value::Members(members) => {
            let values = members.iter().filter_map(|(name, member)| {
                Some((ByteString::from(&**name), value(schema, member, input, variables)?))
            });
            Json::Object(values.collect())
        }
    })
}

/// Recursion is bounded by the nesting of defaults, which their parser limits.
fn constant(value: &Const) -> Json {
    match value {
        Const::Null => Json::Null,
        Const::Boolean(value) => Json::Bool(*value),
        Const::Int(value) => Json::from(*value),
        Const::Float(value) => Json::from(*value),
        Const::String(text) | Const::Enum(text) => Json::from(&**text),
        Const::List(items) => Json::Array(items.iter().map(constant).collect()),
        Const::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (ByteString::from(&**name), constant(value)));
            Json::Object(members.collect())
        }
    }
}

/// Returns the variables of a printed operation: those of the client's operation, by their names.
pub(crate) fn variables_of(
    operation: &Operation,
    client: &Operation,
    variables: &Variables,
) -> Variables {
    let values = operation.variables.iter().map(|wanted| {
        let slot = client.variables.iter().position(|known| known.name == wanted.name)?;
        variables.values.get(slot).cloned().flatten()
    });
    Variables { values: values.collect(), ..Variables::default() }
}
