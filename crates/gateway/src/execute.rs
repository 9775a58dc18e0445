//! Executing a plan: answers of subgraphs into one arena, and the arena into the answer.
//!
//! No tree of values stands in between: a leaf is a range of the bytes that a subgraph sent, checked
//! when they are read and copied when the answer is written.

mod arena;
mod json;
mod read;
mod represent;
mod run;
mod store;
mod write;

#[cfg(test)]
mod tests;

use std::future::Future;

use bytes::Bytes;
use graphql::operation::Location;
use graphql::schema::TypeId;

use crate::supergraph::SubgraphId;
pub use run::{Executed, Options, execute};
pub use write::write;

/// Whoever carries requests to subgraphs.
pub trait Subgraphs {
    /// Sends a request, the JSON of a GraphQL request; the body of the answer.
    fn ask(
        &self,
        subgraph: SubgraphId,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Bytes, AskError>>;
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
}

/// Something that went wrong, where it stands in the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionError {
    pub kind: ErrorKind,
    pub path: Vec<Step>,
}

/// One step of a path in the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(Box<str>),
    Index(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The subgraph told an error; its words are not for clients.
    Subgraph { subgraph: SubgraphId, message: Box<str> },
    /// The subgraph did not answer.
    NotAnswered { subgraph: SubgraphId, why: AskError },
    /// What the subgraph sent is no answer to what was asked.
    Invalid { subgraph: SubgraphId, why: Box<str> },
    /// A value that may not be null is not there, and no other error says why.
    Null { parent: TypeId, field: Box<str> },
    /// The caller may not read it, and nobody was asked for it.
    Denied { parent: TypeId, field: Box<str>, location: Location },
    /// A value is not of its type.
    Value { field: Box<str> },
}
