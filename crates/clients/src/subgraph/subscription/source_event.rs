//! Events of a source stream, and reasons why it does not begin.

use bytes::Bytes;
use hyper::StatusCode;

use super::super::request::SubgraphError;
use super::message::errors_response;

/// An event of a source stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SourceEvent {
    /// A GraphQL response, as JSON text.
    Response(Bytes),
    /// The last event: a response with the errors of an operation that was not executed.
    Errors(Bytes),
    /// The last event.
    Complete,
}

/// Reason why a source stream is not open.
#[derive(Clone, Debug)]
pub(super) enum OpenError {
    /// The subgraph refuses the subscription, or its client: another attempt does not help. A
    /// response with the errors.
    Refused(Bytes),
    Failed(SubgraphError),
}

impl OpenError {
    /// A refusal with this reason.
    pub(super) fn refused(reason: &str) -> Self {
        Self::Refused(errors_response(reason))
    }
}

impl From<SubgraphError> for OpenError {
    fn from(error: SubgraphError) -> Self {
        Self::Failed(error)
    }
}

/// Whether a status refuses the request, so that another attempt does not help.
pub(super) fn is_refusal(status: StatusCode) -> bool {
    let later = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS];
    status.is_client_error() && !later.contains(&status)
}
