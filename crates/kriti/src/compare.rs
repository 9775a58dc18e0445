//! Equality and order of JSON values, as in the original.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// True for equal values; numbers are equal by their values, not by their texts.
pub(crate) fn is_equal(one: &Value, other: &Value) -> bool {
    compare(one, other) == Ordering::Equal
}

/// The order of two values. Values of different kinds are in the order: objects, arrays, strings,
/// numbers, booleans, null.
pub(crate) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Number(one), Value::Number(other)) => numbers(one, other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Array(one), Value::Array(other)) => lists(one.iter(), other.iter(), compare),
        (Value::Object(one), Value::Object(other)) => {
            let (one, other) = (sorted(one), sorted(other));
            lists(one.iter(), other.iter(), |one, other| {
                one.0.cmp(other.0).then_with(|| compare(one.1, other.1))
            })
        }
        (one, other) => rank(one).cmp(&rank(other)),
    }
}

fn sorted(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(key, _)| *key);
    members
}

fn lists<'v, T: 'v>(
    one: impl Iterator<Item = &'v T>,
    mut other: impl Iterator<Item = &'v T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    for item in one {
        match other.next().map(|other| compare(item, other)) {
            Some(Ordering::Equal) => {}
            Some(order) => return order,
            None => return Ordering::Greater,
        }
    }
    match other.next() {
        Some(_) => Ordering::Less,
        None => Ordering::Equal,
    }
}

fn numbers(one: &Number, other: &Number) -> Ordering {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        // JSON has no number that is none.
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Object(_) => 0,
        Value::Array(_) => 1,
        Value::String(_) => 2,
        Value::Number(_) => 3,
        Value::Bool(_) => 4,
        Value::Null => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_kind_then_by_value() {
        let check = |one: &str, other: &str, expected: Ordering| {
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(compare(&value(one), &value(other)), expected, "{one} {other}");
            assert_eq!(compare(&value(other), &value(one)), expected.reverse(), "{other} {one}");
        };
        check("1", "1.0", Ordering::Equal);
        check("1", "1.5", Ordering::Less);
        check("9007199254740993", "9007199254740992", Ordering::Greater);
        check(r#""b""#, r#""a""#, Ordering::Greater);
        check("false", "true", Ordering::Less);
        check("[1, 2]", "[1, 2, 0]", Ordering::Less);
        check("[2]", "[1, 5]", Ordering::Greater);
        check(r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, Ordering::Equal);
        check(r#"{"a": 1}"#, r#"{"a": 2}"#, Ordering::Less);
        check("{}", "[]", Ordering::Less);
        check("null", "true", Ordering::Greater);
    }
}
