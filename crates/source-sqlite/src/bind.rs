//! Parameters as SQLite's values, checked against the type that they are compared with.

use std::borrow::Cow;

use relational::{Level, ParameterKind, ParameterSource, Program, ValueKind, like_pattern};
use rusqlite::types::Value;
use source::SourceError;
use source::operand::{Resolved, Variables, resolve};

use super::moment::{clock, day, instant, timestamp, zoned_clock};
use super::stored::Stored;
use super::{epoch, json};
use ir::{Case, TextMatch};
use response::{Bounds, LevelId};

/// The longest pattern that SQLite matches, in bytes.
/// <https://www.sqlite.org/limits.html#max_like_pattern_length>
const LONGEST_GLOB: usize = 50_000;

/// The parameters of a request, level by level.
#[derive(Debug)]
pub struct Bound {
    pub levels: Vec<BoundLevel>,
}

#[derive(Debug, Default)]
pub struct BoundLevel {
    pub parameters: Vec<BoundParameter>,
    pub bounds: Bounds,
}

#[derive(Debug)]
pub enum BoundParameter {
    Value(Value),
    /// A column of the current row of the level above, or of the written row that is read back.
    Parent(u16),
    /// A column of the one row that an earlier level returned.
    Result(LevelId, u32, u16),
}

/// Binds all levels. An error comes with the root field it belongs to; such a root's levels are
/// left without parameters.
#[must_use]
pub(super) fn bind(
    program: &Program,
    stored: &Stored,
    variables: Variables<'_>,
) -> (Bound, Vec<(u32, SourceError)>) {
    let mut failures: Vec<(u32, SourceError)> = Vec::new();
    let levels = program.levels.iter().map(|level| match bind_level(level, stored, variables) {
        Ok(bound) => bound,
        Err(error) => {
            if !failures.iter().any(|(root, _)| *root == level.root) {
                failures.push((level.root, error));
            }
            BoundLevel::default()
        }
    });
    let levels = levels.collect();
    (Bound { levels }, failures)
}

fn bind_level(
    level: &Level,
    stored: &Stored,
    variables: Variables<'_>,
) -> Result<BoundLevel, SourceError> {
    let mut bound = BoundLevel { bounds: level.bounds(variables)?, ..BoundLevel::default() };
    for parameter in &level.parameters {
        bound.parameters.push(match &parameter.source {
            ParameterSource::Parent { column } | ParameterSource::Rows { column, .. } => {
                BoundParameter::Parent(*column)
            }
            ParameterSource::Operand(operand) => {
                let value = resolve(operand, variables)?;
                BoundParameter::Value(encode(&value, parameter.kind, stored)?)
            }
            ParameterSource::Result { level, row, column } => {
                BoundParameter::Result(*level, *row, *column)
            }
            ParameterSource::Keys { .. } => BoundParameter::Value(Value::Null),
        });
    }
    Ok(bound)
}

fn encode(
    value: &Resolved<'_>,
    kind: ParameterKind,
    stored: &Stored,
) -> Result<Value, SourceError> {
    match kind {
        ParameterKind::Value { kind, .. } => encode_value(value, kind),
        ParameterKind::List { kind, .. } => encode_list(value, kind),
        ParameterKind::Stored { field, kind } => stored.encode(value, field, kind),
        ParameterKind::StoredArray { kind, .. } => encode_list(value, kind),
        // There are no lists, ranges and functions here.
        ParameterKind::Key { .. }
        | ParameterKind::KeyArray { .. }
        | ParameterKind::Element { .. }
        | ParameterKind::RangeElement { .. }
        | ParameterKind::RowArray { .. }
        | ParameterKind::Returned { .. }
        | ParameterKind::Argument { .. }
        | ParameterKind::ArgumentList { .. } => encode_value(value, ValueKind::Other),
        ParameterKind::Text => encode_value(value, ValueKind::Text),
        ParameterKind::TextList => encode_list(value, ValueKind::Text),
        ParameterKind::KeyList { kind, .. } => encode_list(value, kind),
        ParameterKind::KeyRows => encode_rows(value),
        ParameterKind::Pattern { r#match, case, .. } if is_glob(r#match, case) => {
            encode_pattern(value, |text| glob_beginning(text).ok_or_else(too_long))
        }
        ParameterKind::Pattern { r#match, .. } => {
            encode_pattern(value, |text| like_pattern(r#match, text).map(Cow::into_owned))
        }
        // The whole pattern is matched as well.
        ParameterKind::PatternPrefix { .. } => encode_pattern(value, |text| {
            Ok(glob_beginning(&prefix(text)).unwrap_or_else(|| "*".into()))
        }),
        ParameterKind::Limit { look_ahead } => Ok(match value.rows("LIMIT")? {
            // No limit, where the variable has none.
            None => Value::Integer(-1),
            Some(0) => Value::Integer(0),
            Some(limit) => Value::Integer(to_integer(limit.saturating_add(look_ahead.into()))),
        }),
        ParameterKind::Offset => Ok(Value::Integer(to_integer(value.rows("OFFSET")?.unwrap_or(0)))),
    }
}

fn to_integer(rows: u64) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// PostgreSQL refuses texts with a zero byte; the same request gets the same error here.
fn refuse_zero_byte(text: &str) -> Result<(), SourceError> {
    match text.contains('\0') {
        true => Err(SourceError::input("invalid byte sequence for encoding \"UTF8\": 0x00")),
        false => Ok(()),
    }
}

/// One value in the storage class in which SQLite keeps values of its kind.
pub(super) fn encode_value(value: &Resolved<'_>, kind: ValueKind) -> Result<Value, SourceError> {
    if let Resolved::List(_) | Resolved::Parts(_) = value {
        // No column holds such values, so the schema admits none.
        return Err(SourceError::input("a value that has parts cannot be compared"));
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

/// A list as a JSON text whose elements SQLite reads back as the same values.
fn encode_list(value: &Resolved<'_>, kind: ValueKind) -> Result<Value, SourceError> {
    let single;
    let items = match value {
        Resolved::Null => return Ok(Value::Null),
        Resolved::List(items) => items,
        Resolved::Boolean(_)
        | Resolved::Integer(_)
        | Resolved::Number(_)
        | Resolved::Text(_)
        | Resolved::Json(_)
        | Resolved::Parts(_) => {
            single = vec![value.clone()];
            &single
        }
    };
    let mut out = Vec::from(*b"[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match encode_value(item, kind)? {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::Real(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::Text(text) => response::escape::write_string(&text, &mut out),
            Value::Blob(_) => return Err(SourceError::input("a list of bytes cannot be compared")),
        }
    }
    out.push(b']');
    String::from_utf8(out)
        .map(Value::Text)
        .map_err(|_| SourceError::input("a list with invalid text"))
}

/// Lists of equal length as a JSON text of their rows.
fn encode_rows(value: &Resolved<'_>) -> Result<Value, SourceError> {
    let misfits = || SourceError::input("a key has lists of different lengths");
    let Resolved::List(columns) = value else { return Err(misfits()) };
    let mut lists = Vec::with_capacity(columns.len());
    for column in columns {
        let Resolved::List(items) = column else { return Err(misfits()) };
        lists.push(items.as_slice());
    }
    let length = lists.first().map_or(0, |list| list.len());
    let mut out = Vec::from(*b"[");
    for row in 0..length {
        out.extend_from_slice(if row > 0 { b",[" } else { b"[" });
        for (place, list) in lists.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match list.get(row).ok_or_else(misfits)? {
                Resolved::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
                other => match other.text() {
                    Some(text) => response::escape::write_string(&text, &mut out),
                    None => out.extend_from_slice(b"null"),
                },
            }
        }
        out.push(b']');
    }
    out.push(b']');
    String::from_utf8(out).map(Value::Text).map_err(|_| misfits())
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

/// Whether a pattern is matched by GLOB, in time linear in the pattern, and with an index.
pub(super) fn is_glob(r#match: TextMatch, case: Case) -> bool {
    r#match == TextMatch::StartsWith && case != Case::Ignored
}

fn encode_pattern(
    value: &Resolved<'_>,
    pattern: impl FnOnce(&str) -> Result<String, SourceError>,
) -> Result<Value, SourceError> {
    let Some(text) = value.text() else { return Ok(Value::Null) };
    refuse_zero_byte(&text)?;
    pattern(&text).map(Value::Text)
}

fn too_long() -> SourceError {
    SourceError::input("the pattern is too long")
}

/// The part of a LIKE pattern before its first wildcard.
fn prefix(pattern: &str) -> String {
    let mut prefix = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' | '_' => break,
            '\\' => prefix.extend(letters.next()),
            letter => prefix.push(letter),
        }
    }
    prefix
}

/// The GLOB pattern of all texts that begin with this one; `None` if it is longer than SQLite
/// takes.
fn glob_beginning(text: &str) -> Option<String> {
    let mut pattern = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '*' | '?' | '[' => pattern.extend(['[', letter, ']']),
            letter => pattern.push(letter),
        }
    }
    pattern.push('*');
    (pattern.len() <= LONGEST_GLOB).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_GLOB, bytes, glob_beginning, number, prefix, uuid};
    use rusqlite::types::Value;

    #[test]
    fn what_a_text_begins_with_is_a_glob_pattern() {
        let check = |text: &str, expect: &str| {
            assert_eq!(glob_beginning(text).as_deref(), Some(expect), "{text}");
        };
        check("ab", "ab*");
        check("", "*");
        check("100%_", "100%_*");
        check("[*?]", "[[][*][?]]*");
        assert_eq!(
            glob_beginning(&"a".repeat(LONGEST_GLOB - 1)).map(|text| text.len()),
            Some(50_000)
        );
        assert_eq!(glob_beginning(&"a".repeat(LONGEST_GLOB)), None);
    }

    #[test]
    fn the_part_before_the_first_wildcard_is_looked_up() {
        let check = |pattern: &str, expect: &str| assert_eq!(prefix(pattern), expect, "{pattern}");
        check("abc", "abc");
        check("a%b", "a");
        check("a_b", "a");
        check("%a", "");
        check("a\\%\\\\\\_b%", "a%\\_b");
        check("a\\", "a");
    }

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
