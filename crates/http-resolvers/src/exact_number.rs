//! Numbers of a request that JSON values would round: they are kept as they are written.
//!
//! Such a number is an object with one member, whose name no client knows. Requests write it as a
//! literal, or as a number of their JSON.
//!
//! `serde_json` can keep the texts of all numbers (`arbitrary_precision`), by the same means. It does
//! so for every JSON of the process, which `serde_json_bytes` does not support.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::raw_members::RawMembers;

/// The name of the member with the digits. Another one in each process, so that no object of a client
/// is taken for a number.
static NAME: LazyLock<String> =
    LazyLock::new(|| format!("\0number{:x}", RandomState::new().hash_one(0_u8)));

/// A number as it is written.
pub(crate) fn number(digits: &str) -> Value {
    match serde_json::from_str(digits) {
        Ok(Value::Number(number)) if number.to_string() == digits => Value::Number(number),
        _ => Value::Object(Map::from_iter([(NAME.clone(), Value::from(digits))])),
    }
}

/// A JSON text, with the numbers as they are written. Recursion is bounded by the depth of documents.
pub(crate) fn json(text: &str) -> Value {
    let parsed = match text.as_bytes().first() {
        Some(b'{') => serde_json::from_str(text).ok().map(|RawMembers(members)| {
            // The last member comes first.
            let members = members.into_iter().rev();
            Value::Object(members.map(|(name, one)| (name, json(one.get()))).collect())
        }),
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)
            .ok()
            .map(|items| Value::Array(items.into_iter().map(|one| json(one.get())).collect())),
        Some(b'-' | b'0'..=b'9') => Some(number(text)),
        Some(_) | None => serde_json::from_str(text).ok(),
    };
    parsed.unwrap_or_default()
}

/// The digits of a number that JSON values would round.
pub(crate) fn digits(value: &Value) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let digits = object.get(&*NAME)?.as_str()?;
    // Nothing but a number is a literal.
    is_number(digits).then_some(digits)
}

/// True for the text of a number, however large it is.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok_and(|read| read.get() == text)
}

/// True if a value has such a number.
pub(crate) fn is_within(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        Value::Array(items) => items.iter().any(is_within),
        Value::Object(members) => digits(value).is_some() || members.values().any(is_within),
    }
}

/// The value with rounded numbers.
pub(crate) fn rounded(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        Value::Array(items) => Value::Array(items.iter().map(rounded).collect()),
        Value::Object(members) => match digits(value) {
            Some(digits) => serde_json::from_str(digits).unwrap_or_else(|_| Value::from(digits)),
            None => {
                let members = members.iter().map(|(name, one)| (name.clone(), rounded(one)));
                Value::Object(members.collect())
            }
        },
    }
}

/// The JSON text, with the numbers as they are written.
pub(crate) fn text(value: &Value) -> String {
    if !is_within(value) {
        return value.to_string();
    }
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Recursion is bounded by the depth of values.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => match digits(value) {
            // Readers of JSON refuse a number that is larger than each double.
            Some(digits) => match digits.parse().is_ok_and(f64::is_finite) {
                true => out.push_str(digits),
                false => out.push_str(&Value::from(digits).to_string()),
            },
            None => {
                out.push('{');
                for (index, (name, one)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push(':');
                    write(one, out);
                }
                out.push('}');
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        for exact in ["1", "-7", "1.5", "18446744073709551615"] {
            assert_eq!(digits(&number(exact)), None, "{exact}");
        }
        for wrapped in ["1.50", "18446744073709551616", "0.1234567890123456789", "1e400", "1E2"] {
            let value = json(&format!("{{\"a\": [1, {wrapped}], \"b\": \"x\"}}"));
            assert_eq!(digits(&value["a"][1]), Some(wrapped));
            assert!(is_within(&value), "{value}");
        }
        assert!(!is_within(&json(r#"{"a": [1, 2.5, null, "1.50"], "b": {}}"#)));
        assert_eq!(rounded(&json(r#"{"a": [1.50]}"#)), json!({ "a": [1.5] }));
        let mixed =
            r#"{"unit \"price\"":[1.50,null,{"b":0.1000000000000000000001}],"c":"x","d":[]}"#;
        assert_eq!(text(&json(mixed)), mixed);
        assert_eq!(text(&json("[1e400, 2]")), r#"["1e400",2]"#);
        let ordered = json(r#"{"b": 1, "a": {"d": 2, "c": 3}, "b": 4}"#);
        assert_eq!(ordered.to_string(), r#"{"b":4,"a":{"d":2,"c":3}}"#);
    }

    /// An object of a client never becomes the text of a document.
    #[test]
    fn a_name_is_no_number() {
        let name = NAME.as_str();
        for other in [
            json!({ name: "1) { id } x(a: 1" }),
            json!({ name: 1 }),
            json!({ name: "" }),
            json!({ "\0number": "1" }),
        ] {
            assert_eq!(digits(&other), None, "{other}");
            assert!(!is_within(&other));
        }
    }
}
