//! Source stream of a subscription: <https://spec.graphql.org/draft/#sec-Source-Stream>.
//!
//! An event is the response to the first fetch of the plan; the other fetches are sent as for a
//! query. So each event is one execution of the plan, whose first fetch the transport answers with
//! the event.

use bytes::Bytes;
use graphql::operation::OperationKind;

use super::Inputs;
use super::request::{Batch, FetchInputs, body};
use crate::plan::FetchId;
use supergraph::SubgraphId;

/// The request that begins a source stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRequest {
    pub subgraph: SubgraphId,
    pub fetch: FetchId,
    /// JSON of the GraphQL request.
    pub body: Bytes,
}

/// Returns the request that begins the source stream of a subscription; `None` if the client is not
/// authorized for its root field.
#[must_use]
pub fn source_request(inputs: Inputs<'_>) -> Option<SourceRequest> {
    let mut fetches = inputs.plan.fetches.iter().enumerate();
    let (place, fetch) = fetches.find(|(_, fetch)| fetch.kind == OperationKind::Subscription)?;
    let (fetch_inputs, batch) = (FetchInputs::default(), Batch::default());
    let body = body(inputs, fetch, &fetch.document, &fetch_inputs, &batch);
    let (subgraph, fetch) = (fetch.subgraph, FetchId::new(place));
    Some(SourceRequest { subgraph, fetch, body: body.into() })
}
