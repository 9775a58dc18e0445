//! Subgraphs in this process: sources whose APIs are subgraphs.
//!
//! One is asked with the same document and the same variables as over HTTP, and answers with the
//! same values, which the gateway takes as they are written: there is no socket between, and no JSON
//! of what objects and lists there are. Whoever asks the gateway asks it, so that policies, roles and
//! row level security decide as they do where the source is served by itself.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{ErrorKind, Shared};
use gateway::execute::{Answer, Ask, AskError, Body};
use graphql::{ErrorCode, GraphQLError, Request};
use response::Memory;
use source::Session;
use tokio::time::{Instant, timeout_at};

use super::Local;
use super::ask::told;
use crate::explain::Explained;
use crate::report::Report;
use crate::respond::Kind;
use crate::worker::Worker;

/// A source as one thread asks it.
#[derive(Debug)]
pub(super) struct LocalWorker {
    worker: Worker,
    timeout: Duration,
    /// A source that hangs must not hold all requests of the gateway, as a server must not.
    shared: Arc<Shared>,
}

impl LocalWorker {
    /// The source's answers take their memory from that of all. Databases are told how long they are
    /// waited for.
    pub(super) fn new(way: &Local, memory: &Arc<Memory>) -> Self {
        let worker = Worker::sharing(Arc::clone(&way.engine), Arc::clone(memory));
        let worker = worker.counted(way.connections.counter()).within(way.timeout);
        Self { worker, timeout: way.timeout, shared: Arc::clone(&way.shared) }
    }

    /// The same, which is waited for no longer than the request.
    pub(super) fn within(self, time_limit: Duration) -> Self {
        let Self { worker, timeout, shared } = self;
        let timeout = timeout.min(time_limit);
        Self { worker: worker.within(timeout), timeout, shared }
    }

    pub(super) fn close_old(&self) {
        self.worker.close_old_connections();
    }

    /// What becomes of a request in the source.
    pub(super) fn explain(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Explained, Vec<GraphQLError>> {
        self.worker.prepare_for(request, session, &mut Report::default())
    }

    /// The answer to the body of a request. What is wrong with the request alone is said in the
    /// answer, as servers do it. Dropping the future ends the statements in the source.
    pub(super) async fn ask(&self, ask: &Ask<'_>, session: &Session) -> Result<Answer, AskError> {
        let began = Instant::now();
        self.shared.begin();
        let result = self.ask_in_turn(ask, session, began + self.timeout).await;
        self.shared.end(began.elapsed(), result.as_ref().err().map(kind));
        result
    }

    /// Waits for a place among the requests to the source, and asks then.
    async fn ask_in_turn(
        &self,
        ask: &Ask<'_>,
        session: &Session,
        deadline: Instant,
    ) -> Result<Answer, AskError> {
        let place = self.shared.enter(deadline).await.map_err(|error| {
            drop(ask.reason.set(error.to_string().into()));
            told(&error)
        })?;
        let result = self.ask_in_time(ask, session, deadline).await;
        if let (Ok(_), Some(place)) = (&result, &place) {
            place.answered();
        }
        result
    }

    async fn ask_in_time(
        &self,
        ask: &Ask<'_>,
        session: &Session,
        deadline: Instant,
    ) -> Result<Answer, AskError> {
        // The log has it beside what the client is told.
        let because = |reason: String| drop(ask.reason.set(reason.into()));
        let request = Request::from_json(&ask.body).map_err(|error| {
            because(error.message);
            AskError::NotGraphQl
        })?;
        let mut report = Report::default();
        let answered = self.worker.record(&request, session, &mut report);
        let answered = timeout_at(deadline, answered).await.map_err(|_| {
            because(format!("the source has not answered within {:?}", self.timeout));
            AskError::Timeout
        })?;
        let answered = match answered {
            Ok((recording, held)) => {
                return Ok(Answer { body: Body::Recorded(Box::new(recording)), held });
            }
            Err(answered) => answered,
        };
        if matches!(answered.kind, Kind::Overloaded | Kind::MutationRefused) {
            because(String::from_utf8_lossy(&answered.body).into_owned());
        }
        match answered.kind {
            Kind::Executed | Kind::RequestError => {
                Ok(Answer { body: Body::Json(Bytes::from(answered.body)), held: answered.held })
            }
            Kind::Overloaded if report.codes.contains(&ErrorCode::ResponseMemoryExhausted) => {
                Err(AskError::MemoryExhausted)
            }
            Kind::Overloaded => Err(AskError::Unavailable),
            Kind::MutationRefused => Err(AskError::NotGraphQl),
        }
    }
}

/// The error as metrics name it.
fn kind(error: &AskError) -> ErrorKind {
    match error {
        AskError::Unavailable => ErrorKind::Unavailable,
        AskError::Timeout => ErrorKind::Timeout,
        AskError::TooLarge { .. } => ErrorKind::TooLarge,
        AskError::Status(_) => ErrorKind::Status,
        AskError::Broken | AskError::Closed => ErrorKind::Broken,
        AskError::NotGraphQl => ErrorKind::NotGraphQl,
        AskError::MemoryExhausted => ErrorKind::MemoryExhausted,
        AskError::BreakerOpen => ErrorKind::BreakerOpen,
        AskError::Overloaded => ErrorKind::Overloaded,
    }
}
