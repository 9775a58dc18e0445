//! A value in a request: in the document, in a variable, or partly in each.

use std::borrow::Cow;

use exact_numbers::ExactNumbers;
use ir::{Operand, PathItem, Value};
use serde_json_bytes::{ByteString, Value as Json};
use uploads::Files;

use super::{Resolved, Variables, resolve};
use crate::error::SourceError;

/// A value that was given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'v> {
    /// A variable without a value, or a member that is not there.
    Absent,
    Constant(&'v Value),
    Variable(&'v Json, Beside<'v>),
    /// A list or an object with parts from several places, or a computed value.
    Mixed(&'v Operand, Variables<'v>),
}

/// What a request has beside the JSON of a variable's value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside<'v> {
    /// The files of the request.
    files: &'v Files,
    /// The numbers of this value that doubles round.
    numbers: &'v ExactNumbers,
}

impl<'v> Beside<'v> {
    /// These numbers without files.
    pub(super) fn of(numbers: &'v ExactNumbers) -> Self {
        Self { files: Files::none(), numbers }
    }

    fn item(self, index: usize) -> Self {
        Self { numbers: self.numbers.item(index), ..self }
    }

    fn member(self, name: &str) -> Self {
        Self { numbers: self.numbers.member(name), ..self }
    }
}

impl<'v> Given<'v> {
    pub(super) fn new(operand: &'v Operand, variables: Variables<'v>) -> Self {
        match operand {
            Operand::Constant(value) => Self::Constant(value),
            Operand::Variable { slot, path } => {
                let mut value = variables.slots.get(usize::from(slot.0)).and_then(Option::as_ref);
                let (files, numbers) = (variables.files, variables.numbers_of(slot.0));
                let mut beside = Beside { files, numbers };
                for item in path {
                    beside = match item {
                        PathItem::Key(key) => beside.member(key),
                        PathItem::Index(index) => beside.item(*index),
                    };
                    value = match (item, value) {
                        (PathItem::Key(key), Some(Json::Object(object))) => object.get(&**key),
                        (PathItem::Index(index), Some(Json::Array(items))) => items.get(*index),
                        // A single value is coerced to a list of one.
                        (PathItem::Index(0), value) => value,
                        (PathItem::Key(_) | PathItem::Index(_), _) => None,
                    };
                }
                value.map_or(Self::Absent, |value| Self::Variable(value, beside))
            }
            // Of one that is missing a comparison is unknown, as it is of null.
            Operand::Claim(name) => {
                let claim = variables.claims.and_then(|claims| claims.get(name));
                let beside = Beside::of(ExactNumbers::none());
                claim.map_or(Self::Absent, |claim| Self::Variable(claim, beside))
            }
            _ => Self::Mixed(operand, variables),
        }
    }

    pub(super) fn is_null(self) -> bool {
        matches!(self, Self::Absent | Self::Constant(Value::Null) | Self::Variable(Json::Null, _))
    }

    /// The elements of a list; `None` if it is none.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Constant(Value::List(items)) => items.iter().map(Self::Constant).collect(),
            Self::Variable(Json::Array(items), beside) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| Self::Variable(item, beside.item(index))).collect()
            }
            Self::Mixed(Operand::List(items), variables) => {
                items.iter().map(|item| Self::new(item, variables)).collect()
            }
            Self::Absent | Self::Constant(_) | Self::Variable(..) | Self::Mixed(..) => return None,
        })
    }

    /// The members of an object that are there; `None` if it is none.
    pub(super) fn members(self) -> Option<Vec<(&'v str, Self)>> {
        Some(match self {
            Self::Constant(Value::Object(members)) => {
                members.iter().map(|(name, value)| (&**name, Self::Constant(value))).collect()
            }
            Self::Variable(Json::Object(members), beside) => {
                let member = |(name, value): (&'v ByteString, &'v Json)| {
                    let name = name.as_str();
                    (name, Self::Variable(value, beside.member(name)))
                };
                members.iter().map(member).collect()
            }
            Self::Mixed(Operand::Object(members), variables) => {
                let members = members.iter();
                let members = members.map(|(name, own)| (&**name, Self::new(own, variables)));
                members.filter(|(_, value)| !matches!(value, Self::Absent)).collect()
            }
            Self::Absent | Self::Constant(_) | Self::Variable(..) | Self::Mixed(..) => return None,
        })
    }

    /// A member of an object; `None` where it is not there, or this is no object.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        match self {
            Self::Constant(Value::Object(members)) => {
                let own = members.iter().find(|(own, _)| **own == *name);
                own.map(|(_, value)| Self::Constant(value))
            }
            Self::Variable(Json::Object(members), beside) => {
                members.get(name).map(|value| Self::Variable(value, beside.member(name)))
            }
            Self::Mixed(Operand::Object(members), variables) => {
                let own = members.iter().find(|(own, _)| **own == *name);
                own.map(|(_, operand)| Self::new(operand, variables))
            }
            Self::Absent | Self::Constant(_) | Self::Variable(..) | Self::Mixed(..) => None,
        }
    }

    /// The value where it has no form of its own.
    pub(super) fn plain(self) -> Result<Resolved<'v>, SourceError> {
        Ok(match self {
            Self::Absent | Self::Constant(Value::Null) | Self::Variable(Json::Null, _) => {
                Resolved::Null
            }
            Self::Constant(Value::Boolean(value)) | Self::Variable(Json::Bool(value), _) => {
                Resolved::Boolean(*value)
            }
            Self::Constant(Value::Integer(value)) => Resolved::Integer(*value),
            Self::Constant(Value::Number(text)) => Resolved::Number((&**text).into()),
            Self::Constant(Value::Text(text)) => Resolved::Text((&**text).into()),
            Self::Constant(Value::Json(text)) => Resolved::Json((&**text).into()),
            Self::Variable(Json::Number(number), beside) => {
                match (number.as_i64(), beside.numbers.text_of(number)) {
                    (Some(number), _) => Resolved::Integer(number),
                    (None, Some(digits)) => Resolved::Number(digits.into()),
                    (None, None) => Resolved::Number(number.to_string().into()),
                }
            }
            Self::Variable(Json::String(text), beside) => match beside.files.find(text.as_str()) {
                Some(file) => Resolved::File(file),
                None => Resolved::Text(text.as_str().into()),
            },
            Self::Constant(Value::List(_))
            | Self::Variable(Json::Array(_), _)
            | Self::Mixed(Operand::List(_), _) => {
                let items = self.items().unwrap_or_default().into_iter();
                Resolved::List(items.map(Self::element).collect::<Result<_, _>>()?)
            }
            Self::Constant(Value::Object(_))
            | Self::Variable(Json::Object(_), _)
            | Self::Mixed(Operand::Object(_), _) => {
                let mut text = String::new();
                self.write_json(&mut text)?;
                Resolved::Json(text.into())
            }
            Self::Mixed(operand, variables) => resolve(operand, variables)?,
        })
    }

    /// An element of a plain list. A list within it is no value of a list of lists, and stands as
    /// its JSON text.
    fn element(self) -> Result<Resolved<'v>, SourceError> {
        if self.items().is_none() {
            return self.plain();
        }
        let mut text = String::new();
        self.write_json(&mut text)?;
        Ok(Resolved::Json(text.into()))
    }

    /// Appends the value as JSON.
    pub(super) fn write_json(self, out: &mut String) -> Result<(), SourceError> {
        if let Some(items) = self.items() {
            out.push('[');
            for (index, item) in items.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                item.write_json(out)?;
            }
            out.push(']');
            return Ok(());
        }
        if let Some(members) = self.members() {
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                response::escape::push_string(name, out);
                out.push(':');
                value.write_json(out)?;
            }
            out.push('}');
            return Ok(());
        }
        match self.plain()? {
            Resolved::Null => out.push_str("null"),
            Resolved::Text(text) => response::escape::push_string(&text, out),
            Resolved::File(file) => return Err(SourceError::input(file.misplaced("json"))),
            other => out.push_str(&other.text().unwrap_or(Cow::Borrowed("null"))),
        }
        Ok(())
    }
}
