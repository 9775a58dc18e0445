//! Quantities of time.

use super::super::LeafError;
use super::super::number::write_integer;
use crate::cursor::Value;
use crate::escape;
use crate::packed::{Packed, begin};

const DURATION: u8 = b'E';
const NANOSECONDS: i64 = 1_000_000_000;

/// Appends `P1Y2M3DT4H5M6.500000000S` without the parts that are zero, as the JavaScript driver
/// prints it, which writes a `T` in any case. A text that looks like one stays.
pub(super) fn write_duration(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    let refuse = || LeafError::new("Duration", "value", value);
    if let Value::Text(text) = value {
        if !looks_like_duration(text) {
            return Err(refuse());
        }
        out.push(b'"');
        escape::write_escaped(text, out);
        out.push(b'"');
        return Ok(());
    }
    let parts = parts(value).ok_or_else(refuse)?;
    if parts == [0; 4] {
        out.extend_from_slice(b"\"PT0S\"");
        return Ok(());
    }
    let [months, days, seconds, nanoseconds] = parts;
    out.extend_from_slice(b"\"P");
    write_part(months / 12, b'Y', out);
    write_part(months % 12, b'M', out);
    write_part(days, b'D', out);
    out.push(b'T');
    write_clock(seconds, nanoseconds, out);
    out.push(b'"');
    Ok(())
}

fn write_part(quantity: i64, unit: u8, out: &mut Vec<u8>) {
    if quantity != 0 {
        write_integer(quantity, out);
        out.push(unit);
    }
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

/// Of a quantity below zero the nanoseconds count upwards from the next lower second.
fn write_clock(seconds: i64, nanoseconds: i64, out: &mut Vec<u8>) {
    let (whole, fraction) = match seconds < 0 && nanoseconds > 0 {
        true => (seconds + 1, NANOSECONDS - nanoseconds),
        false => (seconds, nanoseconds),
    };
    write_part(whole / 3_600, b'H', out);
    write_part(whole / 60 % 60, b'M', out);
    let rest = whole % 60;
    if rest == 0 && fraction == 0 {
        return;
    }
    if seconds < 0 && rest == 0 {
        out.push(b'-');
    }
    write_integer(rest, out);
    if fraction > 0 {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(fraction);
        out.push(b'.');
        out.resize(out.len() + 9_usize.saturating_sub(digits.len()), b'0');
        out.extend_from_slice(digits.as_bytes());
    }
    out.push(b'S');
}

/// Whether a text has an ISO 8601 duration's beginning and characters.
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

    fn check_parts(packed: &[u8], expect: &str) {
        check(&Leaf::Graph(GraphLeaf::Duration), Value::Packed(packed), expect);
    }

    #[test]
    fn parts_that_are_zero_are_left_out_and_a_fraction_has_nine_digits() {
        check_parts(b"\xb4E\x01\x02\x03\x00", "\"P1M2DT3S\"");
        check_parts(b"\xb4E\x00\x00\x00\x00", "\"PT0S\"");
        check_parts(b"\xb4E\x0e\xff\x01\xca\x1d\xcd\x65\x00", "\"P1Y2M-1DT1.500000000S\"");
        check_parts(b"\xb4E\x00\x00\x00\x07", "\"PT0.000000007S\"");
        check_parts(b"\xb4E\x00\x00\xc9\x09\xe2\x00", "\"PT42M10S\"");
        check_parts(b"\xb4E\x0c\x00\xc9\x0e\x10\x00", "\"P1YT1H\"");
    }

    #[test]
    fn a_date_alone_has_its_letter_for_times_all_the_same() {
        check_parts(b"\xb4E\xff\x00\x00\x00", "\"P-1MT\"");
    }

    #[test]
    fn seconds_below_zero_have_their_fraction_towards_zero() {
        check_parts(b"\xb4E\x00\x00\xff\x00", "\"PT-1S\"");
        check_parts(b"\xb4E\x00\x00\xff\xca\x1d\xcd\x65\x00", "\"PT-0.500000000S\"");
        check_parts(b"\xb4E\x00\x00\xfe\xca\x2f\xaf\x08\x00", "\"PT-1.200000000S\"");
        check_parts(b"\xb4E\x00\x00\xc8\xc3\x00", "\"PT-1M-1S\"");
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
        check_parts(b"\xb1D\x01", "Duration cannot represent value: a Date");
        check_parts(b"\xb4E\x00\x00\x00\xff", "Duration cannot represent value: a Duration");
        check_parts(b"\x90", "Duration cannot represent value: a list");
        let leaf = Leaf::Graph(GraphLeaf::Duration);
        check(&leaf, Value::Integer(1), "Duration cannot represent value: 1");
    }
}
