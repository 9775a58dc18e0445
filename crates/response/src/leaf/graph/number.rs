//! Numbers, and texts stored in fields of numbers.

use super::super::number::{write_integer, write_real};
use super::super::{LeafError, text};
use super::kind::boolean;
use crate::cursor::Value;

/// Appends a 32-bit integer.
pub(super) fn write_int(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let refuse = |problem, value| Err(LeafError::new("Int", problem, value));
    let number = match value {
        Value::Integer(integer) if i32::try_from(integer).is_ok() => {
            write_integer(integer, out);
            return Ok(());
        }
        Value::Integer(integer) => integer as f64,
        Value::Real(real) => real,
        Value::Text(text) => match number_of(text) {
            Some(number) => number as f64,
            None => return refuse("non-integer value", value),
        },
        Value::Null | Value::Blob(_) | Value::Packed(_) => match boolean(value) {
            Some(boolean) => f64::from(boolean),
            None => return refuse("non-integer value", value),
        },
    };
    if number.trunc() != number || number.is_infinite() {
        return refuse("non-integer value", Value::Real(number));
    }
    if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) {
        return refuse("non 32-bit signed integer value", Value::Real(number));
    }
    write_real(number, out);
    Ok(())
}

/// Appends an integer as a string; a text as it is.
pub(super) fn write_big_int(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text(_) => return text::write_text(value, out),
        Value::Integer(integer) => {
            out.push(b'"');
            write_integer(integer, out);
        }
        Value::Real(real) => {
            out.push(b'"');
            write_real(real, out);
        }
        Value::Null | Value::Blob(_) | Value::Packed(_) => {
            return Err(LeafError::new("BigInt", "value", value));
        }
    }
    out.push(b'"');
    Ok(())
}

/// Appends a floating point number.
pub(super) fn write_float(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let number = match value {
        Value::Real(real) if real.is_finite() => real,
        Value::Integer(integer) => integer as f64,
        Value::Text(text) => match number_of(text) {
            Some(number) => number as f64,
            None => return Err(LeafError::new("Float", "non numeric value", value)),
        },
        Value::Null | Value::Real(_) | Value::Blob(_) | Value::Packed(_) => {
            let boolean = boolean(value);
            let refuse = || LeafError::new("Float", "non numeric value", value);
            f64::from(boolean.ok_or_else(refuse)?)
        }
    };
    write_real(number, out);
    Ok(())
}

/// The integer that the driver parses from a text, eight characters at a time: each as its leading
/// digits, and as nothing without digits.
fn number_of(text: &[u8]) -> Option<i64> {
    let text = str::from_utf8(text).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    // For the driver, the empty text is no number, and neither is one with an inner minus.
    if digits.is_empty() || digits.contains('-') {
        return None;
    }
    if matches!(digits, "NaN" | "Infinity" | "+Infinity") {
        return Some(0);
    }
    let characters: Vec<char> = digits.chars().collect();
    let mut number: i64 = 0;
    for chunk in characters.chunks(8) {
        let power = 10_i64.pow(u32::try_from(chunk.len()).unwrap_or(8));
        number = number.wrapping_mul(power).wrapping_add(leading_integer(chunk));
    }
    Some(if text.starts_with('-') { number.wrapping_neg() } else { number })
}

/// JavaScript's `parseInt`; zero where it parses nothing.
fn leading_integer(characters: &[char]) -> i64 {
    let mut rest = characters.iter().skip_while(|character| character.is_whitespace()).peekable();
    rest.next_if(|character| **character == '+');
    let mut number = 0;
    while let Some(digit) = rest.next().and_then(|character| character.to_digit(10)) {
        number = number * 10 + i64::from(digit);
    }
    number
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{GraphLeaf, Leaf};

    #[test]
    fn integers_are_json_numbers_of_32_bits() {
        let leaf = Leaf::Graph(GraphLeaf::Int);
        check(&leaf, Value::Integer(-2_147_483_648), "-2147483648");
        check(&leaf, Value::Real(3.0), "3");
        check(&leaf, Value::Real(-0.0), "0");
        check(&leaf, Value::Packed(b"\xc3"), "1");
        let expect = "Int cannot represent non 32-bit signed integer value";
        check(&leaf, Value::Integer(2_147_483_648), &format!("{expect}: 2147483648"));
        check(&leaf, Value::Integer(i64::MAX), &format!("{expect}: 9223372036854776000"));
        check(&leaf, Value::Real(1e300), &format!("{expect}: 1e+300"));
        let expect = "Int cannot represent non-integer value";
        check(&leaf, Value::Real(1.5), &format!("{expect}: 1.5"));
        check(&leaf, Value::Real(f64::NAN), &format!("{expect}: NaN"));
        check(&leaf, Value::Real(f64::INFINITY), &format!("{expect}: Infinity"));
        check(&leaf, Value::Packed(b"\x90"), &format!("{expect}: a list"));
    }

    #[test]
    fn texts_count_as_the_numbers_that_they_begin_with() {
        let leaf = Leaf::Graph(GraphLeaf::Int);
        for (text, expect) in [
            ("12", "12"),
            ("-12", "-12"),
            ("12.9", "12"),
            ("12abc", "12"),
            ("hello", "0"),
            ("0123456789", "123456789"),
            ("NaN", "0"),
            ("+7", "7"),
        ] {
            check_text(&leaf, text, expect);
        }
        for text in ["", "1-2", "-"] {
            let expect = format!("Int cannot represent non-integer value: \"{text}\"");
            check_text(&leaf, text, &expect);
        }
        let beyond = "Int cannot represent non 32-bit signed integer value: 12345678901";
        check_text(&leaf, "12345678901", beyond);
        check_text(&Leaf::Graph(GraphLeaf::Float), "1.5", "1");
    }

    #[test]
    fn integers_of_64_bits_are_strings_and_texts_stay() {
        let leaf = Leaf::Graph(GraphLeaf::BigInt);
        check(&leaf, Value::Integer(i64::MIN), "\"-9223372036854775808\"");
        check(&leaf, Value::Real(1e21), "\"1e+21\"");
        check_text(&leaf, "a\"", "\"a\\\"\"");
        check(&leaf, Value::Packed(b"\x90"), "BigInt cannot represent value: a list");
        check(&leaf, Value::Packed(b"\xc3"), "BigInt cannot represent value: true");
    }

    #[test]
    fn floats_are_finite() {
        let leaf = Leaf::Graph(GraphLeaf::Float);
        check(&leaf, Value::Real(0.1), "0.1");
        check(&leaf, Value::Packed(b"\xc2"), "0");
        check(&leaf, Value::Integer(5), "5");
        check(&leaf, Value::Integer(i64::MAX), "9223372036854776000");
        let expect = "Float cannot represent non numeric value";
        check(&leaf, Value::Real(f64::NAN), &format!("{expect}: NaN"));
        check(&leaf, Value::Real(f64::NEG_INFINITY), &format!("{expect}: -Infinity"));
        check_text(&leaf, "", &format!("{expect}: \"\""));
    }
}
