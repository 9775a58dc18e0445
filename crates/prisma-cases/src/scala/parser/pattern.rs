//! Patterns.

use super::super::lexer::TokenKind;
use super::super::syntax::{Expression, Pattern};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        let first = self.one_pattern()?;
        if !self.is("|") {
            return Ok(first);
        }
        let mut alternatives = vec![first];
        while self.take("|") {
            alternatives.push(self.one_pattern()?);
        }
        Ok(Pattern::Alternatives(alternatives))
    }

    fn one_pattern(&mut self) -> Parsed<Pattern> {
        let pattern = self.simple_pattern()?;
        if self.is(":") && !matches!(pattern, Pattern::Value(_)) && self.in_case_or_lambda() {
            self.advance();
            let type_name = self.token().name().unwrap_or_default().to_owned();
            self.skip_type(true);
            return Ok(Pattern::Typed(Box::new(pattern), type_name));
        }
        Ok(pattern)
    }

    /// A type after a name is the pattern's if an arrow or a guard comes, not `=`.
    fn in_case_or_lambda(&self) -> bool {
        let mut ahead = 1;
        while !self.ahead(ahead).starts_line {
            let token = self.ahead(ahead);
            if token.is("=>") || token.is("if") || token.is(")") || token.is(",") {
                return true;
            }
            if token.is("=") || matches!(token.kind, TokenKind::End) {
                return false;
            }
            ahead += 1;
        }
        false
    }

    fn simple_pattern(&mut self) -> Parsed<Pattern> {
        if self.take("_") {
            return Ok(Pattern::Any);
        }
        if self.is("(") {
            return self.patterns().map(Pattern::Tuple);
        }
        match self.advance().kind {
            TokenKind::Int(value) => Ok(Pattern::Value(Expression::Int(value))),
            TokenKind::Text(text) => Ok(Pattern::Value(Expression::Text(text.into()))),
            TokenKind::Name(name) => match &*name {
                "true" | "false" => Ok(Pattern::Value(Expression::Bool(name == "true"))),
                "null" => Ok(Pattern::Value(Expression::Null)),
                _ => self.named_pattern(name),
            },
            _ => Err("a pattern expected".into()),
        }
    }

    fn named_pattern(&mut self, name: String) -> Parsed<Pattern> {
        let mut last = name.clone();
        let mut path = Expression::Name(name);
        let mut is_path = false;
        while self.take(".") {
            last = self.expect_name()?;
            path = Expression::Member(Box::new(path), last.clone());
            is_path = true;
        }
        if self.is("(") {
            return Ok(Pattern::Extract(last, self.patterns()?));
        }
        if is_path || last.starts_with(char::is_uppercase) {
            return Ok(Pattern::Value(path));
        }
        Ok(Pattern::Name(last))
    }

    fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        self.within(false, |parser| {
            parser.advance();
            let mut patterns = Vec::new();
            while !parser.take(")") {
                patterns.push(parser.pattern()?);
                if !parser.take(",") && !parser.is(")") {
                    return Err("a pattern expected".into());
                }
            }
            Ok(patterns)
        })
    }
}
