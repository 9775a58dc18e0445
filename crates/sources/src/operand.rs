//! Operands at the time of a request: where a parameter's value is taken from the variables.

use ir::{Operand, PathItem};
use serde_json_bytes::Value as Json;

use crate::error::SourceError;

/// The coerced variables of a request by slot.
#[derive(Clone, Copy, Debug)]
pub struct Variables<'v>(pub &'v [Option<Json>]);

/// A value ready to be encoded.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'v> {
    Null,
    Boolean(bool),
    Integer(i64),
    /// A number as written.
    Number(std::borrow::Cow<'v, str>),
    Text(std::borrow::Cow<'v, str>),
    List(Vec<Resolved<'v>>),
    /// A JSON text.
    Json(std::borrow::Cow<'v, str>),
}

/// The value of an operand.
pub fn resolve<'v>(
    operand: &'v Operand,
    variables: Variables<'v>,
) -> Result<Resolved<'v>, SourceError> {
    match operand {
        Operand::Constant(value) => Ok(constant(value)),
        Operand::Variable { slot, path } => {
            let mut value = variables.0.get(usize::from(slot.0)).and_then(Option::as_ref);
            for item in path {
                value = match (item, value) {
                    (PathItem::Key(key), Some(Json::Object(object))) => object.get(&**key),
                    (PathItem::Index(index), Some(Json::Array(items))) => items.get(*index),
                    // A single value stands for a list of one.
                    (PathItem::Index(0), value) => value,
                    (PathItem::Key(_) | PathItem::Index(_), _) => None,
                };
            }
            Ok(value.map_or(Resolved::Null, json))
        }
        Operand::List(items) => {
            let items = items.iter().map(|item| resolve(item, variables));
            Ok(Resolved::List(items.collect::<Result<_, _>>()?))
        }
        Operand::Sum(items) => {
            let mut sum: i64 = 0;
            for item in items {
                let rows = resolve(item, variables)?.rows("OFFSET")?.unwrap_or(0);
                sum = sum.saturating_add(i64::try_from(rows).unwrap_or(i64::MAX));
            }
            Ok(Resolved::Integer(sum))
        }
        Operand::Decoded { slot, codec, part } => {
            let text = resolve(slot, variables)?;
            let text = text.text().unwrap_or_default();
            crate::opaque::part(&text, *codec, *part)
                .ok_or_else(|| SourceError::input("an opaque text that cannot be read"))
        }
        _ => Err(SourceError::new(
            crate::error::SourceErrorKind::Internal,
            "an operand that no compiler lets through",
        )),
    }
}

impl Resolved<'_> {
    /// The value as text, where it is one value.
    #[must_use]
    pub fn text(&self) -> Option<std::borrow::Cow<'_, str>> {
        use std::borrow::Cow;
        match self {
            Self::Null | Self::List(_) => None,
            Self::Boolean(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::Integer(value) => Some(Cow::Owned(value.to_string())),
            Self::Number(text) | Self::Json(text) => Some(Cow::Borrowed(text)),
            Self::Text(text) => Some(Cow::Borrowed(text)),
        }
    }

    /// The value as a number of rows. `word` is what a refusal calls it.
    pub fn rows(&self, word: &str) -> Result<Option<u64>, SourceError> {
        let number = match self {
            Self::Null => return Ok(None),
            Self::Integer(number) => *number,
            Self::Number(text) => match text.parse::<f64>() {
                // The schema lets only whole numbers of 32 bits through.
                Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => number as i64,
                Ok(_) | Err(_) => return Err(SourceError::invalid("bigint", text)),
            },
            Self::Boolean(_) | Self::Text(_) | Self::List(_) | Self::Json(_) => {
                return Err(SourceError::input(format!("{word} must be a number")));
            }
        };
        match u64::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(SourceError::input(format!("{word} must not be negative"))),
        }
    }
}

fn constant(value: &ir::Value) -> Resolved<'_> {
    match value {
        ir::Value::Null => Resolved::Null,
        ir::Value::Boolean(value) => Resolved::Boolean(*value),
        ir::Value::Integer(value) => Resolved::Integer(*value),
        ir::Value::Number(text) => Resolved::Number((&**text).into()),
        ir::Value::Text(text) => Resolved::Text((&**text).into()),
        ir::Value::List(items) => Resolved::List(items.iter().map(constant).collect()),
        ir::Value::Json(text) => Resolved::Json((&**text).into()),
    }
}

fn json(value: &Json) -> Resolved<'_> {
    match value {
        Json::Null => Resolved::Null,
        Json::Bool(value) => Resolved::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Resolved::Integer(number),
            None => Resolved::Number(number.to_string().into()),
        },
        Json::String(text) => Resolved::Text(text.as_str().into()),
        Json::Array(items) => Resolved::List(items.iter().map(json).collect()),
        Json::Object(_) => Resolved::Json(value.to_string().into()),
    }
}
