//! Subgraphs in this process: sources whose APIs are subgraphs.
//!
//! One is asked with the same document and the same variables as over HTTP, and answers with the
//! same bytes, without a socket between. Whoever asks the gateway asks it, so that policies, roles
//! and row level security decide as they do where the source is served by itself.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway::execute::{Answer, AskError};
use graphql::Request;
use response::Memory;
use sources::Session;

use crate::engine::Engine;
use crate::report::Report;
use crate::respond::Kind;
use crate::worker::{Allowed, Delivery, Worker};

/// A source that one thread asks.
#[derive(Debug)]
pub(super) struct Local(Worker);

impl Local {
    /// The source's answers take their memory from that of all.
    pub(super) fn new(engine: &Arc<Engine>, memory: &Arc<Memory>) -> Self {
        Self(Worker::sharing(Arc::clone(engine), Arc::clone(memory)))
    }

    pub(super) fn within(self, time_limit: Duration) -> Self {
        Self(self.0.within(time_limit))
    }

    pub(super) fn close_old(&self) {
        self.0.close_old_connections();
    }

    /// The answer to the body of a request. What is wrong with the request alone is said in the
    /// answer, as servers do it.
    pub(super) async fn ask(&self, body: &[u8], session: &Session) -> Result<Answer, AskError> {
        let request = Request::from_json(body).map_err(|error| {
            tracing::error!(%error.message, "a source in this process was asked for nothing");
            AskError::NotGraphQl
        })?;
        let (delivery, mut report) = (Delivery::Whole, Report::default());
        let answered =
            self.0.deliver_reported(&request, session, Allowed::All, delivery, &mut report).await;
        match answered.kind {
            Kind::Executed | Kind::RequestError => {
                Ok(Answer { body: Bytes::from(answered.body), held: answered.held })
            }
            Kind::Overloaded => Err(AskError::MemoryExhausted),
            Kind::MutationRefused => Err(AskError::NotGraphQl),
        }
    }
}
