//! JSON reader for subgraph responses: a validating cursor over the bytes that builds no values.
//! <https://www.rfc-editor.org/rfc/rfc8259>

use crate::plan::Prefix;

/// Maximum nesting of skipped values.
const MAX_DEPTH: usize = 128;

/// Numbers with fewer digits and without an exponent are within the range of doubles.
const FEW_DIGITS: usize = 300;

/// Most strings are shorter.
const SHORT: usize = 32;

/// A cursor in UTF-8 text.
#[derive(Debug)]
pub(super) struct Json<'j> {
    bytes: &'j [u8],
    at: usize,
    /// Whether the text has control characters, white space included.
    has_controls: bool,
    has_unsendable: bool,
}

/// Error: the bytes are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidUtf8;

/// Error: the text at the cursor is not JSON, or not the expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidJson;

/// A byte range of the text.
pub(super) type Span = (usize, usize);

impl<'j> Json<'j> {
    /// Creates a cursor for untrusted bytes.
    pub(super) fn check(bytes: &'j [u8]) -> Result<Self, InvalidUtf8> {
        // A loop without an exit is vectorized.
        let (union, least) = bytes
            .iter()
            .fold((0, u8::MAX), |(union, least), byte| (union | byte, least.min(*byte)));
        if union >= 0x80 && std::str::from_utf8(bytes).is_err() {
            return Err(InvalidUtf8);
        }
        Ok(Self { bytes, at: 0, has_controls: least < b' ', has_unsendable: false })
    }

    /// Creates a cursor for validated text.
    pub(super) fn new(bytes: &'j [u8]) -> Self {
        Self { bytes, at: 0, has_controls: true, has_unsendable: false }
    }

    pub(super) fn bytes(&self) -> &'j [u8] {
        self.bytes
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Whether a value that must not be sent to clients was read since the last call: unpaired
    /// surrogates, and numbers beyond the range of doubles. The JSON grammar allows both.
    pub(super) fn take_unsendable(&mut self) -> bool {
        std::mem::take(&mut self.has_unsendable)
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8, InvalidJson> {
        self.skip_space();
        self.bytes.get(self.at).copied().ok_or(InvalidJson)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), InvalidJson> {
        if self.peek()? == byte {
            self.at += 1;
            return Ok(());
        }
        Err(InvalidJson)
    }

    /// Consumes a text if it is next.
    #[inline]
    pub(super) fn take(&mut self, expected: &[u8]) -> bool {
        let is_here = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(expected));
        if is_here {
            self.at += expected.len();
        }
        is_here
    }

    /// Consumes the name of a member if it is next.
    #[inline]
    pub(super) fn take_prefix(&mut self, prefix: &Prefix) -> bool {
        let is_here = self.bytes.get(self.at..).is_some_and(|rest| prefix.begins(rest));
        if is_here {
            self.at += prefix.text().len();
        }
        is_here
    }

    /// Whether only white space follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    /// Consumes the start of an object or list; if it is empty consumes its end and returns
    /// `false`.
    #[inline]
    pub(super) fn begin(&mut self, open: u8, close: u8) -> Result<bool, InvalidJson> {
        self.expect(open)?;
        if self.peek()? == close {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// Consumes the separator behind an element; at the end of the object or list consumes that and
    /// returns `false`.
    #[inline]
    pub(super) fn next(&mut self, close: u8) -> Result<bool, InvalidJson> {
        match self.peek()? {
            b',' => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(InvalidJson),
        }
    }

    /// Consumes the name of a member and returns it in its escaped form.
    pub(super) fn name(&mut self) -> Result<&'j [u8], InvalidJson> {
        let (start, end) = self.text()?;
        self.expect(b':')?;
        self.bytes.get(start + 1..end - 1).ok_or(InvalidJson)
    }

    /// Consumes a string and returns its span with the quotes.
    #[inline]
    pub(super) fn text(&mut self) -> Result<Span, InvalidJson> {
        self.skip_space();
        self.text_here()
    }

    /// Consumes a string at the cursor, without leading white space.
    #[inline]
    pub(super) fn text_here(&mut self) -> Result<Span, InvalidJson> {
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            return Err(InvalidJson);
        }
        self.at += 1;
        loop {
            self.go_to_special();
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((start, self.at));
                }
                Some(b'\\') => self.escape()?,
                _ => return Err(InvalidJson),
            }
        }
    }

    /// Moves to the next quote, backslash or control character, eight bytes at a time.
    #[inline]
    fn go_to_special(&mut self) {
        let start = self.at;
        while let Some(word) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            let found = special(u64::from_le_bytes(*word));
            if found != 0 {
                // The lowest set bit is exact: a borrow affects only higher bytes.
                self.at += (found.trailing_zeros() / u8::BITS) as usize;
                return;
            }
            self.at += size_of::<u64>();
            if self.at - start >= SHORT && !self.has_controls {
                return self.go_to_quote();
            }
        }
        while self.bytes.get(self.at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
            self.at += 1;
        }
    }

    /// Moves to the next quote or backslash of a long string, in text without control characters.
    fn go_to_quote(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Result<(), InvalidJson> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => match self.unit()? {
                // A high surrogate, which a low one must follow.
                0xd800..=0xdbff => {
                    let follows = self.bytes.get(self.at..self.at + 2) == Some(b"\\u");
                    if !follows || !matches!(self.unit()?, 0xdc00..=0xdfff) {
                        self.has_unsendable = true;
                    }
                }
                0xdc00..=0xdfff => self.has_unsendable = true,
                _ => {}
            },
            _ => return Err(InvalidJson),
        }
        Ok(())
    }

    /// Returns the code unit of a `\u` escape.
    fn unit(&mut self) -> Result<u16, InvalidJson> {
        let digits = self.bytes.get(self.at + 2..self.at + 6).ok_or(InvalidJson)?;
        let mut unit = 0;
        for digit in digits {
            let digit = char::from(*digit).to_digit(16).ok_or(InvalidJson)?;
            unit = unit << 4 | digit;
        }
        self.at += 6;
        u16::try_from(unit).map_err(|_| InvalidJson)
    }

    /// Consumes a number; also returns whether it is written as an integer.
    pub(super) fn number(&mut self) -> Result<(Span, bool), InvalidJson> {
        self.skip_space();
        let start = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(InvalidJson),
        }
        let mut is_integer = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            is_integer = false;
            self.at += 1;
            self.digits()?;
        }
        let mut may_be_huge = self.at - start > FEW_DIGITS;
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            is_integer = false;
            may_be_huge = true;
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let span = (start, self.at);
        if may_be_huge && !self.is_finite(span) {
            self.has_unsendable = true;
        }
        Ok((span, is_integer))
    }

    fn is_finite(&self, (start, end): Span) -> bool {
        let digits = self.bytes.get(start..end).and_then(|digits| std::str::from_utf8(digits).ok());
        digits.and_then(|digits| digits.parse::<f64>().ok()).is_some_and(f64::is_finite)
    }

    fn digits(&mut self) -> Result<(), InvalidJson> {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(InvalidJson) } else { Ok(()) }
    }

    /// Consumes `null`, `true` or `false`.
    #[inline]
    pub(super) fn word(&mut self) -> Result<Span, InvalidJson> {
        self.skip_space();
        let start = self.at;
        if self.take(b"null") || self.take(b"true") || self.take(b"false") {
            return Ok((start, self.at));
        }
        Err(InvalidJson)
    }

    /// Consumes any value.
    pub(super) fn skip(&mut self) -> Result<Span, InvalidJson> {
        self.skip_space();
        let start = self.at;
        let mut closing: Vec<u8> = Vec::new();
        loop {
            let is_ended = match self.peek()? {
                b'n' | b't' | b'f' => self.word().map(|_| true)?,
                b'"' => self.text().map(|_| true)?,
                b'[' => self.enter(b'[', b']', &mut closing)?,
                b'{' => self.enter(b'{', b'}', &mut closing)?,
                _ => self.number().map(|_| true)?,
            };
            if is_ended && self.leave(&mut closing)? {
                return Ok((start, self.at));
            }
        }
    }

    /// Enters a skipped list or object; returns whether it is empty.
    fn enter(&mut self, open: u8, close: u8, closing: &mut Vec<u8>) -> Result<bool, InvalidJson> {
        if !self.begin(open, close)? {
            return Ok(true);
        }
        if closing.len() >= MAX_DEPTH {
            return Err(InvalidJson);
        }
        closing.push(close);
        if close == b'}' {
            self.name()?;
        }
        Ok(false)
    }

    /// Moves behind a skipped value; returns whether it was the outermost.
    fn leave(&mut self, closing: &mut Vec<u8>) -> Result<bool, InvalidJson> {
        while let Some(close) = closing.last().copied() {
            if self.next(close)? {
                if close == b'}' {
                    self.name()?;
                }
                return Ok(false);
            }
            closing.pop();
        }
        Ok(true)
    }
}

/// Returns a nonzero word if some byte is a quote, backslash or control character; the lowest set
/// bit is in the first such byte.
#[inline]
fn special(word: u64) -> u64 {
    // A subtraction sets the highest bit of each byte that is less.
    let less = |word: u64, than: u8| word.wrapping_sub(each(than)) & !word & each(0x80);
    less(word, b' ') | less(word ^ each(b'"'), 1) | less(word ^ each(b'\\'), 1)
}

/// Returns a word of eight equal bytes.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; size_of::<u64>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_json: bool) {
        let mut json = Json::check(text.as_bytes()).unwrap();
        let read = json.skip().is_ok() && json.is_at_end();
        assert_eq!(read, is_json, "{text}");
        let known = serde_json_bytes::serde_json::from_str::<serde_json_bytes::Value>(text);
        assert_eq!(known.is_ok(), is_json, "{text}");
    }

    #[test]
    fn json_is_told_from_other_texts() {
        for text in [
            "null",
            " [ ] ",
            r#"{"a":[1,-0,0.5,1e5,-2E-3,{"b":{}}],"c":"\u00e4\n\"x"}"#,
            r#"[[],[[]],{"":null}]"#,
            "\"ä\"",
            "true",
        ] {
            check(text, true);
        }
        for text in [
            "",
            "nul",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "01",
            "1.",
            ".5",
            "1e",
            "-",
            "+1",
            "\"a",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "[",
            "{",
            "]",
            "[}",
            "{]",
            "1 2",
            "truefalse",
            "{\"a\":1,}",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn what_nobody_asked_for_is_not_followed_without_end() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Json::new(deep(MAX_DEPTH).as_bytes()).skip().is_ok());
        assert_eq!(Json::new(deep(MAX_DEPTH + 2).as_bytes()).skip(), Err(InvalidJson));
        assert_eq!(Json::new("[".repeat(1_000_000).as_bytes()).skip(), Err(InvalidJson));
    }

    #[test]
    fn what_nobody_may_be_sent_is_told() {
        let is_unsendable = |text: &str| {
            let mut json = Json::check(text.as_bytes()).unwrap();
            assert!(json.skip().is_ok() && json.is_at_end(), "{text}");
            let is_unsendable = json.take_unsendable();
            let known = serde_json_bytes::serde_json::from_str::<serde_json_bytes::Value>(text);
            assert_eq!(known.is_err(), is_unsendable, "{text}");
            is_unsendable
        };
        let many = "9".repeat(FEW_DIGITS + 20);
        for text in [
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ud83dx\ude00""#,
            r#"["\ud83d\ud83d"]"#,
            "1e999",
            &many,
        ] {
            assert!(is_unsendable(text), "{text}");
        }
        for text in [r#""\ud83d\ude00""#, r#""\u0000\uffff""#, "1e300", "-1e-999", "0.1"] {
            assert!(!is_unsendable(text), "{text}");
        }
    }

    #[test]
    fn a_text_ends_wherever_it_does() {
        for length in 0..80 {
            for end in ["\"", "\\", "\n", ""] {
                let text = format!("\"{}{end}", "ä".repeat(length));
                let mut json = Json::check(text.as_bytes()).unwrap();
                assert_eq!(json.text().is_ok(), end == "\"", "{text:?}");
                let place = if end.is_empty() { text.len() } else { 1 + 2 * length };
                assert_eq!(json.at(), place + usize::from(end == "\""), "{text:?}");
            }
        }
    }
}
