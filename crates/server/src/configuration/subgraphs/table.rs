//! Reads values of a table, each with its position. Problems are collected, so that all of them are
//! reported at once.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use crate::configuration::expand::{Expanded, NotText, Variable, expand};
use crate::configuration::keys::Key;
use crate::configuration::problem::{Position, Problem};
use crate::configuration::similar;
use crate::configuration::value::{self, found, one_of};

pub(super) struct Reader<'t> {
    text: &'t str,
    variable: &'t dyn Fn(&str) -> Variable,
    problems: Vec<Problem>,
}

/// A value of the file.
pub(super) type Value<'v> = Spanned<DeValue<'v>>;

/// A string with its variables expanded.
struct Text {
    text: String,
    /// Whether the text may appear in messages: it has no variables.
    is_public: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, variable: &'t dyn Fn(&str) -> Variable) -> Self {
        Self { text, variable, problems: Vec::new() }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        Position::of(self.text, offset)
    }

    /// Records a problem at a byte of the file.
    pub(super) fn wrong(&mut self, offset: usize, message: String) {
        let position = self.position(offset);
        self.problems.push(Problem { position, message });
    }

    /// Reports an unknown name, with the known ones.
    pub(super) fn unknown(&mut self, name: &Spanned<DeString<'_>>, within: &str, known: &[&str]) {
        self.unknown_beside(name, within, known, std::iter::empty());
    }

    /// Reports an unknown name, with the known ones; others are suggested if they are similar.
    pub(super) fn unknown_beside<'k>(
        &mut self,
        name: &Spanned<DeString<'_>>,
        within: &str,
        known: &[&'k str],
        others: impl Iterator<Item = &'k str>,
    ) {
        let written = name.get_ref().escape_debug().to_string();
        let meant = written.to_ascii_lowercase().replace('_', "-");
        let message = match similar::nearest(&meant, known.iter().copied().chain(others)) {
            Some(nearest) => format!("{within} has no `{written}`; `{nearest}` is one"),
            None => format!("{within} has no `{written}`; there are {}", listed(known)),
        };
        self.wrong(name.span().start, message);
    }

    pub(super) fn table<'v, 's>(
        &mut self,
        name: &str,
        value: &'v Value<'s>,
    ) -> Option<&'v DeTable<'s>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            other => self.refuse(name, value, "a table", other),
        }
    }

    pub(super) fn array<'v, 's>(
        &mut self,
        name: &str,
        value: &'v Value<'s>,
        wanted: &str,
    ) -> Option<&'v DeArray<'s>> {
        match value.get_ref() {
            DeValue::Array(elements) => Some(elements),
            other => self.refuse(name, value, wanted, other),
        }
    }

    /// The values of an option, as texts for its parser.
    pub(super) fn option(
        &mut self,
        name: &str,
        key: &Key,
        value: &Value<'_>,
    ) -> Option<Vec<String>> {
        match value::read(key, value, self.variable) {
            Ok(texts) => Some(texts),
            Err(problems) => {
                for problem in problems {
                    self.wrong(problem.offset, format!("`{name}`: {}", problem.message));
                }
                None
            }
        }
    }

    /// Any string.
    pub(super) fn string(&mut self, name: &str, value: &Value<'_>) -> Option<String> {
        self.text(name, value, "a string").map(|text| text.text)
    }

    /// The value of the environment variable that a string names.
    pub(super) fn variable(&mut self, name: &str, value: &Value<'_>) -> Option<String> {
        let variable = self.string(name, value)?;
        let wrong = match (self.variable)(&variable) {
            Ok(Some(text)) => return Some(text),
            Ok(None) => format!("the environment variable `{variable}` is not set"),
            Err(NotText) => format!("the environment variable `{variable}` is not UTF-8"),
        };
        self.wrong(value.span().start, format!("`{name}`: {wrong}"));
        None
    }

    /// A value that is parsed from a string.
    pub(super) fn parsed<T: FromStr<Err: Display>>(
        &mut self,
        name: &str,
        value: &Value<'_>,
    ) -> Option<T> {
        let text = self.text(name, value, "a string")?;
        match text.text.parse() {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                let message = text.refused(name, &error.to_string());
                self.wrong(value.span().start, message);
                None
            }
        }
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(
        &mut self,
        name: &str,
        value: &Value<'_>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(name, value, "a string")?;
        if let Some((_, meant)) = words.iter().find(|(word, _)| *word == text.text) {
            return Some(*meant);
        }
        let words: Vec<String> = words.iter().map(|(word, _)| (*word).to_owned()).collect();
        let message = text.refused(name, &format!("{} is wanted", one_of(&words)));
        self.wrong(value.span().start, message);
        None
    }

    /// A whole number, or a variable that contains one.
    pub(super) fn whole(
        &mut self,
        name: &str,
        value: &Value<'_>,
        range: RangeInclusive<u32>,
    ) -> Option<u32> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let number = match value.get_ref() {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            DeValue::String(_) => self.filled(name, value, &wanted)?.text.parse().ok(),
            other => return self.refuse(name, value, &wanted, other),
        };
        let number = number.and_then(|number| u32::try_from(number).ok());
        if number.is_none_or(|number| !range.contains(&number)) {
            self.wrong(value.span().start, format!("`{name}`: {wanted} is wanted"));
        }
        number.filter(|number| range.contains(number))
    }

    /// `true` or `false`, or a variable that contains one.
    pub(super) fn boolean(&mut self, name: &str, value: &Value<'_>) -> Option<bool> {
        let wanted = "`true` or `false`";
        match value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            DeValue::String(_) => {
                let read = self.filled(name, value, wanted)?.text.parse().ok();
                if read.is_none() {
                    self.wrong(value.span().start, format!("`{name}`: {wanted} is wanted"));
                }
                read
            }
            other => self.refuse(name, value, wanted, other),
        }
    }

    /// A string with a variable: without one, the value needs no quotes.
    fn filled(&mut self, name: &str, value: &Value<'_>, wanted: &str) -> Option<Text> {
        let text = self.text(name, value, wanted)?;
        if text.is_public {
            let message = format!("`{name}`: {wanted} is wanted, without quotes");
            self.wrong(value.span().start, message);
            return None;
        }
        Some(text)
    }

    fn text(&mut self, name: &str, value: &Value<'_>, wanted: &str) -> Option<Text> {
        let DeValue::String(text) = value.get_ref() else {
            return self.refuse(name, value, wanted, value.get_ref());
        };
        match expand(text, self.variable) {
            Ok(Expanded { text, has_variables }) => {
                Some(Text { text: text.into_owned(), is_public: !has_variables })
            }
            Err(message) => {
                self.wrong(value.span().start, format!("`{name}`: {message}"));
                None
            }
        }
    }

    fn refuse<T>(
        &mut self,
        name: &str,
        value: &Value<'_>,
        wanted: &str,
        value_found: &DeValue<'_>,
    ) -> Option<T> {
        let found = found(value_found);
        self.wrong(value.span().start, format!("`{name}`: {wanted} is wanted, not {found}"));
        None
    }
}

impl Text {
    /// The refusal of the text, without the values of variables.
    fn refused(&self, name: &str, reason: &str) -> String {
        let text = redact::address(&self.text);
        let shown = format!("`{}`", text.escape_debug());
        match (self.is_public, reason.contains(&*text)) {
            (true, _) if reason.contains(&shown) => format!("`{name}`: {reason}"),
            (true, _) => format!("`{name}`: {shown} cannot be used: {reason}"),
            (false, false) => format!("`{name}`: {reason}"),
            (false, true) => format!("`{name}`: the value cannot be used"),
        }
    }
}

fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => [&others.join(", "), " and ", last].concat(),
        None => "none".to_owned(),
    }
}
