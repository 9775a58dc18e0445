//! Keys of the objects of a batch: a server may return them in another order, or leave some out.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use supergraph::Tree;

/// The values of the key fields, as a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(String);

impl Key {
    /// The key of an object with these key fields.
    pub(super) fn new(object: &Map<String, Value>, fields: &Tree) -> Self {
        let mut text = String::new();
        append(object, fields, &mut text);
        Self(text)
    }
}

/// Recursion is bounded by the nesting of key fields.
fn append(object: &Map<String, Value>, fields: &Tree, text: &mut String) {
    text.push('{');
    for (name, below) in &fields.fields {
        match (object.get(&**name), below.fields.is_empty()) {
            (Some(Value::Object(object)), false) => append(object, below, text),
            // An id is the same as a number and as a string.
            (Some(Value::String(value)), true) => append_text(value, text),
            (Some(Value::Number(value)), true) => append_text(&value.to_string(), text),
            (Some(value), _) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "{value}");
            }
            (None, _) => text.push_str("null"),
        }
        text.push(',');
    }
    text.push('}');
}

fn append_text(value: &str, text: &mut String) {
    let _ = write!(text, "{value:?}");
}
