//! Reading a template, by recursive descent.

use serde_json::Value;

use crate::cursor::Cursor;
use crate::function::{FUNCTIONS, Function};
use crate::tree::{Expression, Location, Operator, Range, Step, Template};
use crate::{MOST_BYTES, MOST_DEPTH, Scope};

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ParseError {
    pub place: Location,
    pub message: Box<str>,
}

impl Template {
    /// Reads a template that makes JSON.
    pub fn parse(text: &str, scope: Scope<'_>) -> Result<Self, ParseError> {
        let mut parser = Parser::new(text, scope)?;
        let root = parser.expression()?;
        parser.cursor.skip_space();
        match parser.cursor.peek() {
            None => Ok(Self { root }),
            Some(_) => Err(parser.unexpected("the end of the template")),
        }
    }

    /// Reads a template that makes a text, such as an address: the text within a string.
    pub fn parse_text(text: &str, scope: Scope<'_>) -> Result<Self, ParseError> {
        let root = Parser::new(text, scope)?.text(None)?;
        Ok(Self { root })
    }
}

/// Words that are no variables.
const KEYWORDS: [&str; 10] =
    ["if", "elif", "else", "end", "range", "in", "not", "true", "false", "null"];

/// State of reading.
pub(crate) struct Parser<'t, 's> {
    pub(crate) cursor: Cursor<'t>,
    scope: Scope<'s>,
    /// Variables of the loops around this place.
    locals: Vec<Box<str>>,
    depth: usize,
}

impl<'t, 's> Parser<'t, 's> {
    fn new(text: &'t str, scope: Scope<'s>) -> Result<Self, ParseError> {
        let parser = Self { cursor: Cursor::new(text), scope, locals: Vec::new(), depth: 0 };
        match text.len() > MOST_BYTES {
            true => Err(parser.error(format!("the template has more than {MOST_BYTES} bytes"))),
            false => Ok(parser),
        }
    }

    /// Recursion is bounded by the limit of depth.
    pub(crate) fn expression(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.error(format!("the template is nested deeper than {MOST_DEPTH}")));
        }
        self.cursor.skip_space();
        let place = self.cursor.place();
        let expression = match self.cursor.eat_keyword("not") {
            true => Expression::Call {
                function: Function::Not,
                argument: Box::new(self.expression()?),
                place,
            },
            false => self.binary(0)?,
        };
        self.depth -= 1;
        Ok(expression)
    }

    /// Operators of at least this rank, which bind from the left.
    fn binary(&mut self, least: usize) -> Result<Expression, ParseError> {
        let mut left = self.operand()?;
        loop {
            self.cursor.skip_space();
            let place = self.cursor.place();
            let Some((text, operator, rank)) = self.peek_operator().filter(|one| one.2 >= least)
            else {
                return Ok(left);
            };
            self.cursor.eat(text);
            let right = self.binary(rank + 1)?;
            left = Expression::Binary { operator, operands: Box::new((left, right)), place };
        }
    }

    fn peek_operator(&self) -> Option<(&'static str, Operator, usize)> {
        const OPERATORS: [(&str, Operator, usize); 9] = [
            ("||", Operator::Or, 0),
            ("&&", Operator::And, 1),
            ("==", Operator::Equal, 2),
            ("!=", Operator::NotEqual, 2),
            // The longer ones come first.
            ("<=", Operator::LessOrEqual, 2),
            (">=", Operator::GreaterOrEqual, 2),
            ("<", Operator::Less, 2),
            (">", Operator::Greater, 2),
            ("??", Operator::Default, 3),
        ];
        if self.cursor.peek_name() == "in" {
            return Some(("in", Operator::In, 2));
        }
        OPERATORS.into_iter().find(|(text, ..)| self.cursor.rest().starts_with(text))
    }

    /// A value with the steps of a path.
    fn operand(&mut self) -> Result<Expression, ParseError> {
        self.cursor.skip_space();
        let mut value = self.primary()?;
        loop {
            self.cursor.skip_space();
            let place = self.cursor.place();
            let rest = self.cursor.rest();
            if rest.starts_with('?') && !rest.starts_with("??") {
                self.cursor.eat("?");
                let mut steps = Vec::new();
                while let Some(step) = self.step()? {
                    steps.push(step);
                }
                value = Expression::OptionalPath { of: Box::new(value), steps, place };
                continue;
            }
            match self.step()? {
                Some(step) => value = Expression::Path { of: Box::new(value), step, place },
                None => return Ok(value),
            }
        }
    }

    /// `.name`, `['name']` or `[…]`, if one is here.
    fn step(&mut self) -> Result<Option<Step>, ParseError> {
        self.cursor.skip_space();
        if self.cursor.eat(".") {
            self.cursor.skip_space();
            return match self.cursor.take_name() {
                "" => Err(self.unexpected("the name of a member")),
                name => Ok(Some(Step::Member(name.into()))),
            };
        }
        if !self.cursor.eat("[") {
            return Ok(None);
        }
        self.cursor.skip_space();
        let step = match self.cursor.eat("'") {
            true => Step::Member(self.quoted_name()?),
            false => Step::Computed(Box::new(self.expression()?)),
        };
        self.expect("]")?;
        Ok(Some(step))
    }

    /// A name in single quotes, after the first one.
    fn quoted_name(&mut self) -> Result<Box<str>, ParseError> {
        let mut name = String::new();
        loop {
            match self.cursor.next() {
                Some('\'') => return Ok(name.into()),
                Some('\\') => match self.cursor.next() {
                    Some(c @ ('\\' | '\'' | '`')) => name.push(c),
                    Some(_) | None => return Err(self.error("`\\\\` or `\\'` is wanted".into())),
                },
                Some(c) => name.push(c),
                None => return Err(self.unexpected("`'`")),
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, ParseError> {
        let place = self.cursor.place();
        if self.cursor.eat("{{") {
            return self.block(place);
        }
        match self.cursor.peek() {
            Some('{') => self.object(),
            Some('[') => self.list(),
            Some('"') => {
                self.cursor.next();
                self.text(Some('"'))
            }
            Some('(') => {
                self.cursor.next();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(c) if c == '-' || c.is_ascii_digit() => self.number(),
            Some(_) | None => self.named(place),
        }
    }

    /// `{{ … }}`, a condition or a loop, after the first braces.
    fn block(&mut self, place: Location) -> Result<Expression, ParseError> {
        self.cursor.skip_space();
        match self.cursor.peek_name() {
            "if" => self.condition(place),
            "range" => self.range(place),
            name @ ("elif" | "else" | "end") => {
                Err(self.error(format!("`{{{{ {name} }}}}` stands where a value is wanted")))
            }
            _ => {
                let inner = self.expression()?;
                self.expect("}}")?;
                Ok(inner)
            }
        }
    }

    fn condition(&mut self, place: Location) -> Result<Expression, ParseError> {
        let mut branches = Vec::new();
        let mut place = place;
        self.cursor.eat_keyword("if");
        loop {
            let condition = self.expression()?;
            self.expect("}}")?;
            branches.push((condition, self.expression()?, place));
            self.expect("{{")?;
            self.cursor.skip_space();
            place = self.cursor.place();
            if self.cursor.eat_keyword("elif") {
                continue;
            }
            if !self.cursor.eat_keyword("else") {
                return Err(self.unexpected("`elif` or `else`, which every `if` has,"));
            }
            self.expect("}}")?;
            let otherwise = Box::new(self.expression()?);
            self.end()?;
            return Ok(Expression::If { branches, otherwise });
        }
    }

    fn range(&mut self, place: Location) -> Result<Expression, ParseError> {
        self.cursor.eat_keyword("range");
        let index = self.binder()?;
        self.expect(",")?;
        let item = self.binder()?;
        self.expect(":=")?;
        let list = self.expression()?;
        self.expect("}}")?;
        let outer = self.locals.len();
        self.locals.extend(index.clone());
        let Some(item) = item else {
            return Err(self.error("the value of an element needs a name other than `_`".into()));
        };
        self.locals.push(item.clone());
        let body = self.expression()?;
        self.locals.truncate(outer);
        self.end()?;
        Ok(Expression::Range(Box::new(Range { index, item, list, body, place })))
    }

    /// The name of a loop's variable; `None` for `_`.
    fn binder(&mut self) -> Result<Option<Box<str>>, ParseError> {
        self.cursor.skip_space();
        let name = self.cursor.peek_name();
        if name.is_empty() || KEYWORDS.contains(&name) {
            return Err(self.unexpected("the name of a variable, or `_`,"));
        }
        self.cursor.take_name();
        Ok((name != "_").then(|| name.into()))
    }

    fn end(&mut self) -> Result<(), ParseError> {
        self.expect("{{")?;
        self.cursor.skip_space();
        match self.cursor.eat_keyword("end") {
            true => self.expect("}}"),
            false => Err(self.unexpected("`end`")),
        }
    }

    fn object(&mut self) -> Result<Expression, ParseError> {
        self.cursor.next();
        let mut members = Vec::new();
        self.cursor.skip_space();
        if self.cursor.eat("}") {
            return Ok(Expression::Object(members));
        }
        loop {
            self.cursor.skip_space();
            if !self.cursor.eat("\"") {
                return Err(self.unexpected("a key in quotes"));
            }
            let place = self.cursor.place();
            let Expression::Value(Value::String(key)) = self.text(Some('"'))? else {
                let message = "a key has no expressions: use `fromPairs` for such objects".into();
                return Err(ParseError { place, message });
            };
            self.expect(":")?;
            members.push((key.into(), self.expression()?));
            self.cursor.skip_space();
            if !self.cursor.eat(",") {
                self.expect("}")?;
                return Ok(Expression::Object(members));
            }
        }
    }

    fn list(&mut self) -> Result<Expression, ParseError> {
        self.cursor.next();
        let mut items = Vec::new();
        self.cursor.skip_space();
        if self.cursor.eat("]") {
            return Ok(Expression::List(items));
        }
        loop {
            items.push(self.expression()?);
            self.cursor.skip_space();
            if !self.cursor.eat(",") {
                self.expect("]")?;
                return Ok(Expression::List(items));
            }
        }
    }

    fn number(&mut self) -> Result<Expression, ParseError> {
        let place = self.cursor.place();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let text = self.cursor.take_while(is_part);
        match serde_json::from_str(text) {
            Ok(number) => Ok(Expression::Value(Value::Number(number))),
            Err(_) => Err(ParseError { place, message: format!("`{text}` is no number").into() }),
        }
    }

    /// A constant, a variable, or the call of a function.
    fn named(&mut self, place: Location) -> Result<Expression, ParseError> {
        let name = self.cursor.peek_name();
        let constant = match name {
            "" => return Err(self.unexpected("a value")),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            _ if KEYWORDS.contains(&name) => return Err(self.unexpected("a value")),
            _ => None,
        };
        self.cursor.take_name();
        if let Some(constant) = constant {
            return Ok(Expression::Value(constant));
        }
        self.cursor.skip_space();
        if self.cursor.eat("(") {
            let function = self.function(name, place)?;
            let argument = Box::new(self.expression()?);
            self.expect(")")?;
            return Ok(Expression::Call { function, argument, place });
        }
        let rest = self.cursor.rest();
        let is_optional = rest.starts_with('?') && !rest.starts_with("??");
        if !is_optional && !self.is_in_scope(name) {
            let mut known = self.scope.variables.join(", ");
            for local in &self.locals {
                known.push_str(", ");
                known.push_str(local);
            }
            let message = format!("there is no variable `{name}` here, only {known}").into();
            return Err(ParseError { place, message });
        }
        Ok(Expression::Variable(name.into()))
    }

    fn is_in_scope(&self, name: &str) -> bool {
        self.scope.variables.contains(&name) || self.locals.iter().any(|known| **known == *name)
    }

    fn function(&self, name: &str, place: Location) -> Result<Function, ParseError> {
        let exists =
            |function: Function| function != Function::GetSessionVariable || self.scope.has_session;
        if let Some(function) = Function::find(name).filter(|function| exists(*function)) {
            return Ok(function);
        }
        let known = FUNCTIONS.iter().filter(|(_, function)| exists(*function));
        let known: Vec<&str> = known.map(|(name, _)| *name).collect();
        let message = format!("there is no function `{name}`, only {}", known.join(", ")).into();
        Err(ParseError { place, message })
    }

    fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        self.cursor.skip_space();
        match self.cursor.eat(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{text}`"))),
        }
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> ParseError {
        let found = match self.cursor.peek() {
            Some(_) => {
                let found: String = self.cursor.rest().chars().take(12).collect();
                format!("`{}`", found.lines().next().unwrap_or_default())
            }
            None => "the end of the template".to_owned(),
        };
        self.error(format!("{wanted} is wanted, not {found}"))
    }

    pub(crate) fn error(&self, message: String) -> ParseError {
        ParseError { place: self.cursor.place(), message: message.into() }
    }
}
