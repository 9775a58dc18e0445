//! What one thread needs to answer.

use std::sync::Arc;

use crate::engine::Engine;
use crate::response::{Kind, Response};

/// Answers requests on one thread, with connections of its own.
#[derive(Debug)]
pub struct Worker {
    engine: Arc<Engine>,
}

impl Worker {
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Self {
        Self { engine }
    }

    /// Answers one request. `mutations` says whether the request may change anything: it may not
    /// where it came by GET.
    pub async fn execute(&self, request: &graphql::Request, mutations: bool) -> Response {
        let _ = (&self.engine, request, mutations);
        Response { kind: Kind::RequestError, body: Vec::new() }
    }

    /// The request tree, the statements with their parameters, and with `analyze` the database's
    /// own plan with figures, as text.
    pub async fn explain(
        &self,
        request: &graphql::Request,
        analyze: bool,
    ) -> Result<String, graphql::GraphQLError> {
        let _ = (request, analyze);
        Ok(String::new())
    }
}
