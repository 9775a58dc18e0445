//! Coercion of a request's variable values by the operation's definitions.
//!
//! <https://spec.graphql.org/draft/#CoerceVariableValues()>. The error texts are those of the
//! GraphQL reference implementation, which clients show. Objects keep the request's order of keys.

mod inspect;

use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{ConditionValue, Operation, Selection, VariableDefinition};
use crate::print_type::print_type;
use crate::schema::{InputId, TypeId, TypeKind, TypeRef};
use crate::suggestion;
use crate::text_inputs::value_of_text;
use crate::value::{Const, Slot};
use crate::variables::{Path, PathItem, Variables};
use crate::visibility::View;
use inspect::inspect;

/// Limit of reported errors of one request.
const MAX_ERRORS: usize = 50;

/// Limit of errors of one request with suggested names: each compares all names of a type.
const MAX_SUGGESTING: usize = 5;

/// JSON is parsed with a limit of 128 levels; defaults may add some of their own.
const MAX_DEPTH: usize = 200;

/// The values of the operation's variables by slot. Values of other names are ignored.
pub fn coerce_variable_values<'s>(
    schema: impl Into<View<'s>>,
    operation: &Operation,
    given: &Map<ByteString, Json>,
) -> Result<Variables, Vec<GraphQLError>> {
    let schema = schema.into();
    let mut errors = Vec::new();
    let mut values = Vec::with_capacity(operation.variables.len());
    for (index, definition) in operation.variables.iter().enumerate() {
        let mut coercion = Coercion {
            schema,
            variable: &definition.name,
            r#type: definition.r#type,
            path: Path::default(),
            reads_texts: definition.reads_texts,
            errors: &mut errors,
        };
        let value = match given.get(&*definition.name) {
            Some(value) => coercion.given(definition, value),
            None => coercion.absent(definition),
        };
        if value == Some(Json::Null) && definition.default.is_some() {
            check_conditions(operation, index, &mut errors);
        }
        values.push(value);
        if errors.len() > MAX_ERRORS {
            errors.truncate(MAX_ERRORS);
            errors.push(GraphQLError::new(
                ErrorCode::BadUserInput,
                "Too many errors processing variables, error limit reached. Execution aborted.",
            ));
            break;
        }
    }
    if errors.is_empty() { Ok(Variables { values, ..Variables::default() }) } else { Err(errors) }
}

/// A variable with a default is valid where null is not; a request can set it to null all the same.
fn check_conditions(operation: &Operation, index: usize, errors: &mut Vec<GraphQLError>) {
    let selections = operation.selection_sets.iter().flat_map(|set| &set.selections);
    let mut conditions = selections.flat_map(|selection| match selection {
        Selection::Field(field) => &field.conditions,
        Selection::Fragment { conditions, .. } => conditions,
    });
    let used = conditions.any(|condition| match condition.value {
        ConditionValue::Variable(Slot(slot)) => usize::from(slot) == index,
        ConditionValue::Constant(_) => false,
    });
    if used {
        let message = "Argument \"if\" of non-null type \"Boolean!\" must not be null.";
        errors.push(GraphQLError::new(ErrorCode::BadUserInput, message));
    }
}

struct Coercion<'c> {
    schema: View<'c>,
    variable: &'c str,
    r#type: TypeRef,
    path: Path,
    /// True if the present place takes texts of numbers and booleans.
    reads_texts: bool,
    errors: &'c mut Vec<GraphQLError>,
}

impl<'c> Coercion<'c> {
    fn given(&mut self, definition: &VariableDefinition, value: &Json) -> Option<Json> {
        if *value == Json::Null && definition.r#type.is_non_null() {
            self.refuse(format!(
                "Variable \"${}\" of non-null type \"{}\" must not be null.",
                self.variable,
                print_type(self.schema.whole, definition.r#type)
            ));
            return None;
        }
        Some(self.value(definition.r#type, value))
    }

    fn absent(&mut self, definition: &VariableDefinition) -> Option<Json> {
        match &definition.default {
            Some(default) => Some(self.value(definition.r#type, &const_json(default))),
            None => {
                if definition.r#type.is_non_null() {
                    self.refuse(format!(
                        "Variable \"${}\" of required type \"{}\" was not provided.",
                        self.variable,
                        print_type(self.schema.whole, definition.r#type)
                    ));
                }
                None
            }
        }
    }

    /// The coerced value; where it is invalid, an error is added and the result is unspecified.
    fn value(&mut self, r#type: TypeRef, value: &Json) -> Json {
        if self.errors.len() > MAX_ERRORS {
            return Json::Null;
        }
        if self.path.0.len() > MAX_DEPTH {
            return self.invalid(value, "The value is nested too deeply.");
        }
        if *value == Json::Null {
            if r#type.is_non_null() {
                let expected = print_type(self.schema.whole, r#type);
                let message = format!("Expected non-nullable type \"{expected}\" not to be null.");
                return self.invalid(value, &message);
            }
            return Json::Null;
        }
        if let Some(item_type) = r#type.item() {
            let Json::Array(items) = value else {
                // List coercion: a single value counts as a list of one.
                return Json::Array(vec![self.value(item_type, value)]);
            };
            let mut coerced = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                self.path.0.push(PathItem::Index(index));
                coerced.push(self.value(item_type, item));
                self.path.0.pop();
            }
            return Json::Array(coerced);
        }
        self.named(r#type.base, value)
    }

    fn named(&mut self, id: TypeId, value: &Json) -> Json {
        let schema = self.schema;
        let definition = &schema.whole[id];
        match &definition.kind {
            TypeKind::Scalar => match self.scalar(&definition.name, value) {
                Ok(value) => value,
                Err(message) => self.invalid(value, &message),
            },
            TypeKind::Enum { .. } => {
                let name = &definition.name;
                let Json::String(text) = value else {
                    let found = inspect(value);
                    let message =
                        format!("Enum \"{name}\" cannot represent non-string value: {found}.");
                    return self.invalid(value, &message);
                };
                if schema.find_enum_value(id, text.as_str()).is_none() {
                    let text = text.as_str();
                    let message = format!("Value \"{text}\" does not exist in \"{name}\" enum.");
                    let suggestion = self.suggest(|| suggestion::of_enum_values(schema, id, text));
                    return self.invalid(value, &[message, suggestion].concat());
                }
                value.clone()
            }
            TypeKind::InputObject { fields } => self.input_object(id, fields, value),
            TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. } => {
                // Validation rejects variables of output types.
                self.invalid(value, &format!("\"{}\" is not an input type.", definition.name))
            }
        }
    }

    fn input_object(&mut self, id: TypeId, fields: &'c [InputId], value: &Json) -> Json {
        let schema = self.schema;
        let name = &schema.whole[id].name;
        let Json::Object(given) = value else {
            return self.invalid(value, &format!("Expected type \"{name}\" to be an object."));
        };
        let mut coerced = Map::with_capacity(given.len());
        for (key, field_value) in given {
            if self.errors.len() > MAX_ERRORS {
                return Json::Null;
            }
            let Some(input) = schema.find_input_field(id, key.as_str()) else {
                let key = key.as_str();
                let message = format!("Field \"{key}\" is not defined by type \"{name}\".");
                let suggestion = self.suggest(|| suggestion::of_input_fields(schema, id, key));
                self.invalid(value, &[message, suggestion].concat());
                continue;
            };
            self.path.0.push(PathItem::Key(key.as_str().into()));
            let outside = self.reads_texts;
            self.reads_texts = schema.whole.text_inputs.contains(input);
            let field_value = self.value(schema[input].r#type, field_value);
            self.reads_texts = outside;
            self.path.0.pop();
            coerced.insert(key.clone(), field_value);
        }
        for input in schema.inputs(fields) {
            let field = &schema[input];
            if given.contains_key(&*field.name) {
                continue;
            }
            if let Some(default) = &field.default {
                self.path.0.push(PathItem::Key((*field.name).into()));
                let default = self.value(field.r#type, &const_json(default));
                self.path.0.pop();
                coerced.insert(&*field.name, default);
            } else if field.r#type.is_non_null() {
                let (field, expected) = (&field.name, print_type(schema.whole, field.r#type));
                let message =
                    format!("Field \"{field}\" of required type \"{expected}\" was not provided.");
                self.invalid(value, &message);
            }
        }
        Json::Object(coerced)
    }

    fn scalar(&self, name: &str, value: &Json) -> Result<Json, String> {
        match value {
            Json::String(text) if self.reads_texts => {
                value_of_text(name, text.as_str()).map_or_else(|| scalar(name, value), Ok)
            }
            value => scalar(name, value),
        }
    }

    /// Similar names, for the first errors of a request, if the schema is not hidden.
    fn suggest(&self, names: impl FnOnce() -> String) -> String {
        match self.schema.whole.suggests_names && self.errors.len() < MAX_SUGGESTING {
            true => names(),
            false => String::new(),
        }
    }

    fn invalid(&mut self, value: &Json, message: &str) -> Json {
        let mut place = String::new();
        if !self.path.0.is_empty() {
            place = format!(" at \"{}", self.variable);
            for item in &self.path.0 {
                match item {
                    PathItem::Key(key) => place.extend([".", key]),
                    PathItem::Index(index) => place.push_str(&format!("[{index}]")),
                }
            }
            place.push('"');
        }
        let (variable, expected) = (self.variable, print_type(self.schema.whole, self.r#type));
        let told = format!(
            "Variable \"${variable}\" got invalid value {}{place}; {message}",
            inspect(value)
        );
        let logged =
            format!("Variable \"${variable}\" of type \"{expected}\" got an invalid value{place}.");
        let error = GraphQLError::new(ErrorCode::BadUserInput, told).logged_as(logged);
        self.errors.push(error);
        Json::Null
    }

    fn refuse(&mut self, message: String) {
        self.errors.push(GraphQLError::new(ErrorCode::BadUserInput, message));
    }
}

/// A custom scalar accepts any value; its field validates the value where it is used.
fn scalar(name: &str, value: &Json) -> Result<Json, String> {
    match name {
        "Int" => int(value),
        "Float" => match value {
            Json::Number(_) => Ok(value.clone()),
            _ => Err(format!("Float cannot represent non numeric value: {}", inspect(value))),
        },
        "String" => match value {
            Json::String(_) => Ok(value.clone()),
            _ => Err(format!("String cannot represent a non string value: {}", inspect(value))),
        },
        "Boolean" => match value {
            Json::Bool(_) => Ok(value.clone()),
            _ => Err(format!("Boolean cannot represent a non boolean value: {}", inspect(value))),
        },
        "ID" => match value {
            Json::String(_) => Ok(value.clone()),
            Json::Number(number) if !number.is_f64() => Ok(Json::from(number.to_string())),
            Json::Number(number) => match number.as_f64() {
                // Beyond this, adjacent integers are not distinguishable.
                Some(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
                    Ok(Json::from((number as i64).to_string()))
                }
                Some(_) | None => Err(format!("ID cannot represent value: {}", inspect(value))),
            },
            _ => Err(format!("ID cannot represent value: {}", inspect(value))),
        },
        _ => Ok(value.clone()),
    }
}

fn int(value: &Json) -> Result<Json, String> {
    let number = match value {
        Json::Number(number) => number.as_f64(),
        _ => None,
    };
    let Some(number) = number.filter(|number| number.fract() == 0.0) else {
        return Err(format!("Int cannot represent non-integer value: {}", inspect(value)));
    };
    // Every integer of 32 bits is exact as a floating point number, and others compare as such.
    if number < f64::from(i32::MIN) || number > f64::from(i32::MAX) {
        let found = inspect(value);
        return Err(format!("Int cannot represent non 32-bit signed integer value: {found}"));
    }
    Ok(Json::from(number as i32))
}

fn const_json(value: &Const) -> Json {
    match value {
        Const::Null => Json::Null,
        Const::Boolean(value) => Json::Bool(*value),
        Const::Int(value) => Json::from(*value),
        Const::Float(value) => Json::from(*value),
        Const::String(text) | Const::Enum(text) => Json::from(&**text),
        Const::List(items) => Json::Array(items.iter().map(const_json).collect()),
        Const::Object(fields) => Json::Object(
            fields
                .iter()
                .map(|(name, value)| (ByteString::from(&**name), const_json(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests;
