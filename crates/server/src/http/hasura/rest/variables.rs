//! Variables of a stored operation, from texts of an address and from JSON of a body.

use std::collections::BTreeMap;

use graphql::JsonLimits;
use graphql::definitions::TypeExpression;
use graphql::executable::VariableDefinition;
use serde_json::Value;
use serde_json_bytes::{ByteString, Map, Value as Json};

/// A variable of the operation.
#[derive(Debug)]
pub(super) struct Declared {
    name: Box<str>,
    r#type: TypeExpression,
}

/// Values by their names.
pub(super) type RestVariables = BTreeMap<String, GivenValue>;

#[derive(Debug)]
pub(super) enum GivenValue {
    /// Of the path, the query string or a form.
    Text(String),
    /// Of a body of JSON.
    Json(Value),
}

impl Declared {
    pub(super) fn new(definition: &VariableDefinition) -> Self {
        Self { name: (*definition.name).into(), r#type: definition.r#type.clone() }
    }
}

/// The variables of an operation. A text becomes a value as its type says; JSON is passed on.
pub(super) fn resolve(
    declared: &[Declared],
    given: RestVariables,
    limits: JsonLimits,
) -> Result<Map<ByteString, Json>, String> {
    let mut variables = Map::new();
    for (name, value) in given {
        let Some(own) = declared.iter().find(|own| *own.name == *name) else {
            return Err(format!("Unexpected variable {name}"));
        };
        let value = match value {
            GivenValue::Json(value) => Some(value),
            GivenValue::Text(text) => of_text(own, text)?,
        };
        if let Some(value) = value {
            let text = value.to_string();
            let value = graphql::parse_json(text.as_bytes(), "The value", limits);
            variables.insert(name, value.map_err(|error| error.message)?);
        }
    }
    Ok(variables)
}

/// The value of a text; `None` for an empty one that may be absent.
fn of_text(declared: &Declared, text: String) -> Result<Option<Value>, String> {
    let (name, is_required) = match &declared.r#type {
        TypeExpression::List { .. } => {
            return Err(format!(
                "List variables are not currently supported in URL or Query parameters. (Variable \
                 {}, with value {text:?})",
                declared.name
            ));
        }
        TypeExpression::Named { name, is_required } => (&**name, *is_required),
    };
    let is_boolean = matches!(name, "Boolean" | "Bool" | "bool");
    if text.is_empty() && is_boolean {
        return Ok(Some(Value::Bool(true)));
    }
    if text.is_empty() && !is_required {
        return Ok(None);
    }
    let is_number = matches!(
        name,
        "Int" | "Float" | "Number" | "Double" | "float8" | "numeric" | "smallint" | "bigint"
    );
    Ok(Some(match serde_json::from_str(&text) {
        Ok(value @ Value::Bool(_)) if is_boolean => value,
        Ok(value @ Value::Number(_)) if is_number => value,
        _ => Value::String(text),
    }))
}
