//! What is wrong with type definitions, said so that it can be mended.

use std::fmt;

/// After so many problems the rest is counted only.
const MAX_PROBLEMS: usize = 100;

/// Something that is wrong with type definitions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct DefinitionProblem {
    /// From 1.
    pub line: usize,
    pub kind: ProblemKind,
    /// Begins with the type, and the field if it is of one.
    pub message: Box<str>,
}

/// Why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// The library refuses it too.
    Wrong,
    /// It is understood, and will be served.
    NotServed(Unserved),
    /// It is a function that the library's user writes in JavaScript.
    NeedsJavaScript,
}

/// What is understood but not served yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unserved {
    /// Nodes of several types within maps that statements give.
    StatementsOfSeveral,
    /// Statements among the properties of relationships.
    StatementsOfProperties,
    ListsOfLists,
    /// Inputs that have themselves as parts.
    InputsInThemselves,
    /// Searches of vectors by phrases.
    Phrases,
    /// `@authorization` in version 3.
    Authorization,
    /// What of a federated graph only servers of one's own do: `@requires`, `@composeDirective`.
    Federation,
    /// Types of objects that are neither nodes nor properties.
    PlainObjects,
    /// Types of inputs, which only arguments of one's own have.
    Inputs,
}

impl Unserved {
    /// What is not served, as the subject of a sentence.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::StatementsOfSeveral => "nodes of several types in maps are",
            Self::StatementsOfProperties => "statements among properties of relationships are",
            Self::ListsOfLists => "lists of lists are",
            Self::InputsInThemselves => "inputs without an end are",
            Self::Phrases => {
                "searches of vectors by phrases, which need the keys of a provider, are"
            }
            Self::Authorization => {
                "rules that versions 3 read and never ask for (those of `@auth` are asked for) are"
            }
            Self::Federation => "this part of federation is",
            Self::PlainObjects => "types of objects that are neither nodes nor properties are",
            Self::Inputs => "types of inputs are",
        }
    }
}

/// The place that a problem is told of.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) line: usize,
    /// Empty for the schema itself.
    r#type: &'a str,
    /// A field or a value of an enum.
    member: Option<&'a str>,
}

impl<'a> At<'a> {
    pub(super) fn schema(line: usize) -> Self {
        Self { line, r#type: "", member: None }
    }

    pub(super) fn r#type(line: usize, name: &'a str) -> Self {
        Self { line, r#type: name, member: None }
    }

    pub(super) fn member(self, line: usize, name: &'a str) -> Self {
        Self { line, member: Some(name), ..self }
    }

    pub(super) fn on_line(self, line: usize) -> Self {
        Self { line, ..self }
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.r#type, self.member) {
            ("", _) => f.write_str("the schema"),
            (name, None) => f.write_str(name),
            (name, Some(member)) => write!(f, "{name}.{member}"),
        }
    }
}

impl DefinitionProblem {
    /// A text that is not GraphQL.
    pub(super) fn syntax(error: &graphql::GraphQLError) -> Self {
        let line = error.locations.first().map_or(1, |location| location.line as usize);
        Self { line, kind: ProblemKind::Wrong, message: error.message.as_str().into() }
    }
}

/// Collects problems while definitions are read on.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<DefinitionProblem>);

impl Problems {
    pub(super) fn wrong(&mut self, at: At<'_>, message: impl fmt::Display) {
        self.push(at, ProblemKind::Wrong, message);
    }

    /// Reports a name that nothing in a graph can have. `subject` is what says it.
    pub(super) fn check_name(&mut self, at: At<'_>, subject: &str, name: &str) {
        if name.contains('\0') {
            self.wrong(at, format!("{subject} has a zero byte, and no name in a graph has one"));
        }
    }

    /// Tells it only where nothing else is told: what is wrong otherwise may be its reason.
    pub(super) fn wrong_if_none(&mut self, at: At<'_>, message: impl fmt::Display) {
        if self.0.is_empty() {
            self.wrong(at, message);
        }
    }

    /// `subject` is what is not served here: a directive, or what the type is.
    pub(super) fn not_served(&mut self, at: At<'_>, subject: impl fmt::Display, why: Unserved) {
        let message = format!("{subject} is not served yet: {} not", why.what());
        self.push(at, ProblemKind::NotServed(why), message);
    }

    /// `instead` is what can be done without it.
    pub(super) fn needs_javascript(
        &mut self,
        at: At<'_>,
        subject: impl fmt::Display,
        instead: &str,
    ) {
        let message = format!(
            "{subject} needs a function in JavaScript, and none runs here; instead, {instead}"
        );
        self.push(at, ProblemKind::NeedsJavaScript, message);
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, at: At<'_>, kind: ProblemKind, message: impl fmt::Display) {
        let message = format!("{at}: {message}").into();
        self.0.push(DefinitionProblem { line: at.line, kind, message });
    }

    /// `value` if there is no problem, else all problems by their lines.
    pub(super) fn finish<T>(mut self, value: T) -> Result<T, Vec<DefinitionProblem>> {
        if self.0.is_empty() {
            return Ok(value);
        }
        self.0.sort_by_key(|problem| problem.line);
        self.0.dedup();
        let rest = self.0.len().saturating_sub(MAX_PROBLEMS);
        self.0.truncate(MAX_PROBLEMS);
        if let (Some(last), true) = (self.0.last().map(|problem| problem.line), rest > 0) {
            let message = format!("{rest} further problems are not told").into();
            self.0.push(DefinitionProblem { line: last, kind: ProblemKind::Wrong, message });
        }
        Err(self.0)
    }
}
