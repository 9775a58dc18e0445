//! What is known of one request, for those who watch the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Report;
use engine::gateway::headers::Trace;
use engine::report::Planned;
use gateway::execute::ExecutionStatistics;
use graphql::ErrorCode;
use graphql::operation::OperationKind;
use hyper::{Method, StatusCode};
use opentelemetry::Context;

use super::respond::{Refusal, Response};
use super::route::HttpRequest;
use super::service::Service;
use super::settings::WatchSettings;
use super::timing::{SERVER_TIMING, server_timing};
use super::transport::Peer;
use crate::metrics::{Seen, Shard};
use crate::options::LoggedRequests;
use crate::request_id::RequestId;
use crate::traces::{Traced, Traces};

/// As much of the errors as a line of the log shows.
const LOGGED_BYTES: usize = 500;

/// As much of a name that the client chose.
const LOGGED_NAME_BYTES: usize = 100;

/// As much of each statement.
const LOGGED_STATEMENT_BYTES: usize = 4_000;

/// One request and its answer.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) started: Instant,
    pub(super) peer: Peer,
    pub(super) method: Method,
    pub(super) asked: Asked,
    /// The name that the request gives, which the document need not have. It is missing while
    /// the operation runs, when the document tells it.
    pub(super) operation_name: Option<String>,
    /// How far the request came in the engine.
    pub(super) report: Report,
    /// Why it did not come as far as the engine.
    pub(super) refusal: Option<Refusal>,
    /// The beginning of the errors that the engine refused it with.
    errors: Option<String>,
    /// Of the body, before it is compressed.
    pub(super) response_bytes: u64,
    /// How the answer ended, where it was sent while it was made.
    outcome: Option<Outcome>,
    watch: WatchSettings,
    shard: Option<Arc<Shard>>,
    /// Who is told of the request, as part of what its caller tells.
    traces: Option<(Arc<Traces>, Context)>,
    /// What subgraphs are told of that.
    trace: Option<Trace>,
    is_finished: bool,
}

/// How an answer ended that was sent while it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent,
    /// Something went wrong that could not be told any more.
    Broken,
    /// The client did not read it.
    Stalled,
    /// The client went away.
    Left,
}

/// What the request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    GraphQL,
    /// Probes ask every few seconds, and would fill the log.
    Health,
    Other,
}

impl Exchange {
    pub(super) fn new(service: &Service, peer: Peer, request: &HttpRequest, asked: Asked) -> Self {
        let traces = service.process.watchers.traces.as_ref().filter(|_| asked == Asked::GraphQL);
        let traces = traces.map(|known| (Arc::clone(known), Traces::parent(request.headers())));
        let tells_subgraphs = service.worker.read_headers().is_some();
        let trace = traces.as_ref().filter(|_| tells_subgraphs);
        let trace = trace.map(|(known, parent)| known.begin(parent));
        let mut report = Report::default();
        report.observed.wants_rounds = traces.is_some();
        if tells_subgraphs && (traces.is_some() || service.settings.watch.slow.is_some()) {
            report.fetches = ExecutionStatistics::timed();
        }
        let shard = service.shard.clone().filter(|_| asked == Asked::GraphQL);
        if let Some(shard) = &shard {
            shard.begin();
        }
        Self {
            started: Instant::now(),
            peer,
            method: request.method().clone(),
            asked,
            operation_name: None,
            report,
            refusal: None,
            errors: None,
            response_bytes: 0,
            outcome: None,
            watch: service.settings.watch,
            shard,
            traces,
            trace,
            is_finished: false,
        }
    }

    /// Where requests to subgraphs belong.
    pub(super) fn told_trace(&self) -> Option<Trace> {
        self.trace
    }

    /// Remembers what the engine said to a request that it did not execute.
    pub(super) fn refused(&mut self, body: &[u8]) {
        let without_values = self.report.refused.take();
        let body = without_values.as_deref().unwrap_or(body);
        let beginning = body.get(..LOGGED_BYTES).unwrap_or(body);
        self.errors = Some(String::from_utf8_lossy(beginning).into_owned());
    }

    /// Writes down how the request ended.
    pub(super) fn finish(&mut self, response: &mut Response) {
        let elapsed = self.started.elapsed();
        self.tell_time(response, elapsed);
        self.end_after(response.status(), elapsed);
    }

    /// Tells the client what the request took so far.
    pub(super) fn tell_timing(&self, response: &mut Response) {
        self.tell_time(response, self.started.elapsed());
    }

    fn tell_time(&self, response: &mut Response, elapsed: Duration) {
        if self.asked == Asked::GraphQL
            && self.watch.server_timing
            && let Some(timing) = server_timing(&self.report.stages, elapsed)
        {
            response.headers_mut().insert(SERVER_TIMING, timing);
        }
    }

    /// Remembers how an answer ended that was sent while it was made.
    pub(super) fn streamed(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// Writes down how the request ended whose status is known.
    pub(super) fn end(&mut self, status: StatusCode) {
        self.end_after(status, self.started.elapsed());
    }

    fn end_after(&mut self, status: StatusCode, elapsed: Duration) {
        self.is_finished = true;
        self.count(Some(status), elapsed);
        self.trace(Some(status), elapsed);
        self.log_request(Some(status), elapsed);
        self.log_slow(elapsed);
    }

    fn count(&self, status: Option<StatusCode>, elapsed: Duration) {
        let Some(shard) = &self.shard else { return };
        let refusal = self.refusal.as_ref().map(Refusal::code);
        let Self { report, response_bytes, .. } = self;
        let response_bytes = *response_bytes;
        shard.end(&Seen { status, elapsed, report, refusal, response_bytes });
    }

    fn trace(&self, status: Option<StatusCode>, elapsed: Duration) {
        let Some((traces, parent)) = &self.traces else { return };
        let id = RequestId::current();
        traces.tell(&Traced {
            parent,
            started: self.started,
            elapsed,
            method: &self.method,
            status,
            request_id: id.as_ref().map(RequestId::as_str),
            operation: self.operation(),
            codes: &self.distinct_codes(),
            report: &self.report,
            trace: self.trace,
        });
    }

    fn log_request(&self, status: Option<StatusCode>, elapsed: Duration) {
        let has_failed = self.refusal.is_some() || !self.report.codes.is_empty();
        let is_logged = match (self.watch.requests, self.asked) {
            (LoggedRequests::None, _) | (_, Asked::Health) => false,
            (LoggedRequests::Failed, Asked::GraphQL) => has_failed,
            (LoggedRequests::Failed, Asked::Other) => false,
            (LoggedRequests::All, Asked::GraphQL | Asked::Other) => true,
        };
        if !is_logged {
            return;
        }
        let Self { peer, method, .. } = self;
        let status = status.map(|status| status.as_u16());
        let operation = self.operation();
        let kind = self.kind();
        let codes = self.codes();
        let milliseconds = milliseconds(elapsed);
        // Of an answer that was sent while it was made: how much of it, and what became of it.
        let streamed = self.outcome.map(Outcome::name);
        let bytes = self.outcome.map(|_| self.response_bytes);
        if let Some(refusal) = &self.refusal {
            tracing::info!(
                %peer, %method, status, ?refusal, codes, milliseconds, "request refused"
            );
        } else if let Some(errors) = &self.errors {
            tracing::info!(
                %peer, %method, status, operation, codes, milliseconds, errors, "request refused"
            );
        } else if status.is_none() {
            tracing::info!(
                %peer, %method, operation, kind, milliseconds, streamed, bytes, "request abandoned"
            );
        } else if has_failed {
            tracing::info!(
                %peer, %method, status, operation, kind, codes, milliseconds, streamed, bytes,
                "request failed"
            );
        } else if self.asked == Asked::GraphQL {
            tracing::info!(
                %peer, %method, status, operation, kind, milliseconds, streamed, bytes,
                "request answered"
            );
        } else {
            tracing::info!(%peer, %method, status, milliseconds, "request answered");
        }
    }

    /// The statements have places for values, and so tell none.
    fn log_slow(&self, elapsed: Duration) {
        if self.asked != Asked::GraphQL || self.watch.slow.is_none_or(|slow| elapsed < slow) {
            return;
        }
        let operation = self.operation();
        let kind = self.kind();
        let codes = self.codes();
        let stages = self.report.stages;
        let [document, plan, execute, write] =
            [stages.document, stages.plan, stages.execute, stages.write]
                .map(|time| time.map(milliseconds));
        let statements = self.statements();
        let milliseconds = milliseconds(elapsed);
        tracing::warn!(
            operation,
            kind,
            codes,
            milliseconds,
            document,
            plan,
            execute,
            write,
            statements,
            "slow request"
        );
    }

    /// The name of the operation, or what the request gave as such.
    fn operation(&self) -> Option<&str> {
        let known =
            self.report.document.as_ref().and_then(|document| document.operation.name.as_deref());
        let name = known.or(self.operation_name.as_deref())?;
        Some(beginning(name, LOGGED_NAME_BYTES))
    }

    fn kind(&self) -> Option<&'static str> {
        self.report.operation.map(|kind| match kind {
            OperationKind::Query => "query",
            OperationKind::Mutation => "mutation",
            OperationKind::Subscription => "subscription",
        })
    }

    fn codes(&self) -> Option<String> {
        let codes = self.distinct_codes();
        (!codes.is_empty()).then(|| codes.join(","))
    }

    /// The codes of the errors, each once.
    fn distinct_codes(&self) -> Vec<&'static str> {
        let refusal = self.refusal.as_ref().map(Refusal::code);
        let mut codes = Vec::new();
        for code in refusal.iter().chain(&self.report.codes).copied().map(ErrorCode::as_str) {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes
    }

    fn statements(&self) -> Option<String> {
        if let Some(fetches) = self.fetches() {
            return Some(fetches);
        }
        let program = self.report.statements()?;
        let places = 0..program.places(&self.report.observed);
        let texts = places.filter_map(|place| program.text(place, &self.report.observed));
        let texts: Vec<_> =
            texts.map(|text| beginning(&text, LOGGED_STATEMENT_BYTES).to_owned()).collect();
        Some(texts.join("; "))
    }
}

impl Exchange {
    /// The requests to subgraphs: whose they are, and how long they took.
    fn fetches(&self) -> Option<String> {
        let Some(Planned::Gateway(prepared)) = &self.report.prepared else { return None };
        let seen = prepared.subgraphs.iter().zip(&self.report.fetches.fetches);
        let texts = seen.map(|(name, seen)| match seen.times {
            Some((from, to)) => {
                let took = milliseconds(to.saturating_duration_since(from));
                format!("{name} {took}")
            }
            None => format!("{name} -"),
        });
        Some(texts.collect::<Vec<_>>().join("; "))
    }
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Broken => "broken",
            Self::Stalled => "stalled",
            Self::Left => "left",
        }
    }
}

/// A client that does not wait for its answer ends its request here.
impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.is_finished {
            let elapsed = self.started.elapsed();
            self.count(None, elapsed);
            self.trace(None, elapsed);
            self.log_request(None, elapsed);
            self.log_slow(elapsed);
        }
    }
}

/// With as many digits as are of use.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1_000.0
}

/// As much of a text as these bytes hold.
pub(super) fn beginning(text: &str, most_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(most_bytes)]
}
