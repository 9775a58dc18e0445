//! Executing a plan: answers of subgraphs into one arena, and the arena into the answer.
//!
//! No tree of values stands in between: a leaf is a range of the bytes that a subgraph sent, checked
//! when they are read and copied when the answer is written. Of an answer that is refused nothing is
//! used: what was read of it before its fault came is taken back.
//!
//! * [`run`]: the requests of a plan, each as soon as it can be sent
//! * [`represent`]: objects as representations, equal ones once
//! * [`store`]: what earlier requests were answered already
//! * [`request`]: what a subgraph is sent; [`told`]: what it is told of other objects
//! * [`answer`], [`read`], [`json`]: its answer into the arena; [`copy`]: for all objects that it is for
//! * [`tell`], [`path`], [`needed`]: errors, where they stand in the client's answer
//! * [`write`](mod@write): the answer

mod answer;
mod arena;
mod copy;
mod errors;
mod json;
mod needed;
mod observe;
mod path;
mod read;
mod represent;
mod request;
mod run;
mod store;
mod tell;
mod told;
mod write;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::future::Future;

use bytes::Bytes;
use graphql::operation::{Operation, OperationKind};
use graphql::variables::Variables;
use response::Held;

use crate::plan::{Document, FetchId, Plan};
use crate::supergraph::{SubgraphId, Supergraph};
pub use errors::{AskError, ErrorKind, Errors, ExecutionError, Invalid, Path, Step};
pub use observe::{Fate, FetchSeen, Observed};
pub use run::{Executed, execute};
pub use write::{Literals, write};

/// What is executed.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'r> {
    pub supergraph: &'r Supergraph,
    pub operation: &'r Operation,
    pub plan: &'r Plan,
    pub variables: &'r Variables,
}

/// How plans are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether a request is not sent for what this operation has been answered already.
    pub reuse: bool,
    /// How many representations one request says; what has more is sent as several.
    pub max_representations: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { reuse: true, max_representations: 10_000 }
    }
}

/// Whoever carries requests to subgraphs.
pub trait Subgraphs {
    /// Sends a request; its answer.
    fn ask(&self, ask: Ask<'_>) -> impl Future<Output = Result<Answer, AskError>>;
}

/// What a subgraph is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    pub subgraph: SubgraphId,
    /// A query may be sent again.
    pub kind: OperationKind,
    pub fetch: FetchId,
    pub document: &'a Document,
    /// The JSON of a GraphQL request.
    pub body: Bytes,
    /// Where the carrier may say more about why there is no answer; it is for the log only.
    pub reason: &'a OnceCell<Box<str>>,
}

/// What a subgraph answered.
#[derive(Debug, Default)]
pub struct Answer {
    pub body: Bytes,
    /// The memory that it takes.
    pub held: Held,
}

impl From<Bytes> for Answer {
    fn from(body: Bytes) -> Self {
        Self { body, held: Held::default() }
    }
}
