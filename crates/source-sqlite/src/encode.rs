//! Values in the storage classes of SQLite.

use relational::ValueKind;
use rusqlite::types::Value;
use source::SourceError;
use source::operand::Resolved;

use super::moment::{clock, day, instant, timestamp, zoned_clock};
use super::{epoch, json};

/// One value in the storage class in which SQLite keeps values of its kind.
pub(super) fn encode_value(value: &Resolved<'_>, kind: ValueKind) -> Result<Value, SourceError> {
    if let Resolved::List(_) | Resolved::Parts(_) = value {
        // No column holds such values, so the schema admits none.
        return Err(SourceError::input("a value that has parts cannot be compared"));
    }
    if let Resolved::File(file) = value {
        return match kind {
            ValueKind::Bytes => Ok(Value::Blob(file.content.to_vec())),
            _ => Err(SourceError::input(file.misplaced(kind.type_name()))),
        };
    }
    let Some(text) = value.text() else { return Ok(Value::Null) };
    refuse_zero_byte(&text)?;
    let invalid = || SourceError::invalid(kind.type_name(), &text);
    Ok(match kind {
        ValueKind::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" | "yes" | "on" => Value::Integer(1),
            "false" | "f" | "0" | "no" | "off" => Value::Integer(0),
            _ => return Err(invalid()),
        },
        ValueKind::Integer { bits } => {
            let number: i64 = text.trim().parse().map_err(|_| invalid())?;
            let fits = match bits {
                16 => i16::try_from(number).is_ok(),
                32 => i32::try_from(number).is_ok(),
                _ => true,
            };
            if !fits {
                return Err(SourceError::input(format!(
                    "value \"{number}\" is out of range for type {}",
                    kind.type_name()
                )));
            }
            Value::Integer(number)
        }
        ValueKind::Decimal | ValueKind::Float => number(text.trim()).ok_or_else(invalid)?,
        ValueKind::Uuid => Value::Text(uuid(&text).ok_or_else(invalid)?),
        ValueKind::Date => Value::Text(day(&text).ok_or_else(invalid)?),
        ValueKind::Timestamp => Value::Text(timestamp(&text).ok_or_else(invalid)?),
        ValueKind::TimestampWithZone => Value::Integer(instant(&text).ok_or_else(invalid)?),
        ValueKind::Epoch(unit) => epoch::read(&text, unit).ok_or_else(invalid)?,
        ValueKind::Time => Value::Integer(clock(&text).ok_or_else(invalid)?),
        ValueKind::TimeWithZone => Value::Integer(zoned_clock(&text).ok_or_else(invalid)?),
        // PostgreSQL does not show the bytes that it cannot read.
        ValueKind::Bytes => Value::Blob(
            bytes(&text)
                .ok_or_else(|| SourceError::input("invalid input syntax for type bytea"))?,
        ),
        // In the form in which the content of a column is compared.
        ValueKind::Json => Value::Text(json::read(&text).ok_or_else(invalid)?.canonical()),
        ValueKind::Text | ValueKind::List | ValueKind::Composite | ValueKind::Other => {
            Value::Text(text.into_owned())
        }
    })
}

/// PostgreSQL refuses texts with a zero byte; the same request gets the same error here.
pub(super) fn refuse_zero_byte(text: &str) -> Result<(), SourceError> {
    match text.contains('\0') {
        true => Err(SourceError::input("invalid byte sequence for encoding \"UTF8\": 0x00")),
        false => Ok(()),
    }
}

fn number(text: &str) -> Option<Value> {
    let plain =
        text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    if text.is_empty() || !plain {
        return None;
    }
    match text.parse::<i64>() {
        Ok(number) => Some(Value::Integer(number)),
        Err(_) => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::Real),
    }
}

fn uuid(text: &str) -> Option<String> {
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let digits: String = text.chars().filter(|letter| *letter != '-').collect();
    if digits.len() != 32 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let digits = digits.to_ascii_lowercase();
    let part = |from: usize, to: usize| digits.get(from..to);
    Some([part(0, 8)?, part(8, 12)?, part(12, 16)?, part(16, 20)?, part(20, 32)?].join("-"))
}

/// The bytes of a text in one of PostgreSQL's two forms: hexadecimal after `\\x`, or as they are,
/// with a backslash before a backslash or three octal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    match text.strip_prefix("\\x") {
        Some(digits) => hexadecimal_bytes(digits.as_bytes()),
        None => escaped_bytes(text.as_bytes()),
    }
}

fn hexadecimal_bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}

fn escaped_bytes(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    while let [first, rest @ ..] = text {
        text = match (first, rest) {
            (b'\\', [b'\\', rest @ ..]) => {
                out.push(b'\\');
                rest
            }
            (b'\\', [high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', rest @ ..]) => {
                out.push((high - b'0') * 64 + (middle - b'0') * 8 + (low - b'0'));
                rest
            }
            (b'\\', _) => return None,
            (byte, rest) => {
                out.push(*byte);
                rest
            }
        };
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_values_are_checked() {
        assert_eq!(number("13.860"), Some(Value::Real(13.86)));
        assert_eq!(number("12"), Some(Value::Integer(12)));
        assert_eq!(number("abc"), None);
        assert_eq!(number("inf"), None);
        assert_eq!(
            uuid("A0EEBC999C0B4EF8BB6D6BB9BD380A11").as_deref(),
            Some("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
        );
        assert_eq!(
            uuid("{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"),
            uuid("A0EEBC999C0B4EF8BB6D6BB9BD380A11")
        );
        assert_eq!(uuid("{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), None);
        assert_eq!(bytes("\\x01fF"), Some(vec![1, 255]));
        assert_eq!(bytes("\\x0"), None);
        assert_eq!(bytes("aé\\\\\\000"), Some(vec![b'a', 0xc3, 0xa9, b'\\', 0]));
        assert_eq!(bytes("a\\9"), None);
    }
}
