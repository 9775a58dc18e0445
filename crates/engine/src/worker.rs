//! What one thread needs to answer.

use std::sync::Arc;

use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Request, coerce_variable_values};
use response::Sink;
use sources::{Connections, Variables};

use crate::engine::Engine;
use crate::respond::{DATA, Kind, Response};

/// The most bytes one answer may have.
const RESPONSE_BYTES: u64 = 256 << 20;

/// Answers requests on one thread, with connections of its own.
#[derive(Debug)]
pub struct Worker {
    pub(crate) engine: Arc<Engine>,
    pub(crate) connections: Connections,
}

/// Which operations a request may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// None that changes anything: it came by GET, which is repeated at will.
    Queries,
    All,
}

impl Worker {
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Self {
        let connections = engine.source.connections(engine.connections);
        Self { engine, connections }
    }

    /// Answers one request: the whole road, a statement a stage.
    pub async fn execute(&self, request: &Request, allowed: Allowed) -> Response {
        let engine = &*self.engine;
        let document = match engine.document(request) {
            Ok(document) => document,
            Err(errors) => return Response::request_error(&errors),
        };
        let operation = &document.operation;
        if operation.kind != OperationKind::Query && allowed == Allowed::Queries {
            return refused();
        }
        let variables =
            match coerce_variable_values(&engine.api.schema, operation, &request.variables) {
                Ok(variables) => variables,
                Err(errors) => return Response::request_error(&errors),
            };
        let prepared = match engine.plan(&document, request.operation_name.as_deref(), &variables) {
            Ok(prepared) => prepared,
            Err(errors) => return Response::request_error(&errors),
        };
        let variables = Variables(&variables.values);
        let sink = Sink::new(DATA.to_vec(), RESPONSE_BYTES);
        match self.connections.execute(&prepared.plan, variables, sink).await {
            Ok(written) => Response::executed(written),
            Err(error) => Response::failed(error),
        }
    }
}

fn refused() -> Response {
    let error = GraphQLError::new(
        ErrorCode::MethodNotAllowed,
        "Only queries can be sent by GET; send a mutation by POST.",
    );
    Response { kind: Kind::MutationRefused, ..Response::request_error(&[error]) }
}
