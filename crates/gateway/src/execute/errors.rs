//! Execution errors, and limits for their number.

use graphql::operation::{Location, OperationKind};
use graphql::schema::TypeId;

use super::cause::Cause;
use supergraph::SubgraphId;

/// Maximum number of reported errors; further ones are only counted.
const MAX_REPORTED: usize = 100;

/// Errors of an execution.
#[derive(Debug, Default)]
pub struct Errors {
    list: Vec<ExecutionError>,
    /// Number of errors beyond the limit.
    more: usize,
    /// Causes of missing values.
    pub(super) causes: Vec<Cause>,
    /// Number of values that do not have their type; each is reported where the response has null
    /// instead.
    wrong: usize,
    /// Number of lists of errors that were taken.
    pub(super) payload: u32,
}

impl Errors {
    pub(super) fn push(&mut self, error: ExecutionError) {
        if self.list.len() < MAX_REPORTED {
            self.list.push(error);
        } else {
            self.more += 1;
        }
    }

    /// Number of reported and of counted errors.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.list.len(), self.more)
    }

    /// Removes the errors since a mark.
    pub(super) fn roll_back(&mut self, (list, more): (usize, usize)) {
        self.list.truncate(list);
        self.more = more;
        // Causes count their places anew.
        self.payload += 1;
    }

    /// Counts errors that are not reported.
    pub(super) fn count(&mut self, more: usize) {
        self.more = self.more.saturating_add(more);
    }

    /// Counts values that do not have their type.
    pub(super) fn count_wrong_values(&mut self, wrong: usize) {
        self.wrong += wrong;
    }

    /// Number of errors so far, including causes that are not reported yet.
    pub(super) fn len(&self) -> usize {
        let known = self.causes.len().saturating_add(self.wrong);
        self.list.len().saturating_add(self.more).saturating_add(known)
    }

    /// Takes the errors, with one that counts the unreported ones.
    #[must_use]
    pub fn take_list(&mut self) -> Vec<ExecutionError> {
        let (mut list, more) = (std::mem::take(&mut self.list), std::mem::take(&mut self.more));
        self.payload += 1;
        if more > 0 {
            let kind = ErrorKind::More { count: more };
            list.push(ExecutionError { kind, path: Vec::new(), location: None });
        }
        list
    }
}

/// An execution error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionError {
    pub kind: ErrorKind,
    /// Response path; empty if the error is about the whole response.
    pub path: Path,
    /// Location of its field in the document.
    pub location: Option<Location>,
}

/// A response path. It may go beyond a null that the error caused.
pub type Path = Vec<Step>;

/// A segment of a response path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(Box<str>),
    Index(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An error of the subgraph; its message is not for clients.
    Subgraph {
        subgraph: SubgraphId,
        message: Box<str>,
        /// Its `extensions`, as validated JSON.
        extensions: Option<Box<str>>,
    },
    /// The fetch failed: there is no response.
    FetchFailed {
        subgraph: SubgraphId,
        /// For a mutation it is unknown whether it was executed.
        kind: OperationKind,
        why: FetchError,
        /// Details for the log, not for clients.
        reason: Option<Box<str>>,
    },
    /// The response of the subgraph does not fit the request.
    InvalidResponse { subgraph: SubgraphId, why: InvalidResponse },
    /// A non-null value is missing, and no other error explains it.
    Null { parent: TypeId, field: Box<str> },
    /// No subgraph was asked for a value, or none knows its object.
    Missing { parent: TypeId, field: Box<str> },
    /// The client is not authorized to read the field, and no subgraph was asked for it.
    Denied { parent: TypeId, field: Box<str> },
    /// A value does not have its type.
    Value { field: Box<str> },
    /// Number of errors that are not reported.
    More { count: usize },
}

/// Reason why a subgraph request has no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("it cannot be reached")]
    Unavailable,
    #[error("it did not respond in time")]
    Timeout,
    #[error("its response is longer than {most} bytes")]
    TooLarge { most: u64 },
    #[error("it responded with status {0}")]
    Status(u16),
    #[error("it closed the connection before its response was complete")]
    Broken,
    #[error("it closed the connection without a response")]
    Closed,
    #[error("its response is not GraphQL over HTTP")]
    NotGraphQl,
    #[error("its response exceeds the memory limit")]
    MemoryExhausted,
    #[error("its circuit breaker is open after too many failures")]
    BreakerOpen,
    #[error("its limit of concurrent requests is reached, and it does not respond")]
    Overloaded,
}

/// Reason why a subgraph response is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidResponse {
    #[error("its response is not UTF-8")]
    InvalidUtf8,
    #[error("its response is not the JSON of a GraphQL response")]
    InvalidJson,
    #[error("its response has neither data nor errors")]
    Empty,
    #[error("its response has a member twice")]
    DuplicateMember,
    #[error("its response does not have the {expected} requested entities")]
    Length { expected: usize },
    #[error("its response does not have the form of the request")]
    Mismatch,
    #[error("its response lacks a selected field and has no error for it")]
    MissingMember,
    #[error("an entity in its response is not an object of the requested type")]
    Entity,
}
