//! The tokens of mappings: spaces, comments, names, strings and numbers.

use serde_json::{Number, Value};

use super::tree::Offset;
use crate::location::{Location, SyntaxError};
use crate::version::Version;

/// A position in a text that is being parsed.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: Offset,
}

impl<'t> Scanner<'t> {
    pub(super) fn error(&self, at: Offset, message: impl Into<Box<str>>) -> SyntaxError {
        SyntaxError { place: Location::of(self.text, at), message: message.into() }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips spaces and comments.
    pub(super) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += spaces;
            if !self.rest().starts_with('#') {
                return;
            }
            let rest = self.rest();
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// The next character after spaces.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip();
        self.rest().chars().next()
    }

    /// Takes `token`, if it is next.
    pub(super) fn take(&mut self, token: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Takes `token`, which has to be next.
    pub(super) fn expect(&mut self, token: &str, purpose: &str) -> Result<(), SyntaxError> {
        if self.take(token) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{token}` {purpose}")))
    }

    /// An error at the next character.
    pub(super) fn unexpected(&mut self, expected: &str) -> SyntaxError {
        let found = match self.peek() {
            None => "the end".into(),
            Some(next) => format!("`{next}`"),
        };
        self.error(self.at, format!("expected {expected}, but found {found}"))
    }

    /// Takes a name, if one is next without a space before it.
    pub(super) fn identifier(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
        if !rest.starts_with(is_start) {
            return None;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// Takes a text in quotes, the first of which is next.
    pub(super) fn string(&mut self, version: Version) -> Result<String, SyntaxError> {
        let start = self.at;
        let mut rest = self.rest().chars();
        let quote = rest.next().unwrap_or('"');
        let mut value = String::new();
        while let Some(c) = rest.next() {
            if c == quote {
                self.at = self.text.len() - rest.as_str().len();
                return Ok(value);
            }
            if c != '\\' {
                value.push(c);
            } else if version < Version::V0_4 {
                // Whatever follows stands for itself, but for line breaks.
                match rest.next() {
                    Some('n') => value.push('\n'),
                    Some(escaped) => value.push(escaped),
                    None => break,
                }
            } else {
                let at = self.text.len() - rest.as_str().len() - 1;
                let escaped = unescape(rest.as_str()).ok_or_else(|| {
                    self.error(at, "this is no escape of JSON: write `\\\\` for a backslash")
                })?;
                value.push(escaped.0);
                rest = rest.as_str()[escaped.1..].chars();
            }
        }
        Err(self.error(start, format!("this text has no end: add {quote} after it")))
    }

    /// Takes a number, which is next.
    pub(super) fn number(&mut self) -> Result<Value, SyntaxError> {
        let start = self.at;
        let bytes = self.rest().as_bytes();
        let mut end = usize::from(bytes.first() == Some(&b'-'));
        let digits = |from: usize| {
            from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let whole = digits(end);
        let has_whole = whole > end;
        end = whole;
        let mut is_integer = true;
        if bytes.get(end) == Some(&b'.') {
            let fraction = digits(end + 1);
            if fraction > end + 1 || has_whole && !is_path_step(bytes, end) {
                is_integer = false;
                end = fraction;
            }
        }
        if !has_whole && is_integer {
            return Err(self.unexpected("a number"));
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                is_integer = false;
                end = exponent;
            }
        }
        let text = &self.rest()[..end];
        self.at = start + end;
        let number = if is_integer {
            text.parse::<i64>()
                .map(Number::from)
                .or_else(|_| text.parse::<u64>().map(Number::from))
                .ok()
        } else {
            None
        };
        let number = number.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64));
        number
            .map(Value::Number)
            .ok_or_else(|| self.error(start, format!("the number {text} is too large")))
    }
}

/// Whether a name follows the point, which then belongs to a path, and not to the number.
fn is_path_step(bytes: &[u8], point: usize) -> bool {
    bytes.get(point + 1).is_some_and(|&next| {
        next.is_ascii_alphabetic() || matches!(next, b'_' | b'"' | b'\'' | b'.')
    })
}

/// The character of an escape, which is after its backslash, and the length of the escape.
/// <https://www.rfc-editor.org/rfc/rfc8259#section-7>
fn unescape(text: &str) -> Option<(char, usize)> {
    let simple = match text.as_bytes().first()? {
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unescape_unicode(text),
        _ => return None,
    };
    Some((simple, 1))
}

/// The character of `uXXXX`, or of a pair of surrogates.
fn unescape_unicode(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix('u')?.get(..4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 5));
    }
    let second = unit(text.get(5..)?.strip_prefix('\\')?)?;
    let pair = char::decode_utf16([first, second]).next()?.ok()?;
    Some((pair, 11))
}
