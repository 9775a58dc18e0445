//! Attributes, and the values of arguments and settings.

use super::{Failed, Parser};
use crate::scan::TokenKind;
use crate::syntax::{Argument, Attribute, Expression, ExpressionKind, Name};

/// The most values within each other.
const DEEPEST: usize = 16;

impl Parser<'_> {
    /// An attribute after its `@`.
    pub(super) fn attribute(&mut self) -> Result<Attribute, Failed> {
        let at = self.peek().at;
        let Some(text) = self.path() else {
            return self.fail("write the name of an attribute after `@`.");
        };
        let arguments = match self.take('(') {
            true => self.arguments(0)?,
            false => Vec::new(),
        };
        Ok(Attribute { name: Name { text, at }, arguments })
    }

    /// Words with dots between them.
    fn path(&mut self) -> Option<String> {
        let TokenKind::Word(mut path) = self.peek().kind.clone() else { return None };
        self.position += 1;
        while self.take('.') {
            path.push('.');
            if let TokenKind::Word(word) = self.peek().kind.clone() {
                path.push_str(&word);
                self.position += 1;
            }
        }
        Some(path)
    }

    /// Arguments after `(`, up to their `)`.
    fn arguments(&mut self, depth: usize) -> Result<Vec<Argument>, Failed> {
        let mut arguments = Vec::new();
        loop {
            self.skip_between();
            if self.take(')') {
                return Ok(arguments);
            }
            let name = self.argument_name();
            self.skip_between();
            let value = self.value(depth)?;
            arguments.push(Argument { name, value });
            self.skip_between();
            if !self.take(',') && !self.is_sign(')') {
                return self.fail("write `,` or `)` after the argument.");
            }
        }
    }

    /// The name of an argument with its `:`, if it has one.
    fn argument_name(&mut self) -> Option<Name> {
        let token = self.peek().clone();
        let TokenKind::Word(text) = token.kind else { return None };
        let colon = self.tokens.get(self.position + 1).map(|next| &next.kind);
        if colon != Some(&TokenKind::Sign(':')) {
            return None;
        }
        self.position += 2;
        Some(Name { text, at: token.at })
    }

    /// Goes over the ends of lines within parentheses.
    fn skip_between(&mut self) {
        self.skip_new_lines();
        while matches!(self.peek().kind, TokenKind::Documentation(_)) {
            self.position += 1;
            self.skip_new_lines();
        }
    }

    pub(super) fn value(&mut self, depth: usize) -> Result<Expression, Failed> {
        if depth > DEEPEST {
            return self.fail("values are within each other too deeply: at most 16.");
        }
        let token = self.peek().clone();
        let kind = match token.kind {
            TokenKind::Text(text) => {
                self.position += 1;
                ExpressionKind::Text(text)
            }
            TokenKind::Number(digits) => {
                self.position += 1;
                ExpressionKind::Number(digits)
            }
            TokenKind::Sign('[') => {
                self.position += 1;
                ExpressionKind::List(self.list(depth + 1)?)
            }
            TokenKind::Word(_) => {
                let name = self.path().unwrap_or_default();
                match self.take('(') {
                    true => {
                        self.arguments(depth + 1)?;
                        ExpressionKind::Call(name)
                    }
                    false => ExpressionKind::Path(name),
                }
            }
            _ => return self.fail("write a value: a string, a number, a list or a function."),
        };
        Ok(Expression { at: token.at, kind })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Expression>, Failed> {
        let mut values = Vec::new();
        loop {
            self.skip_between();
            if self.take(']') {
                return Ok(values);
            }
            values.push(self.value(depth)?);
            self.skip_between();
            if !self.take(',') && !self.is_sign(']') {
                return self.fail("write `,` or `]` after the value.");
            }
        }
    }
}
