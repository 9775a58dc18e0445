//! Problems of metadata: what is wrong, where, and what to do about it.

use std::fmt;

use crate::location::Location;

/// A finding while metadata is read. All problems of all files are found in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub place: Location,
    /// A sentence, with the remedy.
    pub message: String,
}

/// The kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The text is no YAML, JSON or GraphQL.
    Syntax,
    /// A file is missing.
    MissingFile,
    /// No object of metadata has the key, and it may be meant as one that the object has.
    UnknownKey,
    /// A key is missing that the object needs.
    MissingKey,
    /// The value of a key does not fit.
    WrongValue,
    /// Two parts have the same name.
    Duplicate,
    /// A part refers to one that does not exist. Hasura starts without such parts, and calls them
    /// inconsistent.
    MissingPart,
    /// No object of metadata has the key, which resembles none. Hasura ignores it, and so does
    /// whoever reads the metadata.
    IgnoredKey,
    /// A fact to know: the metadata is read in spite of it.
    Notice,
}

impl ProblemKind {
    #[must_use]
    pub fn is_error(self) -> bool {
        match self {
            Self::Syntax
            | Self::MissingFile
            | Self::UnknownKey
            | Self::MissingKey
            | Self::WrongValue
            | Self::Duplicate
            | Self::MissingPart => true,
            Self::IgnoredKey | Self::Notice => false,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}
