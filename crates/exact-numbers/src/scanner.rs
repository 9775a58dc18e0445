//! A walk over the text of a JSON value that was parsed before, so its depth is limited and it has no
//! member twice. Of a text that is no JSON it finds some numbers or none.

use super::{ExactNumbers, Node, is_rounded};

pub(super) fn read(json: &[u8]) -> ExactNumbers {
    Scanner { rest: json }.value().unwrap_or_default()
}

struct Scanner<'t> {
    rest: &'t [u8],
}

impl<'t> Scanner<'t> {
    /// The numbers of the next value; `None` if there is none.
    ///
    /// Recursion is bounded by the depth of the parsed value.
    fn value(&mut self) -> Option<ExactNumbers> {
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => self.string().map(|_| ExactNumbers::default()),
            b'-' | b'0'..=b'9' => {
                let number = self
                    .take(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
                let text = std::str::from_utf8(number).ok()?;
                Some(match is_rounded(text) {
                    true => ExactNumbers::of(Node::Number(text.into())),
                    false => ExactNumbers::default(),
                })
            }
            // A word.
            _ => match self.take(|byte| byte.is_ascii_lowercase()) {
                b"" => None,
                _ => Some(ExactNumbers::default()),
            },
        }
    }

    fn object(&mut self) -> Option<ExactNumbers> {
        let mut members = Vec::new();
        self.skip();
        while self.peek()? != b'}' {
            let name = self.string()?;
            self.peek()?;
            // The colon.
            self.skip();
            let numbers = self.value()?;
            if !numbers.is_empty() {
                members.push((serde_json::from_slice::<Box<str>>(name).ok()?, numbers));
            }
            if self.peek()? == b',' {
                self.skip();
            }
        }
        self.skip();
        members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let is_empty = members.is_empty();
        Some(if is_empty {
            ExactNumbers::default()
        } else {
            ExactNumbers::of(Node::Members(members))
        })
    }

    fn list(&mut self) -> Option<ExactNumbers> {
        let mut items = Vec::new();
        let mut index = 0;
        self.skip();
        while self.peek()? != b']' {
            let numbers = self.value()?;
            if !numbers.is_empty() {
                items.push((index, numbers));
            }
            index += 1;
            if self.peek()? == b',' {
                self.skip();
            }
        }
        self.skip();
        let is_empty = items.is_empty();
        Some(if is_empty { ExactNumbers::default() } else { ExactNumbers::of(Node::Items(items)) })
    }

    /// The next string with its quotes.
    fn string(&mut self) -> Option<&'t [u8]> {
        if self.peek()? != b'"' {
            return None;
        }
        let (mut end, mut is_escaped) = (1, false);
        loop {
            let byte = *self.rest.get(end)?;
            end += 1;
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => break,
                _ => {}
            }
        }
        let (string, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(string)
    }

    fn take(&mut self, is_taken: impl Fn(u8) -> bool) -> &'t [u8] {
        let end = self.rest.iter().position(|byte| !is_taken(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        self.rest = rest;
        taken
    }

    /// The next byte behind white space.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn skip(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }
}
