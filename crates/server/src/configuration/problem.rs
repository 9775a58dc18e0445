//! What is wrong with a file, and where.

use std::fmt;
use std::path::PathBuf;

/// A place in a text; both count from 1, columns by characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// One thing that is wrong. It never shows a value that may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) position: Position,
    pub(crate) message: String,
}

/// A file with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) file: PathBuf,
    pub(crate) problems: Vec<Problem>,
}

impl Position {
    /// The place of a byte.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        // A parser may point past the end, and never into a character.
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

impl std::error::Error for Refused {}

/// `thalweg.toml:3:5: message`, which editors make a link of; one problem a line.
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
