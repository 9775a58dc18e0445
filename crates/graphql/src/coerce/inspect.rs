//! Values in messages, in the form of the GraphQL reference implementation.

use serde_json_bytes::Value as Json;

use crate::error::json_string;

/// Limit of shown elements of a list.
const MAX_ITEMS: usize = 10;

/// Limit of shown levels.
const MAX_DEPTH: usize = 2;

/// Limit of shown bytes, which the reference implementation lacks.
const MAX_LENGTH: usize = 1_000;

/// A short form of a value: `[1, 2]`, `{ id: 1 }`, `"text"`.
pub(super) fn inspect(value: &Json) -> String {
    let mut output = String::new();
    inspect_at(value, 0, &mut output);
    if output.len() > MAX_LENGTH {
        let mut end = MAX_LENGTH;
        while !output.is_char_boundary(end) {
            end -= 1;
        }
        output.truncate(end);
        output.push_str("...");
    }
    output
}

fn inspect_at(value: &Json, depth: usize, output: &mut String) {
    if output.len() > MAX_LENGTH {
        return;
    }
    match value {
        Json::Null => output.push_str("null"),
        Json::Bool(true) => output.push_str("true"),
        Json::Bool(false) => output.push_str("false"),
        Json::Number(number) => output.push_str(&number.to_string()),
        Json::String(text) => output.push_str(&json_string(text.as_str())),
        Json::Array(items) if items.is_empty() => output.push_str("[]"),
        Json::Array(_) if depth > MAX_DEPTH => output.push_str("[Array]"),
        Json::Array(items) => {
            output.push('[');
            for (index, item) in items.iter().take(MAX_ITEMS).enumerate() {
                if index > 0 {
                    output.push_str(", ");
                }
                inspect_at(item, depth + 1, output);
            }
            match items.len().saturating_sub(MAX_ITEMS) {
                0 => {}
                1 => output.push_str(", ... 1 more item"),
                more => output.push_str(&format!(", ... {more} more items")),
            }
            output.push(']');
        }
        Json::Object(fields) if fields.is_empty() => output.push_str("{}"),
        Json::Object(_) if depth > MAX_DEPTH => output.push_str("[Object]"),
        Json::Object(fields) => {
            output.push_str("{ ");
            for (index, (key, value)) in fields.iter().enumerate() {
                if output.len() > MAX_LENGTH {
                    return;
                }
                if index > 0 {
                    output.push_str(", ");
                }
                output.push_str(key.as_str());
                output.push_str(": ");
                inspect_at(value, depth + 1, output);
            }
            output.push_str(" }");
        }
    }
}
