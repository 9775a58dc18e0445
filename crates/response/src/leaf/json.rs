//! JSON: checked, and written as `JSON.stringify` writes it.

use super::number::write_real;
use super::{JsonForm, LeafError};
use crate::cursor::Value;

/// The text is not JSON.
struct Invalid;

/// An open container.
enum Open {
    Array,
    Object,
}

/// Appends a JSON value; JSON's null is `null` in both forms.
pub(super) fn write_json(
    form: JsonForm,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    let refuse = || LeafError::new("JSON", "invalid JSON", value);
    let mut buffer = Vec::new();
    let text = match value {
        Value::Text(text) => text,
        // A column of SQLite that is declared as JSON converts numeric texts to numbers.
        Value::Integer(integer) => {
            super::number::write_integer(integer, &mut buffer);
            &buffer
        }
        Value::Real(number) if number.is_finite() => {
            write_real(number, &mut buffer);
            &buffer
        }
        Value::Real(_) | Value::Null | Value::Blob(_) | Value::Packed(_) => {
            return Err(refuse());
        }
    };
    if str::from_utf8(text).is_err() {
        return Err(refuse());
    }
    if text.trim_ascii() == b"null" {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    match form {
        JsonForm::Embedded => Normaliser { rest: text, form, out }.write().map_err(|_| refuse()),
        JsonForm::Text => {
            out.push(b'"');
            Normaliser { rest: text, form, out }.write().map_err(|_| refuse())?;
            out.push(b'"');
            Ok(())
        }
    }
}

/// Copies JSON without needless white space and needless escapes. No recursion: a stored value
/// may be nested deeply.
struct Normaliser<'t, 'o> {
    rest: &'t [u8],
    form: JsonForm,
    out: &'o mut Vec<u8>,
}

impl Normaliser<'_, '_> {
    fn write(mut self) -> Result<(), Invalid> {
        let mut open = Vec::new();
        loop {
            self.skip_white_space();
            match self.peek() {
                Some(b'[') => {
                    self.copy(1);
                    self.skip_white_space();
                    if self.peek() == Some(b']') {
                        self.copy(1);
                    } else {
                        open.push(Open::Array);
                        continue;
                    }
                }
                Some(b'{') => {
                    self.copy(1);
                    self.skip_white_space();
                    if self.peek() == Some(b'}') {
                        self.copy(1);
                    } else {
                        open.push(Open::Object);
                        self.write_key()?;
                        continue;
                    }
                }
                Some(b'"') => self.write_string()?,
                Some(b'-' | b'0'..=b'9') => self.write_number()?,
                _ => self.write_name()?,
            }
            if self.write_ends(&mut open)? {
                return Ok(());
            }
        }
    }

    /// Writes a comma after a value, or closes the containers that it ends. `true` at the very end.
    fn write_ends(&mut self, open: &mut Vec<Open>) -> Result<bool, Invalid> {
        loop {
            self.skip_white_space();
            match (open.last(), self.peek()) {
                (None, None) => return Ok(true),
                (Some(Open::Array), Some(b',')) => {
                    self.copy(1);
                    return Ok(false);
                }
                (Some(Open::Object), Some(b',')) => {
                    self.copy(1);
                    self.skip_white_space();
                    self.write_key()?;
                    return Ok(false);
                }
                (Some(Open::Array), Some(b']')) | (Some(Open::Object), Some(b'}')) => {
                    self.copy(1);
                    open.pop();
                }
                _ => return Err(Invalid),
            }
        }
    }

    fn write_key(&mut self) -> Result<(), Invalid> {
        if self.peek() != Some(b'"') {
            return Err(Invalid);
        }
        self.write_string()?;
        self.skip_white_space();
        if self.peek() != Some(b':') {
            return Err(Invalid);
        }
        self.copy(1);
        Ok(())
    }

    fn write_name(&mut self) -> Result<(), Invalid> {
        for name in [&b"true"[..], b"false", b"null"] {
            if self.rest.starts_with(name) {
                self.copy(name.len());
                return Ok(());
            }
        }
        Err(Invalid)
    }

    /// Numbers keep their digits, since a reader may represent more of them than JavaScript;
    /// trailing zeros of a fraction are insignificant and dropped, as JavaScript does.
    fn write_number(&mut self) -> Result<(), Invalid> {
        let mut length = usize::from(self.rest.starts_with(b"-"));
        match self.rest.get(length) {
            Some(b'0') => length += 1,
            Some(b'1'..=b'9') => length += self.count_digits(length),
            _ => return Err(Invalid),
        }
        if self.rest.get(length) == Some(&b'.') {
            let digits = self.count_digits(length + 1);
            if digits == 0 {
                return Err(Invalid);
            }
            length += 1 + digits;
            if !matches!(self.rest.get(length), Some(b'e' | b'E')) {
                let number = self.rest.get(..length).unwrap_or_default();
                let zeros = number.iter().rev().take_while(|digit| **digit == b'0').count();
                let dot = usize::from(zeros == digits);
                self.copy(length - zeros - dot);
                self.rest = self.rest.get(zeros + dot..).unwrap_or_default();
                return Ok(());
            }
        }
        if matches!(self.rest.get(length), Some(b'e' | b'E')) {
            length += 1;
            length += usize::from(matches!(self.rest.get(length), Some(b'+' | b'-')));
            let digits = self.count_digits(length);
            if digits == 0 {
                return Err(Invalid);
            }
            length += digits;
        }
        self.copy(length);
        Ok(())
    }

    fn count_digits(&self, start: usize) -> usize {
        let digits = self.rest.get(start..).unwrap_or_default();
        digits.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn write_string(&mut self) -> Result<(), Invalid> {
        self.rest = self.rest.get(1..).ok_or(Invalid)?;
        self.write_quote();
        loop {
            let plain = self.rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20));
            self.copy(plain.ok_or(Invalid)?);
            match self.rest {
                [b'"', rest @ ..] => {
                    self.rest = rest;
                    self.write_quote();
                    return Ok(());
                }
                [b'\\', b'u', rest @ ..] => {
                    self.rest = rest;
                    self.write_unicode_escape()?;
                }
                [b'\\', letter, rest @ ..] => {
                    self.rest = rest;
                    match letter {
                        b'/' => self.out.push(b'/'),
                        b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => {
                            self.write_escape(*letter);
                        }
                        _ => return Err(Invalid),
                    }
                }
                _ => return Err(Invalid),
            }
        }
    }

    /// Decodes the escape after `\u`, with the second half of a pair; what must stay an escape
    /// stays.
    fn write_unicode_escape(&mut self) -> Result<(), Invalid> {
        let first = self.take_hexadecimal().ok_or(Invalid)?;
        let mut code = u32::from(first);
        if (0xd800..0xdc00).contains(&first)
            && let Some(rest) = self.rest.strip_prefix(b"\\u")
        {
            let before = self.rest;
            self.rest = rest;
            let second = self.take_hexadecimal().ok_or(Invalid)?;
            if (0xdc00..0xe000).contains(&second) {
                code = 0x1_0000 + ((code - 0xd800) << 10) + (u32::from(second) - 0xdc00);
            } else {
                self.rest = before;
            }
        }
        match char::from_u32(code) {
            Some('"') => self.write_escape(b'"'),
            Some('\\') => self.write_escape(b'\\'),
            Some('\u{8}') => self.write_escape(b'b'),
            Some('\u{c}') => self.write_escape(b'f'),
            Some('\n') => self.write_escape(b'n'),
            Some('\r') => self.write_escape(b'r'),
            Some('\t') => self.write_escape(b't'),
            Some(character) if character >= ' ' => {
                self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            // A control character, or half of a pair alone.
            Some(_) | None => {
                self.write_escape(b'u');
                for byte in first.to_be_bytes() {
                    super::bytes::push_byte(byte, self.out);
                }
            }
        }
        Ok(())
    }

    fn take_hexadecimal(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        let code = digits.iter().try_fold(0, |code: u16, digit| {
            let digit = char::from(*digit).to_digit(16)?;
            Some(code << 4 | u16::try_from(digit).ok()?)
        })?;
        self.rest = rest;
        Some(code)
    }

    fn write_quote(&mut self) {
        match self.form {
            JsonForm::Text => self.out.extend_from_slice(b"\\\""),
            JsonForm::Embedded => self.out.push(b'"'),
        }
    }

    /// Appends a backslash and a letter; within a string both may need a backslash more.
    fn write_escape(&mut self, letter: u8) {
        match self.form {
            JsonForm::Text => {
                self.out.extend_from_slice(b"\\\\");
                if matches!(letter, b'"' | b'\\') {
                    self.out.push(b'\\');
                }
            }
            JsonForm::Embedded => self.out.push(b'\\'),
        }
        self.out.push(letter);
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Copies bytes that need no escape.
    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.out.extend_from_slice(copied);
        self.rest = rest;
    }

    fn skip_white_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cursor::Value;
    use crate::leaf::check::{check, check_text};
    use crate::leaf::{JsonForm, Leaf};

    const TEXT: Leaf = Leaf::Json(JsonForm::Text);
    const EMBEDDED: Leaf = Leaf::Json(JsonForm::Embedded);

    #[test]
    fn json_as_text_is_a_string_without_white_space() {
        for (text, expect) in [
            ("\"s\"", r#""\"s\"""#),
            ("[1,\"a\"]", r#""[1,\"a\"]""#),
            ("[1, {\"x\": null}]", r#""[1,{\"x\":null}]""#),
            ("12", "\"12\""),
            ("true", "\"true\""),
            ("false", "\"false\""),
            (" { } ", "\"{}\""),
            ("[ ]", "\"[]\""),
            (
                "{\"a\": [1, null, \"éé\"], \"b\": 1, \"e\": 1000}",
                r#""{\"a\":[1,null,\"éé\"],\"b\":1,\"e\":1000}""#,
            ),
        ] {
            check_text(&TEXT, text, expect);
        }
    }

    #[test]
    fn json_null_is_null_in_both_forms() {
        for leaf in [TEXT, EMBEDDED] {
            check_text(&leaf, "null", "null");
            check_text(&leaf, " null\n", "null");
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        for text in ["12345678901234567890", "12.05", "-0", "1e1000", "1E-5", "0.10e+2"] {
            check_text(&TEXT, text, &format!("\"{text}\""));
            check_text(&EMBEDDED, text, text);
        }
    }

    #[test]
    fn zeros_at_the_end_of_a_fraction_are_left_out() {
        check_text(&EMBEDDED, "[1.0,12.50,-0.00,100,1.000]", "[1,12.5,-0,100,1]");
    }

    #[test]
    fn members_keep_their_order_and_their_duplicates() {
        check_text(
            &TEXT,
            "{\"b\": 1.0,  \"10\":[1,null,\"é\\u00e9\"], \"b\":2}",
            r#""{\"b\":1,\"10\":[1,null,\"éé\"],\"b\":2}""#,
        );
    }

    #[test]
    fn escapes_are_those_of_javascript() {
        let text = r#""\u00e9 \/ \" \\ \b\f\n\r\t \u0022\u005C\u000a\u0001\u001F \uD83D\uDE00 \ud83d\u2028""#;
        let expect =
            "\"é / \\\" \\\\ \\b\\f\\n\\r\\t \\\"\\\\\\n\\u0001\\u001f 😀 \\ud83d\u{2028}\"";
        check_text(&EMBEDDED, text, expect);
        check_text(&TEXT, r#""\u00e9\"\\\n\u0001""#, r#""\"é\\\"\\\\\\n\\u0001\"""#);
    }

    #[test]
    fn numbers_of_sqlite_are_json() {
        check(&TEXT, Value::Integer(12), "\"12\"");
        check(&EMBEDDED, Value::Integer(-12), "-12");
        check(&EMBEDDED, Value::Real(12.5), "12.5");
        check(&TEXT, Value::Real(1e21), "\"1e+21\"");
    }

    #[test]
    fn other_texts_are_errors() {
        for text in [
            "",
            " ",
            "nul",
            "nulls",
            "[1,]",
            "[1",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "[,1]",
            "1 2",
            "01",
            "1.",
            ".5",
            "-",
            "1e",
            "+1",
            "\"a",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\ud83d\\u12\"",
            "'a'",
            "]",
            "{]",
            "[}",
            "NaN",
        ] {
            let shown = text.replace('\\', "\\\\").replace('"', "\\\"");
            check_text(&TEXT, text, &format!("JSON cannot represent invalid JSON: \"{shown}\""));
        }
        check_text(&TEXT, "\"\t\"", r#"JSON cannot represent invalid JSON: "\"\t\"""#);
        check(
            &TEXT,
            Value::Text(b"\"\xff\""),
            "JSON cannot represent invalid JSON: \"\\\"\u{fffd}\\\"\"",
        );
        check(&TEXT, Value::Blob(b"1"), "JSON cannot represent invalid JSON: \\x31");
        check(&TEXT, Value::Real(f64::INFINITY), "JSON cannot represent invalid JSON: Infinity");
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        check_text(&EMBEDDED, &text, &text);
    }
}
