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
        let errors: Vec<_> = errors.into_iter().map(|error| gateway.map_error(error)).collect();
        codes.extend(errors.iter().map(|error| error.code));
        body.extend_from_slice(b",\"errors\":");
        write_errors(&errors, &mut body);
    }
    if let Some(plan) = plan {
        let text = plan::print(&gateway.supergraph, plan);
        let extensions = serde_json::json!({ "plan": text });
        body.extend_from_slice(b",\"extensions\":");
        body.extend_from_slice(extensions.to_string().as_bytes());
    }
    body.push(b'}');
    Response { kind: Kind::Executed, body, held, rest: None }
}

/// Returns the response for data that did not fit the sink.
pub(super) fn too_large(full: &Full, kind: OperationKind, codes: &mut Vec<ErrorCode>) -> Response {
    match full {
        Full::TooLarge(error) if kind == OperationKind::Mutation => Response::changed(error, codes),
        Full::TooLarge(error @ TooLarge::Answer { .. }) => {
            let error = GraphQLError::new(ErrorCode::ResponseTooLarge, error.to_string());
            Response::without_data(&error, codes)
        }
        Full::TooLarge(TooLarge::Together(_)) => {
            let error = GraphQLError::new(ErrorCode::ResponseMemoryExhausted, NO_MEMORY);
            codes.push(error.code);
            Response { kind: Kind::Overloaded, ..Response::request_error(&[error]) }
        }
        // Responses of gateways are not streamed.
        Full::Refused(_) => Response::without_data(&our_bug("an answer was sent too early"), codes),
    }
}
