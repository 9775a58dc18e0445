//! Values of a request: literals of the document, and JSON of variables.

use apollo_compiler::ast;
use serde_json_bytes::Value as Json;

use super::Found;

/// A value, or a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'d> {
    Literal(&'d ast::Value),
    Json(&'d Json),
}

impl<'d> Given<'d> {
    pub(super) fn is_null(self) -> bool {
        matches!(self, Self::Literal(ast::Value::Null) | Self::Json(Json::Null))
    }

    pub(super) fn found(self) -> Found {
        match self {
            Self::Literal(value) => match value {
                // A variable is replaced by its value before.
                ast::Value::Null | ast::Value::Variable(_) => Found::Null,
                ast::Value::Boolean(_) => Found::Boolean,
                ast::Value::String(_) => Found::String,
                ast::Value::Int(_) => Found::Integer,
                ast::Value::Float(_) => Found::Float,
                ast::Value::Enum(_) => Found::Enum,
                ast::Value::List(_) => Found::List,
                ast::Value::Object(_) => Found::Object,
            },
            Self::Json(value) => match value {
                Json::Null => Found::Null,
                Json::Bool(_) => Found::Boolean,
                Json::String(_) => Found::String,
                Json::Number(_) => Found::Number,
                Json::Array(_) => Found::List,
                Json::Object(_) => Found::Object,
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

    /// The text of a number.
    pub(super) fn number(self) -> Option<String> {
        match self {
            Self::Literal(ast::Value::Int(value)) => Some(value.as_str().to_owned()),
            Self::Literal(ast::Value::Float(value)) => Some(value.as_str().to_owned()),
            Self::Json(Json::Number(value)) => Some(value.to_string()),
            Self::Literal(_) | Self::Json(_) => None,
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
