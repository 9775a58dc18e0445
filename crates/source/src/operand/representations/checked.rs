//! Values of representations, as far as the source takes them whatever it does with them.

use ir::RepresentedValue;

use super::super::Resolved;
use super::super::form::hexadecimal_id;
use super::super::given::Given;

/// Most characters of a decimal number in full: PostgreSQL's `numeric` takes more.
const LONGEST_DECIMAL: usize = 1_000;

/// A value as the source takes it, if it takes it.
pub(super) fn checked(kind: RepresentedValue, given: Given<'_>) -> Option<Resolved<'_>> {
    if kind != RepresentedValue::Json {
        return checked_value(kind, given.plain().ok()?);
    }
    let mut text = String::new();
    given.write_json(&mut text).ok()?;
    (!has_null_character(&text)).then(|| Resolved::Json(text.into()))
}

/// Whether a text within a JSON text has the character that no text of PostgreSQL has. An escape
/// begins after an even number of backslashes.
fn has_null_character(json: &str) -> bool {
    let escaped = |(place, _): (usize, &str)| {
        let before = json.get(..place).unwrap_or_default();
        (before.len() - before.trim_end_matches('\\').len()) % 2 == 0
    };
    json.contains('\0') || json.match_indices("\\u0000").any(escaped)
}

/// Checks a scalar value.
pub(super) fn checked_value(kind: RepresentedValue, value: Resolved<'_>) -> Option<Resolved<'_>> {
    match (kind, value) {
        (RepresentedValue::Integer { bits }, Resolved::Integer(number)) => {
            fits(number, bits).then_some(Resolved::Integer(number))
        }
        (RepresentedValue::Integer { bits }, Resolved::Text(text)) => {
            let number: i64 = text.parse().ok()?;
            fits(number, bits).then_some(Resolved::Integer(number))
        }
        (RepresentedValue::Float { bits }, Resolved::Integer(number)) => {
            float(bits, &number.to_string())
        }
        // Subgraphs with numbers of many digits give them as texts.
        (RepresentedValue::Float { bits }, Resolved::Number(text) | Resolved::Text(text)) => {
            float(bits, &text)
        }
        (RepresentedValue::Decimal, Resolved::Integer(number)) => Some(Resolved::Integer(number)),
        (RepresentedValue::Decimal, Resolved::Number(text) | Resolved::Text(text)) => {
            decimal(&text)
        }
        (RepresentedValue::Boolean, Resolved::Boolean(value)) => Some(Resolved::Boolean(value)),
        (RepresentedValue::Text, Resolved::Text(text)) => {
            (!text.contains('\0')).then_some(Resolved::Text(text))
        }
        // A gateway may know the value as an ID, which may stand as a number.
        (RepresentedValue::Text, Resolved::Integer(number)) => {
            Some(Resolved::Text(number.to_string().into()))
        }
        (RepresentedValue::HexadecimalId, value) => match hexadecimal_id(&value) {
            Resolved::Null => None,
            number => Some(number),
        },
        (RepresentedValue::Uuid, Resolved::Text(text)) => {
            is_uuid(&text).then_some(Resolved::Text(text))
        }
        _ => None,
    }
}

fn fits(number: i64, bits: u8) -> bool {
    match bits {
        16 => i16::try_from(number).is_ok(),
        32 => i32::try_from(number).is_ok(),
        _ => true,
    }
}

/// The floating-point number nearest to a text. Overflow is invalid, and underflow is zero:
/// PostgreSQL would refuse the text of either.
fn float(bits: u8, text: &str) -> Option<Resolved<'static>> {
    let text = match bits {
        32 => text.parse::<f32>().ok().filter(|number| number.is_finite())?.to_string(),
        _ => text.parse::<f64>().ok().filter(|number| number.is_finite())?.to_string(),
    };
    Some(Resolved::Number(text.into()))
}

/// A number in its own notation; one with an exponent is the nearest floating-point number, since
/// its digits may be more than the source accepts.
fn decimal(text: &str) -> Option<Resolved<'static>> {
    let number: f64 = text.parse().ok()?;
    if !number.is_finite() || text.len() > LONGEST_DECIMAL {
        return None;
    }
    let text = match text.contains(['e', 'E']) {
        true => number.to_string(),
        false => text.to_owned(),
    };
    Some(Resolved::Number(text.into()))
}

/// Whether a text is a UUID as it is usually written: `8-4-4-4-12` hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use ir::{RepresentedValue, Value};

    use super::{Given, checked};

    /// The text that is sent, if any is.
    fn check(kind: RepresentedValue, value: &Value, expect: Option<&str>) {
        let sent = checked(kind, Given::Constant(value));
        let sent = sent.and_then(|value| value.text().map(|text| text.into_owned()));
        assert_eq!(sent.as_deref(), expect, "{kind:?} of {value:?}");
    }

    fn number(text: &str) -> Value {
        Value::Number(text.into())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn numbers_are_those_that_their_type_has() {
        let (single, double) =
            (RepresentedValue::Float { bits: 32 }, RepresentedValue::Float { bits: 64 });
        check(double, &Value::Integer(3), Some("3"));
        check(double, &number("0.1"), Some("0.1"));
        check(double, &text("0.5"), Some("0.5"));
        check(double, &number("1e-400"), Some("0"));
        check(double, &number("1e400"), None);
        check(single, &number("1e39"), None);
        check(double, &text("NaN"), None);
        check(double, &text("wide"), None);
        check(double, &Value::Boolean(true), None);
        let integer = RepresentedValue::Integer { bits: 32 };
        check(integer, &number("1.5"), None);
        check(integer, &Value::Integer(2_147_483_648), None);
        let decimal = RepresentedValue::Decimal;
        check(decimal, &text("12.340000000000000000000001"), Some("12.340000000000000000000001"));
        check(decimal, &number("1.5e3"), Some("1500"));
        check(decimal, &number("1e20000"), None);
        check(decimal, &text("1_000"), None);
        check(decimal, &text("inf"), None);
    }

    #[test]
    fn other_values_are_taken_as_they_are_or_not_at_all() {
        check(RepresentedValue::Boolean, &Value::Boolean(false), Some("false"));
        check(RepresentedValue::Boolean, &text("false"), None);
        check(RepresentedValue::Text, &Value::Integer(7), Some("7"));
        check(RepresentedValue::Text, &text("a\0"), None);
        check(RepresentedValue::Text, &Value::List(vec![text("a")]), None);
        let json = RepresentedValue::Json;
        check(json, &text("a\"b"), Some("\"a\\\"b\""));
        check(json, &Value::List(vec![Value::Integer(1), Value::Null]), Some("[1,null]"));
        check(json, &Value::Object(vec![("a".into(), number("1.0"))]), Some("{\"a\":1.0}"));
        check(json, &text("a\0"), None);
        check(json, &text("a\\u0000"), Some("\"a\\\\u0000\""));
    }
}
