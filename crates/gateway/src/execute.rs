//! Executing a plan: answers of subgraphs into one arena, and the arena into the answer.
//!
//! No tree of values stands in between: a leaf is a range of the bytes that a subgraph sent, checked
//! when they are read and copied when the answer is written. A source in this process sends no JSON,
//! but its values one after the other, of which leaves are ranges as well. Of an answer that is refused nothing is
//! used: what was read of it before its fault came is taken back.
//!
//! * [`run`]: the requests of a plan, each as soon as it can be sent
//! * [`represent`]: objects as representations, equal ones once; [`reduce`]: what is asked of those
//!   of which not all can be said
//! * [`store`]: what earlier requests were answered already
//! * [`request`]: what a subgraph is sent; [`told`]: what it is told of other objects
//! * [`answer`], [`read`]: its answer into the arena; [`copy`]: for all objects that it is for;
//!   [`alike`]: what of it is read once, for its text is equal
//! * [`feed`], [`json`], [`recorded`]: what answers are read from
//! * [`tell`], [`cause`], [`path`]: errors, and the values that are missing because of them
//! * [`write`](mod@write): the answer; [`written`]: what of it comes again

mod alike;
mod answer;
mod arena;
mod cause;
mod copy;
mod errors;
mod feed;
mod json;
mod observe;
mod path;
mod read;
mod recorded;
mod reduce;
mod represent;
mod request;
mod run;
mod store;
mod tell;
mod told;
mod write;
mod written;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use graphql::operation::{Operation, OperationKind};
use graphql::variables::Variables;
use response::{Held, Recorded, Shape};

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
    /// Whether a request is not sent for what this operation has been answered already, and objects
    /// with equal texts in one answer are one.
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
#[derive(Debug)]
pub struct Answer {
    pub body: Body,
    /// The memory that it takes.
    pub held: Held,
}

/// An answer, as whoever is asked gives it.
#[derive(Debug)]
pub enum Body {
    /// The JSON of a response.
    Json(Bytes),
    /// What a source in this process has written.
    Recorded(Box<Recording>),
}

/// The answer of a source in this process.
#[derive(Debug)]
pub struct Recording {
    /// What it was written by: it has the names of the fields.
    pub shape: Arc<Shape>,
    pub data: Recorded,
    /// The JSON of the list of errors, if there are some.
    pub errors: Option<Bytes>,
}

impl Body {
    /// How long it is, or would be as JSON.
    fn length(&self) -> usize {
        match self {
            Self::Json(bytes) => bytes.len(),
            Self::Recorded(recording) => {
                let data = usize::try_from(recording.data.length).unwrap_or(usize::MAX);
                data.saturating_add(recording.errors.as_ref().map_or(0, Bytes::len))
            }
        }
    }
}

impl From<Bytes> for Answer {
    fn from(body: Bytes) -> Self {
        Self { body: Body::Json(body), held: Held::default() }
    }
}
