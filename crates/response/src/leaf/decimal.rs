//! Decimals, exact and without an exponent.

use super::shortest::Shortest;
use super::{LeafError, number};
use crate::cursor::Value;

/// A number as `INTEGER.FRACTION` times ten to the power of `exponent`, digits all of them.
struct Digits<'a> {
    negative: bool,
    integer: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

/// Appends a decimal as a string.
pub(super) fn write_decimal(
    scale: Option<u32>,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    out.push(b'"');
    match value {
        Value::Text(name @ (b"NaN" | b"Infinity" | b"-Infinity")) => out.extend_from_slice(name),
        Value::Real(number) if !number.is_finite() => {
            out.extend_from_slice(number::name_of_not_finite(number));
        }
        _ => write_exact(scale, value, out)
            .ok_or_else(|| LeafError::new("BigFloat", "non numeric value", value))?,
    }
    out.push(b'"');
    Ok(())
}

/// Appends a decimal as a JSON number.
pub(super) fn write_number(
    scale: Option<u32>,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    match value {
        Value::Real(number) if !number.is_finite() => Err(number::not_finite(value)),
        _ => write_exact(scale, value, out).ok_or_else(|| number::not_finite(value)),
    }
}

/// Appends a decimal as a string, without zeros at the end of its fraction.
pub(super) fn write_digits(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let start = out.len();
    write_key_number(value, out)?;
    if out.get(start) != Some(&b'"') {
        out.insert(start, b'"');
        out.push(b'"');
    }
    Ok(())
}

/// Appends a number of a node id or cursor.
pub(super) fn write_key_number(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let name = match value {
        Value::Text(name @ (b"NaN" | b"Infinity" | b"-Infinity")) => Some(name),
        Value::Real(number) if !number.is_finite() => Some(number::name_of_not_finite(number)),
        Value::Null
        | Value::Integer(_)
        | Value::Real(_)
        | Value::Text(_)
        | Value::Blob(_)
        | Value::Packed(_) => None,
    };
    if let Some(name) = name {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return Ok(());
    }
    let has_exponent = match value {
        Value::Text(text) => text.contains(&b'e'),
        Value::Real(_) => true,
        Value::Null | Value::Integer(_) | Value::Blob(_) | Value::Packed(_) => false,
    };
    if has_exponent {
        // A floating point number: its shortest form has all of its digits.
        return number::write_float(value, out);
    }
    let start = out.len();
    write_exact(None, value, out).ok_or_else(|| number::not_finite(value))?;
    let number = out.get(start..).unwrap_or_default();
    if number.contains(&b'.') {
        let zeros = number.iter().rev().take_while(|digit| **digit == b'0').count();
        let dot = usize::from(number.iter().rev().nth(zeros) == Some(&b'.'));
        out.truncate(out.len() - zeros - dot);
    }
    Ok(())
}

fn write_exact(scale: Option<u32>, value: Value<'_>, out: &mut Vec<u8>) -> Option<()> {
    match value {
        // PostgreSQL's text has its scale already.
        Value::Text(text) if is_plain(text, scale) => out.extend_from_slice(text),
        Value::Text(text) => Digits::parse(text)?.write(scale, out),
        Value::Integer(integer) => {
            let mut buffer = itoa::Buffer::new();
            let integer_digits = buffer.format(integer.unsigned_abs()).as_bytes();
            let negative = integer < 0;
            Digits { negative, integer: integer_digits, fraction: &[], exponent: 0 }
                .write(scale, out);
        }
        Value::Real(number) => {
            let shortest = Shortest::new(number);
            let integer = shortest.digits();
            let exponent = i64::from(shortest.point) - length(integer);
            Digits { negative: shortest.negative, integer, fraction: &[], exponent }
                .write(scale, out);
        }
        Value::Null | Value::Blob(_) | Value::Packed(_) => return None,
    }
    Some(())
}

/// True if a text is already in its written form, with the scale if there is one.
fn is_plain(text: &[u8], scale: Option<u32>) -> bool {
    let (negative, unsigned) = match text {
        [b'-', unsigned @ ..] => (true, unsigned),
        _ => (false, text),
    };
    let mut point = None;
    let mut is_zero = true;
    for (index, byte) in unsigned.iter().enumerate() {
        match byte {
            b'0' => {}
            b'1'..=b'9' => is_zero = false,
            b'.' if point.is_none() => point = Some(index),
            _ => return false,
        }
    }
    let (integer, fraction) = match point {
        Some(point) => (point, Some(unsigned.len() - point - 1)),
        None => (unsigned.len(), None),
    };
    let starts_well = integer == 1 || (integer > 1 && !unsigned.starts_with(b"0"));
    starts_well
        && fraction != Some(0)
        && !(negative && is_zero)
        && scale.is_none_or(|scale| scale as usize == fraction.unwrap_or(0))
}

fn length(digits: &[u8]) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

impl<'a> Digits<'a> {
    /// The maximum shift of the decimal point by an exponent, so that a short text cannot become a
    /// long one. No 64-bit number needs more.
    const EXPONENT: i64 = 400;
    /// PostgreSQL's limit for the digits of a fraction.
    const SCALE: u32 = 16_383;

    fn parse(text: &'a [u8]) -> Option<Self> {
        let (negative, unsigned) = match text {
            [b'-', unsigned @ ..] => (true, unsigned),
            [b'+', unsigned @ ..] => (false, unsigned),
            _ => (false, text),
        };
        let (integer, rest) = take_digits(unsigned);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => take_digits(rest),
            _ => (&[][..], rest),
        };
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', exponent @ ..] => str::from_utf8(exponent).ok()?.parse::<i64>().ok()?,
            _ => return None,
        };
        let is_number = !(integer.is_empty() && fraction.is_empty());
        let is_limited = exponent.unsigned_abs() <= Self::EXPONENT.unsigned_abs();
        (is_number && is_limited).then_some(Self { negative, integer, fraction, exponent })
    }

    /// Appends the number with `scale` fraction digits, rounded half away from zero, or with all of
    /// its digits.
    fn write(&self, scale: Option<u32>, out: &mut Vec<u8>) {
        let all = length(self.integer).saturating_add(length(self.fraction));
        let point = length(self.integer).saturating_add(self.exponent);
        let scale = match scale {
            Some(scale) => i64::from(scale.min(Self::SCALE)),
            None => all.saturating_sub(point).max(0),
        };
        let end = point.saturating_add(scale);
        let start = out.len();
        match (0..point).find(|place| self.digit(*place) != b'0') {
            Some(first) => out.extend((first..point).map(|place| self.digit(place))),
            None => out.push(b'0'),
        }
        if scale > 0 {
            out.push(b'.');
            out.extend((point..end).map(|place| self.digit(place)));
        }
        if self.digit(end) >= b'5' {
            round_up(start, out);
        }
        let is_zero = out[start..].iter().all(|byte| matches!(byte, b'0' | b'.'));
        if self.negative && !is_zero {
            out.insert(start, b'-');
        }
    }

    /// The digit at a position counted from the first one; zeros surround the digits.
    fn digit(&self, place: i64) -> u8 {
        let Ok(place) = usize::try_from(place) else { return b'0' };
        let digit = match place.checked_sub(self.integer.len()) {
            None => self.integer.get(place),
            Some(place) => self.fraction.get(place),
        };
        digit.copied().unwrap_or(b'0')
    }
}

/// Adds one to the last digit of the number that begins at `start`.
fn round_up(start: usize, out: &mut Vec<u8>) {
    for byte in out[start..].iter_mut().rev() {
        match byte {
            b'.' => {}
            b'9' => *byte = b'0',
            digit => {
                *digit += 1;
                return;
            }
        }
    }
    out.insert(start, b'1');
}

fn take_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::Leaf;
    use crate::leaf::check::{check, check_text};

    fn decimal(scale: impl Into<Option<u32>>) -> Leaf {
        Leaf::Decimal { scale: scale.into() }
    }

    fn number(scale: impl Into<Option<u32>>) -> Leaf {
        Leaf::Number { scale: scale.into() }
    }

    #[test]
    fn numbers_of_keys_have_no_zeros_at_the_end_and_every_other_digit() {
        let cases = [
            ("10.500", "10.5"),
            ("-1.000", "-1"),
            ("100", "100"),
            ("12345678901234567890.1250", "12345678901234567890.125"),
            ("1e+21", "1e+21"),
            ("1e-07", "1e-7"),
            ("NaN", "\"NaN\""),
            ("-Infinity", "\"-Infinity\""),
        ];
        for (text, expect) in cases {
            check_text(&Leaf::KeyNumber, text, expect);
        }
        check(&Leaf::KeyNumber, Value::Real(0.25), "0.25");
        check(&Leaf::KeyNumber, Value::Integer(i64::MIN), "-9223372036854775808");
        check(&Leaf::KeyNumber, Value::Real(f64::INFINITY), "\"Infinity\"");
    }

    #[test]
    fn digits_are_strings_without_zeros_at_the_end() {
        let check_text =
            |text: &str, expect| check(&Leaf::Digits, Value::Text(text.as_bytes()), expect);
        check_text("12.50", "\"12.5\"");
        check_text("9.00", "\"9\"");
        check_text("100", "\"100\"");
        check_text("-0.10", "\"-0.1\"");
        check_text("87908740499012397488.970", "\"87908740499012397488.97\"");
        check_text("NaN", "\"NaN\"");
        check(&Leaf::Digits, Value::Integer(-7), "\"-7\"");
        check(&Leaf::Digits, Value::Real(0.5), "\"0.5\"");
    }

    #[test]
    fn text_of_postgresql_is_copied() {
        for text in ["12.30", "0.00", "99999999.99", "-0.10", "1.10"] {
            check_text(&decimal(2), text, &format!("\"{text}\""));
            check_text(&decimal(None), text, &format!("\"{text}\""));
            check_text(&number(2), text, text);
        }
        for text in [
            "12345678901234567890.123456789000",
            "1000000000000000000000000000000",
            "4294967295",
            "NaN",
            "Infinity",
            "-Infinity",
        ] {
            check_text(&decimal(None), text, &format!("\"{text}\""));
        }
    }

    #[test]
    fn a_scale_gives_exactly_so_many_digits() {
        check(&decimal(2), Value::Integer(5), "\"5.00\"");
        check(&decimal(2), Value::Integer(-5), "\"-5.00\"");
        check(&decimal(2), Value::Integer(0), "\"0.00\"");
        check(&decimal(0), Value::Integer(i64::MIN), "\"-9223372036854775808\"");
        check(&decimal(2), Value::Real(13.86), "\"13.86\"");
        check(&decimal(2), Value::Real(0.99), "\"0.99\"");
        check(&decimal(3), Value::Real(1e21), "\"1000000000000000000000.000\"");
        check(&number(2), Value::Real(13.5), "13.50");
        check_text(&decimal(2), "1.5", "\"1.50\"");
        check_text(&decimal(0), "1.5", "\"2\"");
        check_text(&decimal(2), "007", "\"7.00\"");
    }

    #[test]
    fn digits_are_rounded_half_away_from_zero() {
        for (real, expect) in [
            (0.125, "0.13"),
            (-0.125, "-0.13"),
            (0.124_999, "0.12"),
            (1.005, "1.01"),
            (0.005, "0.01"),
            (0.004_999, "0.00"),
            (-0.004, "0.00"),
            (-0.0, "0.00"),
            (9.995, "10.00"),
            (99.999, "100.00"),
            (-99.999, "-100.00"),
            (1e-300, "0.00"),
        ] {
            check(&decimal(2), Value::Real(real), &format!("\"{expect}\""));
        }
        check(&decimal(0), Value::Real(0.5), "\"1\"");
        check(&decimal(0), Value::Real(0.49), "\"0\"");
    }

    #[test]
    fn without_a_scale_the_form_is_the_shortest_exact_one() {
        check(&decimal(None), Value::Real(1e21), "\"1000000000000000000000\"");
        check(&decimal(None), Value::Real(12.0), "\"12\"");
        check(&decimal(None), Value::Real(-0.0), "\"0\"");
        check(&decimal(None), Value::Real(1e-7), "\"0.0000001\"");
        check(&decimal(None), Value::Real(0.1), "\"0.1\"");
        check(&decimal(None), Value::Integer(12), "\"12\"");
        check(&number(None), Value::Real(12.0), "12");
        check_text(&decimal(None), "1.50e1", "\"15.0\"");
        check_text(&decimal(None), "1e3", "\"1000\"");
        check_text(&decimal(None), "-.50", "\"-0.50\"");
        check_text(&decimal(None), "-0.0", "\"0.0\"");
        check_text(&number(None), "007", "7");
    }

    #[test]
    fn other_texts_are_errors() {
        for text in ["", "-", ".", "abc", "1x", "1e", "1e999", "inf", "0x1", "1 "] {
            check_text(
                &decimal(2),
                text,
                &format!("BigFloat cannot represent non numeric value: \"{text}\""),
            );
        }
        for text in ["NaN", "Infinity", "abc"] {
            check_text(
                &number(None),
                text,
                &format!("Float cannot represent non numeric value: \"{text}\""),
            );
        }
        check(
            &number(2),
            Value::Real(f64::NEG_INFINITY),
            "Float cannot represent non numeric value: \"-Infinity\"",
        );
        check(&decimal(2), Value::Real(f64::INFINITY), "\"Infinity\"");
        check(&decimal(2), Value::Blob(&[]), "BigFloat cannot represent non numeric value: \\x");
    }
}
