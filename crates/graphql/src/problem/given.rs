//! Values of a request: literals of the document, and JSON of variables.

use apollo_compiler::ast;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::ValueKind;

/// A value, or a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum InputValue<'d> {
    Literal(&'d ast::Value),
    Json(&'d Json),
}

impl<'d> InputValue<'d> {
    pub(super) fn is_null(self) -> bool {
        matches!(self, Self::Literal(ast::Value::Null) | Self::Json(Json::Null))
    }

    pub(super) fn found(self) -> ValueKind {
        match self {
            Self::Literal(value) => match value {
                // A variable is replaced by its value before.
                ast::Value::Null | ast::Value::Variable(_) => ValueKind::Null,
                ast::Value::Boolean(_) => ValueKind::Boolean,
                ast::Value::String(_) => ValueKind::String,
                ast::Value::Int(_) => ValueKind::Integer,
                ast::Value::Float(_) => ValueKind::Float,
                ast::Value::Enum(_) => ValueKind::Enum,
                ast::Value::List(_) => ValueKind::List,
                ast::Value::Object(_) => ValueKind::Object,
            },
            Self::Json(value) => match value {
                Json::Null => ValueKind::Null,
                Json::Bool(_) => ValueKind::Boolean,
                Json::String(_) => ValueKind::String,
                Json::Number(_) => ValueKind::Number,
                Json::Array(_) => ValueKind::List,
                Json::Object(_) => ValueKind::Object,
            },
        }
    }

    /// The name of an enum value, which a variable has as a string.
    pub(super) fn enum_value(self) -> Option<&'d str> {
        match self {
            Self::Literal(ast::Value::Enum(name)) => Some(name.as_str()),
            Self::Json(Json::String(name)) => Some(name.as_str()),
            Self::Literal(_) | Self::Json(_) => None,
        }
    }

    /// The text of a string.
    pub(super) fn text(self) -> Option<&'d str> {
        match self {
            Self::Literal(ast::Value::String(text)) => Some(text.as_str()),
            Self::Json(Json::String(text)) => Some(text.as_str()),
            Self::Literal(_) | Self::Json(_) => None,
        }
    }

    /// The text of a number.
    pub(super) fn number(self) -> Option<String> {
        match self {
            Self::Literal(ast::Value::Int(value)) => Some(value.as_str().to_owned()),
            Self::Literal(ast::Value::Float(value)) => Some(value.as_str().to_owned()),
            Self::Json(Json::Number(value)) => Some(value.to_string()),
            Self::Literal(_) | Self::Json(_) => None,
        }
    }

    /// The value as JSON, with the values of the variables in it.
    pub(super) fn json(self, variables: &Map<ByteString, Json>) -> Json {
        match self {
            Self::Json(value) => value.clone(),
            Self::Literal(value) => match value {
                ast::Value::Null => Json::Null,
                ast::Value::Variable(name) => {
                    variables.get(name.as_str()).cloned().unwrap_or(Json::Null)
                }
                ast::Value::Boolean(value) => Json::Bool(*value),
                ast::Value::String(value) => value.as_str().into(),
                ast::Value::Enum(name) => name.as_str().into(),
                ast::Value::Int(_) | ast::Value::Float(_) => {
                    let number = self.number().unwrap_or_default();
                    serde_json::from_str(&number).unwrap_or(Json::Null)
                }
                ast::Value::List(items) => {
                    items.iter().map(|item| Self::Literal(item).json(variables)).collect()
                }
                ast::Value::Object(fields) => Json::Object(
                    fields
                        .iter()
                        .map(|(name, value)| {
                            (name.as_str().into(), Self::Literal(value).json(variables))
                        })
                        .collect(),
                ),
            },
        }
    }

    /// The elements of a list.
    pub(super) fn elements(self) -> Option<Vec<Self>> {
        match self {
            Self::Literal(ast::Value::List(items)) => {
                Some(items.iter().map(|item| Self::Literal(item)).collect())
            }
            Self::Json(Json::Array(items)) => Some(items.iter().map(Self::Json).collect()),
            Self::Literal(_) | Self::Json(_) => None,
        }
    }

    /// The fields of an object, in their order.
    pub(super) fn fields(self) -> Option<Vec<(&'d str, Self)>> {
        match self {
            Self::Literal(ast::Value::Object(fields)) => Some(
                fields.iter().map(|(name, value)| (name.as_str(), Self::Literal(value))).collect(),
            ),
            Self::Json(Json::Object(fields)) => Some(
                fields.iter().map(|(name, value)| (name.as_str(), Self::Json(value))).collect(),
            ),
            Self::Literal(_) | Self::Json(_) => None,
        }
    }
}
