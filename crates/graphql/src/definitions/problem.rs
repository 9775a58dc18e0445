//! Mistakes in type definitions, with their places and remedies.

use std::fmt;

use super::{Directive, DirectiveArgument, InputDefinition, Named, TypeDefinition};

/// Limit of reported mistakes; further ones are counted.
const MAX_PROBLEMS: usize = 100;

/// A mistake in type definitions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct DefinitionProblem {
    /// From 1, as the column.
    pub line: usize,
    pub column: usize,
    /// Begins with the type and the field, and ends with the remedy.
    pub message: Box<str>,
}

/// The place of a mistake.
#[derive(Clone, Copy, Debug)]
pub struct At<'d> {
    line: usize,
    column: usize,
    /// Empty for the definitions as a whole.
    r#type: &'d str,
    /// A field, a value of an enum, or a member of an input type.
    member: Option<&'d str>,
}

impl<'d> At<'d> {
    pub fn definitions(line: usize, column: usize) -> Self {
        Self { line, column, r#type: "", member: None }
    }

    pub fn r#type(definition: &'d TypeDefinition) -> Self {
        let TypeDefinition { name, line, column, .. } = definition;
        Self { line: *line, column: *column, r#type: name, member: None }
    }

    pub fn member(self, (line, column): (usize, usize), name: &'d str) -> Self {
        Self { line, column, member: Some(name), ..self }
    }

    /// A member of an input type, or an argument, which is reported as its field.
    pub fn input(self, definition: &'d InputDefinition) -> Self {
        let place = (definition.line, definition.column);
        match self.member {
            Some(_) => self.moved(place),
            None => self.member(place, &definition.name),
        }
    }

    pub fn directive(self, directive: &Directive) -> Self {
        self.moved((directive.line, directive.column))
    }

    pub fn argument(self, argument: &DirectiveArgument) -> Self {
        self.moved((argument.line, argument.column))
    }

    pub fn named(self, named: &Named) -> Self {
        self.moved((named.line, named.column))
    }

    /// The same subject at another place of the text.
    pub fn moved(self, (line, column): (usize, usize)) -> Self {
        Self { line, column, ..self }
    }

    pub fn line(self) -> usize {
        self.line
    }

    /// The line and the column.
    pub fn place(self) -> (usize, usize) {
        (self.line, self.column)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.r#type, self.member) {
            ("", _) => f.write_str("definitions"),
            (name, None) => f.write_str(name),
            (name, Some(member)) => write!(f, "{name}.{member}"),
        }
    }
}

/// Collector of mistakes.
#[derive(Debug, Default)]
pub struct Problems(Vec<DefinitionProblem>);

impl Problems {
    /// Adds a mistake; the message ends with the remedy.
    pub fn refuse(&mut self, at: At<'_>, message: impl fmt::Display) {
        let message = format!("{at}: {message}").into();
        self.0.push(DefinitionProblem { line: at.line, column: at.column, message });
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `value` if there is no mistake, else all mistakes in the order of the text.
    pub fn finish<T>(mut self, value: T) -> Result<T, Vec<DefinitionProblem>> {
        if self.0.is_empty() {
            return Ok(value);
        }
        self.0.sort_by_key(|problem| (problem.line, problem.column));
        self.0.dedup();
        let rest = self.0.len().saturating_sub(MAX_PROBLEMS);
        self.0.truncate(MAX_PROBLEMS);
        if let (Some(DefinitionProblem { line, column, .. }), true) = (self.0.last(), rest > 0) {
            let message = format!("definitions: {rest} further mistakes: correct these first");
            let (line, column) = (*line, *column);
            self.0.push(DefinitionProblem { line, column, message: message.into() });
        }
        Err(self.0)
    }
}

impl DefinitionProblem {
    /// A syntax error.
    pub fn syntax(error: &crate::error::GraphQLError) -> Self {
        let (line, column) = match error.locations.first() {
            Some(location) => (location.line as usize, location.column as usize),
            None => (1, 1),
        };
        let reason = error.message.trim_end_matches(['.', '\n']);
        let message = format!("definitions: {reason}: correct the syntax");
        Self { line, column, message: message.into() }
    }
}

/// Names as the end of a sentence: `a, b or c`.
pub fn alternatives(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Similar names as the end of a sentence, `did you mean …?`, or `otherwise`.
pub fn remedy<'n>(name: &str, known: impl IntoIterator<Item = &'n str>, otherwise: &str) -> String {
    match crate::similar_names(name, known).as_slice() {
        // Every short name is similar to every other one.
        _ if name.len() < 3 => otherwise.to_owned(),
        [] => otherwise.to_owned(),
        similar => format!("did you mean {}?", alternatives(similar)),
    }
}
