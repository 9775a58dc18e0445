//! What is known of one request, for the log.

use std::time::Instant;

use engine::Report;
use hyper::Method;

use super::respond::{Refusal, Response};
use super::transport::Peer;

/// As much of the errors as a line of the log shows.
const LOGGED_BYTES: usize = 500;

/// One request and its answer.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) started: Instant,
    pub(super) peer: Peer,
    pub(super) method: Method,
    pub(super) operation_name: Option<String>,
    /// How far the request came in the engine.
    pub(super) report: Report,
    /// Why it did not come as far as the engine.
    pub(super) refusal: Option<Refusal>,
    /// The beginning of the errors that the engine refused it with.
    errors: Option<String>,
}

impl Exchange {
    pub(super) fn new(peer: Peer, method: Method) -> Self {
        Self {
            started: Instant::now(),
            peer,
            method,
            operation_name: None,
            report: Report::default(),
            refusal: None,
            errors: None,
        }
    }

    /// Remembers what the engine said to a request that it did not execute.
    pub(super) fn refused(&mut self, body: &[u8]) {
        let beginning = body.get(..LOGGED_BYTES).unwrap_or(body);
        self.errors = Some(String::from_utf8_lossy(beginning).into_owned());
    }

    /// Writes down how the request ended.
    pub(super) fn finish(&self, response: &Response) {
        let Self { peer, method, .. } = self;
        let status = response.status().as_u16();
        let milliseconds = self.started.elapsed().as_millis();
        let operation = self.operation_name.as_deref().unwrap_or_default();
        if let Some(refusal) = &self.refusal {
            tracing::info!(%peer, %method, status, ?refusal, milliseconds, "request refused");
        } else if let Some(errors) = &self.errors {
            tracing::info!(
                %peer, %method, status, operation, milliseconds, %errors, "request refused"
            );
        }
    }
}
