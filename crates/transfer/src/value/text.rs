//! Values as texts: JSON, and the text format of PostgreSQL's COPY.
//! <https://www.postgresql.org/docs/current/sql-copy.html>

use super::{Row, ValueRef, moment};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a text as a JSON string.
pub fn write_json_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(place) =
        rest.iter().position(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\'))
    {
        let (plain, after) = rest.split_at(place);
        out.extend_from_slice(plain);
        let Some((special, after)) = after.split_first() else { break };
        match special {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(control >> 4)]);
                out.push(HEX[usize::from(control & 15)]);
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Writes a value as JSON.
pub fn write_json(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Boolean(value) => out.extend_from_slice(boolean(value)),
        ValueRef::Integer(number) => write_integer(number, out),
        ValueRef::Float(number) => write_float(number, out),
        ValueRef::Text(text) => write_json_string(text, out),
        ValueRef::Moment(micros) => {
            out.push(b'"');
            moment::write(micros, out);
            out.push(b'"');
        }
        ValueRef::Json(text) => out.extend_from_slice(text.as_bytes()),
        ValueRef::List(items) => {
            out.push(b'[');
            for (place, item) in items.enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_json(item, out);
            }
            out.push(b']');
        }
    }
}

/// Writes a value without quotes.
pub fn write_plain(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::Text(text) | ValueRef::Json(text) => out.extend_from_slice(text.as_bytes()),
        ValueRef::Moment(micros) => moment::write(micros, out),
        ValueRef::Null
        | ValueRef::Boolean(_)
        | ValueRef::Integer(_)
        | ValueRef::Float(_)
        | ValueRef::List(_) => write_json(value, out),
    }
}

/// Writes a row as a line of COPY.
pub fn write_copy_row(row: Row<'_>, out: &mut Vec<u8>) {
    for (place, value) in row.enumerate() {
        if place > 0 {
            out.push(b'\t');
        }
        match value {
            ValueRef::Null => out.extend_from_slice(b"\\N"),
            ValueRef::Text(text) | ValueRef::Json(text) => escape_copy(text.as_bytes(), out),
            ValueRef::List(items) => {
                let mut array = Vec::new();
                write_array(items, &mut array);
                escape_copy(&array, out);
            }
            ValueRef::Moment(micros) => moment::write_for_database(micros, out),
            ValueRef::Boolean(_) | ValueRef::Integer(_) | ValueRef::Float(_) => {
                write_json(value, out);
            }
        }
    }
    out.push(b'\n');
}

/// Writes an array literal: every text is quoted.
fn write_array(items: Row<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (place, item) in items.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match item {
            ValueRef::Null => out.extend_from_slice(b"NULL"),
            ValueRef::List(inner) => write_array(inner, out),
            ValueRef::Text(text) | ValueRef::Json(text) => {
                out.push(b'"');
                for byte in text.bytes() {
                    if matches!(byte, b'"' | b'\\') {
                        out.push(b'\\');
                    }
                    out.push(byte);
                }
                out.push(b'"');
            }
            ValueRef::Moment(micros) => {
                out.push(b'"');
                moment::write_for_database(micros, out);
                out.push(b'"');
            }
            ValueRef::Boolean(_) | ValueRef::Integer(_) | ValueRef::Float(_) => {
                write_json(item, out);
            }
        }
    }
    out.push(b'}');
}

fn escape_copy(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let special = rest.iter().position(|byte| matches!(byte, b'\\' | b'\n' | b'\r' | b'\t'));
        let Some(place) = special else { break };
        let (plain, after) = rest.split_at(place);
        out.extend_from_slice(plain);
        let Some((special, after)) = after.split_first() else { break };
        out.push(b'\\');
        out.push(match special {
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            other => *other,
        });
        rest = after;
    }
    out.extend_from_slice(rest);
}

fn boolean(value: bool) -> &'static [u8] {
    if value { b"true" } else { b"false" }
}

fn write_integer(number: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// The shortest text that is read as the same number.
fn write_float(number: f64, out: &mut Vec<u8>) {
    if !number.is_finite() {
        out.extend_from_slice(number.to_string().as_bytes());
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(number);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn row(values: &[Value]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in values {
            value.write(&mut bytes);
        }
        bytes
    }

    #[test]
    fn values_are_written_for_copy() {
        let list = Value::List(vec![Value::Text("a\"\\\n".into()), Value::Null]);
        let values = [
            Value::Null,
            Value::Text("\\N\t".into()),
            Value::Boolean(false),
            Value::Float(1e21),
            Value::Moment(0),
            list,
        ];
        let mut out = Vec::new();
        write_copy_row(Row::new(&row(&values)), &mut out);
        let expect = "\\N\t\\\\N\\t\tfalse\t1e+21\t1970-01-01 00:00:00+00:00\t{\"a\\\\\"\\\\\\\\\\n\",NULL}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn strings_are_those_of_json() {
        for text in ["", "plain", "q\"\\\u{1}\n\r\té\u{1f600}\u{7f}"] {
            let mut out = Vec::new();
            write_json_string(text, &mut out);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}
