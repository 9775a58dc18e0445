//! Problems of a file, with their positions.

use crate::failure::Failure;
use std::fmt;
use std::path::{Path, PathBuf};

/// A position in a text; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A problem. Its message never shows a value that may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) position: Position,
    pub(crate) message: String,
}

/// A file with all its problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) file: PathBuf,
    pub(crate) problems: Vec<Problem>,
}

impl From<Refused> for Failure {
    fn from(error: Refused) -> Self {
        Self::other(error)
    }
}

impl Position {
    /// The position of a byte.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        // A parser may point past the end, but never into a character.
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

impl Problem {
    /// A syntax error of TOML. Its own message would show the line, which may contain a password.
    pub(super) fn of_syntax(text: &str, error: &toml::de::Error) -> Self {
        let offset = error.span().map_or(0, |span| span.start);
        let message = match unquoted_key(text, offset) {
            Some(key) => format!("`{key}`: strings need quotes, as in `{key} = \"...\"`"),
            None => error.message().to_owned(),
        };
        Self { position: Position::of(text, offset), message }
    }
}

/// The key of a line, if the value looks like a string without quotes.
fn unquoted_key(text: &str, offset: usize) -> Option<&str> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..)?.lines().next()?;
    let (key, value) = line.split_once('=')?;
    let is_in_value = offset > start + key.len();
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let key = key.trim();
    let first = value.trim_start().chars().next()?;
    let is_text = first.is_alphanumeric() || matches!(first, '.' | '/' | '~' | '*' | ':' | '$');
    (is_in_value && is_text && !key.is_empty() && key.chars().all(is_bare)).then_some(key)
}

impl Refused {
    /// Sorts the problems by position.
    pub(super) fn sorted(file: &Path, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.position);
        Self { file: file.to_owned(), problems }
    }
}

impl std::error::Error for Refused {}

/// `thalweg.toml:3:5: message`, which editors turn into a link; one problem per line.
impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        for (idx, Problem { position, message }) in self.problems.iter().enumerate() {
            if idx > 0 {
                f.write_str("\nerror: ")?;
            }
            write!(f, "{file}:{}:{}: {message}", position.line, position.column)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_without_quotes_is_reported_as_such() {
        let check = |text: &str, expected: &str| {
            let (_, errors) = toml::de::DeTable::parse_recoverable(text);
            let problem = Problem::of_syntax(text, errors.first().expect("there is an error"));
            assert_eq!(problem.message, expected, "{text}");
        };
        let quotes = |key: &str| format!("`{key}`: strings need quotes, as in `{key} = \"...\"`");
        for value in
            ["127.0.0.1:4000", "localhost:80", "./a.db", "postgres://u:p@h/d", "info", "30s"]
        {
            check(&format!("a = 1\nlisten = {value}\n"), &quotes("listen"));
        }
        check("a = 1\nb.c = x", &quotes("b.c"));
        check("a = [x]", "string values must be quoted, expected literal string");
        check("a = 'x", "invalid literal string, expected `'`");
        check("a", "key with no value, expected `=`");
    }

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let check = |offset, line, column| {
            assert_eq!(Position::of("a = 1\nö = 2\n", offset), Position { line, column });
        };
        check(0, 1, 1);
        check(4, 1, 5);
        check(6, 2, 1);
        check(8, 2, 2);
        check(13, 3, 1);
        check(99, 3, 1);
    }
}
