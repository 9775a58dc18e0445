//! The text of a policy file as values, each with its line.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{PolicyProblem, PolicyProblems};

/// A value with its line.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: NodeValue,
}

#[derive(Debug)]
pub(super) enum NodeValue {
    Text(Box<str>),
    Integer(i64),
    /// A number as written.
    Number(Box<str>),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A member of a table: its name, and its value.
pub(super) type Entry = (Box<str>, Node);

/// Parses the text. Parsing ends at the first error of syntax, since later ones may only follow
/// from it.
pub(super) fn read(text: &str) -> Result<Vec<Entry>, PolicyProblems> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems = PolicyProblems::default();
    for error in errors {
        let line = line(text, error.span().map_or(0, |span| span.start));
        let problem = PolicyProblem { line, message: error.message().into() };
        problems.keep(Err::<(), _>(problem.into()));
    }
    problems.none()?;
    entries(text, table.get_ref())
}

fn entries(text: &str, table: &DeTable<'_>) -> Result<Vec<Entry>, PolicyProblems> {
    let entry = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &toml::de::DeString<'_> = name.get_ref();
        Ok((Box::from(&**name), node(text, value)?))
    };
    PolicyProblems::all(table.iter().map(entry))
}

/// The parser bounds how deep values are in each other.
fn node(text: &str, value: &Spanned<DeValue<'_>>) -> Result<Node, PolicyProblems> {
    let line = line(text, value.span().start);
    let wrong = |message: &str| PolicyProblem { line, message: message.into() };
    let value = match value.get_ref() {
        DeValue::String(text) => NodeValue::Text(Box::from(&**text)),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            NodeValue::Integer(number.map_err(|_| wrong("this number is too large"))?)
        }
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(parsed) if parsed.is_finite() => NodeValue::Number(number.as_str().into()),
            Ok(_) | Err(_) => return Err(wrong("this is no number that a value can be").into()),
        },
        DeValue::Boolean(value) => NodeValue::Boolean(*value),
        DeValue::Datetime(_) => return Err(wrong("write a date or a time as a string").into()),
        DeValue::Array(items) => {
            NodeValue::List(PolicyProblems::all(items.iter().map(|item| node(text, item)))?)
        }
        DeValue::Table(table) => NodeValue::Table(entries(text, table)?),
    };
    Ok(Node { line, value })
}

/// The line of a place in a text, from 1.
fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

impl Node {
    pub(super) fn wrong(&self, message: impl Into<Box<str>>) -> PolicyProblems {
        PolicyProblem { line: self.line, message: message.into() }.into()
    }

    /// The kind of the node, for errors of an unexpected one.
    fn found(&self) -> &'static str {
        match self.value {
            NodeValue::Text(_) => "a string",
            NodeValue::Integer(_) | NodeValue::Number(_) => "a number",
            NodeValue::Boolean(_) => "a boolean",
            NodeValue::List(_) => "a list",
            NodeValue::Table(_) => "a table",
        }
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, PolicyProblems> {
        Err(self.wrong(format!("{wanted} is wanted, not {}", self.found())))
    }

    pub(super) fn text(&self) -> Result<Box<str>, PolicyProblems> {
        match &self.value {
            NodeValue::Text(text) => Ok(text.clone()),
            _ => self.unexpected("a string"),
        }
    }

    pub(super) fn boolean(&self) -> Result<bool, PolicyProblems> {
        match self.value {
            NodeValue::Boolean(value) => Ok(value),
            _ => self.unexpected("`true` or `false`"),
        }
    }

    pub(super) fn list(&self) -> Result<&[Node], PolicyProblems> {
        match &self.value {
            NodeValue::List(items) => Ok(items),
            _ => self.unexpected("a list"),
        }
    }

    pub(super) fn texts(&self) -> Result<Vec<Box<str>>, PolicyProblems> {
        PolicyProblems::all(self.list()?.iter().map(Self::text))
    }

    pub(super) fn table(&self) -> Result<&[Entry], PolicyProblems> {
        match &self.value {
            NodeValue::Table(entries) => Ok(entries),
            _ => self.unexpected("a table"),
        }
    }
}
