//! Inputs of a resolver: arguments of its field, or fields of its object.

use graphql::ExactNumbers;
use graphql::schema::{FieldId, InputId, Schema};
use graphql::value::{Const, Value as Written};
use graphql::variables::Variables;
use serde_json::{Map, Number, Value};
use serde_json_bytes::{ByteString, Value as Json};

use crate::exact_number;

/// Values by the names that templates use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs(Map<String, Value>);

impl Inputs {
    /// The members of an object; none of any other value.
    #[must_use]
    pub fn of(object: Value) -> Self {
        match object {
            Value::Object(members) => Self(members),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Self::default(),
        }
    }

    /// The arguments of a field, without those that are neither given nor have a default.
    #[must_use]
    pub fn of_arguments(
        schema: &Schema,
        field: FieldId,
        arguments: &[(InputId, Written)],
        variables: &Variables,
    ) -> Self {
        let context = Context { schema, variables, is_exact: false };
        context.arguments(field, arguments)
    }

    /// The inputs of arguments, with the numbers of the document and of its variables as they are
    /// written, for requests of GraphQL and checks of inputs.
    #[must_use]
    pub fn of_written_arguments(
        schema: &Schema,
        field: FieldId,
        arguments: &[(InputId, Written)],
        variables: &Variables,
    ) -> Self {
        let context = Context { schema, variables, is_exact: true };
        context.arguments(field, arguments)
    }

    /// All of them by their names.
    #[must_use]
    pub fn into_members(self) -> Map<String, Value> {
        self.0
    }

    /// True if one of them is null.
    #[must_use]
    pub fn has_null(&self) -> bool {
        self.0.values().any(Value::is_null)
    }

    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All of them, as an object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members: Vec<_> = self.0.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        members.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// The names and the variables of the values.
#[derive(Clone, Copy)]
struct Context<'a> {
    schema: &'a Schema,
    variables: &'a Variables,
    /// True for the numbers of the document and of its variables as they are written.
    is_exact: bool,
}

impl Context<'_> {
    fn arguments(self, field: FieldId, arguments: &[(InputId, Written)]) -> Inputs {
        let schema = self.schema;
        let value = |id: &InputId| {
            let given = arguments.iter().find(|(given, _)| given == id);
            let given = given.and_then(|(_, value)| self.value(value));
            let value = given.or_else(|| schema[*id].default.as_deref().map(constant))?;
            Some((schema[*id].name.to_string(), value))
        };
        Inputs(schema[field].arguments.iter().filter_map(value).collect())
    }

    /// A value as JSON; `None` for a variable that is absent. Recursion is bounded by validation.
    fn value(self, value: &Written) -> Option<Value> {
        Some(match value {
            Written::Variable(slot) => {
                let value = self.variables.values.get(usize::from(slot.0))?.as_ref()?;
                match self.is_exact {
                    true => exact(value, self.variables.numbers.of(*slot)),
                    false => plain(value),
                }
            }
            Written::Null => Value::Null,
            Written::Boolean(value) => Value::Bool(*value),
            Written::Int(number) => Value::from(*number),
            Written::Number(digits) if self.is_exact => exact_number::number(digits),
            Written::Number(digits) => number(digits),
            Written::String(text) => Value::String(String::from(&**text)),
            Written::Enum(id) => Value::String(self.schema[*id].name.to_string()),
            Written::List(items) => {
                let items = items.iter().map(|item| self.value(item).unwrap_or(Value::Null));
                Value::Array(items.collect())
            }
            Written::Object(members) => {
                let members = members.iter().filter_map(|(id, value)| {
                    Some((self.schema[*id].name.to_string(), self.value(value)?))
                });
                Value::Object(members.collect())
            }
            Written::Json(text) if self.is_exact => exact_number::json(text),
            Written::Json(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            Written::Members(members) => {
                let members = members
                    .iter()
                    .filter_map(|(key, value)| Some((String::from(&**key), self.value(value)?)));
                Value::Object(members.collect())
            }
        })
    }
}

/// A value of a client, with the numbers as they are written. Recursion is bounded by the depth of
/// parsed values.
fn exact(value: &Json, numbers: &ExactNumbers) -> Value {
    match value {
        _ if numbers.is_empty() => plain(value),
        Json::Number(number) => {
            numbers.text_of(number).map_or_else(|| plain(value), exact_number::number)
        }
        Json::Array(items) => {
            let items = items.iter().enumerate();
            Value::Array(items.map(|(index, item)| exact(item, numbers.item(index))).collect())
        }
        Json::Object(members) => {
            let member = |(name, value): (&ByteString, &Json)| {
                (name.as_str().to_owned(), exact(value, numbers.member(name.as_str())))
            };
            Value::Object(members.iter().map(member).collect())
        }
        Json::Null | Json::Bool(_) | Json::String(_) => plain(value),
    }
}

fn constant(value: &Const) -> Value {
    match value {
        Const::Null => Value::Null,
        Const::Boolean(value) => Value::Bool(*value),
        Const::Int(number) => Value::from(*number),
        Const::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        Const::String(text) | Const::Enum(text) => Value::String(String::from(&**text)),
        Const::List(items) => Value::Array(items.iter().map(constant).collect()),
        Const::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (String::from(&**key), constant(value))).collect(),
        ),
    }
}

fn number(digits: &str) -> Value {
    serde_json::from_str(digits).unwrap_or_else(|_| Value::String(digits.to_owned()))
}

/// A variable's value, which was coerced to its type.
fn plain(value: &serde_json_bytes::Value) -> Value {
    match value {
        serde_json_bytes::Value::Null => Value::Null,
        serde_json_bytes::Value::Bool(value) => Value::Bool(*value),
        serde_json_bytes::Value::Number(number) => Value::Number(number.clone()),
        serde_json_bytes::Value::String(text) => Value::String(text.as_str().to_owned()),
        serde_json_bytes::Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        serde_json_bytes::Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.as_str().to_owned(), plain(value))).collect(),
        ),
    }
}
