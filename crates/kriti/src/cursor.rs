//! The characters of a template, with their places.

use crate::tree::Location;

/// A position in a template.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The text from here on.
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Passes a text, if it is here.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// Passes white space and comments, which go from `#` to the end of the line.
    pub(crate) fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start().len();
            self.at += space;
            if self.peek() != Some('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Passes the characters of a kind.
    pub(crate) fn take_while(&mut self, is_of_kind: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !is_of_kind(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// The name here, which is not passed; empty if there is none.
    pub(crate) fn peek_name(&self) -> &'t str {
        self.clone().take_name()
    }

    /// Passes a name: `$`, or letters, digits, `_`, `-` and `$`, which begin with `$`, `_` or a
    /// letter.
    pub(crate) fn take_name(&mut self) -> &'t str {
        match self.peek() {
            Some(first) if first.is_ascii_alphabetic() || matches!(first, '$' | '_') => {
                self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '$' | '_' | '-'))
            }
            Some(_) | None => "",
        }
    }

    /// Passes a keyword, if it is here as a whole name.
    pub(crate) fn eat_keyword(&mut self, keyword: &str) -> bool {
        self.peek_name() == keyword && self.eat(keyword)
    }

    pub(crate) fn place(&self) -> Location {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Location {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}
