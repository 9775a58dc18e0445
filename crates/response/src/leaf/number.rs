//! Integers and floating point numbers.

use std::num::IntErrorKind;

use super::LeafError;
use super::shortest::Shortest;
use crate::cursor::Value;

/// Reasons why a value is not a 64-bit integer.
enum NotInteger {
    Beyond,
    Other,
}

/// Appends a 32-bit integer.
pub(super) fn write_int(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text(text) if is_plain_integer(text, 9) => {
            out.extend_from_slice(text);
            return Ok(());
        }
        Value::Integer(integer) if i32::try_from(integer).is_ok() => {
            write_integer(integer, out);
            return Ok(());
        }
        Value::Text(_)
        | Value::Integer(_)
        | Value::Real(_)
        | Value::Null
        | Value::Blob(_)
        | Value::Packed(_) => {}
    }
    let problem = match integer(value) {
        Ok(integer) if i32::try_from(integer).is_ok() => {
            write_integer(integer, out);
            return Ok(());
        }
        // Shown as a number, independent of the source's representation.
        Ok(integer) => {
            let shown = Value::Integer(integer);
            return Err(LeafError::new("Int", "a value beyond 32 bits", shown));
        }
        Err(NotInteger::Beyond) => "a value beyond 32 bits",
        Err(NotInteger::Other) => "a non-integer value",
    };
    Err(LeafError::new("Int", problem, value))
}

/// Appends a 64-bit integer as a string.
pub(super) fn write_big_int(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    out.push(b'"');
    match value {
        Value::Text(text) if is_plain_integer(text, 18) => out.extend_from_slice(text),
        _ => match integer(value) {
            Ok(integer) => write_integer(integer, out),
            Err(NotInteger::Beyond) => {
                return Err(LeafError::new("BigInt", "a value beyond 64 bits", value));
            }
            Err(NotInteger::Other) => {
                return Err(LeafError::new("BigInt", "a non-integer value", value));
            }
        },
    }
    out.push(b'"');
    Ok(())
}

/// Appends a 64-bit integer as a number.
pub(super) fn write_long(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Text(text) if is_plain_integer(text, 18) => out.extend_from_slice(text),
        _ => match integer(value) {
            Ok(integer) => write_integer(integer, out),
            Err(NotInteger::Beyond) => {
                return Err(LeafError::new("Int64", "a value beyond 64 bits", value));
            }
            Err(NotInteger::Other) => {
                return Err(LeafError::new("Int64", "a non-integer value", value));
            }
        },
    }
    Ok(())
}

/// Appends a 64-bit integer as a string of `0x` and hexadecimal digits.
pub(super) fn write_hexadecimal(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let number = match integer(value).map(u64::try_from) {
        Ok(Ok(number)) => number,
        Ok(Err(_)) | Err(_) => {
            return Err(LeafError::new("ID", "a value that is no positive integer", value));
        }
    };
    out.extend_from_slice(b"\"0x");
    let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
    for place in (0..digits).rev() {
        let digit = (number >> (4 * place)) & 0xf;
        out.push(
            usize::try_from(digit)
                .ok()
                .and_then(|digit| DIGITS.get(digit))
                .copied()
                .unwrap_or(b'0'),
        );
    }
    out.push(b'"');
    Ok(())
}

/// Appends an integer of a node id.
pub(super) fn write_key_integer(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    /// Every integer up to here is exact in JavaScript.
    const SAFE: u64 = (1 << 53) - 1;
    match integer(value) {
        Ok(integer) if integer.unsigned_abs() <= SAFE => {
            write_integer(integer, out);
            Ok(())
        }
        Ok(_) | Err(_) => write_big_int(value, out),
    }
}

/// Appends a floating point number.
pub(super) fn write_float(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let number = match value {
        Value::Text(text) if is_shortest(text) => {
            out.extend_from_slice(text);
            return Ok(());
        }
        Value::Text(text) => str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()),
        // Converted to a double, JavaScript's only kind of number.
        Value::Integer(integer) => Some(integer as f64),
        Value::Real(number) => Some(number),
        Value::Null | Value::Blob(_) | Value::Packed(_) => None,
    };
    match number {
        Some(number) if number.is_finite() => {
            write_real(number, out);
            Ok(())
        }
        _ => Err(not_finite(value)),
    }
}

/// Appends a number with the digits of a double as a string.
pub(super) fn write_float_text(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    out.push(b'"');
    match value {
        Value::Text(name @ (b"NaN" | b"Infinity" | b"-Infinity")) => out.extend_from_slice(name),
        Value::Real(number) if !number.is_finite() => {
            out.extend_from_slice(name_of_not_finite(number));
        }
        _ => write_float(value, out)?,
    }
    out.push(b'"');
    Ok(())
}

/// Appends a number as JavaScript prints it; of numbers that are not finite, their name.
pub(super) fn write_real(number: f64, out: &mut Vec<u8>) {
    /// Every integer up to here is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.trunc() == number && number.abs() <= EXACT {
        // Minus zero becomes zero, as in JavaScript.
        write_integer(number as i64, out);
    } else if number.is_finite() {
        Shortest::new(number).write_javascript(out);
    } else {
        out.extend_from_slice(name_of_not_finite(number));
    }
}

/// PostgreSQL's and JavaScript's names.
pub(super) fn name_of_not_finite(number: f64) -> &'static [u8] {
    match number {
        f64::INFINITY => b"Infinity",
        f64::NEG_INFINITY => b"-Infinity",
        _ => b"NaN",
    }
}

/// The error of graphql-js, which gets a text where PostgreSQL has a number that is not finite.
pub(super) fn not_finite(value: Value<'_>) -> LeafError {
    let shown = match value {
        Value::Real(number) => Value::Text(name_of_not_finite(number)),
        Value::Null | Value::Integer(_) | Value::Text(_) | Value::Blob(_) | Value::Packed(_) => {
            value
        }
    };
    LeafError::new("Float", "non numeric value", shown)
}

#[inline]
pub(super) fn write_integer(integer: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
}

fn integer(value: Value<'_>) -> Result<i64, NotInteger> {
    /// Two to the power of 63, the first number that is too large.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Integer(integer) => Ok(integer),
        Value::Real(number) if number.trunc() != number || number.is_infinite() => {
            Err(NotInteger::Other)
        }
        Value::Real(number) if (-LIMIT..LIMIT).contains(&number) => Ok(number as i64),
        Value::Real(_) => Err(NotInteger::Beyond),
        Value::Text(text) => {
            let text = str::from_utf8(text).map_err(|_| NotInteger::Other)?;
            text.parse::<i64>().map_err(|error| match error.kind() {
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => NotInteger::Beyond,
                _ => NotInteger::Other,
            })
        }
        Value::Null | Value::Blob(_) | Value::Packed(_) => Err(NotInteger::Other),
    }
}

/// True if a text is an integer of at most so many digits in JSON's form.
fn is_plain_integer(text: &[u8], most: usize) -> bool {
    let digits = match text {
        b"0" => return true,
        [b'-', digits @ ..] => digits,
        digits => digits,
    };
    digits.len() <= most
        && digits.first().is_some_and(|first| *first != b'0')
        && digits.iter().all(u8::is_ascii_digit)
}

/// True if a text is JavaScript's form of its number: up to 15 digits survive the conversion to 64
/// bits and back.
fn is_shortest(text: &[u8]) -> bool {
    let (negative, unsigned) = match text {
        [b'-', unsigned @ ..] => (true, unsigned),
        _ => (false, text),
    };
    if unsigned.len() > 16 {
        return false;
    }
    let mut point = None;
    for (index, byte) in unsigned.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {}
            b'.' if point.is_none() => point = Some(index),
            _ => return false,
        }
    }
    match (point, unsigned) {
        (None, b"0") => !negative,
        (None, [first, ..]) => *first != b'0' && unsigned.len() <= 15,
        (None, []) | (Some(0), _) => false,
        (Some(point), [first, .., last]) => {
            let is_small = unsigned.starts_with(b"0.000000");
            (*first != b'0' || point == 1) && !matches!(last, b'0' | b'.') && !is_small
        }
        (Some(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    #[test]
    fn integers_of_32_bits_are_json_numbers() {
        for text in ["0", "1", "-32768", "32767", "2147483647", "-2147483648"] {
            check_text(&Leaf::Int, text, text);
            check(&Leaf::Int, Value::Integer(text.parse().unwrap()), text);
        }
        check(&Leaf::Int, Value::Null, "null");
        check(&Leaf::Int, Value::Real(-0.0), "0");
        check(&Leaf::Int, Value::Real(12.0), "12");
    }

    #[test]
    fn integer_literals_are_written_as_json_wants_them() {
        check_text(&Leaf::Int, "007", "7");
        check_text(&Leaf::Int, "-0", "0");
        check_text(&Leaf::Int, "+5", "5");
        check_text(&Leaf::Int, "00000000000000000000012", "12");
        check_text(&Leaf::BigInt, "-000", "\"0\"");
    }

    #[test]
    fn integers_of_node_ids_are_numbers_where_javascript_can_hold_them() {
        check_text(&Leaf::KeyInteger, "9007199254740991", "9007199254740991");
        check_text(&Leaf::KeyInteger, "-9007199254740992", "\"-9007199254740992\"");
        check(&Leaf::KeyInteger, Value::Integer(i64::MAX), "\"9223372036854775807\"");
    }

    #[test]
    fn integers_beyond_32_bits_are_errors() {
        let expect = "Int cannot represent a value beyond 32 bits";
        for text in ["2147483648", "-2147483649"] {
            check_text(&Leaf::Int, text, &format!("{expect}: {text}"));
        }
        let text = "99999999999999999999";
        check_text(&Leaf::Int, text, &format!("{expect}: \"{text}\""));
        check(&Leaf::Int, Value::Integer(2_147_483_648), &format!("{expect}: 2147483648"));
        check(&Leaf::Int, Value::Real(1e300), &format!("{expect}: 1e+300"));
    }

    #[test]
    fn other_values_are_no_integers() {
        let expect = "Int cannot represent a non-integer value";
        for text in ["", "-", "1.0", " 1", "1x", "0x10", "١"] {
            check_text(&Leaf::Int, text, &format!("{expect}: \"{text}\""));
        }
        check(&Leaf::Int, Value::Real(1.5), &format!("{expect}: 1.5"));
        check(&Leaf::Int, Value::Real(f64::INFINITY), &format!("{expect}: Infinity"));
        check(&Leaf::Int, Value::Blob(b"1"), &format!("{expect}: \\x31"));
    }

    #[test]
    fn integers_of_64_bits_are_strings() {
        for text in ["9223372036854775807", "-9223372036854775808", "1", "0", "123456789012345678"]
        {
            check_text(&Leaf::BigInt, text, &format!("\"{text}\""));
            let integer = Value::Integer(text.parse().unwrap());
            check(&Leaf::BigInt, integer, &format!("\"{text}\""));
        }
        check(&Leaf::BigInt, Value::Real(9e18), "\"9000000000000000000\"");
        check(
            &Leaf::BigInt,
            Value::Real(9_223_372_036_854_775_808.0),
            "BigInt cannot represent a value beyond 64 bits: 9223372036854776000",
        );
        check_text(
            &Leaf::BigInt,
            "9223372036854775808",
            "BigInt cannot represent a value beyond 64 bits: \"9223372036854775808\"",
        );
        check_text(&Leaf::BigInt, "x", "BigInt cannot represent a non-integer value: \"x\"");
    }

    #[test]
    fn floats_are_printed_as_javascript_prints_numbers() {
        for (text, expect) in [
            ("0.1", "0.1"),
            ("1e+10", "10000000000"),
            ("3.4028235e+38", "3.4028235e+38"),
            ("1.17549e-38", "1.17549e-38"),
            ("1.6777216e+07", "16777216"),
            ("1e+21", "1e+21"),
            ("-0", "0"),
            ("1e-07", "1e-7"),
            ("1e-06", "0.000001"),
            ("1.2345678901234568e+17", "123456789012345680"),
            ("1234.50", "1234.5"),
            ("-5.00", "-5"),
            ("0.00", "0"),
            ("-0.00", "0"),
            ("0.0000001", "1e-7"),
            ("-0.5", "-0.5"),
            ("00.5", "0.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+5", "5"),
            ("123456789012345", "123456789012345"),
            ("1234567890123456", "1234567890123456"),
            ("9007199254740993", "9007199254740992"),
            ("99999999999999.99", "99999999999999.98"),
            ("0.30000000000000004", "0.30000000000000004"),
        ] {
            check_text(&Leaf::Float, text, expect);
        }
        check(&Leaf::Float, Value::Integer(5), "5");
        check(&Leaf::Float, Value::Integer(i64::MAX), "9223372036854776000");
        check(&Leaf::Float, Value::Real(1e21), "1e+21");
        check(&Leaf::Float, Value::Real(-0.0), "0");
        check(&Leaf::Float, Value::Real(0.1), "0.1");
    }

    #[test]
    fn doubles_can_be_strings() {
        let check_text = |text: &str, expect| {
            check(&Leaf::FloatText, Value::Text(text.as_bytes()), expect);
        };
        check_text("2.0000000000000000", "\"2\"");
        check_text("3.0833333333333333", "\"3.0833333333333335\"");
        check_text("5062500000000000000000000000000000000", "\"5.0625e+36\"");
        check_text("NaN", "\"NaN\"");
        check(&Leaf::FloatText, Value::Real(0.5), "\"0.5\"");
    }

    #[test]
    fn numbers_that_are_not_finite_are_errors() {
        let expect = "Float cannot represent non numeric value";
        for text in ["NaN", "Infinity", "-Infinity", "1e999", "abc", "", "."] {
            check_text(&Leaf::Float, text, &format!("{expect}: \"{text}\""));
        }
        let infinity = Value::Real(f64::INFINITY);
        check(&Leaf::Float, infinity, &format!("{expect}: \"Infinity\""));
        check(&Leaf::Float, Value::Blob(b""), &format!("{expect}: \\x"));
    }
}
