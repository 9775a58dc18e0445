//! The field whose value is the result of a statement of SQL.

use std::time::Instant;

use bytes::Bytes;
use clients::egress::EgressResponse;
use graphql::{ErrorCode, GraphQLError};
use http::HeaderMap;
use http_resolvers::{Inputs, STATEMENT};
use response::MemoryReservation;
use serde_json::Value;
use sources::RawStatementError;

use super::Worker;
use crate::caller::Caller;
use crate::respond::our_bug;

/// The member with the code of the database, as Prisma's clients expect it.
const CODE: &str = "code";

impl Worker {
    /// The result of a statement, as the answer of a server, with its memory.
    pub(super) async fn statement_result(
        &self,
        inputs: &Inputs,
        caller: &Caller,
        deadline: Option<Instant>,
    ) -> Result<(EgressResponse, MemoryReservation), GraphQLError> {
        let Some(statements) = &self.engine.raw_statements else {
            return Err(our_bug("statements cannot be executed"));
        };
        // Statements have the rights of the connection's user.
        if statements.ignores_roles() && caller.session.settings.is_some() {
            let message = "A statement has the rights of the connection's user, so a session with a \
                           role or settings of its own cannot execute one.";
            return Err(GraphQLError::new(ErrorCode::PermissionDenied, message));
        }
        let text = inputs.find(STATEMENT).and_then(Value::as_str).unwrap_or_default();
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let most = self.engine.limits.response_bytes;
        let result = statements.execute(text, left, most).await.map_err(|error| refused(&error))?;
        let mut held = MemoryReservation::of(&self.memory);
        if held.grow_to(result.len() as u64).is_err() {
            let message = "The statement is executed, and its result has more bytes than responses \
                           may take now.";
            return Err(GraphQLError::new(ErrorCode::ResponseMemoryExhausted, message));
        }
        let body = Bytes::from(result);
        Ok((EgressResponse { status: 200, headers: HeaderMap::new(), body }, held))
    }
}

/// The error of a statement. Who may send any statement may read the database's own message.
fn refused(error: &RawStatementError) -> GraphQLError {
    match error {
        RawStatementError::Refused { code, message } => {
            let error = GraphQLError::new(ErrorCode::StatementRefused, message.as_str());
            let members = [(CODE.into(), code.to_string().into())];
            GraphQLError { members: members.into(), ..error }
                .logged_as("The database refuses a statement.")
        }
        RawStatementError::TooLarge { most } => {
            let message = format!(
                "The statement is executed, and its result has more than {most} bytes; \
                 --max-response-size allows more."
            );
            GraphQLError::new(ErrorCode::ResponseTooLarge, message)
        }
        RawStatementError::Unreachable(reason) => {
            tracing::error!(reason, "a statement of a client cannot be executed");
            let message = "The database does not answer; the log of the server has the reason.";
            GraphQLError::new(ErrorCode::Unavailable, message)
        }
    }
}
