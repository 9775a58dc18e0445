//! The parser of mappings.
//!
//! A text is either a list of members, `id name: full_name`, or an expression without a name, such
//! as `$.results { id }`. Literals stand in `$(…)` and in arguments of methods; since version 0.4
//! after names, too.

use serde_json::Value;

use super::methods::Method;
use super::scan::Scanner;
use super::tree::{Coalesce, Entry, Expression, Offset, Path, Root, Start, Step, StepKind};
use crate::location::SyntaxError;
use crate::variables::Variable;
use crate::version::Version;

#[cfg(test)]
mod tests;

/// How deep braces, brackets and parentheses may be nested: the parser and the evaluation call
/// themselves.
const MAX_DEPTH: usize = 64;

/// How many steps a path may have: each may lead deeper into what the mapping needs.
const MAX_STEPS: usize = 32;

/// Parses a whole mapping.
pub(super) fn parse(text: &str, version: Version) -> Result<Root, Vec<SyntaxError>> {
    let mut parser = Parser::new(text, 0, version);
    let root = parser.root();
    parser.finish(root)
}

/// Parses the expression at `start`, which `}` ends, of a template. Returns the offset after it.
pub(super) fn parse_braced(
    text: &str,
    start: Offset,
    version: Version,
) -> Result<(Expression, Offset), Vec<SyntaxError>> {
    let mut parser = Parser::new(text, start, version);
    let expression = parser.expression();
    let expression = expression.and_then(|expression| {
        parser.scanner.expect("}", "after the expression")?;
        Ok(expression)
    });
    let end = parser.scanner.at;
    Ok((parser.finish(expression)?, end))
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    version: Version,
    depth: usize,
    /// Errors after which parsing goes on.
    errors: Vec<SyntaxError>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, at: Offset, version: Version) -> Self {
        Self { scanner: Scanner { text, at }, version, depth: 0, errors: Vec::new() }
    }

    fn finish<T>(mut self, result: Result<T, SyntaxError>) -> Result<T, Vec<SyntaxError>> {
        match result {
            Ok(value) if self.errors.is_empty() => Ok(value),
            Ok(_) => Err(self.errors),
            Err(error) => {
                self.errors.push(error);
                Err(self.errors)
            }
        }
    }

    fn root(&mut self) -> Result<Root, SyntaxError> {
        if self.version >= Version::V0_4 && self.is_literal_next() {
            let expression = self.expression()?;
            self.expect_end()?;
            return Ok(Root::Expression(expression));
        }
        let mut entries = self.entries(None)?;
        let is_expression =
            entries.len() == 1 && entries[0].name.is_none() && !entries[0].is_spread;
        if is_expression && let Some(entry) = entries.pop() {
            return Ok(Root::Expression(entry.value));
        }
        Ok(Root::Entries(self.named(entries)?))
    }

    fn expect_end(&mut self) -> Result<(), SyntaxError> {
        match self.scanner.peek() {
            None => Ok(()),
            Some(_) => Err(self.scanner.unexpected("the end")),
        }
    }

    /// Runs `parse` one level deeper.
    fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        if self.depth == MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            return Err(self.scanner.error(self.scanner.at, message));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Members until `close`, which is taken, or until the end.
    fn entries(&mut self, close: Option<char>) -> Result<Vec<Parsed>, SyntaxError> {
        let mut entries = Vec::new();
        loop {
            match self.scanner.peek() {
                None if close.is_none() => return Ok(entries),
                None => return Err(self.scanner.unexpected("a name or `}`")),
                Some(next) if Some(next) == close => {
                    self.scanner.at += 1;
                    return Ok(entries);
                }
                Some(',') if self.version >= Version::V0_4 && !entries.is_empty() => {
                    self.scanner.at += 1;
                    // Two commas are one too many.
                    if self.scanner.peek() == Some(',') {
                        return Err(self.scanner.unexpected("a name"));
                    }
                }
                Some(',') => {
                    let message = "members of a selection are separated by spaces, without commas \
                                   before connect/v0.4";
                    return Err(self.scanner.error(self.scanner.at, message));
                }
                Some(_) => {
                    let entry = self.deeper(Self::entry)?;
                    entries.push(entry);
                }
            }
        }
    }

    /// Checks that every member has a name, or is an object by its selection, and that no name
    /// stands twice.
    fn named(&mut self, entries: Vec<Parsed>) -> Result<Vec<Entry>, SyntaxError> {
        let mut names = std::collections::HashSet::new();
        for entry in &entries {
            match &entry.name {
                Some(name) if !names.insert(name.as_ref()) => {
                    let message = format!("`{name}` stands twice: give one of them another name");
                    self.errors.push(self.scanner.error(entry.at, message));
                }
                None if !entry.is_spread && !has_selection(&entry.value) => {
                    let message = "this value has no name: write `name:` before it, or select \
                                   members of it in `{ }` after it";
                    return Err(self.scanner.error(entry.at, message));
                }
                Some(_) | None => {}
            }
        }
        let entries = entries.into_iter().map(|parsed| {
            let Parsed { at, name, value, is_spread } = parsed;
            Entry { at, name, is_spread, value }
        });
        Ok(entries.collect())
    }

    /// `name`, `name: value`, `...value`, or a value with a selection.
    fn entry(&mut self) -> Result<Parsed, SyntaxError> {
        self.scanner.skip();
        let at = self.scanner.at;
        if self.scanner.take("...") {
            self.require(
                Version::V0_4,
                at,
                "`...`",
                "leave it out: members of a path with a \
                selection and without a name are members of the object, too",
            );
            self.scanner.skip();
            let value = self.path()?;
            return Ok(Parsed { at, name: None, value, is_spread: true });
        }
        if let Some('$' | '@') = self.scanner.peek() {
            let value = self.path()?;
            return Ok(Parsed { at, name: None, value, is_spread: false });
        }
        let is_quoted = matches!(self.scanner.peek(), Some('"' | '\''));
        let Some(key) = self.key()? else {
            return Err(self.no_entry());
        };
        if self.scanner.take(":") {
            let value = self.named_value()?;
            return Ok(Parsed { at, name: Some(key), value, is_spread: false });
        }
        let is_literal = is_quoted || matches!(&*key, "true" | "false" | "null");
        if is_literal && self.version >= Version::V0_4 {
            let message = format!(
                "this is a literal without a name: write `name: $.\"{key}\"` for the member of this name"
            );
            return Err(self.scanner.error(at, message));
        }
        let value = self.path_from(at, Start::Key(key.clone()))?;
        // `name?` is still the member of this name.
        let is_field = matches!(&value, Expression::Path(path)
            if path.steps.iter().all(|step| step.kind == StepKind::Optional));
        Ok(Parsed { at, name: is_field.then_some(key), value, is_spread: false })
    }

    fn no_entry(&mut self) -> SyntaxError {
        let at = self.scanner.at;
        match self.scanner.peek() {
            Some('{') => self.scanner.error(
                at,
                "an object needs a name here: write `name: { … }`, or `$({ … })` for the whole value",
            ),
            Some('[') => self.scanner.error(at, "a list stands in `$([ … ])`"),
            Some('-' | '0'..='9') => {
                let next = self.scanner.rest();
                if next.starts_with("->") {
                    return self.scanner.error(at, "a value is missing before `->`: write `$->…` for the whole one");
                }
                self.scanner.error(
                    at,
                    "a number stands in `$(…)`, and a name with other characters than letters, \
                     digits and `_` in quotes",
                )
            }
            Some('+' | '*' | '/' | '=' | '<' | '>' | '&' | '|') => self.scanner.error(
                at,
                "there are no such operators: use methods, such as `->add(…)`, `->eq(…)` or \
                 `$([a, b])->joinNotNull(' ')`",
            ),
            Some('?') => self.scanner.error(
                at,
                "`??` and `?!` stand in `$( … )`, such as `name: $(a ?? b)`, and there is no `? :`: use \
                 `->match`",
            ),
            Some(_) | None => self.scanner.unexpected("a name"),
        }
    }

    /// What follows `name:`.
    fn named_value(&mut self) -> Result<Expression, SyntaxError> {
        self.scanner.skip();
        let at = self.scanner.at;
        match self.scanner.peek() {
            _ if self.version >= Version::V0_4 => self.expression(),
            Some('{') => {
                self.scanner.at += 1;
                let entries = self.entries(Some('}'))?;
                Ok(Expression::Object(self.named(entries)?))
            }
            Some('$' | '@' | '"' | '\'' | '_' | 'a'..='z' | 'A'..='Z') => self.path(),
            Some('-' | '.' | '[' | '0'..='9') => {
                let message =
                    "a literal stands in `$(…)` before connect/v0.4, such as `count: $(1)`";
                Err(self.scanner.error(at, message))
            }
            Some(_) | None => Err(self.scanner.unexpected("a value")),
        }
    }

    /// A name, with or without quotes.
    fn key(&mut self) -> Result<Option<Box<str>>, SyntaxError> {
        match self.scanner.peek() {
            Some('"' | '\'') => Ok(Some(self.scanner.string(self.version)?.into())),
            Some(_) | None => Ok(self.scanner.identifier().map(Into::into)),
        }
    }

    /// A path that begins with a variable or a name.
    fn path(&mut self) -> Result<Expression, SyntaxError> {
        self.scanner.skip();
        let at = self.scanner.at;
        let start = match self.scanner.peek() {
            Some('@') => {
                self.scanner.at += 1;
                Start::Current
            }
            Some('$') => {
                self.scanner.at += 1;
                self.dollar(at)?
            }
            Some(_) | None => match self.key()? {
                Some(key) => Start::Key(key),
                None => return Err(self.scanner.unexpected("a path")),
            },
        };
        self.path_from(at, start)
    }

    /// What follows `$` at `at`.
    fn dollar(&mut self, at: Offset) -> Result<Start, SyntaxError> {
        if self.scanner.rest().starts_with('(') {
            self.scanner.at += 1;
            let expression = self.deeper(Self::expression)?;
            self.scanner.expect(")", "after the expression")?;
            return Ok(Start::Expression(Box::new(expression)));
        }
        let Some(name) = self.scanner.identifier() else {
            return Ok(Start::Selected);
        };
        let Some(variable) = Variable::find(name) else {
            let names: Vec<_> =
                Variable::ALL.iter().map(|known| format!("${}", known.name())).collect();
            let message = format!(
                "there is no variable `${name}`: the variables are `$`, `@`, {}",
                names.join(", ")
            );
            self.errors.push(self.scanner.error(at, message));
            return Ok(Start::Selected);
        };
        Ok(Start::Variable(variable))
    }

    /// The steps and the selection after the start of a path.
    fn path_from(&mut self, at: Offset, start: Start) -> Result<Expression, SyntaxError> {
        let mut path = Path { at, start, steps: Vec::new(), selection: None };
        while let Some(step) = self.step(&path)? {
            if path.steps.len() == MAX_STEPS {
                let message = format!("this path has more than {MAX_STEPS} steps");
                return Err(self.scanner.error(step.at, message));
            }
            path.steps.push(step);
        }
        if self.scanner.take("{") {
            let entries = self.deeper(|parser| parser.entries(Some('}')))?;
            path.selection = Some(self.named(entries)?);
        }
        Ok(Expression::Path(path))
    }

    fn step(&mut self, path: &Path) -> Result<Option<Step>, SyntaxError> {
        self.scanner.skip();
        let at = self.scanner.at;
        let rest = self.scanner.rest();
        if rest.starts_with("...") || rest.starts_with("??") || rest.starts_with("?!") {
            return Ok(None);
        }
        if self.scanner.take("->") {
            return self.call(at).map(Some);
        }
        if self.scanner.take("?") {
            return Ok(Some(Step { at, kind: StepKind::Optional }));
        }
        if !self.scanner.take(".") {
            if rest.starts_with('[') {
                let message =
                    "there are no indexes: use `->first`, `->last`, `->get(0)` or `->slice(0, 2)`";
                return Err(self.scanner.error(at, message));
            }
            return Ok(None);
        }
        let Some(mut key) = self.key()? else {
            return Err(self.scanner.unexpected("a name after `.`"));
        };
        let is_header =
            matches!(path.start, Start::Variable(Variable::Request | Variable::Response));
        if is_header {
            // Names of headers are equal in upper and lower case.
            key = key.to_ascii_lowercase().into();
        }
        Ok(Some(Step { at, kind: StepKind::Key(key) }))
    }

    /// A method and its arguments, after `->` at `at`.
    fn call(&mut self, at: Offset) -> Result<Step, SyntaxError> {
        self.scanner.skip();
        let Some(name) = self.scanner.identifier() else {
            return Err(self.scanner.unexpected("the name of a method"));
        };
        let mut arguments = Vec::new();
        if self.scanner.take("(") {
            arguments = self.deeper(|parser| parser.list(")"))?;
        }
        let Some(method) = Method::find(name) else {
            self.errors.push(self.scanner.error(at, unknown_method(name)));
            return Ok(Step { at, kind: StepKind::Optional });
        };
        self.check_arguments(at, method, &arguments);
        Ok(Step { at, kind: StepKind::Call(method, arguments) })
    }

    fn check_arguments(&mut self, at: Offset, method: Method, arguments: &[Expression]) {
        let (least, most) = method.arguments().into_inner();
        let name = method.name();
        if arguments.len() < least || arguments.len() > most {
            let wanted = match (least, most) {
                (0, 0) => "no arguments".to_owned(),
                (1, 1) => "one argument".to_owned(),
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let message = format!("`->{name}` takes {wanted}, and has {}", arguments.len());
            self.errors.push(self.scanner.error(at, message));
        }
        let is_pair =
            |argument: &Expression| matches!(argument, Expression::List(pair) if pair.len() == 2);
        if method == Method::Match && !arguments.iter().all(is_pair) {
            let message = "every argument of `->match` is a pair in brackets, such as \
                           `->match([1, \"one\"], [@, \"other\"])`";
            self.errors.push(self.scanner.error(at, message));
        }
    }

    /// Expressions, separated by commas, until `close`, which is taken.
    fn list(&mut self, close: &str) -> Result<Vec<Expression>, SyntaxError> {
        let mut items = Vec::new();
        while !self.scanner.take(close) {
            if !items.is_empty() && !self.scanner.take(",") {
                return Err(self.scanner.unexpected(&format!("`,` or `{close}`")));
            }
            // A comma may stand after the last one.
            if !items.is_empty() && self.scanner.take(close) {
                break;
            }
            items.push(self.deeper(Self::expression)?);
        }
        Ok(items)
    }

    /// An expression: a literal or a path, and alternatives.
    fn expression(&mut self) -> Result<Expression, SyntaxError> {
        let first = self.operand()?;
        let mut rest = Vec::new();
        loop {
            self.scanner.skip();
            let at = self.scanner.at;
            let operator = if self.scanner.take("??") {
                Coalesce::Null
            } else if self.scanner.take("?!") {
                Coalesce::Missing
            } else {
                break;
            };
            self.require(Version::V0_3, at, "`??` and `?!`", "");
            if rest.last().is_some_and(|(before, _)| *before != operator) {
                let message = "`??` and `?!` have no order: write `$( … )` around one of them";
                self.errors.push(self.scanner.error(at, message));
            }
            rest.push((operator, self.operand()?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Expression::Coalesce(Box::new(first), rest))
    }

    fn operand(&mut self) -> Result<Expression, SyntaxError> {
        self.scanner.skip();
        let at = self.scanner.at;
        let literal = match self.scanner.peek() {
            Some('$' | '@') => return self.path(),
            Some('"' | '\'') => {
                Expression::Literal(Value::String(self.scanner.string(self.version)?))
            }
            Some('-' | '.' | '0'..='9') => Expression::Literal(self.scanner.number()?),
            Some('[') => {
                self.scanner.at += 1;
                Expression::List(self.deeper(|parser| parser.list("]"))?)
            }
            Some('{') => {
                self.scanner.at += 1;
                self.deeper(Self::object)?
            }
            Some(_) | None => {
                let Some(name) = self.scanner.identifier() else {
                    return Err(self.scanner.unexpected("a value"));
                };
                match name {
                    "true" => Expression::Literal(Value::Bool(true)),
                    "false" => Expression::Literal(Value::Bool(false)),
                    "null" => Expression::Literal(Value::Null),
                    _ => return self.path_from(at, Start::Key(name.into())),
                }
            }
        };
        let path = self.path_from(at, Start::Expression(Box::new(literal)))?;
        Ok(match path {
            Expression::Path(Path {
                start: Start::Expression(literal),
                steps,
                selection: None,
                ..
            }) if steps.is_empty() => *literal,
            path => path,
        })
    }

    /// The members of a literal, after `{`.
    fn object(&mut self) -> Result<Expression, SyntaxError> {
        if self.version >= Version::V0_4 {
            let entries = self.entries(Some('}'))?;
            return Ok(Expression::Object(self.named(entries)?));
        }
        let mut entries = Vec::new();
        while !self.scanner.take("}") {
            if !entries.is_empty() && !self.scanner.take(",") {
                return Err(self.scanner.unexpected("`,` or `}`"));
            }
            if !entries.is_empty() && self.scanner.take("}") {
                break;
            }
            self.scanner.skip();
            let at = self.scanner.at;
            let Some(name) = self.key()? else {
                return Err(self.scanner.unexpected("a name"));
            };
            self.scanner.expect(":", "after the name of a literal object's member")?;
            let value = self.deeper(Self::expression)?;
            entries.push(Parsed { at, name: Some(name), value, is_spread: false });
        }
        Ok(Expression::Object(self.named(entries)?))
    }

    /// Whether a literal is next, and no name of a member.
    fn is_literal_next(&self) -> bool {
        let mut ahead = self.scanner.clone();
        match ahead.peek() {
            Some('{' | '[' | '-' | '.' | '0'..='9') => !ahead.rest().starts_with("..."),
            Some('"' | '\'') => ahead.string(self.version).is_ok() && !ahead.take(":"),
            Some(_) => match ahead.identifier() {
                Some("true" | "false" | "null") => !ahead.take(":"),
                Some(_) | None => false,
            },
            None => false,
        }
    }

    /// Adds an error if the version does not have this yet.
    fn require(&mut self, since: Version, at: Offset, what: &str, remedy: &str) {
        if self.version < since {
            let mut message = format!(
                "{what} needs connect/{since}, and the schema links connect/{}",
                self.version
            );
            if !remedy.is_empty() {
                message.push_str(": ");
                message.push_str(remedy);
            }
            self.errors.push(self.scanner.error(at, message));
        }
    }
}

/// A member before its name is checked.
struct Parsed {
    at: Offset,
    name: Option<Box<str>>,
    value: Expression,
    is_spread: bool,
}

fn has_selection(value: &Expression) -> bool {
    matches!(value, Expression::Path(path) if path.selection.is_some())
}

fn unknown_method(name: &str) -> String {
    let known = Method::ALL.iter().map(|method| method.name());
    let similar = known
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .min()
        .filter(|&(distance, known)| distance <= 1 + known.len() / 4);
    match similar {
        Some((_, similar)) => format!("there is no method `->{name}`: did you mean `->{similar}`?"),
        None => {
            let names: Vec<_> = Method::ALL.iter().map(|method| method.name()).collect();
            format!("there is no method `->{name}`: the methods are {}", names.join(", "))
        }
    }
}
