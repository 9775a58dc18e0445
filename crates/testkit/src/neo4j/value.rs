//! Values as Bolt has them, in [PackStream](https://neo4j.com/docs/bolt/current/packstream/).
//!
//! Independent of the product's own decoder: tests have to see the contents of a graph even if that
//! is wrong.

use std::fmt;

/// A value of a record or of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// True or false.
    Boolean(bool),
    /// Any integer.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(String),
    /// A byte array.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// A map, in the order of the server.
    Map(Vec<(String, Value)>),
    /// Other values, such as a date: the tag, and the fields.
    Structure(u8, Vec<Value>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Value {
    /// The value of a map's key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Writes the value as it is sent.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Null => bytes.push(0xC0),
            Self::Boolean(false) => bytes.push(0xC2),
            Self::Boolean(true) => bytes.push(0xC3),
            Self::Integer(number) => {
                bytes.push(0xCB);
                bytes.extend(number.to_be_bytes());
            }
            Self::Float(number) => {
                bytes.push(0xC1);
                bytes.extend(number.to_be_bytes());
            }
            Self::Text(text) => write_text(text, bytes),
            Self::Bytes(content) => {
                write_length(0xCE, content.len(), bytes);
                bytes.extend(content);
            }
            Self::List(values) => {
                write_length(0xD6, values.len(), bytes);
                values.iter().for_each(|value| value.write(bytes));
            }
            Self::Map(entries) => {
                write_length(0xDA, entries.len(), bytes);
                for (key, value) in entries {
                    write_text(key, bytes);
                    value.write(bytes);
                }
            }
            Self::Structure(tag, fields) => {
                // No message or value has sixteen parts.
                bytes.extend([0xB0 | (fields.len() & 0x0F) as u8, *tag]);
                fields.iter().for_each(|field| field.write(bytes));
            }
        }
    }

    /// Reads a value and returns the rest; none if the bytes are incomplete.
    pub(super) fn read(bytes: &[u8]) -> Option<(Value, &[u8])> {
        let (&marker, rest) = bytes.split_first()?;
        let low = usize::from(marker & 0x0F);
        Some(match marker {
            0xC0 => (Self::Null, rest),
            0xC2 => (Self::Boolean(false), rest),
            0xC3 => (Self::Boolean(true), rest),
            0xC1 => {
                let (bytes, rest) = rest.split_first_chunk()?;
                (Self::Float(f64::from_be_bytes(*bytes)), rest)
            }
            0x00..=0x7F | 0xF0..=0xFF => (Self::Integer(marker.cast_signed().into()), rest),
            0xC8 => {
                let (bytes, rest) = rest.split_first_chunk()?;
                (Self::Integer(i8::from_be_bytes(*bytes).into()), rest)
            }
            0xC9 => {
                let (bytes, rest) = rest.split_first_chunk()?;
                (Self::Integer(i16::from_be_bytes(*bytes).into()), rest)
            }
            0xCA => {
                let (bytes, rest) = rest.split_first_chunk()?;
                (Self::Integer(i32::from_be_bytes(*bytes).into()), rest)
            }
            0xCB => {
                let (bytes, rest) = rest.split_first_chunk()?;
                (Self::Integer(i64::from_be_bytes(*bytes)), rest)
            }
            0x80..=0x8F => read_text(low, rest)?,
            0xD0..=0xD2 => read_length(marker - 0xD0, rest).and_then(|(n, r)| read_text(n, r))?,
            0xCC..=0xCE => {
                let (length, rest) = read_length(marker - 0xCC, rest)?;
                let (content, rest) = rest.split_at_checked(length)?;
                (Self::Bytes(content.to_vec()), rest)
            }
            0x90..=0x9F => read_list(low, rest)?,
            0xD4..=0xD6 => read_length(marker - 0xD4, rest).and_then(|(n, r)| read_list(n, r))?,
            0xA0..=0xAF => read_map(low, rest)?,
            0xD8..=0xDA => read_length(marker - 0xD8, rest).and_then(|(n, r)| read_map(n, r))?,
            0xB0..=0xBF => {
                let (&tag, rest) = rest.split_first()?;
                let (fields, rest) = read_values(low, rest)?;
                (Self::Structure(tag, fields), rest)
            }
            _ => return None,
        })
    }
}

/// In Cypher's notation where there is one; keys of maps are sorted, so that equal maps are equal
/// texts.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Integer(number) => write!(formatter, "{number}"),
            Self::Float(number) => write!(formatter, "{number:?}"),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::Bytes(content) => write!(formatter, "bytes {content:02x?}"),
            Self::List(values) => write_all(formatter, "[", values, "]"),
            Self::Map(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by(|one, other| one.0.cmp(&other.0));
                formatter.write_str("{")?;
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(formatter, "{comma}{key}: {value}")?;
                }
                formatter.write_str("}")
            }
            Self::Structure(tag, fields) => {
                write!(formatter, "{}", char::from(*tag))?;
                write_all(formatter, "(", fields, ")")
            }
        }
    }
}

fn write_all(
    formatter: &mut fmt::Formatter<'_>,
    open: &str,
    values: &[Value],
    close: &str,
) -> fmt::Result {
    formatter.write_str(open)?;
    for (index, value) in values.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(formatter, "{comma}{value}")?;
    }
    formatter.write_str(close)
}

fn write_text(text: &str, bytes: &mut Vec<u8>) {
    write_length(0xD2, text.len(), bytes);
    bytes.extend(text.as_bytes());
}

/// The longest form is right for every length; that it is not the shortest costs tests nothing.
fn write_length(marker: u8, length: usize, bytes: &mut Vec<u8>) {
    bytes.push(marker);
    bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
}

/// One, two or four bytes, by the place of the marker among its siblings.
fn read_length(size: u8, bytes: &[u8]) -> Option<(usize, &[u8])> {
    match size {
        0 => bytes.split_first().map(|(&length, rest)| (length.into(), rest)),
        1 => {
            bytes.split_first_chunk().map(|(bytes, rest)| (u16::from_be_bytes(*bytes).into(), rest))
        }
        _ => {
            let (bytes, rest) = bytes.split_first_chunk()?;
            Some((usize::try_from(u32::from_be_bytes(*bytes)).ok()?, rest))
        }
    }
}

fn read_text(length: usize, bytes: &[u8]) -> Option<(Value, &[u8])> {
    let (content, rest) = bytes.split_at_checked(length)?;
    Some((Value::Text(String::from_utf8_lossy(content).into_owned()), rest))
}

fn read_list(length: usize, bytes: &[u8]) -> Option<(Value, &[u8])> {
    read_values(length, bytes).map(|(values, rest)| (Value::List(values), rest))
}

fn read_map(length: usize, bytes: &[u8]) -> Option<(Value, &[u8])> {
    let mut rest = bytes;
    let mut entries = Vec::new();
    for _ in 0..length {
        let (Value::Text(key), after) = Value::read(rest)? else { return None };
        let (value, after) = Value::read(after)?;
        entries.push((key, value));
        rest = after;
    }
    Some((Value::Map(entries), rest))
}

fn read_values(count: usize, bytes: &[u8]) -> Option<(Vec<Value>, &[u8])> {
    let mut rest = bytes;
    let mut values = Vec::new();
    for _ in 0..count {
        let (value, after) = Value::read(rest)?;
        values.push(value);
        rest = after;
    }
    Some((values, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let value = Value::Map(vec![
            ("b".to_owned(), Value::List(vec![Value::Integer(-1), Value::Float(0.5)])),
            ("a".to_owned(), Value::Structure(b'D', vec![Value::Integer(1 << 40)])),
            ("ü".to_owned(), Value::Bytes(vec![0, 255])),
            ("n".to_owned(), Value::Null),
            ("t".to_owned(), Value::Boolean(true)),
            ("f".to_owned(), Value::from("x\"y")),
        ]);
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        bytes.push(7);
        assert_eq!(Value::read(&bytes), Some((value.clone(), &[7][..])));
        assert_eq!(Value::read(&bytes[..bytes.len() - 3]), None);
        assert_eq!(
            value.to_string(),
            r#"{a: D(1099511627776), b: [-1, 0.5], f: "x\"y", n: null, t: true, ü: bytes [00, ff]}"#
        );
    }

    #[test]
    fn the_short_forms_of_servers_are_read() {
        let check = |bytes: &[u8], text: &str| {
            let (value, rest) = Value::read(bytes).expect(text);
            assert_eq!((value.to_string(), rest), (text.to_owned(), &[][..]));
        };
        check(&[0x2A], "42");
        check(&[0xF0], "-16");
        check(&[0xC8, 0x80], "-128");
        check(&[0xC9, 0x01, 0x00], "256");
        check(&[0xCA, 0xFF, 0xFF, 0xFF, 0xFE], "-2");
        check(&[0x82, b'h', b'i'], "\"hi\"");
        check(&[0xD0, 0x01, b'h'], "\"h\"");
        check(&[0xD1, 0x00, 0x01, b'h'], "\"h\"");
        check(&[0x91, 0xC0], "[null]");
        check(&[0xD4, 0x01, 0xC3], "[true]");
        check(&[0xA1, 0x81, b'k', 0x01], "{k: 1}");
        check(&[0xB1, b'D', 0x01], "D(1)");
    }
}
