//! Tokens to trees: files, definitions and statements.

mod expression;
mod pattern;

use std::rc::Rc;

use super::lexer::{self, Token, TokenKind};
use super::syntax::{
    Definition, Expression, Function, Parameter, Pattern, Statement, Template, TemplateKind,
};

/// Reads a file, and returns its top definitions. The error is a sentence.
pub(crate) fn parse(text: &str) -> Result<Vec<Statement>, String> {
    let mut parser = Parser::new(text)?;
    Ok(parser.statements("end of file"))
}

/// Reads one expression.
fn parse_expression(text: &str) -> Result<Expression, String> {
    let mut parser = Parser::new(text)?;
    let statements = parser.statements("end of file");
    Ok(match <[_; 1]>::try_from(statements) {
        Ok([Statement::Expression(one)]) => one,
        Ok([other]) => Expression::Block(vec![other]),
        Err(many) => Expression::Block(many),
    })
}

/// What was expected, and what came.
type Parsed<T> = Result<T, String>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    /// A new line ends a statement; false within parentheses.
    has_lines: bool,
}

/// Names that stand before a definition.
const MODIFIERS: [&str; 9] =
    ["private", "protected", "override", "implicit", "final", "sealed", "abstract", "lazy", "case"];

/// Names that cannot begin a statement.
const CONTINUATIONS: [&str; 14] = [
    "catch", "else", "extends", "finally", "match", "with", "yield", ",", ".", ":", "=", "=>", ")",
    "]",
];

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, String> {
        Ok(Self { text, tokens: lexer::tokens(text)?, at: 0, has_lines: true })
    }

    fn token(&self) -> &Token {
        // The last token is the end, which is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn ahead(&self, count: usize) -> &Token {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    fn is(&self, text: &str) -> bool {
        self.token().is(text)
    }

    fn is_end(&self) -> bool {
        matches!(self.token().kind, TokenKind::End)
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn take(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.advance();
        }
        is
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.take(text) { Ok(()) } else { Err(format!("{text:?} expected")) }
    }

    fn expect_name(&mut self) -> Parsed<String> {
        match self.advance().kind {
            TokenKind::Name(name) => Ok(name),
            _ => Err("a name expected".into()),
        }
    }

    /// A statement ends before the current token.
    fn ends_statement(&self) -> bool {
        if self.is_end() || self.is(";") || self.is("}") || self.is(")") || self.is("case") {
            return true;
        }
        self.has_lines
            && self.token().starts_line
            && !CONTINUATIONS.iter().any(|text| self.is(text))
    }

    /// Runs a part within braces (lines count) or parentheses (they do not).
    fn within<T>(
        &mut self,
        has_lines: bool,
        part: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = std::mem::replace(&mut self.has_lines, has_lines);
        let result = part(self);
        self.has_lines = before;
        result
    }

    /// Statements up to a closing brace, or the end; what cannot be read becomes unknown.
    fn statements(&mut self, until: &str) -> Vec<Statement> {
        let before = std::mem::replace(&mut self.has_lines, true);
        let mut statements = Vec::new();
        loop {
            while self.take(";") {}
            if self.is_end() || self.is(until) || (until == "case" && self.is("}")) {
                break;
            }
            let start = self.at;
            match self.statement() {
                Ok(Some(statement)) if self.ends_statement() => statements.push(statement),
                Ok(None) if self.ends_statement() => {}
                Ok(_) | Err(_) => {
                    self.at = start;
                    statements.push(Statement::Expression(self.unknown()));
                }
            }
        }
        self.has_lines = before;
        statements
    }

    /// Skips a statement, whose brackets are balanced.
    fn unknown(&mut self) -> Expression {
        let start = self.token().start;
        let mut end = self.advance_group();
        while !(self.is_end() || self.is(";") || self.is("}") || self.is(")") || self.is("case"))
            && (!self.token().starts_line || CONTINUATIONS.iter().any(|text| self.is(text)))
        {
            end = self.advance_group();
        }
        Expression::Unknown(shortened(&self.text[start..end.max(start)]))
    }

    /// Advances past a token, or past a group in brackets; returns its end.
    fn advance_group(&mut self) -> usize {
        let mut depth = 0_usize;
        loop {
            let token = self.advance();
            if ["(", "[", "{"].iter().any(|open| token.is(open)) {
                depth += 1;
            } else if [")", "]", "}"].iter().any(|close| token.is(close)) {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 || matches!(token.kind, TokenKind::End) {
                return token.end;
            }
        }
    }

    fn statement(&mut self) -> Parsed<Option<Statement>> {
        if self.is("package") {
            self.advance();
            self.skip_path();
            return Ok(None);
        }
        if self.is("import") {
            self.advance();
            self.skip_path();
            while self.take(",") {
                self.skip_path();
            }
            return Ok(None);
        }
        if self.is("type") && self.ahead(1).name().is_some() {
            self.unknown();
            return Ok(None);
        }
        while self.is("@") {
            self.advance();
            self.skip_type(false);
        }
        let start = self.at;
        let mut is_lazy = false;
        let mut is_case = false;
        while let Some(modifier) = MODIFIERS.iter().find(|modifier| self.is(modifier)) {
            is_lazy |= *modifier == "lazy";
            is_case |= *modifier == "case";
            self.advance();
            if self.is("[") {
                self.advance_group();
            }
        }
        if self.is("val") || self.is("var") {
            return self.definition(is_lazy);
        }
        if self.is("def") {
            return self.function().map(Some);
        }
        let kind = match () {
            () if self.is("class") && is_case => Some(TemplateKind::CaseClass),
            () if self.is("class") => Some(TemplateKind::Class),
            () if self.is("trait") => Some(TemplateKind::Trait),
            () if self.is("object") => Some(TemplateKind::Object),
            () => None,
        };
        if let Some(kind) = kind {
            return self.template(kind).map(Some);
        }
        self.at = start;
        self.expression().map(|expression| Some(Statement::Expression(expression)))
    }

    fn skip_path(&mut self) {
        loop {
            if self.is("{") {
                self.advance_group();
            } else {
                self.advance();
            }
            if !self.take(".") {
                return;
            }
        }
    }

    /// A definition; none, if it is abstract.
    fn definition(&mut self, is_lazy: bool) -> Parsed<Option<Statement>> {
        self.advance();
        // A name alone is bound, also if it begins with a capital letter.
        let is_name = self.ahead(1).is("=") || self.ahead(1).is(":");
        let mut pattern = match self.token().name() {
            Some(name) if is_name => {
                let pattern = Pattern::Name(name.to_owned());
                self.advance();
                pattern
            }
            _ => self.pattern()?,
        };
        if self.is(",") {
            // `val a, b: Type = value`: each has it, and only its last name is known.
            let mut names = vec![pattern];
            while self.take(",") {
                names.push(self.pattern()?);
            }
            pattern = Pattern::Alternatives(names);
        }
        if self.take(":") {
            self.skip_type(false);
        }
        if !self.take("=") {
            return Ok(None);
        }
        let value = self.expression()?;
        Ok(Some(Statement::Value(Definition { pattern, is_lazy, value })))
    }

    fn function(&mut self) -> Parsed<Statement> {
        self.advance();
        let name = match self.advance().kind {
            TokenKind::Name(name) | TokenKind::Sign(name) => name,
            _ => return Err("the name of a function expected".into()),
        };
        if self.is("[") {
            self.advance_group();
        }
        let parameters = self.parameter_lists()?;
        if self.take(":") {
            self.skip_type(false);
        }
        let body = match () {
            () if self.take("=") => Some(self.expression()?),
            () if self.is("{") => Some(self.expression()?),
            () => None,
        };
        Ok(Statement::Function(Rc::new(Function { name, parameters, body })))
    }

    /// Lists of parameters; those of implicit values are left out.
    fn parameter_lists(&mut self) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while self.is("(") {
            let is_implicit = self.ahead(1).is("implicit");
            let list = self.within(false, |parser| {
                parser.advance();
                let mut list = Vec::new();
                while !parser.take(")") {
                    list.push(parser.parameter()?);
                    if !parser.take(",") && !parser.is(")") {
                        return Err("a parameter expected".into());
                    }
                }
                Ok(list)
            })?;
            if !is_implicit {
                parameters.extend(list);
            }
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        while ["implicit", "val", "var", "override", "private"].iter().any(|word| self.is(word)) {
            self.advance();
        }
        let name = self.expect_name()?;
        let mut parameter =
            Parameter { name, type_name: String::new(), is_repeated: false, default: None };
        if self.take(":") {
            self.take("=>");
            parameter.type_name = self.token().name().unwrap_or_default().to_owned();
            self.skip_type(false);
            parameter.is_repeated = self.take("*");
        }
        if self.take("=") {
            parameter.default = Some(self.expression()?);
        }
        Ok(parameter)
    }

    fn template(&mut self, kind: TemplateKind) -> Parsed<Statement> {
        self.advance();
        let name = self.expect_name()?;
        if self.is("[") {
            self.advance_group();
        }
        let parameters = self.parameter_lists()?;
        let mut parents = Vec::new();
        while self.take("extends") || self.take("with") {
            let mut parent = self.expect_name()?;
            while self.take(".") {
                parent = self.expect_name()?;
            }
            parents.push(parent);
            while self.is("[") || (self.is("(") && !self.token().starts_line) {
                self.advance_group();
            }
        }
        let mut members = Vec::new();
        if self.is("{") {
            self.advance();
            // `self: Type =>`
            if self.token().name().is_some() && self.ahead(1).is(":") {
                self.advance();
                self.advance();
                self.skip_type(true);
                self.expect("=>")?;
            }
            members = self.statements("}");
            self.expect("}")?;
        }
        Ok(Statement::Template(Rc::new(Template { kind, name, parameters, parents, members })))
    }

    /// Skips a type. In a lambda or a case, an arrow ends it.
    fn skip_type(&mut self, ends_at_arrow: bool) {
        loop {
            // One simple type.
            if self.is("(") {
                self.advance_group();
            } else if self.token().name().is_some() {
                self.advance();
                while self.is(".") {
                    self.advance();
                    self.advance();
                }
            } else {
                return;
            }
            while self.is("[") {
                self.advance_group();
            }
            let goes_on = self.is("with")
                || self.is("#")
                || (!ends_at_arrow && self.is("=>"))
                || self.is("|");
            if !goes_on {
                return;
            }
            self.advance();
        }
    }
}

/// The first line of a text, up to eighty characters.
fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut short: String = line.chars().take(80).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown: Vec<_> = parse(text).expect("tokens").iter().map(show).collect();
        assert_eq!(shown, expected);
    }

    fn show(statement: &Statement) -> String {
        match statement {
            Statement::Value(definition) => format!("val {:?}", definition.value),
            Statement::Function(function) => {
                let names: Vec<_> = function.parameters.iter().map(|p| p.name.as_str()).collect();
                format!("def {}({})", function.name, names.join(","))
            }
            Statement::Template(template) => format!(
                "{:?} {} {:?} [{}]",
                template.kind,
                template.name,
                template.parents,
                template.members.iter().map(show).collect::<Vec<_>>().join("; ")
            ),
            Statement::Expression(expression) => format!("{expression:?}"),
        }
    }

    #[test]
    fn files_have_classes_with_members() {
        check(
            "package a.b\nimport a.{b, c}\n\
             class A(x: Int) extends B[C] with D { self: S =>\n override lazy val x = 1\n val y: Y\n def f[T](a: Int, b: => T)(implicit c: D): Unit = { a }\n}",
            &[r#"Class A ["B", "D"] [val Int(1); def f(a,b)]"#],
        );
    }

    #[test]
    fn what_cannot_be_read_is_one_statement() {
        check("= 1\nb\n", &[r#"Unknown("= 1")"#, r#"Name("b")"#]);
        check(
            "try { a } catch { case b => c }\nd",
            &[r#"Unknown("try { a } catch { case b => c }")"#, r#"Name("d")"#],
        );
    }
}
