//! JSON compared by its content, as PostgreSQL's `jsonb` is: numbers by their value, objects
//! without regard to the order of their keys, of which the last counts where one is repeated.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rusqlite::Error;

use super::interrupt::Work;

/// Maximum depth of nested values; deeper ones are not parsed.
const DEPTH: usize = 128;

/// Cost of comparing two values, in bytes of work.
const COMPARED: usize = 8;

/// A JSON value. Equal ones have the same content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json {
    Null,
    Boolean(bool),
    Number(Number),
    Text(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// A decimal: the digits without zeros at either end, times ten to the power of `exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Reads a text; `None` if it is no JSON.
pub(super) fn read(text: &str) -> Option<Json> {
    // Nothing interrupts it.
    read_counted(text, None).ok().flatten()
}

/// Parses a text within a statement, until its connection is interrupted.
pub(super) fn read_within(text: &str, work: &mut Work<'_>) -> Result<Option<Json>, Error> {
    read_counted(text, Some(work))
}

fn read_counted<'w, 'i>(text: &str, work: Option<&'w mut Work<'i>>) -> Result<Option<Json>, Error> {
    let mut reader =
        Reader { text: text.as_bytes(), place: 0, counted: 0, interrupted: None, work };
    let value = reader.value(DEPTH);
    reader.space();
    let is_whole = reader.place == text.len();
    match reader.interrupted {
        Some(error) => Err(error),
        None => Ok(value.filter(|_| is_whole)),
    }
}

impl Json {
    /// A JSON text that is the same for the same content.
    pub(super) fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(Number { negative, digits, exponent }) => {
                let sign = if *negative { "-" } else { "" };
                // Writing to a string cannot fail.
                let _ = write!(out, "{sign}{digits}e{exponent}");
            }
            Self::Text(text) => response::escape::push_string(text, out),
            Self::Array(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    response::escape::push_string(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Whether it contains another value, as `@>` has it: an array contains one value by itself,
    /// too, but only at the top.
    pub(super) fn contains(&self, other: &Self, work: &mut Work<'_>) -> Result<bool, Error> {
        match (self, other) {
            (
                Self::Array(items),
                Self::Null | Self::Boolean(_) | Self::Number(_) | Self::Text(_),
            ) => any(items, work, |item, _| Ok(item == other)),
            _ => self.contains_alike(other, work),
        }
    }

    fn contains_alike(&self, other: &Self, work: &mut Work<'_>) -> Result<bool, Error> {
        match (self, other) {
            (Self::Object(own), Self::Object(others)) => {
                for (name, value) in others {
                    work.spend(COMPARED)?;
                    match own.get(name) {
                        Some(own) if own.contains_alike(value, work)? => {}
                        Some(_) | None => return Ok(false),
                    }
                }
                Ok(true)
            }
            (Self::Array(own), Self::Array(others)) => {
                for value in others {
                    if !any(own, work, |own, work| own.contains_alike(value, work))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(self == other),
        }
    }

    /// Whether one of the texts of an array is a key of it.
    pub(super) fn has_any_key(&self, keys: &Self, work: &mut Work<'_>) -> Result<bool, Error> {
        for key in keys.texts() {
            work.spend(COMPARED * self.length())?;
            if self.has_key(key) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether each of the texts of an array is a key of it.
    pub(super) fn has_all_keys(&self, keys: &Self, work: &mut Work<'_>) -> Result<bool, Error> {
        for key in keys.texts() {
            work.spend(COMPARED * self.length())?;
            if !self.has_key(key) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Number of values that are compared to find a key.
    fn length(&self) -> usize {
        match self {
            Self::Array(items) => items.len(),
            Self::Null | Self::Boolean(_) | Self::Number(_) | Self::Text(_) | Self::Object(_) => 1,
        }
    }

    /// Whether a text is a key of the object, an element of the array, or the value itself.
    pub(super) fn has_key(&self, key: &str) -> bool {
        match self {
            Self::Object(members) => members.contains_key(key),
            Self::Array(items) => {
                items.iter().any(|item| matches!(item, Self::Text(text) if text == key))
            }
            Self::Text(text) => text == key,
            Self::Null | Self::Boolean(_) | Self::Number(_) => false,
        }
    }

    /// The texts of an array of texts.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let items = match self {
            Self::Array(items) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(|item| match item {
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Whether some item passes.
fn any(
    items: &[Json],
    work: &mut Work<'_>,
    mut passes: impl FnMut(&Json, &mut Work<'_>) -> Result<bool, Error>,
) -> Result<bool, Error> {
    for item in items {
        work.spend(COMPARED)?;
        if passes(item, work)? {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Reader<'t, 'w, 'i> {
    text: &'t [u8],
    place: usize,
    work: Option<&'w mut Work<'i>>,
    /// The end of the text that is counted as work.
    counted: usize,
    interrupted: Option<Error>,
}

impl Reader<'_, '_, '_> {
    /// Counts the parsed bytes; `None` when the connection is interrupted.
    fn count(&mut self) -> Option<()> {
        let Some(work) = &mut self.work else { return Some(()) };
        let bytes = self.place.saturating_sub(self.counted).max(COMPARED);
        self.counted = self.place;
        work.spend(bytes).map_err(|error| self.interrupted = Some(error)).ok()
    }

    fn space(&mut self) {
        while matches!(self.text.get(self.place), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.place += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        let is_there = self.text.get(self.place) == Some(&byte);
        is_there.then(|| self.place += 1)
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        let is_there = self.text.get(self.place..)?.starts_with(word.as_bytes());
        is_there.then(|| self.place += word.len())?;
        Some(value)
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        let within = depth.checked_sub(1)?;
        self.count()?;
        self.space();
        match self.text.get(self.place)? {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Boolean(true)),
            b'f' => self.word("false", Json::Boolean(false)),
            b'"' => self.string().map(Json::Text),
            b'[' => {
                let mut items = Vec::new();
                self.members(b'[', b']', |reader| {
                    items.push(reader.value(within)?);
                    Some(())
                })?;
                Some(Json::Array(items))
            }
            b'{' => {
                let mut members = BTreeMap::new();
                self.members(b'{', b'}', |reader| {
                    reader.space();
                    let name = reader.string()?;
                    reader.take(b':')?;
                    members.insert(name, reader.value(within)?);
                    Some(())
                })?;
                Some(Json::Object(members))
            }
            _ => self.number().map(Json::Number),
        }
    }

    /// The items between two brackets, separated by commas.
    fn members(
        &mut self,
        open: u8,
        close: u8,
        mut member: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.take(open)?;
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            member(self)?;
            if self.take(b',').is_none() {
                return self.take(close);
            }
        }
    }

    /// The quoted text with its escapes decoded.
    fn string(&mut self) -> Option<String> {
        let start = self.place;
        if self.text.get(start) != Some(&b'"') {
            return None;
        }
        self.place += 1;
        loop {
            match self.text.get(self.place)? {
                b'"' => break,
                b'\\' => self.place += 2,
                _ => self.place += 1,
            }
        }
        self.place += 1;
        serde_json::from_slice(self.text.get(start..self.place)?).ok()
    }

    fn digits(&mut self) -> Option<&str> {
        let start = self.place;
        while self.text.get(self.place).is_some_and(u8::is_ascii_digit) {
            self.place += 1;
        }
        let digits = std::str::from_utf8(self.text.get(start..self.place)?).ok()?;
        (!digits.is_empty()).then_some(digits)
    }

    fn sign(&mut self, byte: u8) -> bool {
        let is_there = self.text.get(self.place) == Some(&byte);
        self.place += usize::from(is_there);
        is_there
    }

    fn number(&mut self) -> Option<Number> {
        let negative = self.sign(b'-');
        let mut digits = self.digits()?.to_owned();
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        let mut exponent = 0;
        if self.sign(b'.') {
            let fraction = self.digits()?;
            digits.push_str(fraction);
            exponent -= i64::try_from(fraction.len()).ok()?;
        }
        if self.sign(b'e') || self.sign(b'E') {
            let down = self.sign(b'-');
            if !down {
                self.sign(b'+');
            }
            let power: i64 = self.digits()?.parse().ok()?;
            exponent = exponent.checked_add(if down { -power } else { power })?;
        }
        let significant = digits.trim_end_matches('0');
        exponent = exponent.checked_add(i64::try_from(digits.len() - significant.len()).ok()?)?;
        let significant = significant.trim_start_matches('0');
        if significant.is_empty() {
            return Some(Number { negative: false, digits: "0".into(), exponent: 0 });
        }
        Some(Number { negative, digits: significant.into(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::interrupt::Interrupt;

    #[test]
    fn the_same_content_has_one_text() {
        let same = |left: &str, right: &str| {
            assert_eq!(read(left).unwrap().canonical(), read(right).unwrap().canonical());
        };
        same("1", "1.0");
        same("100", "1e2");
        same("-0", "0.00e7");
        same("12345678901234567890.10", "12345678901234567890.1");
        same(r#"{"b": 1, "a": [1, "é"]}"#, r#"{"a":[1.0,"\u00e9"],"b":2,"b":1}"#);
        for (left, right) in [("1", "-1"), ("1", "\"1\""), ("[1,2]", "[2,1]"), ("1", "10")] {
            assert_ne!(read(left), read(right), "{left} {right}");
        }
    }

    #[test]
    fn what_is_no_json_is_not_read() {
        for text in
            ["", "a", "01", "1.", "[1,]", "{\"a\"}", "\"a", "1 2", "\"\\x\"", "nul", "+1", "-"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(5_000)), None);
    }

    /// The answers are PostgreSQL's.
    #[test]
    fn containment_is_that_of_jsonb() {
        let check = |left: &str, right: &str, expect: bool| {
            let interrupt = Interrupt::default();
            let contains =
                read(left).unwrap().contains(&read(right).unwrap(), &mut interrupt.work());
            assert_eq!(contains.unwrap(), expect, "{left} {right}");
        };
        check(r#"{"a":1,"b":2}"#, r#"{"a":1.0}"#, true);
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false);
        check(r#"{"a":{"b":[1,{"c":null}]}}"#, r#"{"a":{"b":[{"c":null}]}}"#, true);
        check("[1,2,[1,3]]", "[3]", false);
        check("[1,2,[1,3]]", "[[3]]", true);
        check("[1,2]", "[2,1,1]", true);
        check(r#"["a"]"#, r#""a""#, true);
        check(r#""a""#, r#"["a"]"#, false);
        check(r#"{"a":["x"]}"#, r#"{"a":"x"}"#, false);
        check("[]", "[]", true);
        check("[1]", "{}", false);
        check("1", "1", true);
    }

    #[test]
    fn keys_are_those_of_jsonb() {
        let check = |text: &str, key: &str, expect: bool| {
            assert_eq!(read(text).unwrap().has_key(key), expect, "{text} {key}");
        };
        check(r#"{"a":1}"#, "a", true);
        check(r#"{"a":{"b":1}}"#, "b", false);
        check(r#"["a",1]"#, "a", true);
        check(r#"["a",1]"#, "1", false);
        check(r#""a""#, "a", true);
    }
}
