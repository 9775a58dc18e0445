//! Coercion of scalars to the types of the schema, without loss of information.

mod datetime;

use serde_json::Value;

use datetime::{of_seconds, of_text};

/// True for the scalars whose values are coerced; others may be any JSON.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(name, "String" | "ID" | "Boolean" | "Int" | "Int64" | "Float" | "DateTime")
}

/// Writes the value of a scalar; false if it cannot be one of the type. It is no object, no list and
/// not null.
pub(crate) fn coerce(name: &str, text: &str, output: &mut Vec<u8>) -> bool {
    if !is_known(name) {
        output.extend_from_slice(text.as_bytes());
        return true;
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    let coerced = match name {
        "String" | "ID" => string(value, text),
        "Boolean" => boolean(&value),
        "Int" => int(&value),
        "Int64" => int64(&value),
        "Float" => float(value),
        _ => date_time(&value),
    };
    match coerced {
        Some(value) => serde_json::to_writer(output, &value).is_ok(),
        None => false,
    }
}

/// True for the scalars of every schema.
pub(crate) fn is_built_in(name: &str) -> bool {
    matches!(name, "String" | "ID" | "Boolean" | "Int" | "Float")
}

/// Writes the value of a scalar; false if it is none of the type. Numbers are texts where these are
/// wanted, since many servers number their ids. Other scalars than the built-in ones are any JSON.
pub(crate) fn coerce_strictly(name: &str, text: &str, output: &mut Vec<u8>) -> bool {
    if !is_built_in(name) {
        output.extend_from_slice(text.as_bytes());
        return true;
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    let fits = match (name, &value) {
        ("String" | "ID", Value::String(_)) | ("Boolean", Value::Bool(_)) => true,
        ("String" | "ID" | "Int", Value::Number(_)) => return coerce(name, text, output),
        ("Float", Value::Number(_)) => true,
        _ => false,
    };
    if fits {
        output.extend_from_slice(text.as_bytes());
    }
    fits
}

fn string(value: Value, text: &str) -> Option<Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Bool(_) | Value::Number(_) => Some(Value::String(text.to_owned())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn boolean(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(value) => Some(Value::Bool(*value)),
        Value::String(text) => Some(Value::Bool(!text.is_empty())),
        Value::Number(number) => Some(Value::Bool(number.as_f64() != Some(0.0))),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn int(value: &Value) -> Option<Value> {
    let number = match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::String(text) => text.parse().ok()?,
        Value::Number(number) => number.as_f64()?,
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    whole(number).and_then(|number| i32::try_from(number).ok()).map(Value::from)
}

fn int64(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(value) => Some(Value::from(i64::from(*value))),
        Value::String(text) => text.parse::<i64>().ok().map(Value::from),
        Value::Number(number) => number.as_i64().map(Value::from),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn float(value: Value) -> Option<Value> {
    match value {
        Value::Bool(value) => Some(Value::from(f64::from(u8::from(value)))),
        Value::String(text) => {
            let number = text.parse().ok()?;
            serde_json::Number::from_f64(number).map(Value::Number)
        }
        Value::Number(_) => Some(value),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn date_time(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => of_text(text).map(Value::String),
        Value::Number(number) => {
            let seconds = number.as_i64().or_else(|| whole(number.as_f64()?))?;
            of_seconds(seconds).map(Value::String)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number without a fraction, within the exact integers of a float.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: Option<&str>) {
        let mut output = Vec::new();
        let coerced = coerce(name, text, &mut output).then(|| String::from_utf8(output).unwrap());
        assert_eq!(coerced.as_deref(), expected, "{name}: {text}");
    }

    #[test]
    fn values_are_coerced_without_loss() {
        check("String", "\"a\\n\"", Some("\"a\\n\""));
        check("String", "12.50", Some("\"12.50\""));
        check("ID", "true", Some("\"true\""));
        check("Boolean", "\"\"", Some("false"));
        check("Boolean", "2", Some("true"));
        check("Int", "5.0", Some("5"));
        check("Int", "\"7\"", Some("7"));
        check("Int", "true", Some("1"));
        check("Int", "5.5", None);
        check("Int", "2147483648", None);
        check("Int", "\"a\"", None);
        check("Int64", "9007199254740993", Some("9007199254740993"));
        check("Int64", "\"-9223372036854775808\"", Some("-9223372036854775808"));
        check("Int64", "9223372036854775808", None);
        check("Float", "1", Some("1"));
        check("Float", "\"1.5\"", Some("1.5"));
        check("Float", "\"NaN\"", None);
        check("JSON", "[{\"a\": 1}]", Some("[{\"a\": 1}]"));
    }

    #[test]
    fn moments_are_texts_of_several_forms_or_seconds() {
        check("DateTime", "\"2020-02-29T01:02:03.5+05:30\"", Some("\"2020-02-29T01:02:03+05:30\""));
        check("DateTime", "\"2020-02-29T01:02:03Z\"", Some("\"2020-02-29T01:02:03Z\""));
        check("DateTime", "\"2020-02-29T01:02:03\"", Some("\"2020-02-29T01:02:03Z\""));
        check("DateTime", "\"2020-02-29\"", Some("\"2020-02-29T00:00:00Z\""));
        check("DateTime", "\"2020-02\"", Some("\"2020-02-01T00:00:00Z\""));
        check("DateTime", "\"2020\"", Some("\"2020-01-01T00:00:00Z\""));
        check("DateTime", "0", Some("\"1970-01-01T00:00:00Z\""));
        check("DateTime", "1582938123", Some("\"2020-02-29T01:02:03Z\""));
        check("DateTime", "-1.0", Some("\"1969-12-31T23:59:59Z\""));
        check("DateTime", "1.5", None);
        for text in [
            "\"2021-02-29\"",
            "\"2020-13\"",
            "\"2020-1-1\"",
            "\"x\"",
            "\"2020-02-29T25:00:00Z\"",
            "true",
        ] {
            check("DateTime", text, None);
        }
    }
}
