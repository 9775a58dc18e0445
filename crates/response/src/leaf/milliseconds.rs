//! Moments in UTC with three digits of a second.

use super::LeafError;
use super::datetime::write_timestamp;
use super::epoch::{Epoch, write_epoch};
use crate::cursor::Value;

/// The digits of a second.
const DIGITS: usize = 3;

/// Writes a moment in the form of JavaScript's `toISOString`. Further digits are cut off.
pub(super) fn write(
    epoch: Option<Epoch>,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let start = out.len();
    match (epoch, value) {
        (Some(epoch), Value::Integer(_) | Value::Real(_)) => write_epoch(epoch, value, out)?,
        _ => write_timestamp(value, out)?,
    }
    shorten(start, out);
    Ok(())
}

/// Gives a written moment its form. A text without a clock, such as that of an infinite moment, stays.
fn shorten(start: usize, out: &mut Vec<u8>) {
    let Some(text) = out.get(start..) else { return };
    let Some(clock) = text.iter().position(|byte| *byte == b':') else { return };
    let clock = start + clock;
    let end = |from: usize, is_end: fn(&u8) -> bool| {
        out.get(from..)
            .and_then(|rest| rest.iter().position(is_end))
            .map_or(out.len(), |at| from + at)
    };
    let fraction = end(clock, |byte| matches!(byte, b'.' | b'+' | b'-' | b'Z' | b' ' | b'"'));
    let rest = end(fraction, |byte| matches!(byte, b'+' | b'-' | b'Z' | b' ' | b'"'));
    let mut digits = [b'0'; DIGITS];
    let given = out.get(fraction + 1..rest).unwrap_or_default();
    digits.iter_mut().zip(given).for_each(|(digit, given)| *digit = *given);
    let is_before_christ = out.get(rest..).is_some_and(|rest| rest.ends_with(b" BC\""));
    out.truncate(fraction);
    out.push(b'.');
    out.extend_from_slice(&digits);
    out.push(b'Z');
    out.extend_from_slice(if is_before_christ { b" BC\"" } else { b"\"" });
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::{Epoch, Leaf};

    fn written(leaf: &Leaf, value: Value<'_>) -> String {
        let mut out = Vec::new();
        leaf.write(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn moments_have_three_digits_of_a_second() {
        let cases = [
            ("2018-01-02 03:04:05", "\"2018-01-02T03:04:05.000Z\""),
            ("2018-01-02 03:04:05.1", "\"2018-01-02T03:04:05.100Z\""),
            ("2018-01-02T03:04:05.123456", "\"2018-01-02T03:04:05.123Z\""),
            ("2018-01-02 03:04:05.5+02:00", "\"2018-01-02T01:04:05.500Z\""),
            ("2018-01-02T03:04:05Z", "\"2018-01-02T03:04:05.000Z\""),
            ("infinity", "\"infinity\""),
        ];
        for (text, expected) in cases {
            let value = Value::Text(text.as_bytes());
            assert_eq!(written(&Leaf::UtcMilliseconds(None), value), expected);
        }
        let leaf = Leaf::UtcMilliseconds(Some(Epoch::Milliseconds));
        let value = Value::Integer(1_514_862_245_007);
        assert_eq!(written(&leaf, value), "\"2018-01-02T03:04:05.007Z\"");
    }
}
