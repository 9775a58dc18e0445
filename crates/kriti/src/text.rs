//! Strings of templates, with expressions in them.

use serde_json::Value;

use crate::parse::{ParseError, Parser};
use crate::tree::Expression;

impl Parser<'_, '_> {
    /// The rest of a string, with its end: a quote, or the end of the template.
    pub(crate) fn text(&mut self, end: Option<char>) -> Result<Expression, ParseError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        loop {
            if self.cursor.eat("{{") {
                if !literal.is_empty() {
                    let literal = std::mem::take(&mut literal);
                    parts.push(Expression::Value(Value::String(literal)));
                }
                parts.push(self.expression()?);
                self.cursor.skip_space();
                if !self.cursor.eat("}}") {
                    return Err(self.unexpected("`}}`"));
                }
                continue;
            }
            match self.cursor.next() {
                Some('\\') => literal.push(self.escape()?),
                next if next == end => break,
                Some(c) => literal.push(c),
                None => return Err(self.unexpected("the end of a string")),
            }
        }
        if parts.is_empty() {
            return Ok(Expression::Value(Value::String(literal)));
        }
        if !literal.is_empty() {
            parts.push(Expression::Value(Value::String(literal)));
        }
        Ok(Expression::Text(parts))
    }

    /// The character of an escape, after its backslash.
    fn escape(&mut self) -> Result<char, ParseError> {
        let wrong = "a backslash stands before one of `\" \\ / b f n r t u {`";
        Ok(match self.cursor.next() {
            Some(c @ ('"' | '\\' | '/' | '{')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let first = self.hexadecimal()?;
                let is_pair = (0xd800..0xdc00).contains(&first) && self.cursor.eat("\\u");
                let code = match is_pair {
                    true => {
                        let second = self.hexadecimal()?.wrapping_sub(0xdc00);
                        0x10000 + ((first - 0xd800) << 10) + second
                    }
                    false => first,
                };
                let found = char::from_u32(code);
                found.ok_or_else(|| self.error("an escape is no character".into()))?
            }
            Some(_) | None => return Err(self.error(wrong.into())),
        })
    }

    fn hexadecimal(&mut self) -> Result<u32, ParseError> {
        let digits = self
            .cursor
            .rest()
            .get(..4)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("`\\u` is followed by four digits".into()))?;
        for _ in 0..4 {
            self.cursor.next();
        }
        Ok(code)
    }
}
