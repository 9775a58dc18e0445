//! Presets: values of arguments, and of fields of input objects, that a role cannot give.
//! <https://hasura.io/docs/2.0/remote-schemas/auth/remote-schema-permissions/>

use graphql::definitions::Literal;
use graphql::schema::{FieldId, InputId, Schema, TypeKind};
use rustc_hash::FxHashMap;
use serde_json::{Map, Number, Value};

use crate::body::json;
use crate::inputs::Inputs;

/// The value of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Preset {
    Value(Value),
    /// The value of a session variable, whose name is in lower case.
    Session {
        variable: Box<str>,
        form: SessionForm,
    },
    List(Vec<Preset>),
    Object(Vec<(Box<str>, Preset)>),
}

/// The form of a session variable's value, which is a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionForm {
    Int,
    Float,
    Boolean,
    Text,
    /// One of the values of an enum.
    Enum(Box<[Box<str>]>),
}

/// The presets of a role, by the inputs of the API that have them.
pub type Presets = FxHashMap<InputId, Preset>;

/// The presets of a client's role, with the variables of its session.
#[derive(Clone, Copy, Debug)]
pub struct ClientPresets<'a> {
    pub presets: &'a Presets,
    pub session: &'a Map<String, Value>,
}

/// A session without the value of a preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    #[error("\"{0}\" session variable expected, but not found")]
    Missing(Box<str>),
    #[error("\"{value}\" cannot be coerced into {kind} value")]
    Form { value: Box<str>, kind: &'static str },
    #[error("\"{0}\" is not a valid GraphQL name")]
    Name(Box<str>),
    #[error("\"{0}\" is not one of the valid enum values")]
    EnumValue(Box<str>),
}

impl Preset {
    /// A value as written.
    #[must_use]
    pub fn of_literal(literal: &Literal) -> Self {
        Self::Value(json(literal))
    }

    /// The value for a session, whose variables have names in lower case.
    pub fn fill(&self, session: &Map<String, Value>) -> Result<Value, PresetError> {
        Ok(match self {
            Self::Value(value) => value.clone(),
            Self::Session { variable, form } => {
                let value = session.get(&**variable).and_then(Value::as_str);
                let value = value.ok_or_else(|| PresetError::Missing(variable.clone()))?;
                form.read(value)?
            }
            Self::List(items) => {
                Value::Array(items.iter().map(|one| one.fill(session)).collect::<Result<_, _>>()?)
            }
            Self::Object(members) => {
                let filled = members
                    .iter()
                    .map(|(name, preset)| Ok((String::from(&**name), preset.fill(session)?)));
                Value::Object(filled.collect::<Result<Map<_, _>, PresetError>>()?)
            }
        })
    }
}

impl ClientPresets<'_> {
    /// The arguments of a field with those that are preset. What is given already stays.
    pub fn complete(
        self,
        schema: &Schema,
        field: FieldId,
        inputs: Inputs,
    ) -> Result<Inputs, PresetError> {
        let mut arguments = inputs.into_members();
        self.add(schema, &schema[field].arguments, &mut arguments)?;
        Ok(Inputs::of(Value::Object(arguments)))
    }

    /// Adds presets to the values of inputs. Recursion is bounded by the depth of the values.
    fn add(
        self,
        schema: &Schema,
        inputs: &[InputId],
        values: &mut Map<String, Value>,
    ) -> Result<(), PresetError> {
        for id in inputs {
            let input = &schema[*id];
            match (values.get_mut(&*input.name), self.presets.get(id)) {
                (Some(value), _) => self.add_within(schema, input.r#type.base, value)?,
                (None, Some(preset)) => {
                    values.insert(input.name.to_string(), preset.fill(self.session)?);
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn add_within(
        self,
        schema: &Schema,
        r#type: graphql::schema::TypeId,
        value: &mut Value,
    ) -> Result<(), PresetError> {
        let TypeKind::InputObject { fields } = &schema[r#type].kind else { return Ok(()) };
        match value {
            Value::Object(members) => self.add(schema, fields, members),
            Value::Array(items) => {
                items.iter_mut().try_for_each(|item| self.add_within(schema, r#type, item))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }
}

impl SessionForm {
    fn read(&self, text: &str) -> Result<Value, PresetError> {
        let wrong = |kind| PresetError::Form { value: text.into(), kind };
        match self {
            Self::Text => Ok(text.into()),
            Self::Int => text.parse::<i64>().map(Value::from).map_err(|_| wrong("an Int")),
            Self::Float => {
                let number = text.parse().ok().and_then(Number::from_f64);
                number.map(Value::Number).ok_or_else(|| wrong("a Float"))
            }
            Self::Boolean => match text {
                "true" => Ok(true.into()),
                "false" => Ok(false.into()),
                _ => Err(wrong("a Boolean")),
            },
            Self::Enum(_) if !graphql::schema::is_name(text) => Err(PresetError::Name(text.into())),
            Self::Enum(known) if known.iter().any(|one| **one == *text) => Ok(text.into()),
            Self::Enum(_) => Err(PresetError::EnumValue(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(form: SessionForm, value: &str, expected: Result<Value, &str>) {
        let preset = Preset::Session { variable: "x-hasura-v".into(), form };
        let preset = Preset::Object(vec![("a".into(), Preset::List(vec![preset]))]);
        let session = Map::from_iter([("x-hasura-v".to_owned(), Value::from(value))]);
        let filled = preset.fill(&session).map_err(|error| error.to_string());
        let expected = expected.map(|value| json!({ "a": [value] })).map_err(str::to_owned);
        assert_eq!(filled, expected);
        let none = preset.fill(&Map::new()).unwrap_err();
        assert_eq!(none.to_string(), "\"x-hasura-v\" session variable expected, but not found");
    }

    #[test]
    fn session_variables_have_the_types_of_their_inputs() {
        check(SessionForm::Int, "7", Ok(json!(7)));
        check(SessionForm::Int, "7x", Err("\"7x\" cannot be coerced into an Int value"));
        check(SessionForm::Float, "1.5", Ok(json!(1.5)));
        check(SessionForm::Float, "NaN", Err("\"NaN\" cannot be coerced into a Float value"));
        check(SessionForm::Boolean, "true", Ok(json!(true)));
        check(SessionForm::Boolean, "yes", Err("\"yes\" cannot be coerced into a Boolean value"));
        check(SessionForm::Text, "7", Ok(json!("7")));
        let known = || SessionForm::Enum(["ONE".into()].into());
        check(known(), "ONE", Ok(json!("ONE")));
        check(known(), "TWO", Err("\"TWO\" is not one of the valid enum values"));
        check(known(), "a b", Err("\"a b\" is not a valid GraphQL name"));
    }
}
