//! Problems of an evaluation: what was missing, or of another type than expected.
//!
//! They are no errors: what is missing is null in the end, and the fields' types say whether that is
//! an error.

use crate::location::Location;

use super::tree::Offset;

/// What an evaluation has come upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where in the text of the mapping.
    pub place: Location,
    pub message: Box<str>,
    /// Names of the result, from the outermost one; places in lists are left out.
    pub path: Vec<Box<str>>,
    /// How often; the path is that of the first time.
    pub count: u64,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}", self.message, self.place)?;
        if !self.path.is_empty() {
            write!(f, ", for `{}`", self.path.join("."))?;
        }
        if self.count > 1 {
            write!(f, ", {} times", self.count)?;
        }
        f.write_str(")")
    }
}

/// How many different problems are kept: they are for people.
const MAX_PROBLEMS: usize = 64;

/// Problems while an evaluation runs.
#[derive(Debug, Default)]
pub(super) struct Problems<'v> {
    found: Vec<CountedProblem<'v>>,
    path: Vec<&'v str>,
    muted: usize,
}

#[derive(Debug)]
struct CountedProblem<'v> {
    at: Offset,
    /// Distinguishes problems of one place.
    kind: &'static str,
    message: String,
    path: Vec<&'v str>,
    count: u64,
}

impl<'v> Problems<'v> {
    /// Begins a member of the result.
    pub(super) fn enter(&mut self, name: &'v str) {
        self.path.push(name);
    }

    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Ignores problems until [`unmute`](Self::unmute).
    pub(super) fn mute(&mut self) {
        self.muted += 1;
    }

    pub(super) fn unmute(&mut self) {
        self.muted -= 1;
    }

    /// Adds a problem; `message` makes its text if it is the first one of this kind there.
    pub(super) fn add(&mut self, at: Offset, kind: &'static str, message: impl FnOnce() -> String) {
        if self.muted > 0 {
            return;
        }
        let known = self.found.iter_mut().find(|found| found.at == at && found.kind == kind);
        if let Some(known) = known {
            known.count += 1;
        } else if self.found.len() < MAX_PROBLEMS {
            let path = self.path.clone();
            self.found.push(CountedProblem { at, kind, message: message(), path, count: 1 });
        }
    }

    /// The problems with their places in `text`.
    pub(super) fn finish(self, text: &str) -> Vec<Problem> {
        let problems = self.found.into_iter().map(|found| Problem {
            place: Location::of(text, found.at),
            message: found.message.into(),
            path: found.path.into_iter().map(Into::into).collect(),
            count: found.count,
        });
        problems.collect()
    }
}
