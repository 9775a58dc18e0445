//! The differences that are meant, each with its reason: `fixtures/compare/expected.txt`.
//!
//! A line is `data PEER SET/QUERY PATH` or `schema PEER SET LINE`, where `*` stands for anything.
//! The comment above a group of lines is the reason of all of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Difference, glob};
use crate::peers::Peer;

/// The file, and which of its lines have been of use.
#[derive(Debug)]
pub(crate) struct Expectations {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    text: String,
    subject: String,
    peer: String,
    place: String,
    what: String,
    reason: String,
    seen: bool,
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExpectedError {
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("expected.txt, line {0}: wants `data PEER SET/QUERY PATH` or `schema PEER SET LINE`")]
    Line(usize),
    #[error("expected.txt, line {0}: no comment above it says the reason")]
    Reason(usize),
}

impl Expectations {
    pub(crate) fn read(path: &Path) -> Result<Self, ExpectedError> {
        let text = fs::read_to_string(path)
            .map_err(|error| ExpectedError::File { path: path.to_owned(), error })?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, ExpectedError> {
        let mut lines: Vec<Line> = Vec::new();
        let mut reason = String::new();
        let mut in_comment = false;
        for (index, text) in text.lines().enumerate() {
            let text = text.trim_end();
            if let Some(comment) = text.strip_prefix('#') {
                if !in_comment {
                    reason.clear();
                }
                in_comment = true;
                reason.push_str(comment);
                continue;
            }
            in_comment = false;
            if text.is_empty() {
                // A reason holds for the lines right below it.
                reason.clear();
                continue;
            }
            let words: Vec<&str> = text.splitn(4, ' ').collect();
            let &[subject @ ("data" | "schema"), peer, place, what] = &words[..] else {
                return Err(ExpectedError::Line(index + 1));
            };
            if !Peer::ALL.iter().any(|known| known.name() == peer) {
                return Err(ExpectedError::Line(index + 1));
            }
            if reason.trim().is_empty() {
                return Err(ExpectedError::Reason(index + 1));
            }
            lines.push(Line {
                text: text.to_owned(),
                subject: subject.to_owned(),
                peer: peer.to_owned(),
                place: place.to_owned(),
                what: what.to_owned(),
                reason: reason.trim().to_owned(),
                seen: false,
            });
        }
        Ok(Self { lines })
    }

    /// The reason of a difference; every line that is like it counts as seen.
    pub(crate) fn find_reason(&mut self, difference: &Difference) -> Option<&str> {
        let mut found = None;
        for (index, line) in self.lines.iter_mut().enumerate() {
            if line.subject == difference.subject.name()
                && line.peer == difference.peer.name()
                && glob::matches(&line.place, &difference.place)
                && glob::matches(&line.what, &difference.what)
            {
                line.seen = true;
                found = found.or(Some(index));
            }
        }
        found.map(|index| self.lines[index].reason.as_str())
    }

    /// The lines that no difference was like.
    pub(crate) fn unseen(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| !line.seen).map(|line| line.text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Subject;
    use super::*;

    fn difference(what: &str) -> Difference {
        Difference {
            subject: Subject::Data,
            peer: Peer::Version5,
            place: "default/pages".to_owned(),
            what: what.to_owned(),
            theirs: String::new(),
            ours: String::new(),
        }
    }

    #[test]
    fn a_difference_has_the_reason_above_its_line() {
        let text = "# Cursors are\n# opaque.\ndata v5 * *.cursor\ndata v4 * *.x\n";
        let mut expectations = Expectations::parse(text).expect("the text is right");
        assert_eq!(expectations.find_reason(&difference("a.cursor")), Some("Cursors are opaque."));
        assert_eq!(expectations.find_reason(&difference("a.x")), None);
        assert_eq!(expectations.unseen(), ["data v4 * *.x"]);
    }

    #[test]
    fn a_line_without_a_reason_is_an_error() {
        let check = |text: &str| Expectations::parse(text).expect_err(text).to_string();
        assert!(check("data v5 * *.cursor\n").contains("line 1: no comment"));
        assert!(check("# Why.\n\ndata v5 * *.cursor\n").contains("line 3: no comment"));
        assert!(check("# Why.\ndata v6 * *.cursor\n").contains("line 2: wants"));
    }
}
