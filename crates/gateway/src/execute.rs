//! Execution of a query plan: subgraph responses are read into an arena, and the response is
//! written from it.
//!
//! There is no tree of JSON values in between. A leaf is a byte range of a subgraph response,
//! validated when it is read and copied when the response is written. A source in this process
//! sends no JSON but a recorded sequence of values, whose leaves are byte ranges as well. An
//! invalid subgraph response is rolled back as a whole.
//!
//! * [`run`]: the fetches of a plan, each as soon as its dependencies are complete;
//!   [`parts_progress`]: parts of the response
//! * [`represent`]: deduplicated representations of entities; [`reduce`]: fetches for entities that
//!   lack some inputs
//! * [`reuse`]: fetches answered from earlier responses of the same operation
//! * [`request`]: bodies of subgraph requests; [`contexts`]: context arguments
//! * [`receive`], [`response_body`], [`read`]: a subgraph response into the arena; [`copy`]: for all
//!   objects of one entity; [`duplicates`]: equal JSON objects are read once
//! * [`tokens`], [`json`], [`recorded`]: the two formats of subgraph responses
//! * [`subgraph_error`], [`map_errors`], [`cause`], [`path`]: errors, and the values that are null
//!   because of them
//! * [`source_stream`]: the request that begins the source stream of a subscription; [`event`]: a
//!   response made of an event of a broker
//! * [`write`](mod@write): the response; [`repeated`]: objects that occur in it several times;
//!   [`incremental`]: the payloads of a response in several parts

mod arena;
mod cause;
mod contexts;
mod copy;
mod duplicates;
mod errors;
mod event;
mod incremental;
mod json;
mod map_errors;
mod parts_progress;
mod path;
mod read;
mod receive;
mod recorded;
mod reduce;
mod repeated;
mod represent;
mod request;
mod response_body;
mod reuse;
mod run;
mod source_stream;
mod statistics;
mod subgraph_error;
mod tokens;
mod write;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use graphql::operation::{Operation, OperationKind};
use graphql::variables::Variables;
use response::{MemoryReservation, Recorded, Shape};

use crate::plan::{Document, FetchId, Plan};
pub use errors::{ErrorKind, Errors, ExecutionError, FetchError, InvalidResponse, Path, Step};
pub use event::EventError;
pub(crate) use event::write_event;
pub use incremental::{ErrorWriter, IncrementalFormat, PayloadInputs, PayloadWriter};
pub use run::{Executed, execute, execute_in_parts};
pub use source_stream::{SourceRequest, source_request};
pub use statistics::{ExecutionStatistics, FetchOutcome, FetchStatistics};
use supergraph::{SubgraphId, Supergraph};
pub use write::{Literals, write};

/// Inputs of an execution.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'r> {
    pub supergraph: &'r Supergraph,
    pub operation: &'r Operation,
    pub plan: &'r Plan,
    pub variables: &'r Variables,
}

/// Options of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether fetches are skipped for data that earlier responses contain, and equal JSON objects
    /// of one response are merged.
    pub reuse: bool,
    /// Maximum number of representations in one request; larger fetches are sent in batches.
    pub max_representations: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { reuse: true, max_representations: 10_000 }
    }
}

/// Transport of requests to subgraphs.
pub trait Subgraphs {
    /// Sends a request and returns its response.
    fn fetch(
        &self,
        request: FetchRequest<'_>,
    ) -> impl Future<Output = Result<FetchResponse, FetchError>>;
}

/// A request to a subgraph.
#[derive(Clone, Debug)]
pub struct FetchRequest<'a> {
    pub subgraph: SubgraphId,
    /// Only queries may be retried.
    pub kind: OperationKind,
    pub fetch: FetchId,
    pub document: &'a Document,
    /// JSON of the GraphQL request.
    pub body: Bytes,
    /// Details of a failure for the log, set by the transport.
    pub reason: &'a OnceCell<Box<str>>,
}

/// Response of a subgraph.
#[derive(Debug)]
pub struct FetchResponse {
    pub body: ResponseBody,
    /// Reserved memory of the response.
    pub held: MemoryReservation,
    pub caching: FetchCaching,
}

/// What a cache of responses had to do with a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchCaching {
    /// Number of entities, or of whole responses, that the cache had.
    pub hits: usize,
    /// Number of those that were fetched, though they may be kept.
    pub misses: usize,
    /// The time for which all of the response stays fresh; none if it may not be kept.
    pub fresh: Option<Duration>,
    /// Whether it is for one user alone.
    pub is_private: bool,
}

/// Body of a subgraph response.
#[derive(Debug)]
pub enum ResponseBody {
    /// JSON text of the response.
    Json(Bytes),
    /// Values recorded by a source in this process.
    Recorded(Box<RecordedResponse>),
}

/// Response of a source in this process.
#[derive(Debug)]
pub struct RecordedResponse {
    /// The shape that the values were recorded by; it holds the field names.
    pub shape: Arc<Shape>,
    pub data: Recorded,
    /// JSON of the `errors` list, if there are errors.
    pub errors: Option<Bytes>,
}

impl ResponseBody {
    /// Length in bytes, or what it would be as JSON.
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

impl FetchResponse {
    /// A response that is not kept.
    #[must_use]
    pub fn new(body: ResponseBody, held: MemoryReservation) -> Self {
        Self { body, held, caching: FetchCaching::default() }
    }
}

impl From<Bytes> for FetchResponse {
    fn from(body: Bytes) -> Self {
        Self::new(ResponseBody::Json(body), MemoryReservation::default())
    }
}
