//! Printed arguments for subgraph documents.

use std::sync::Arc;

use graphql::definitions::Literal;
use graphql::schema::{InputId, Schema};
use graphql::value::{Slot, Value};

use super::FieldDirectives;

/// Arguments of a field and its custom directives; equal arguments have equal texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Arguments {
    /// `first:5,after:$cursor`; empty without arguments.
    pub text: Box<str>,
    /// Distinct variables in the text.
    pub variables: Box<[Slot]>,
    pub directives: FieldDirectives,
}

impl Arguments {
    /// Prints the arguments of a field in an operation. `names` are those of its variables.
    pub(super) fn of_operation(
        schema: &Schema,
        arguments: &[(InputId, Value)],
        names: &[&str],
    ) -> Self {
        let mut printer = Printer { schema, names, text: String::new(), variables: Vec::new() };
        for (place, (input, value)) in arguments.iter().enumerate() {
            printer.separate(place);
            printer.text.push_str(&schema[*input].name);
            printer.text.push(':');
            printer.value(value);
        }
        let Printer { text, variables, .. } = printer;
        Self {
            text: text.into(),
            variables: variables.into(),
            directives: FieldDirectives::default(),
        }
    }

    /// Prints the arguments of a field in a field set.
    pub(crate) fn of_set(arguments: &[(Arc<str>, Literal)]) -> Self {
        let mut text = String::new();
        for (place, (name, literal)) in arguments.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            text.push_str(name);
            text.push(':');
            print_literal(literal, &mut text);
        }
        Self {
            text: text.into(),
            variables: Box::default(),
            directives: FieldDirectives::default(),
        }
    }
}

struct Printer<'p> {
    schema: &'p Schema,
    names: &'p [&'p str],
    text: String,
    variables: Vec<Slot>,
}

impl Printer<'_> {
    fn separate(&mut self, place: usize) {
        if place > 0 {
            self.text.push(',');
        }
    }

    /// Recursion is bounded: validation limits the nesting of values.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Variable(slot) => {
                self.text.push('$');
                self.text.push_str(self.names.get(usize::from(slot.0)).copied().unwrap_or("_"));
                if !self.variables.contains(slot) {
                    self.variables.push(*slot);
                }
            }
            Value::Null => self.text.push_str("null"),
            Value::Boolean(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => self.text.push_str(&value.to_string()),
            Value::Number(digits) => self.text.push_str(digits),
            Value::String(text) => print_text(text, &mut self.text),
            Value::Enum(value) => self.text.push_str(&self.schema[*value].name),
            Value::List(items) => {
                self.text.push('[');
                for (place, item) in items.iter().enumerate() {
                    self.separate(place);
                    self.value(item);
                }
                self.text.push(']');
            }
            Value::Object(members) => {
                self.text.push('{');
                for (place, (input, value)) in members.iter().enumerate() {
                    self.separate(place);
                    self.text.push_str(&self.schema[*input].name);
                    self.text.push(':');
                    self.value(value);
                }
                self.text.push('}');
            }
            Value::Members(members) => {
                self.text.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    self.separate(place);
                    self.text.push_str(name);
                    self.text.push(':');
                    self.value(value);
                }
                self.text.push('}');
            }
            Value::Json(json) => print_json(json, &mut self.text),
        }
    }
}

fn print_literal(literal: &Literal, text: &mut String) {
    match literal {
        Literal::Null => text.push_str("null"),
        Literal::Boolean(value) => text.push_str(if *value { "true" } else { "false" }),
        Literal::Int(digits) | Literal::Float(digits) => text.push_str(digits),
        Literal::String(value) => print_text(value, text),
        Literal::Enum(name) => text.push_str(name),
        Literal::List(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                print_literal(item, text);
            }
            text.push(']');
        }
        Literal::Object(members) => {
            text.push('{');
            for (place, (name, value)) in members.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(name);
                text.push(':');
                print_literal(value, text);
            }
            text.push('}');
        }
    }
}

/// <https://spec.graphql.org/draft/#StringValue>
fn print_text(value: &str, text: &mut String) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                text.push_str("\\u00");
                for digit in [u32::from(control) >> 4, u32::from(control) & 15] {
                    text.extend(char::from_digit(digit, 16));
                }
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

/// Prints a value of a custom scalar, which the operation has as JSON: member names lose their
/// quotes. The JSON was made from a document, so that all names are GraphQL names.
fn print_json(json: &str, text: &mut String) {
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        let (before, quoted) = rest.split_at(start);
        text.push_str(before);
        let end = end_of_string(quoted);
        let (string, after) = quoted.split_at(end);
        if after.starts_with(':') {
            text.push_str(string.trim_matches('"'));
        } else {
            text.push_str(string);
        }
        rest = after;
    }
    text.push_str(rest);
}

/// Length of the JSON string at the start of a text.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}
