//! Completion of a gateway response behind its `data`.

use ::gateway::execute::ExecutionError;
use ::gateway::plan::{self, Plan};
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError};
use response::sink::Full;
use response::{Sink, TooLarge};

use super::Gateway;
use crate::respond::{Kind, NO_MEMORY, Response, our_bug, write_errors};

/// Adds errors and extensions to the written data.
pub(super) fn complete(
    gateway: &Gateway,
    sink: Sink,
    errors: Vec<ExecutionError>,
    plan: Option<&Plan>,
    codes: &mut Vec<ErrorCode>,
) -> Response {
    let (mut body, held) = sink.into_parts();
    if !errors.is_empty() {
        body.extend_from_slice(b",\"errors\":");
        write_list(gateway, errors, &mut body, codes);
    }
    if let Some(plan) = plan {
        body.extend_from_slice(b",\"extensions\":");
        body.extend_from_slice(extensions(gateway, plan).as_bytes());
    }
    body.push(b'}');
    Response::complete(body, held)
}

/// Writes a list of errors.
pub(super) fn write_list(
    gateway: &Gateway,
    errors: Vec<ExecutionError>,
    body: &mut Vec<u8>,
    codes: &mut Vec<ErrorCode>,
) {
    let errors: Vec<_> = errors.into_iter().map(|error| gateway.map_error(error)).collect();
    codes.extend(errors.iter().map(|error| error.code));
    write_errors(&errors, body);
}

/// Returns the extensions of a response with its plan.
pub(super) fn extensions(gateway: &Gateway, plan: &Plan) -> String {
    let text = plan::print(&gateway.supergraph, plan);
    serde_json::json!({ "plan": text }).to_string()
}

/// Returns the response for data that did not fit the sink.
pub(super) fn too_large(full: &Full, kind: OperationKind, codes: &mut Vec<ErrorCode>) -> Response {
    match full {
        Full::TooLarge(error) if kind == OperationKind::Mutation => Response::changed(error, codes),
        Full::TooLarge(TooLarge::Together(_)) => {
            let error = full_error(full);
            codes.push(error.code);
            Response { kind: Kind::Overloaded, ..Response::request_error(&[error]) }
        }
        Full::TooLarge(TooLarge::Answer { .. }) | Full::Refused(_) => {
            Response::without_data(&full_error(full), codes)
        }
    }
}

/// Returns the error of data that did not fit the sink.
pub(super) fn full_error(full: &Full) -> GraphQLError {
    match full {
        Full::TooLarge(error @ TooLarge::Answer { .. }) => {
            GraphQLError::new(ErrorCode::ResponseTooLarge, error.to_string())
        }
        Full::TooLarge(TooLarge::Together(_)) => {
            GraphQLError::new(ErrorCode::ResponseMemoryExhausted, NO_MEMORY)
        }
        // Responses of gateways are not streamed.
        Full::Refused(_) => our_bug("an answer was sent too early"),
    }
}
