//! What may go wrong, and how much of it is told.

use graphql::operation::{Location, OperationKind};
use graphql::schema::TypeId;

use super::cause::Cause;
use crate::supergraph::SubgraphId;

/// So many errors are told; the others are counted.
const MOST: usize = 100;

/// The errors of an answer.
#[derive(Debug, Default)]
pub struct Errors {
    list: Vec<ExecutionError>,
    /// How many there are beside these.
    more: usize,
    /// Why values are missing.
    pub(super) causes: Vec<Cause>,
    /// How many values were not of their types: each is reported where it would stand.
    wrong: usize,
}

impl Errors {
    pub(super) fn push(&mut self, error: ExecutionError) {
        if self.list.len() < MOST {
            self.list.push(error);
        } else {
            self.more += 1;
        }
    }

    /// How many are told, and how many are not.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.list.len(), self.more)
    }

    /// Takes back those since a mark.
    pub(super) fn roll_back(&mut self, (list, more): (usize, usize)) {
        self.list.truncate(list);
        self.more = more;
    }

    /// Others that nobody will be told.
    pub(super) fn count(&mut self, more: usize) {
        self.more = self.more.saturating_add(more);
    }

    /// So many values were not of their types.
    pub(super) fn see(&mut self, wrong: usize) {
        self.wrong += wrong;
    }

    /// How many there are so far, those that will be told among them.
    pub(super) fn len(&self) -> usize {
        let known = self.causes.len().saturating_add(self.wrong);
        self.list.len().saturating_add(self.more).saturating_add(known)
    }

    /// The errors, with one that counts those that are left out.
    #[must_use]
    pub fn into_list(self) -> Vec<ExecutionError> {
        let Self { mut list, more, .. } = self;
        if more > 0 {
            let kind = ErrorKind::More { count: more };
            list.push(ExecutionError { kind, path: Vec::new(), location: None });
        }
        list
    }
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionError {
    pub kind: ErrorKind,
    /// Where it stands in the answer; empty if it is about all of it.
    pub path: Path,
    /// Where the field is that it is about, in the document.
    pub location: Option<Location>,
}

/// A way in the answer. It may lead beyond a null that the error is the reason of.
pub type Path = Vec<Step>;

/// One step of a path in the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(Box<str>),
    Index(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The subgraph told an error; its words are not for clients.
    Subgraph {
        subgraph: SubgraphId,
        message: Box<str>,
        /// What it adds, as JSON that was checked.
        extensions: Option<Box<str>>,
    },
    /// The subgraph did not answer.
    NotAnswered {
        subgraph: SubgraphId,
        /// What it was asked: of a change that was sent nobody knows whether it was made.
        kind: OperationKind,
        why: AskError,
        /// More about it, which is not for clients.
        reason: Option<Box<str>>,
    },
    /// What the subgraph sent is no answer to what was asked.
    Invalid { subgraph: SubgraphId, why: Invalid },
    /// A value that may not be null is not there, and no other error says why.
    Null { parent: TypeId, field: Box<str> },
    /// Nobody was asked for a value, or nobody who was asked knows what it is of.
    Missing { parent: TypeId, field: Box<str> },
    /// The caller may not read it, and nobody was asked for it.
    Denied { parent: TypeId, field: Box<str> },
    /// A value is not of its type.
    Value { field: Box<str> },
    /// So many errors are not told.
    More { count: usize },
}

/// Why there is no answer of a subgraph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    #[error("it cannot be reached")]
    Unavailable,
    #[error("it did not answer in time")]
    Timeout,
    #[error("its answer is longer than {most} bytes")]
    TooLarge { most: u64 },
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("it ended the connection before its answer was whole")]
    Broken,
    #[error("it ended the connection instead of answering")]
    Closed,
    #[error("what it sent is no answer of GraphQL")]
    NotGraphQl,
    #[error("its answer takes more memory than there is")]
    MemoryExhausted,
    #[error("it is not asked for a while, for it failed too often")]
    BreakerOpen,
    #[error("it has as many requests as it may have, and answers none of them")]
    Overloaded,
}

/// Why what a subgraph sent is no answer to what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    #[error("it is no UTF-8")]
    NoUtf8,
    #[error("it is no JSON of a GraphQL answer")]
    NoJson,
    #[error("it has neither data nor errors")]
    Empty,
    #[error("it says something twice")]
    Twice,
    #[error("it was asked for {asked} entities and does not answer for as many")]
    Length { asked: usize },
    #[error("it does not answer what was asked")]
    Unfit,
    #[error("it lacks something that it was asked for, and says no error")]
    Lacking,
    #[error("what it says of an entity is no object of the type that it was asked for")]
    Entity,
}
