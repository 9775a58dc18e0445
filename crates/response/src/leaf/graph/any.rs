//! Values without a declared type: custom scalars of the definitions.

use super::super::number::{write_integer, write_real};
use super::super::{LeafError, text};
use super::{duration, moment};
use crate::cursor::Value;
use crate::escape;
use crate::packed::{Packed, begin, read};

/// The nesting limit of lists and maps.
const DEEPEST: usize = 64;

/// Appends a value as JSON: numbers as numbers, lists as lists, maps as objects. Dates, times and
/// durations are texts.
pub(super) fn write_any(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), LeafError> {
    write_within(value, 0, out)
}

fn write_within(value: Value<'_>, depth: usize, out: &mut Vec<u8>) -> Result<(), LeafError> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Integer(integer) => write_integer(integer, out),
        Value::Real(real) if real.is_finite() => write_real(real, out),
        Value::Real(_) => out.extend_from_slice(b"null"),
        Value::Text(_) => return text::write_text(value, out),
        Value::Blob(_) => return text::write_any(value, out),
        Value::Packed(bytes) => return write_packed(value, bytes, depth, out),
    }
    Ok(())
}

fn write_packed(
    value: Value<'_>,
    bytes: &[u8],
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let refuse = || LeafError::new("Any", "a value", value);
    if depth > DEEPEST {
        return Err(LeafError::new("Any", "a value that is nested so deep", Value::Null));
    }
    match begin(bytes).map_err(|_| refuse())? {
        Packed::Boolean(true) => out.extend_from_slice(b"true"),
        Packed::Boolean(false) => out.extend_from_slice(b"false"),
        Packed::List(mut elements) => {
            out.push(b'[');
            let mut is_first = true;
            loop {
                let bytes = elements.bytes();
                let Some(element) = elements.next() else { break };
                if !std::mem::take(&mut is_first) {
                    out.push(b',');
                }
                let element = Value::of_packed(element.map_err(|_| refuse())?, bytes);
                write_within(element, depth + 1, out)?;
            }
            out.push(b']');
        }
        Packed::Map(mut entries) => {
            out.push(b'{');
            let mut is_first = true;
            loop {
                let bytes = entries.bytes();
                let Some(entry) = entries.next() else { break };
                let (key, packed) = entry.map_err(|_| refuse())?;
                // The value lies behind its key.
                let (_, bytes) = read(bytes).map_err(|_| refuse())?;
                if !std::mem::take(&mut is_first) {
                    out.push(b',');
                }
                if str::from_utf8(key).is_err() {
                    return Err(refuse());
                }
                out.push(b'"');
                escape::write_escaped(key, out);
                out.extend_from_slice(b"\":");
                write_within(Value::of_packed(packed, bytes), depth + 1, out)?;
            }
            out.push(b'}');
        }
        Packed::Structure { tag, .. } => {
            return match tag {
                b'D' => moment::write_date(value, out),
                b't' => moment::write_local_time(value, out),
                b'T' => moment::write_time(value, out),
                b'd' => moment::write_local_date_time(value, out),
                b'I' | b'i' | b'F' | b'f' => moment::write_date_time(value, out),
                b'E' => duration::write_duration(value, out),
                _ => Err(refuse()),
            };
        }
        Packed::Null
        | Packed::Integer(_)
        | Packed::Float(_)
        | Packed::Bytes(_)
        | Packed::Text(_) => return Err(refuse()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{GraphLeaf, Leaf};

    #[test]
    fn values_are_the_json_that_they_are() {
        let leaf = Leaf::Graph(GraphLeaf::Any);
        check(&leaf, Value::Integer(7), "7");
        check(&leaf, Value::Real(1.5), "1.5");
        check(&leaf, Value::Text(b"a\"b"), r#""a\"b""#);
        check(&leaf, Value::Packed(b"\xc3"), "true");
        check(&leaf, Value::Packed(b"\x93\x01\xc0\x91\x81a"), r#"[1,null,["a"]]"#);
        check(
            &leaf,
            Value::Packed(b"\xa2\x81a\x01\x82\"b\xa1\x81c\x90rest"),
            r#"{"a":1,"\"b":{"c":[]}}"#,
        );
        check(&leaf, Value::Packed(b"\xa1\x81d\xb1D\x01"), r#"{"d":"1970-01-02"}"#);
        check(&leaf, Value::Packed(b"\x90"), "[]");
        check(&leaf, Value::Packed(b"\xa0"), "{}");
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let leaf = Leaf::Graph(GraphLeaf::Any);
        check(&leaf, Value::Packed(b"\xb3N\x01\x90\xa0"), "Any cannot represent a value: a node");
        check(&leaf, Value::Packed(b"\xa1\x81a"), "Any cannot represent a value: a map");
        let deep = [[0x91].repeat(70).as_slice(), b"\x01"].concat();
        let error = "Any cannot represent a value that is nested so deep: null";
        check(&leaf, Value::Packed(&deep), error);
        check_text(&leaf, "a", "\"a\"");
    }
}
