//! Durations.

use super::super::LeafError;
use super::super::number::write_integer;
use crate::cursor::Value;
use crate::escape;
use crate::packed::{Packed, begin};

const DURATION: u8 = b'E';
const NANOSECONDS: i64 = 1_000_000_000;

/// Appends `P1Y2M3DT4H5M6.500000000S` without the parts that are zero; the `T` is always there. A
/// text that looks like one stays.
pub(super) fn write_duration(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    write_parts(value, out, |[months, days, seconds, nanoseconds], out| {
        if [months, days, seconds, nanoseconds] == [0; 4] {
            out.extend_from_slice(b"PT0S");
            return;
        }
        let (whole, fraction, is_negative) = split(seconds, nanoseconds);
        out.push(b'P');
        write_unit(months / 12, b'Y', out);
        write_unit(months % 12, b'M', out);
        write_unit(days, b'D', out);
        out.push(b'T');
        write_unit(whole / 3_600, b'H', out);
        write_unit(whole / 60 % 60, b'M', out);
        if whole % 60 != 0 || fraction > 0 {
            write_seconds(whole % 60, fraction, is_negative, out);
            out.push(b'S');
        }
    })
}

/// Appends `P1M2DT3.500000000S`, all three parts always. A text that looks like one stays.
pub(super) fn write_plain_duration(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    write_parts(value, out, |[months, days, seconds, nanoseconds], out| {
        let (whole, fraction, is_negative) = split(seconds, nanoseconds);
        out.push(b'P');
        write_integer(months, out);
        out.push(b'M');
        write_integer(days, out);
        out.extend_from_slice(b"DT");
        write_seconds(whole, fraction, is_negative, out);
        out.push(b'S');
    })
}

fn write_parts(
    value: Value<'_>,
    out: &mut Vec<u8>,
    write: impl FnOnce([i64; 4], &mut Vec<u8>),
) -> Result<(), LeafError> {
    let refuse = || LeafError::new("Duration", "value", value);
    out.push(b'"');
    if let Value::Text(text) = value {
        if !looks_like_duration(text) {
            return Err(refuse());
        }
        escape::write_escaped(text, out);
    } else {
        write(parts(value).ok_or_else(refuse)?, out);
    }
    out.push(b'"');
    Ok(())
}

fn parts(value: Value<'_>) -> Option<[i64; 4]> {
    let Value::Packed(bytes) = value else { return None };
    let Packed::Structure { tag: DURATION, mut fields } = begin(bytes).ok()? else { return None };
    let mut parts = [0; 4];
    for part in &mut parts {
        let Packed::Integer(integer) = fields.next()?.ok()? else { return None };
        *part = integer;
    }
    let [.., nanoseconds] = parts;
    (0..NANOSECONDS).contains(&nanoseconds).then_some(parts)
}

/// Seconds and nanoseconds with one sign, and true if it is negative: there, the nanoseconds count
/// upwards from the next lower second.
fn split(seconds: i64, nanoseconds: i64) -> (i64, i64, bool) {
    match seconds < 0 && nanoseconds > 0 {
        true => (seconds + 1, NANOSECONDS - nanoseconds, true),
        false => (seconds, nanoseconds, seconds < 0),
    }
}

fn write_unit(number: i64, letter: u8, out: &mut Vec<u8>) {
    if number != 0 {
        write_integer(number, out);
        out.push(letter);
    }
}

fn write_seconds(whole: i64, fraction: i64, is_negative: bool, out: &mut Vec<u8>) {
    if is_negative && whole == 0 && fraction > 0 {
        out.push(b'-');
    }
    write_integer(whole, out);
    if fraction > 0 {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(fraction);
        out.push(b'.');
        out.resize(out.len() + 9_usize.saturating_sub(digits.len()), b'0');
        out.extend_from_slice(digits.as_bytes());
    }
}

/// True if a text has the prefix and the characters of an ISO 8601 duration.
fn looks_like_duration(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let Some(rest) = unsigned.strip_prefix(b"P") else { return false };
    !matches!(rest, b"" | b"T")
        && rest.iter().all(|byte| {
            matches!(
                byte,
                b'0'..=b'9' | b'Y' | b'M' | b'W' | b'D' | b'T' | b'H' | b'S' | b'.' | b'-' | b':'
            )
        })
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{GraphLeaf, Leaf};

    fn check_parts(packed: &[u8], expect: &str, plain: &str) {
        check(&Leaf::Graph(GraphLeaf::Duration), Value::Packed(packed), expect);
        check(&Leaf::Graph(GraphLeaf::PlainDuration), Value::Packed(packed), plain);
    }

    #[test]
    fn units_are_written_or_months_days_and_seconds() {
        check_parts(b"\xb4E\x01\x02\x03\x00", "\"P1M2DT3S\"", "\"P1M2DT3S\"");
        check_parts(b"\xb4E\x00\x00\x00\x00", "\"PT0S\"", "\"P0M0DT0S\"");
        check_parts(
            b"\xb4E\x0e\xff\x01\xca\x1d\xcd\x65\x00",
            "\"P1Y2M-1DT1.500000000S\"",
            "\"P14M-1DT1.500000000S\"",
        );
        check_parts(b"\xb4E\x0c\x00\xc9\x0e\x4c\x00", "\"P1YT1H1M\"", "\"P12M0DT3660S\"");
        check_parts(b"\xb4E\x00\x00\x00\x07", "\"PT0.000000007S\"", "\"P0M0DT0.000000007S\"");
    }

    #[test]
    fn seconds_below_zero_have_their_fraction_towards_zero() {
        check_parts(b"\xb4E\x00\x00\xff\x00", "\"PT-1S\"", "\"P0M0DT-1S\"");
        check_parts(
            b"\xb4E\x00\x00\xff\xca\x1d\xcd\x65\x00",
            "\"PT-0.500000000S\"",
            "\"P0M0DT-0.500000000S\"",
        );
        check_parts(
            b"\xb4E\x00\x00\xfe\xca\x2f\xaf\x08\x00",
            "\"PT-1.200000000S\"",
            "\"P0M0DT-1.200000000S\"",
        );
        check_parts(
            b"\xb4E\x00\x00\xc8\xc3\xca\x1d\xcd\x65\x00",
            "\"PT-1M-0.500000000S\"",
            "\"P0M0DT-60.500000000S\"",
        );
        check_parts(b"\xb4E\x00\x00\xc9\xe2\xb4\x00", "\"PT-2H-5M\"", "\"P0M0DT-7500S\"");
    }

    #[test]
    fn texts_that_look_like_one_stay() {
        let leaf = Leaf::Graph(GraphLeaf::Duration);
        check_text(&leaf, "P1Y2M3W4DT5H6M7.5S", "\"P1Y2M3W4DT5H6M7.5S\"");
        check_text(&leaf, "-P0001-01-01T00:00:00", "\"-P0001-01-01T00:00:00\"");
        for text in ["", "P", "PT", "1D", "P1X"] {
            check_text(&leaf, text, &format!("Duration cannot represent value: \"{text}\""));
        }
    }

    #[test]
    fn other_values_are_errors() {
        check_parts(
            b"\xb1D\x01",
            "Duration cannot represent value: a Date",
            "Duration cannot represent value: a Date",
        );
        check_parts(
            b"\xb4E\x00\x00\x00\xff",
            "Duration cannot represent value: a Duration",
            "Duration cannot represent value: a Duration",
        );
        check_parts(
            b"\x90",
            "Duration cannot represent value: a list",
            "Duration cannot represent value: a list",
        );
        let leaf = Leaf::Graph(GraphLeaf::Duration);
        check(&leaf, Value::Integer(1), "Duration cannot represent value: 1");
    }
}
