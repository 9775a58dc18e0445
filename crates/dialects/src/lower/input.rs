//! Input values, whether they stand in the document or come in a variable.
//!
//! Whatever is asked of a variable here is written down as having steered; turning a value into
//! an operand asks nothing.

use graphql::opaque::{OpaqueKind, OpaqueShape, read_opaque};
use graphql::schema::{EnumValueId, InputId, TypeId, TypeKind};
use graphql::value::{Slot, Value};
use graphql::variables::{Aspect, Path, PathItem};
use ir::Operand;
use serde_json_bytes::Value as Json;

use super::{Context, LowerError};
use crate::binding::ValueBinding;

/// A value at an input position.
#[derive(Clone, Debug)]
pub(super) enum Input<'o> {
    Literal(&'o Value),
    Variable(Slot, Path),
}

/// Whether there is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Absent,
    Null,
    Present,
}

impl<'o> Input<'o> {
    pub(super) fn new(value: &'o Value) -> Self {
        match value {
            Value::Variable(slot) => Self::Variable(*slot, Path::default()),
            Value::Null
            | Value::Boolean(_)
            | Value::Int(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Enum(_)
            | Value::List(_)
            | Value::Object(_)
            | Value::Json(_) => Self::Literal(value),
        }
    }
}

impl Context<'_> {
    pub(super) fn presence(&self, input: &Input<'_>) -> Presence {
        match input {
            Input::Literal(Value::Null) => Presence::Null,
            Input::Literal(_) => Presence::Present,
            Input::Variable(slot, path) => match self.steering.presence(*slot, path) {
                Aspect::Absent => Presence::Absent,
                Aspect::Null => Presence::Null,
                Aspect::Present
                | Aspect::Equal(_)
                | Aspect::Keys(_)
                | Aspect::Length(_)
                | Aspect::Single
                | Aspect::Opaque(..) => Presence::Present,
            },
        }
    }

    /// The elements of a list; a single value is a list of one.
    pub(super) fn items<'o>(&self, input: &Input<'o>) -> Result<Vec<Input<'o>>, LowerError> {
        Ok(match input {
            Input::Literal(Value::List(items)) => {
                self.spend_inputs(items.len())?;
                items.iter().map(Input::new).collect()
            }
            Input::Literal(_) => vec![input.clone()],
            Input::Variable(slot, path) => {
                let length = self.steering.length(*slot, path).unwrap_or(0);
                self.spend_inputs(length)?;
                (0..length).map(|index| Input::Variable(*slot, path.index(index))).collect()
            }
        })
    }

    /// The fields of an input object, in the order given.
    pub(super) fn entries<'o>(
        &self,
        input: &Input<'o>,
        object: TypeId,
    ) -> Result<Vec<(InputId, Input<'o>)>, LowerError> {
        Ok(match input {
            Input::Literal(Value::Object(entries)) => {
                self.spend_inputs(entries.len())?;
                entries.iter().map(|(id, value)| (*id, Input::new(value))).collect()
            }
            Input::Literal(_) => Vec::new(),
            Input::Variable(slot, path) => {
                let keys = self.steering.keys(*slot, path).unwrap_or_default();
                self.spend_inputs(keys.len())?;
                let entry = |key: &str| {
                    let id = self.api.schema.find_input_field(object, key)?;
                    Some((id, Input::Variable(*slot, path.key(key))))
                };
                keys.iter().filter_map(|key| entry(key)).collect()
            }
        })
    }

    fn spend_inputs(&self, number: usize) -> Result<(), LowerError> {
        let left = self.inputs.get().checked_sub(number).ok_or(LowerError::TooManyInputs)?;
        self.inputs.set(left);
        Ok(())
    }

    /// The meaning of an enum value.
    pub(super) fn enum_value(&self, input: &Input<'_>, r#type: TypeId) -> Option<&ValueBinding> {
        let id: EnumValueId = match input {
            Input::Literal(Value::Enum(id)) => *id,
            Input::Literal(_) => return None,
            Input::Variable(slot, path) => {
                let Json::String(name) = self.steering.value(*slot, path)? else { return None };
                self.api.schema.find_enum_value(r#type, name.as_str())?
            }
        };
        Some(self.api.value(id))
    }

    /// What of an opaque text steers; `None` if it cannot be read.
    pub(super) fn opaque(&self, input: &Input<'_>, kind: OpaqueKind) -> Option<OpaqueShape> {
        match input {
            Input::Literal(Value::String(text)) => read_opaque(text, kind),
            Input::Literal(_) => None,
            Input::Variable(slot, path) => self.steering.opaque(*slot, path, kind),
        }
    }

    /// The value as a parameter. Enum values steer, since only the API knows their labels.
    pub(super) fn operand(&self, input: &Input<'_>, r#type: TypeId) -> Result<Operand, LowerError> {
        if matches!(self.api.schema[r#type].kind, TypeKind::Enum { .. }) {
            return self.enum_operand(input, r#type);
        }
        Ok(self.plain_operand(input))
    }

    /// The value of anything but an enum as a parameter.
    pub(super) fn plain_operand(&self, input: &Input<'_>) -> Operand {
        match input {
            Input::Literal(Value::List(items)) if has_variable(items) => {
                let items = items.iter().map(|item| self.plain_operand(&Input::new(item)));
                Operand::List(items.collect())
            }
            Input::Literal(value) => Operand::Constant(constant(value)),
            Input::Variable(slot, path) => {
                let path = path.0.iter().map(|item| match item {
                    PathItem::Key(key) => ir::PathItem::Key(key.clone()),
                    PathItem::Index(index) => ir::PathItem::Index(*index),
                });
                Operand::Variable { slot: ir::Slot(slot.0), path: path.collect() }
            }
        }
    }

    fn enum_operand(&self, input: &Input<'_>, r#type: TypeId) -> Result<Operand, LowerError> {
        let label = |input: &Input<'_>| match self.enum_value(input, r#type) {
            Some(ValueBinding::Label(label)) => ir::Value::Text(label.clone()),
            Some(ValueBinding::Order(_) | ValueBinding::Direction(_)) | None => ir::Value::Null,
        };
        let is_list = match input {
            Input::Literal(value) => matches!(value, Value::List(_)),
            Input::Variable(slot, path) => self
                .steering
                .value(*slot, path)
                .is_some_and(|value| matches!(value, Json::Array(_))),
        };
        Ok(Operand::Constant(if is_list {
            ir::Value::List(self.items(input)?.iter().map(label).collect())
        } else {
            label(input)
        }))
    }
}

fn has_variable(items: &[Value]) -> bool {
    items.iter().any(|item| match item {
        Value::Variable(_) => true,
        Value::List(items) => has_variable(items),
        Value::Null
        | Value::Boolean(_)
        | Value::Int(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Enum(_)
        | Value::Object(_)
        | Value::Json(_) => false,
    })
}

fn constant(value: &Value) -> ir::Value {
    match value {
        Value::Boolean(value) => ir::Value::Boolean(*value),
        Value::Int(value) => ir::Value::Integer(*value),
        Value::Number(text) => ir::Value::Number(text.clone()),
        Value::String(text) => ir::Value::Text(text.clone()),
        Value::Json(text) => ir::Value::Json(text.clone()),
        Value::List(items) => ir::Value::List(items.iter().map(constant).collect()),
        // Variables, enum values and objects are resolved before this; none is left here.
        Value::Null | Value::Variable(_) | Value::Enum(_) | Value::Object(_) => ir::Value::Null,
    }
}
