//! The end of an answer of a supergraph.

use gateway::execute::ExecutionError;
use graphql::{ErrorCode, GraphQLError};
use response::Held;

use super::Gateway;
use crate::respond::{Kind, NO_MEMORY, Response, write_errors};

/// The response whose `data` is written.
pub(super) fn complete(
    gateway: &Gateway,
    mut body: Vec<u8>,
    errors: Vec<ExecutionError>,
    mut held: Held,
    codes: &mut Vec<ErrorCode>,
) -> Response {
    let most = gateway.limits().response_bytes;
    if body.len() as u64 > most {
        let message = format!("The answer has more than {most} bytes, which are allowed.");
        return Response::without_data(
            &GraphQLError::new(ErrorCode::ResponseTooLarge, message),
            codes,
        );
    }
    if held.grow_to(body.len() as u64).is_err() {
        let error = GraphQLError::new(ErrorCode::ResponseMemoryExhausted, NO_MEMORY);
        codes.push(error.code);
        return Response { kind: Kind::Overloaded, ..Response::request_error(&[error]) };
    }
    if !errors.is_empty() {
        let errors: Vec<_> = errors.into_iter().map(|error| gateway.tell(error)).collect();
        codes.extend(errors.iter().map(|error| error.code));
        body.extend_from_slice(b",\"errors\":");
        write_errors(&errors, &mut body);
    }
    body.push(b'}');
    Response { kind: Kind::Executed, body, held, rest: None }
}
