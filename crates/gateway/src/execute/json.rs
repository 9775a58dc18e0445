//! JSON as it is read of subgraphs: checked byte by byte, and left where it stands.
//! <https://www.rfc-editor.org/rfc/rfc8259>

/// Values are not nested deeper than this where nobody asked for them.
const MAX_DEPTH: usize = 128;

/// A place in a text of valid UTF-8.
#[derive(Debug)]
pub(super) struct Json<'j> {
    bytes: &'j [u8],
    at: usize,
}

/// What stands at a place is no JSON, or not what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoJson;

/// What a value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

/// A range of the text.
pub(super) type Span = (usize, usize);

impl<'j> Json<'j> {
    pub(super) fn new(bytes: &'j [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Result<u8, NoJson> {
        self.skip_space();
        self.bytes.get(self.at).copied().ok_or(NoJson)
    }

    fn expect(&mut self, byte: u8) -> Result<(), NoJson> {
        if self.peek()? == byte {
            self.at += 1;
            return Ok(());
        }
        Err(NoJson)
    }

    /// Whether nothing follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    pub(super) fn kind(&mut self) -> Result<Kind, NoJson> {
        match self.peek()? {
            b'n' => Ok(Kind::Null),
            b't' | b'f' => Ok(Kind::Boolean),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b'"' => Ok(Kind::Text),
            b'[' => Ok(Kind::List),
            b'{' => Ok(Kind::Object),
            _ => Err(NoJson),
        }
    }

    /// Begins an object or a list; `false` if it is empty, and then it has ended.
    pub(super) fn begin(&mut self, open: u8, close: u8) -> Result<bool, NoJson> {
        self.expect(open)?;
        if self.peek()? == close {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// Goes on behind an element; `false` if the object or list has ended.
    pub(super) fn next(&mut self, close: u8) -> Result<bool, NoJson> {
        match self.peek()? {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(NoJson),
        }
    }

    /// The name of a member, as it is written between its quotes.
    pub(super) fn name(&mut self) -> Result<&'j [u8], NoJson> {
        self.peek()?;
        let (start, end) = self.text()?;
        self.expect(b':')?;
        self.bytes.get(start + 1..end - 1).ok_or(NoJson)
    }

    /// A text with its quotes.
    pub(super) fn text(&mut self) -> Result<Span, NoJson> {
        self.skip_space();
        let start = self.at;
        self.expect(b'"')?;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(NoJson)?;
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
            self.at += plain.ok_or(NoJson)?;
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((start, self.at));
                }
                Some(b'\\') => self.escape()?,
                _ => return Err(NoJson),
            }
        }
    }

    fn escape(&mut self) -> Result<(), NoJson> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6).ok_or(NoJson)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(NoJson);
                }
                self.at += 6;
            }
            _ => return Err(NoJson),
        }
        Ok(())
    }

    /// A number; whether it is an integer as it is written.
    pub(super) fn number(&mut self) -> Result<(Span, bool), NoJson> {
        self.skip_space();
        let start = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(NoJson),
        }
        let mut is_integer = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            is_integer = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            is_integer = false;
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(((start, self.at), is_integer))
    }

    fn digits(&mut self) -> Result<(), NoJson> {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(NoJson) } else { Ok(()) }
    }

    /// `null`, `true` or `false`.
    pub(super) fn word(&mut self) -> Result<Span, NoJson> {
        self.skip_space();
        let start = self.at;
        for word in [b"null".as_slice(), b"true", b"false"] {
            if self.bytes.get(start..).is_some_and(|rest| rest.starts_with(word)) {
                self.at += word.len();
                return Ok((start, self.at));
            }
        }
        Err(NoJson)
    }

    /// Any value.
    pub(super) fn skip(&mut self) -> Result<Span, NoJson> {
        self.skip_space();
        let start = self.at;
        let mut closing: Vec<u8> = Vec::new();
        loop {
            let is_ended = match self.kind()? {
                Kind::Null | Kind::Boolean => self.word().map(|_| true)?,
                Kind::Number => self.number().map(|_| true)?,
                Kind::Text => self.text().map(|_| true)?,
                Kind::List => self.enter(b'[', b']', &mut closing)?,
                Kind::Object => self.enter(b'{', b'}', &mut closing)?,
            };
            if is_ended && self.leave(&mut closing)? {
                return Ok((start, self.at));
            }
        }
    }

    /// How many elements the list has that stands here, without leaving it.
    pub(super) fn count(&mut self) -> Result<usize, NoJson> {
        let start = self.at;
        let mut count = 0;
        if self.begin(b'[', b']')? {
            loop {
                self.skip()?;
                count += 1;
                if !self.next(b']')? {
                    break;
                }
            }
        }
        self.at = start;
        Ok(count)
    }

    /// Begins a list or an object that is skipped; whether it has ended already.
    fn enter(&mut self, open: u8, close: u8, closing: &mut Vec<u8>) -> Result<bool, NoJson> {
        if !self.begin(open, close)? {
            return Ok(true);
        }
        if closing.len() >= MAX_DEPTH {
            return Err(NoJson);
        }
        closing.push(close);
        if close == b'}' {
            self.name()?;
        }
        Ok(false)
    }

    /// Goes on behind a value that was skipped; whether that was all.
    fn leave(&mut self, closing: &mut Vec<u8>) -> Result<bool, NoJson> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_json: bool) {
        let mut json = Json::new(text.as_bytes());
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
        assert_eq!(Json::new(deep(MAX_DEPTH + 2).as_bytes()).skip(), Err(NoJson));
        assert_eq!(Json::new("[".repeat(1_000_000).as_bytes()).skip(), Err(NoJson));
    }

    #[test]
    fn elements_are_counted_where_they_stand() {
        let mut json = Json::new(b"[1, [2, 3], {\"a\": 4}] ");
        assert_eq!(json.count(), Ok(3));
        assert_eq!(json.at(), 0);
    }
}
