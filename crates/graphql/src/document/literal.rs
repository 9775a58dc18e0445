//! Literals of a validated document as values in the schema's ids.

use std::collections::HashMap;

use apollo_compiler::parser::SourceSpan;
use apollo_compiler::{Node, ast};

use super::positions::Positions;
use crate::built_in_scalars::BUILT_IN_SCALARS;
use crate::error::{ErrorCode, GraphQLError, json_string};
use crate::leniency::Leniency;
use crate::operation::{Location, VariableDefinition};
use crate::print_type::print_type;
use crate::schema::{InputId, TypeKind, TypeRef};
use crate::value::{Const, Slot, Value};
use crate::visibility::View;

/// What an input position accepts.
#[derive(Clone, Copy)]
pub(super) struct ValuePosition {
    pub(super) has_default: bool,
    /// True if a text of a number or a boolean is that value.
    pub(super) reads_texts: bool,
}

/// Recursion is bounded by the parser's limit.
pub(super) struct Literals<'d> {
    pub(super) schema: View<'d>,
    pub(super) positions: &'d Positions,
    pub(super) slots: HashMap<&'d str, Slot>,
    pub(super) variables: Vec<VariableDefinition>,
    pub(super) errors: Vec<GraphQLError>,
}

impl Literals<'_> {
    pub(super) fn fail(&mut self, message: String, location: Location) {
        self.errors.push(GraphQLError::new(ErrorCode::ValidationFailed, message).at(location));
    }

    /// The value of an argument or of an input object's field.
    pub(super) fn input(&mut self, input: InputId, value: &Node<ast::Value>) -> Value {
        let schema = self.schema;
        let definition = &schema[input];
        let place = ValuePosition {
            has_default: definition.default.is_some(),
            reads_texts: schema.whole.text_inputs.contains(input),
        };
        self.value(definition.r#type, place, value)
    }

    fn value(&mut self, r#type: TypeRef, place: ValuePosition, value: &Node<ast::Value>) -> Value {
        let item_place = ValuePosition { has_default: false, ..place };
        match &**value {
            ast::Value::Variable(name) => match self.slots.get(name.as_str()).copied() {
                Some(slot) => {
                    self.check_variable(slot, r#type, place, value.location());
                    Value::Variable(slot)
                }
                None => self.unexpected(r#type, value),
            },
            ast::Value::Null => Value::Null,
            ast::Value::List(items) if r#type.is_list() => {
                let item_type = r#type.item().unwrap_or(r#type);
                Value::List(
                    items.iter().map(|item| self.value(item_type, item_place, item)).collect(),
                )
            }
            _ => match r#type.item() {
                // List coercion: a single value counts as a list of one.
                Some(item_type) => Value::List(vec![self.value(item_type, item_place, value)]),
                None => self.named(r#type, value),
            },
        }
    }

    fn named(&mut self, r#type: TypeRef, value: &Node<ast::Value>) -> Value {
        let schema = self.schema;
        let base = &schema[r#type.base];
        match (&base.kind, &**value) {
            (TypeKind::Scalar, literal) => {
                let custom = !BUILT_IN_SCALARS.contains(&&*base.name);
                match literal {
                    ast::Value::Int(int) if &*base.name == "ID" => {
                        Value::String(int.as_str().into())
                    }
                    ast::Value::Int(int) => match int.as_str().parse() {
                        Ok(int) => Value::Int(int),
                        Err(_) => Value::Number(int.as_str().into()),
                    },
                    ast::Value::Float(float) => Value::Number(float.as_str().into()),
                    ast::Value::String(text) => Value::String(text.as_str().into()),
                    ast::Value::Boolean(value) => Value::Boolean(*value),
                    ast::Value::Enum(name) if custom => Value::String(name.as_str().into()),
                    ast::Value::List(_) | ast::Value::Object(_) if custom => self.json(value),
                    ast::Value::Null
                    | ast::Value::Variable(_)
                    | ast::Value::Enum(_)
                    | ast::Value::List(_)
                    | ast::Value::Object(_) => self.unexpected(r#type, value),
                }
            }
            (TypeKind::Enum { .. }, ast::Value::Enum(name)) => {
                match schema.find_enum_value(r#type.base, name) {
                    Some(id) => Value::Enum(id),
                    None => self.unexpected(r#type, value),
                }
            }
            (TypeKind::InputObject { .. }, ast::Value::Object(fields)) => {
                let mut converted = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    match schema.find_input_field(r#type.base, name) {
                        Some(input) => converted.push((input, self.input(input, value))),
                        None => return self.unexpected(r#type, value),
                    }
                }
                self.add_defaults(r#type, &mut converted);
                Value::Object(converted)
            }
            (
                TypeKind::Enum { .. }
                | TypeKind::InputObject { .. }
                | TypeKind::Object { .. }
                | TypeKind::Interface { .. }
                | TypeKind::Union { .. },
                _,
            ) => self.unexpected(r#type, value),
        }
    }

    /// Adds the omitted fields of an input object that have a default:
    /// <https://spec.graphql.org/draft/#sec-Input-Objects.Input-Coercion>.
    fn add_defaults(&self, object: TypeRef, given: &mut Vec<(InputId, Value)>) {
        let schema = self.schema.whole;
        let TypeKind::InputObject { fields } = &schema[object.base].kind else { return };
        for field in self.schema.inputs(fields) {
            let definition = &schema[field];
            if let Some(default) = &definition.default
                && !given.iter().any(|(known, _)| *known == field)
            {
                given.push((field, self.default(definition.r#type, default)));
            }
        }
    }

    /// A default of the schema as a literal of the document.
    fn default(&self, r#type: TypeRef, value: &Const) -> Value {
        match (value, r#type.item()) {
            (Const::Null, _) => Value::Null,
            (Const::List(items), item_type) => {
                let item_type = item_type.unwrap_or(r#type);
                Value::List(items.iter().map(|item| self.default(item_type, item)).collect())
            }
            (_, Some(item_type)) => Value::List(vec![self.default(item_type, value)]),
            (Const::Boolean(value), None) => Value::Boolean(*value),
            (Const::Int(number), None) => Value::Int(*number),
            (Const::Float(number), None) => Value::Number(number.to_string().into()),
            (Const::String(text), None) => Value::String(text.clone()),
            (Const::Enum(name), None) => {
                match self.schema.find_enum_value(r#type.base, name) {
                    Some(id) => Value::Enum(id),
                    // Of a custom scalar.
                    None => Value::String(name.clone()),
                }
            }
            (Const::Object(fields), None) => {
                let field = |(name, value): &(Box<str>, Const)| {
                    let field = self.schema.find_input_field(r#type.base, name)?;
                    Some((field, self.default(self.schema[field].r#type, value)))
                };
                let mut given: Vec<_> = fields.iter().filter_map(field).collect();
                self.add_defaults(r#type, &mut given);
                Value::Object(given)
            }
        }
    }

    /// Validation rejects these; if it does not, the request is rejected here.
    fn unexpected(&mut self, r#type: TypeRef, value: &Node<ast::Value>) -> Value {
        let message =
            format!("Expected value of type \"{}\".", print_type(self.schema.whole, r#type));
        self.fail(message, self.positions.location(value.location()));
        Value::Null
    }

    /// <https://spec.graphql.org/draft/#IsVariableUsageAllowed()>, at every depth of a value.
    pub(super) fn check_variable(
        &mut self,
        slot: Slot,
        location: TypeRef,
        place: ValuePosition,
        span: Option<SourceSpan>,
    ) {
        let Some(variable) = self.variables.get_mut(usize::from(slot.0)) else { return };
        variable.reads_texts &= place.reads_texts;
        let leniency = self.schema.whole.leniency;
        let allowed = if location.is_non_null() && !variable.r#type.is_non_null() {
            let never_null = variable.default.as_ref().is_some_and(|value| *value != Const::Null);
            let location = location.nullable();
            (never_null || place.has_default) && is_compatible(variable.r#type, location, leniency)
        } else {
            is_compatible(variable.r#type, location, leniency)
        };
        if !allowed {
            let message = format!(
                "Variable \"${}\" of type \"{}\" used in position expecting type \"{}\".",
                variable.name,
                print_type(self.schema.whole, variable.r#type),
                print_type(self.schema.whole, location),
            );
            self.fail(message, self.positions.location(span));
        }
    }

    /// A list or an object of a custom scalar. The types of its parts are unknown, so it may
    /// contain variables of every type.
    fn json(&mut self, value: &Node<ast::Value>) -> Value {
        if has_variable(value) {
            return self.json_with_variables(value);
        }
        let mut output = String::new();
        write_json(value, &mut output);
        Value::Json(output.into())
    }

    fn json_with_variables(&mut self, value: &Node<ast::Value>) -> Value {
        match &**value {
            ast::Value::Variable(name) => match self.slots.get(name.as_str()) {
                Some(slot) => Value::Variable(*slot),
                None => {
                    // Validation ignores the literals of custom scalars.
                    let message = format!("variable `${name}` is not defined");
                    self.fail(message, self.positions.location(value.location()));
                    Value::Null
                }
            },
            ast::Value::List(items) => {
                let items = items.iter().map(|item| self.json_with_variables(item));
                Value::List(items.collect())
            }
            ast::Value::Object(fields) => {
                let members = fields
                    .iter()
                    .map(|(name, value)| (name.as_str().into(), self.json_with_variables(value)));
                Value::Members(members.collect())
            }
            ast::Value::Null => Value::Null,
            ast::Value::Boolean(value) => Value::Boolean(*value),
            ast::Value::Int(int) => match int.as_str().parse() {
                Ok(int) => Value::Int(int),
                Err(_) => Value::Number(int.as_str().into()),
            },
            ast::Value::Float(float) => Value::Number(float.as_str().into()),
            ast::Value::String(text) => Value::String(text.as_str().into()),
            ast::Value::Enum(name) => Value::String(name.as_str().into()),
        }
    }

    /// A number as a default. Validation rejects those out of range for the specification's own
    /// scalars only.
    fn float(&mut self, text: &str, value: &Node<ast::Value>) -> Const {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Const::Float(number),
            Ok(_) | Err(_) => {
                let message = format!("The number {text} is out of range for a default.");
                self.fail(message, self.positions.location(value.location()));
                Const::Null
            }
        }
    }

    /// The default of a variable, whose type validation checked.
    pub(super) fn constant(&mut self, value: &Node<ast::Value>) -> Const {
        match &**value {
            ast::Value::Null => Const::Null,
            ast::Value::Boolean(value) => Const::Boolean(*value),
            ast::Value::Int(int) => match int.as_str().parse() {
                Ok(int) => Const::Int(int),
                Err(_) => self.float(int.as_str(), value),
            },
            ast::Value::Float(float) => self.float(float.as_str(), value),
            ast::Value::String(text) => Const::String(text.as_str().into()),
            ast::Value::Enum(name) => Const::Enum(name.as_str().into()),
            ast::Value::List(items) => {
                Const::List(items.iter().map(|item| self.constant(item)).collect())
            }
            ast::Value::Object(fields) => Const::Object(
                fields
                    .iter()
                    .map(|(name, value)| (name.as_str().into(), self.constant(value)))
                    .collect(),
            ),
            ast::Value::Variable(name) => {
                let message = format!("Unexpected variable \"${name}\" in a constant value.");
                self.fail(message, self.positions.location(value.location()));
                Const::Null
            }
        }
    }
}

fn has_variable(value: &ast::Value) -> bool {
    match value {
        ast::Value::Variable(_) => true,
        ast::Value::List(items) => items.iter().any(|item| has_variable(item)),
        ast::Value::Object(fields) => fields.iter().any(|(_, value)| has_variable(value)),
        ast::Value::Null
        | ast::Value::Boolean(_)
        | ast::Value::Int(_)
        | ast::Value::Float(_)
        | ast::Value::String(_)
        | ast::Value::Enum(_) => false,
    }
}

/// Appends a value without variables as JSON.
fn write_json(value: &ast::Value, output: &mut String) {
    match value {
        // Variables do not occur here.
        ast::Value::Null | ast::Value::Variable(_) => output.push_str("null"),
        ast::Value::Boolean(true) => output.push_str("true"),
        ast::Value::Boolean(false) => output.push_str("false"),
        ast::Value::Int(int) => output.push_str(int.as_str()),
        ast::Value::Float(float) => output.push_str(float.as_str()),
        ast::Value::String(text) => output.push_str(&json_string(text)),
        ast::Value::Enum(name) => output.push_str(&json_string(name)),
        ast::Value::List(items) => {
            output.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    output.push(',');
                }
                write_json(item, output);
            }
            output.push(']');
        }
        ast::Value::Object(fields) => {
            output.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 {
                    output.push(',');
                }
                output.push_str(&json_string(name));
                output.push(':');
                write_json(value, output);
            }
            output.push('}');
        }
    }
}

/// <https://spec.graphql.org/draft/#AreTypesCompatible()>
fn is_compatible(variable: TypeRef, location: TypeRef, leniency: Leniency) -> bool {
    if location.is_non_null() && !variable.is_non_null() {
        return false;
    }
    match (variable.item(), location.item()) {
        (Some(variable), Some(location)) if leniency.nullable_items => {
            is_compatible(variable, location.nullable(), leniency)
        }
        (Some(variable), Some(location)) => is_compatible(variable, location, leniency),
        (None, None) => variable.base == location.base,
        (Some(_), None) | (None, Some(_)) => false,
    }
}
