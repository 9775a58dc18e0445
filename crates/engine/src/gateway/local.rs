//! Subgraphs in this process: sources whose APIs are subgraphs.
//!
//! A source receives the same document and variables as over HTTP and returns the same values, as
//! recorded tokens instead of JSON, without a socket. It runs with the session of the gateway's
//! client, so that policies, roles and row-level security apply as if the source was served alone.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{ErrorKind, Shared};
use gateway::execute::{FetchError, FetchRequest, FetchResponse, ResponseBody};
use graphql::{ErrorCode, GraphQLError, Request};
use response::MemoryBudget;
use source::Session;
use tokio::time::{Instant, timeout_at};

use super::transport::without_details;
use super::{Caller, Local};
use crate::explain::Explained;
use crate::live::{Begun, Driver};
use crate::report::Report;
use crate::respond::{Kind, Response};
use crate::worker::Worker;

/// A source as used by one thread.
#[derive(Debug)]
pub(super) struct LocalWorker {
    worker: Worker,
    timeout: Duration,
    /// State with the bulkhead: a source that hangs must not hold all requests of the gateway.
    shared: Arc<Shared>,
}

impl LocalWorker {
    /// Creates the worker; its responses use the shared memory budget, and its timeout is the
    /// statement timeout of the database.
    pub(super) fn new(transport: &Local, memory: &Arc<MemoryBudget>) -> Self {
        let worker = Worker::sharing(Arc::clone(&transport.engine), Arc::clone(memory));
        let worker = worker.counted(transport.connections.counter()).within(transport.timeout);
        Self { worker, timeout: transport.timeout, shared: Arc::clone(&transport.shared) }
    }

    /// Limits the time of a request, if that is shorter than the timeout.
    pub(super) fn within(self, time_limit: Duration) -> Self {
        let Self { worker, timeout, shared } = self;
        let timeout = timeout.min(time_limit);
        Self { worker: worker.within(timeout), timeout, shared }
    }

    pub(super) fn close_idle(&self) {
        self.worker.close_old_connections();
    }

    /// Returns the statements of a request.
    pub(super) fn explain(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Explained, Vec<GraphQLError>> {
        self.worker.prepare_for(request, session, &mut Report::default())
    }

    /// Begins a subscription. The error is a finished response.
    pub(super) fn subscribe(&self, body: &[u8], session: &Session) -> Result<Begun, Response> {
        let request = Request::from_json(body);
        let request = request.map_err(|error| Response::request_error(&[error]))?;
        let caller = Caller { session: session.clone(), ..Caller::default() };
        self.worker.subscribe(&request, &caller)
    }

    /// Executes a subscription until it has no subscribers.
    pub(super) async fn drive(&self, driver: Driver) {
        self.worker.drive(driver).await;
    }

    /// Executes a request body. Request errors are part of the response, as over HTTP. Dropping the
    /// future cancels the statements.
    pub(super) async fn execute(
        &self,
        request: &FetchRequest<'_>,
        session: &Session,
    ) -> Result<FetchResponse, FetchError> {
        let began = Instant::now();
        self.shared.begin();
        let result = self.execute_with_bulkhead(request, session, began + self.timeout).await;
        self.shared.end(began.elapsed(), result.as_ref().err().map(kind));
        result
    }

    /// Waits for a slot of the bulkhead, then executes the request.
    async fn execute_with_bulkhead(
        &self,
        request: &FetchRequest<'_>,
        session: &Session,
        deadline: Instant,
    ) -> Result<FetchResponse, FetchError> {
        let permit = self.shared.acquire(deadline).await.map_err(|error| {
            drop(request.reason.set(error.to_string().into()));
            without_details(&error)
        })?;
        let result = self.execute_within_timeout(request, session, deadline).await;
        if let (Ok(_), Some(permit)) = (&result, &permit) {
            permit.record_response();
        }
        result
    }

    async fn execute_within_timeout(
        &self,
        request: &FetchRequest<'_>,
        session: &Session,
        deadline: Instant,
    ) -> Result<FetchResponse, FetchError> {
        // Details for the log, which clients do not see.
        let because = |reason: String| drop(request.reason.set(reason.into()));
        let graphql = Request::from_json(&request.body).map_err(|error| {
            because(error.message);
            FetchError::NotGraphQl
        })?;
        let mut report = Report::default();
        let response = self.worker.record(&graphql, session, &mut report);
        let response = timeout_at(deadline, response).await.map_err(|_| {
            because(format!("the source did not respond within {:?}", self.timeout));
            FetchError::Timeout
        })?;
        let response = match response {
            Ok((recording, held)) => {
                let body = ResponseBody::Recorded(Box::new(recording));
                return Ok(FetchResponse::new(body, held));
            }
            Err(response) => response,
        };
        if matches!(response.kind, Kind::Overloaded | Kind::MutationRefused) {
            because(String::from_utf8_lossy(&response.body).into_owned());
        }
        match response.kind {
            Kind::Executed | Kind::RequestError => {
                let body = ResponseBody::Json(Bytes::from(response.body));
                Ok(FetchResponse::new(body, response.held))
            }
            Kind::Overloaded if report.codes.contains(&ErrorCode::ResponseMemoryExhausted) => {
                Err(FetchError::MemoryExhausted)
            }
            Kind::Overloaded => Err(FetchError::Unavailable),
            Kind::MutationRefused => Err(FetchError::NotGraphQl),
        }
    }
}

/// Label of the error in metrics.
pub(super) fn kind(error: &FetchError) -> ErrorKind {
    match error {
        FetchError::Unavailable => ErrorKind::Unavailable,
        FetchError::Timeout => ErrorKind::Timeout,
        FetchError::TooLarge { .. } => ErrorKind::TooLarge,
        FetchError::Status(_) => ErrorKind::Status,
        FetchError::Broken | FetchError::Closed => ErrorKind::Broken,
        FetchError::NotGraphQl => ErrorKind::NotGraphQl,
        FetchError::MemoryExhausted => ErrorKind::MemoryExhausted,
        FetchError::BreakerOpen => ErrorKind::BreakerOpen,
        FetchError::Overloaded => ErrorKind::Overloaded,
    }
}
