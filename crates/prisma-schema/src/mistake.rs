//! Mistakes in a schema, with their places.

use std::fmt;

/// A place in the files of a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The index of the file.
    pub(crate) file: usize,
    /// The byte in the file.
    pub(crate) offset: usize,
}

/// A file of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name, for messages.
    pub name: Box<str>,
    pub text: Box<str>,
}

/// A part of a schema that is wrong or does not fit the database, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub file: Box<str>,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub message: Box<str>,
}

/// All mistakes of a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.0))]
pub struct Mistakes(pub Vec<Mistake>);

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message } = self;
        write!(f, "{file}, line {line}, column {column}: {message}")
    }
}

fn listed(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\nerror: ")
}

/// Collects mistakes by their places.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    found: Vec<(At, String)>,
}

impl Collected {
    pub(crate) fn add(&mut self, at: At, message: impl Into<String>) {
        self.found.push((at, message.into()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The mistakes in the order of the files.
    pub(crate) fn into_mistakes(mut self, files: &[File]) -> Mistakes {
        self.found.sort_by_key(|(at, _)| *at);
        self.found.dedup();
        let mistakes = self.found.into_iter().map(|(at, message)| {
            let (file, line, column) = place(at, files);
            Mistake { file, line, column, message: message.into() }
        });
        Mistakes(mistakes.collect())
    }
}

/// The name of the file, the line and the column of a place.
pub(crate) fn place(at: At, files: &[File]) -> (Box<str>, usize, usize) {
    let Some(file) = files.get(at.file) else { return Default::default() };
    let before = file.text.get(..at.offset).unwrap_or(&file.text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (file.name.clone(), line, column)
}
