//! Input values, literal or from a variable.
//!
//! Every observation of a variable here is recorded as steering; turning a value into an operand
//! observes nothing.

use graphql::opaque::{OpaqueKind, OpaqueShape, read_opaque};
use graphql::operation::Location;
use graphql::schema::{EnumValueId, InputId, TypeId, TypeRef};
use graphql::value::{Const, Slot, Value};
use graphql::variables::{Aspect, Path, PathItem, has_more_characters};
use ir::Operand;
use serde_json_bytes::Value as Json;

use super::{Context, LowerError};
use api::binding::{InputRole, ValueBinding, WriteRole};

/// A value at an input position.
#[derive(Clone, Debug)]
pub(super) enum Input<'o> {
    Literal(&'o Value),
    Variable(Slot, Path),
}

/// Presence of a value.
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
            | Value::Json(_)
            | Value::Members(_) => Self::Literal(value),
        }
    }
}

impl Context<'_> {
    /// Observes a text. It steers.
    pub(super) fn steering_text(&self, input: &Input<'_>) -> Option<Box<str>> {
        match input {
            Input::Literal(Value::String(text)) => Some(text.clone()),
            Input::Literal(_) => None,
            Input::Variable(slot, path) => match self.steering.value(*slot, path)? {
                Json::String(text) => Some(text.as_str().into()),
                _ => None,
            },
        }
    }

    pub(super) fn presence(&self, input: &Input<'_>) -> Presence {
        match input {
            Input::Literal(Value::Null) => Presence::Null,
            Input::Literal(_) => Presence::Present,
            Input::Variable(slot, path) => match self.steering.presence(*slot, path) {
                Aspect::Absent => Presence::Absent,
                Aspect::Null => Presence::Null,
                Aspect::Present
                | Aspect::Equal(_)
                | Aspect::Given
                | Aspect::Keys(_)
                | Aspect::KeySet(_)
                | Aspect::PresentKeys(_)
                | Aspect::UniformKeys(_)
                | Aspect::Length(_)
                | Aspect::Zero(_)
                | Aspect::Negative(_)
                | Aspect::Above { .. }
                | Aspect::Longer { .. }
                | Aspect::Single
                | Aspect::Opaque(..) => Presence::Present,
            },
        }
    }

    /// The elements of a list; a single value counts as a list of one.
    pub(super) fn items<'o>(&self, input: &Input<'o>) -> Result<Vec<Input<'o>>, LowerError> {
        let items = self.uncounted_items(input);
        self.spend_inputs(items.len())?;
        Ok(items)
    }

    /// The elements of a list of objects to store, which count as values.
    pub(super) fn stored_items<'o>(&self, input: &Input<'o>) -> Result<Vec<Input<'o>>, LowerError> {
        let items = self.uncounted_items(input);
        self.spend_values(items.len())?;
        Ok(items)
    }

    fn uncounted_items<'o>(&self, input: &Input<'o>) -> Vec<Input<'o>> {
        match input {
            Input::Literal(Value::List(items)) => items.iter().map(Input::new).collect(),
            Input::Literal(_) => vec![input.clone()],
            Input::Variable(slot, path) => {
                let length = self.steering.length(*slot, path).unwrap_or(0);
                (0..length).map(|index| Input::Variable(*slot, path.index(index))).collect()
            }
        }
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
                self.members_of_variable((*slot, path), &keys, object)
            }
        })
    }

    /// The given fields of an input object, where null is a value and the order is irrelevant.
    pub(super) fn members_given<'o>(
        &self,
        input: &Input<'o>,
        object: TypeId,
        location: Location,
    ) -> Result<Vec<(InputId, Input<'o>)>, LowerError> {
        Ok(match input {
            Input::Literal(Value::Object(entries)) => {
                self.spend_values(entries.len())?;
                let mut members = Vec::with_capacity(entries.len());
                for (id, value) in entries {
                    if self.is_given(*id, value, location)? {
                        members.push((*id, Input::new(value)));
                    }
                }
                members
            }
            Input::Literal(_) => Vec::new(),
            Input::Variable(slot, path) => {
                let keys = self.steering.key_set(*slot, path).unwrap_or_default();
                self.spend_values(keys.len())?;
                self.members_of_variable((*slot, path), &keys, object)
            }
        })
    }

    /// The members of an input object that are not null, where their order is irrelevant.
    pub(super) fn members_present<'o>(
        &self,
        input: &Input<'o>,
        object: TypeId,
        location: Location,
    ) -> Result<Vec<(InputId, Input<'o>)>, LowerError> {
        let Input::Variable(slot, path) = input else {
            let mut members = self.members_given(input, object, location)?;
            members.retain(|(_, input)| self.presence(input) == Presence::Present);
            return Ok(members);
        };
        let (keys, members) = self.steering.present_keys(*slot, path).unwrap_or_default();
        self.spend_values(members)?;
        Ok(self.members_of_variable((*slot, path), &keys, object))
    }

    /// The members of these keys of a variable, or of a part of one, that is an input object.
    fn members_of_variable<'o>(
        &self,
        (slot, path): (Slot, &Path),
        keys: &[Box<str>],
        object: TypeId,
    ) -> Vec<(InputId, Input<'o>)> {
        let member = |key: &str| {
            let id = self.api.schema.find_input_field(object, key)?;
            Some((id, Input::Variable(slot, path.key(key))))
        };
        keys.iter().filter_map(|key| member(key)).collect()
    }

    /// Returns true if an input object is present. Reading its members, which must follow, observes an
    /// object of a variable.
    pub(super) fn is_present_object(&self, input: &Input<'_>) -> bool {
        match input {
            Input::Literal(_) => self.presence(input) == Presence::Present,
            Input::Variable(slot, path) => self.steering.is_object_or_present(*slot, path),
        }
    }

    /// True if a literal is given: a variable may be absent. One with a default may be null all the
    /// same, where null is not allowed.
    pub(super) fn is_given(
        &self,
        id: InputId,
        value: &Value,
        location: Location,
    ) -> Result<bool, LowerError> {
        let Value::Variable(slot) = value else { return Ok(true) };
        // Returned unchanged: an absent one is null.
        if self.api.input(id).role == InputRole::Write(WriteRole::ClientMutationId) {
            return Ok(true);
        }
        let definition = &self.api.schema[id];
        let may_be_null = !self.operation.variable(*slot).r#type.is_non_null();
        if !definition.r#type.is_non_null() {
            return Ok(!may_be_null || self.steering.given(*slot, &Path::default()));
        }
        if may_be_null && self.presence(&Input::new(value)) != Presence::Present {
            let message = format!("{} must not be null.", definition.name);
            return Err(LowerError::refused(&message, location));
        }
        Ok(true)
    }

    fn spend_inputs(&self, number: usize) -> Result<(), LowerError> {
        let left = self.inputs.get().checked_sub(number).ok_or(LowerError::TooManyInputs)?;
        self.inputs.set(left);
        Ok(())
    }

    fn spend_values(&self, number: usize) -> Result<(), LowerError> {
        let left = self.values.get().checked_sub(number).ok_or(LowerError::TooManyValues)?;
        self.values.set(left);
        Ok(())
    }

    /// The binding of an enum value; `None` for null. A refused value is an error with its text.
    pub(super) fn enum_value(
        &self,
        input: &Input<'_>,
        r#type: TypeId,
        location: Location,
    ) -> Result<Option<&ValueBinding>, LowerError> {
        match self.find_enum_value(input, r#type).map(|id| self.api.value(id)) {
            Some(ValueBinding::Refused(text)) => Err(LowerError::refused(text, location)),
            other => Ok(other),
        }
    }

    fn find_enum_value(&self, input: &Input<'_>, r#type: TypeId) -> Option<EnumValueId> {
        match input {
            Input::Literal(Value::Enum(id)) => Some(*id),
            Input::Literal(_) => None,
            Input::Variable(slot, path) => {
                let Json::String(name) = self.steering.value(*slot, path)? else { return None };
                self.api.schema.find_enum_value(r#type, name.as_str())
            }
        }
    }

    /// Observes whether a boolean is true. It steers.
    pub(super) fn is_true(&self, input: &Input<'_>) -> bool {
        match input {
            Input::Literal(value) => **value == Value::Boolean(true),
            Input::Variable(slot, path) => {
                self.steering.value(*slot, path) == Some(&Json::Bool(true))
            }
        }
    }

    /// Observes whether a number is zero. It steers.
    pub(super) fn is_zero(&self, input: &Input<'_>) -> bool {
        match input {
            Input::Literal(value) => **value == Value::Int(0),
            Input::Variable(slot, path) => self.steering.is_zero(*slot, path),
        }
    }

    /// Observes whether a number is below zero. It steers.
    pub(super) fn is_negative(&self, input: &Input<'_>) -> bool {
        match input {
            Input::Literal(value) => matches!(value, Value::Int(number) if *number < 0),
            Input::Variable(slot, path) => self.steering.is_negative(*slot, path),
        }
    }

    /// Observes whether a number is above a limit.
    pub(super) fn is_above(&self, input: &Input<'_>, limit: u32) -> bool {
        match input {
            Input::Literal(value) => {
                matches!(value, Value::Int(number) if *number > i64::from(limit))
            }
            Input::Variable(slot, path) => self.steering.is_above(*slot, path, limit),
        }
    }

    /// Observes whether a text has more characters than a limit.
    pub(super) fn is_longer(&self, input: &Input<'_>, limit: u32) -> bool {
        match input {
            Input::Literal(Value::String(text)) => has_more_characters(text, limit),
            Input::Literal(_) => false,
            Input::Variable(slot, path) => self.steering.is_longer(*slot, path, limit),
        }
    }

    /// Observes a whole number. It steers.
    pub(super) fn integer(&self, input: &Input<'_>) -> Option<i64> {
        match input {
            Input::Literal(Value::Int(number)) => Some(*number),
            Input::Literal(_) => None,
            Input::Variable(slot, path) => match self.steering.value(*slot, path)? {
                Json::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
                _ => None,
            },
        }
    }

    /// Observes the steering parts of an opaque text; `None` if it is invalid.
    pub(super) fn opaque(&self, input: &Input<'_>, kind: OpaqueKind) -> Option<OpaqueShape> {
        match input {
            Input::Literal(Value::String(text)) => read_opaque(text, kind),
            Input::Literal(_) => None,
            Input::Variable(slot, path) => self.steering.opaque(*slot, path, kind),
        }
    }

    /// The value as a parameter. Nothing of it steers: the operand's form has the API's names of
    /// its parts.
    pub(super) fn operand(&self, input: &Input<'_>, r#type: TypeRef) -> Operand {
        if let Input::Literal(Value::Enum(id)) = input
            && let ValueBinding::Label(label) = self.api.value(*id)
        {
            return Operand::Constant(ir::Value::Text(label.clone()));
        }
        let operand = self.plain_operand(input);
        match self.api.find_form(r#type) {
            Some(form) => Operand::Formed { operand: Box::new(operand), form },
            None => operand,
        }
    }

    /// The value unchanged.
    pub(super) fn plain_operand(&self, input: &Input<'_>) -> Operand {
        match input {
            Input::Literal(Value::List(items)) if items.iter().any(has_variable) => {
                let items = items.iter().map(|item| self.plain_operand(&Input::new(item)));
                Operand::List(items.collect())
            }
            Input::Literal(Value::Object(members))
                if members.iter().any(|(_, value)| has_variable(value)) =>
            {
                let member = |(id, value): &(InputId, Value)| {
                    ((*self.api.schema[*id].name).into(), self.plain_operand(&Input::new(value)))
                };
                Operand::Object(members.iter().map(member).collect())
            }
            Input::Literal(Value::Members(members)) => {
                let member = |(name, value): &(Box<str>, Value)| {
                    (name.clone(), self.plain_operand(&Input::new(value)))
                };
                Operand::Object(members.iter().map(member).collect())
            }
            Input::Literal(value) => Operand::Constant(self.constant(value)),
            Input::Variable(slot, path) => {
                let path = path.0.iter().map(|item| match item {
                    PathItem::Key(key) => ir::PathItem::Key(key.clone()),
                    PathItem::Index(index) => ir::PathItem::Index(*index),
                });
                Operand::Variable { slot: ir::Slot(slot.0), path: path.collect() }
            }
        }
    }

    /// A default of the schema.
    pub(super) fn default(&self, r#type: TypeId, value: &Const) -> ir::Value {
        match value {
            Const::Null => ir::Value::Null,
            Const::Boolean(value) => ir::Value::Boolean(*value),
            Const::Int(value) => ir::Value::Integer(*value),
            Const::Float(value) => ir::Value::Number(value.to_string().into()),
            Const::String(text) => ir::Value::Text(text.clone()),
            Const::Enum(name) => {
                let known = self.api.schema.find_enum_value(r#type, name);
                let label = known.and_then(|id| match self.api.value(id) {
                    ValueBinding::Label(label) => Some(label.clone()),
                    _ => None,
                });
                ir::Value::Text(label.unwrap_or_else(|| name.clone()))
            }
            Const::List(items) => {
                ir::Value::List(items.iter().map(|item| self.default(r#type, item)).collect())
            }
            Const::Object(members) => {
                let member = |(name, value): &(Box<str>, Const)| {
                    let id = self.api.schema.find_input_field(r#type, name);
                    let r#type = id.map_or(r#type, |id| self.api.schema[id].r#type.base);
                    (name.clone(), self.default(r#type, value))
                };
                ir::Value::Object(members.iter().map(member).collect())
            }
        }
    }

    /// A value without variables, by the API's names of its parts.
    fn constant(&self, value: &Value) -> ir::Value {
        match value {
            Value::Boolean(value) => ir::Value::Boolean(*value),
            Value::Int(value) => ir::Value::Integer(*value),
            Value::Number(text) => ir::Value::Number(text.clone()),
            Value::String(text) => ir::Value::Text(text.clone()),
            Value::Json(text) => ir::Value::Json(text.clone()),
            Value::Enum(id) => ir::Value::Text((*self.api.schema[*id].name).into()),
            Value::List(items) => {
                ir::Value::List(items.iter().map(|item| self.constant(item)).collect())
            }
            Value::Object(members) => {
                let member = |(id, value): &(InputId, Value)| {
                    ((*self.api.schema[*id].name).into(), self.constant(value))
                };
                ir::Value::Object(members.iter().map(member).collect())
            }
            Value::Members(members) => {
                let member =
                    |(name, value): &(Box<str>, Value)| (name.clone(), self.constant(value));
                ir::Value::Object(members.iter().map(member).collect())
            }
            // Variables are handled before; none is left here.
            Value::Null | Value::Variable(_) => ir::Value::Null,
        }
    }
}

fn has_variable(value: &Value) -> bool {
    match value {
        Value::Variable(_) => true,
        Value::List(items) => items.iter().any(has_variable),
        Value::Object(members) => members.iter().any(|(_, value)| has_variable(value)),
        Value::Members(members) => members.iter().any(|(_, value)| has_variable(value)),
        Value::Null
        | Value::Boolean(_)
        | Value::Int(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Enum(_)
        | Value::Json(_) => false,
    }
}

/// A 32-bit number written with a zero fraction.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 4e9).then_some(number as i64)
}
