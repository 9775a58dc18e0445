//! Record of one request and its response: source of its log lines, metrics and trace.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Report;
use engine::gateway::headers::Trace;
use engine::report::Planned;
use gateway::execute::ExecutionStatistics;
use graphql::ErrorCode;
use graphql::operation::OperationKind;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, StatusCode, Version};
use opentelemetry::Context;

use super::client_address::ClientAddress;
use super::connection_context::ConnectionContext;
use super::rate_limits::Counted;
use super::refusal::Refusal;

use super::service::Service;
use super::settings::LoggingSettings;
use super::timing::{SERVER_TIMING, server_timing};
use super::transport::Peer;
use crate::metrics::{CompletedRequest, RunningGuard, Shard};
use crate::options::LoggedRequests;
use crate::request_id::{RequestId, RequestScope, RequestTrace};
use crate::traces::{TracedRequest, Traces, version_number};
use crate::usage::{RecordedRequest, Recorder};

/// The number of bytes of errors that a log line shows.
const LOGGED_BYTES: usize = 500;

/// The number of bytes of a name from the client that a log line shows.
const LOGGED_NAME_BYTES: usize = 100;

/// The number of bytes of each statement that a log line shows.
const LOGGED_STATEMENT_BYTES: usize = 4_000;

pub(super) type HttpRequest = hyper::Request<Incoming>;

/// A request and its response.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) started: Instant,
    pub(super) peer: Peer,
    /// The client, behind proxies, too.
    pub(super) client_address: ClientAddress,
    /// The rate limits that counted the operation.
    pub(super) counted: Vec<Counted>,
    pub(super) method: Method,
    /// The version of HTTP.
    version: Version,
    pub(super) target: Target,
    /// The operation name of the request, which the document need not have. It is missing while the
    /// operation runs; the document has it then.
    pub(super) operation_name: Option<String>,
    /// The name and the version of the client, if it sends them.
    client: [Option<Box<str>>; 2],
    /// The engine's report.
    pub(super) report: Report,
    /// The reason why the request did not reach the engine.
    pub(super) refusal: Option<Refusal>,
    /// The beginning of the request errors of the engine.
    errors: Option<String>,
    /// Size of the body before compression.
    pub(super) response_bytes: u64,
    /// The end of a response that was streamed.
    outcome: Option<Outcome>,
    logging: LoggingSettings,
    shard: Option<Arc<Shard>>,
    /// Lists the request while it runs.
    running: Option<RunningGuard>,
    /// The recorder of the usage of the schema; none for a batch, whose requests are recorded one by
    /// one.
    recorder: Option<Rc<Recorder>>,
    /// The exporter of traces, with the trace context of the request's headers.
    traces: Option<(Arc<Traces>, Context)>,
    /// The trace context that requests to other servers carry.
    trace: Option<Trace>,
    is_finished: bool,
}

/// The end of a streamed response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent,
    /// An error that could not be reported in the response.
    Broken,
    /// The client did not read in time.
    Stalled,
    /// The client disconnected.
    Left,
}

/// The target of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    GraphQL,
    /// The handshake of a WebSocket; its operations have records of their own.
    Handshake,
    /// A request of the single connection mode; its operations have records of their own.
    SingleStream,
    /// A request of the Model Context Protocol; its operations have records of their own.
    Mcp,
    /// Probes, which are not logged: they come every few seconds.
    Health,
    /// A message of a subgraph to the callback endpoint.
    Callback,
    Other,
}

/// Beginnings of headers with the name and the version of a client: Apollo's and Hive's.
const CLIENT_HEADERS: [&str; 3] = ["apollographql", "graphql", "x-graphql"];

/// The name and the version of a client. One pass over the headers: most requests have neither.
fn client(headers: &HeaderMap) -> [Option<Box<str>>; 2] {
    let mut client = [None, None];
    for (name, value) in headers {
        let (begin, of) = match name.as_str().rsplit_once("-client-") {
            Some((begin, "name")) => (begin, 0),
            Some((begin, "version")) => (begin, 1),
            Some(_) | None => continue,
        };
        if CLIENT_HEADERS.contains(&begin)
            && let Ok(value) = value.to_str()
        {
            client[of] = Some(beginning(value, LOGGED_NAME_BYTES).into());
        }
    }
    client
}

/// The span that records of the log belong to: that of the request, or that of its caller if the server
/// sends no traces.
fn record_trace(trace: Option<Trace>, headers: &HeaderMap) -> Option<RequestTrace> {
    match trace {
        Some(trace) => {
            let Trace { id, is_sampled, .. } = trace;
            Some(RequestTrace { id, span: trace.root(), is_sampled })
        }
        None => Traces::caller(headers),
    }
}

impl Exchange {
    pub(super) fn new(
        service: &Service,
        peer: Peer,
        request: &HttpRequest,
        target: Target,
    ) -> Self {
        let proxies = &service.settings.trusted_proxies;
        let address = ClientAddress::find(proxies, peer, request.headers());
        let head = (request.method(), request.version());
        Self::begin(service, (peer, address), head, request.headers(), target)
    }

    /// The record of an operation over a WebSocket or a shared stream, which a GET began.
    pub(super) fn of_socket(service: &Service, context: &ConnectionContext) -> Self {
        let head = (&Method::GET, context.version);
        Self::begin(service, context.socket_client(), head, &HeaderMap::new(), Target::GraphQL)
    }

    /// The record of an operation that a tool executes, which the headers of its request belong to.
    pub(super) fn of_tool(service: &Service, call: &Self, headers: &HeaderMap) -> Self {
        let client = (call.peer, call.client_address);
        Self::begin(service, client, (&Method::POST, call.version), headers, Target::GraphQL)
    }

    fn begin(
        service: &Service,
        (peer, client_address): (Peer, ClientAddress),
        (method, version): (&Method, Version),
        headers: &HeaderMap,
        target: Target,
    ) -> Self {
        let traces =
            service.process.telemetry.traces.as_ref().filter(|_| target == Target::GraphQL);
        let traces = traces.map(|known| (Arc::clone(known), Traces::parent(headers)));
        let sends_requests = service.worker.read_headers().is_some();
        let exports_log = service.process.telemetry.logs.is_some() && target == Target::GraphQL;
        let trace = traces.as_ref().filter(|_| sends_requests || exports_log);
        let trace = trace.map(|(known, parent)| known.begin(parent));
        if exports_log && let Some(trace) = record_trace(trace, headers) {
            RequestScope::set_trace(trace);
        }
        let mut report = Report::default();
        report.observed.wants_rounds = traces.is_some();
        if sends_requests && (traces.is_some() || service.settings.logging.slow.is_some()) {
            report.fetches = ExecutionStatistics::timed();
        }
        let shard = service.shard.clone().filter(|_| target == Target::GraphQL);
        if let Some(shard) = &shard {
            shard.begin();
        }
        let running = shard.as_ref().map(|shard| {
            let progress = Arc::clone(report.progress.insert(Arc::default()));
            shard.list(progress)
        });
        let recorder = service.recorder.clone().filter(|_| target == Target::GraphQL);
        Self {
            started: Instant::now(),
            peer,
            client_address,
            counted: Vec::new(),
            method: method.clone(),
            version,
            target,
            operation_name: None,
            client: match (service.settings.logging.requests, target) {
                (LoggedRequests::None, Target::GraphQL) if recorder.is_none() => [None, None],
                (
                    LoggedRequests::None | LoggedRequests::Failed | LoggedRequests::All,
                    Target::GraphQL,
                ) => client(headers),
                (LoggedRequests::None | LoggedRequests::Failed | LoggedRequests::All, _) => {
                    [None, None]
                }
            },
            report,
            refusal: None,
            errors: None,
            response_bytes: 0,
            outcome: None,
            logging: service.settings.logging,
            shard,
            running,
            recorder,
            traces,
            trace,
            is_finished: false,
        }
    }

    /// The trace context for requests to other servers.
    pub(super) fn trace_context(&self) -> Option<Trace> {
        self.trace
    }

    /// Records the request errors of an operation that was not executed.
    pub(super) fn record_errors(&mut self, body: &[u8]) {
        let without_values = self.report.refused.take();
        let body = without_values.as_deref().unwrap_or(body);
        let beginning = body.get(..LOGGED_BYTES).unwrap_or(body);
        self.errors = Some(String::from_utf8_lossy(beginning).into_owned());
    }

    /// Ends the record, and adds the `Server-Timing` header.
    pub(super) fn finish(&mut self, status: StatusCode, headers: &mut HeaderMap) {
        let elapsed = self.started.elapsed();
        self.add_timing_of(headers, elapsed);
        self.end_after(status, elapsed);
    }

    /// Adds the `Server-Timing` header of the time so far.
    pub(super) fn add_timing(&self, headers: &mut HeaderMap) {
        self.add_timing_of(headers, self.started.elapsed());
    }

    fn add_timing_of(&self, headers: &mut HeaderMap, elapsed: Duration) {
        if self.target == Target::GraphQL
            && self.logging.server_timing
            && let Some(timing) = server_timing(&self.report.stages, elapsed)
        {
            headers.insert(SERVER_TIMING, timing);
        }
    }

    /// Records the end of a streamed response.
    pub(super) fn record_outcome(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// Ends the record of a response whose status was sent.
    pub(super) fn end(&mut self, status: StatusCode) {
        self.end_after(status, self.started.elapsed());
    }

    fn end_after(&mut self, status: StatusCode, elapsed: Duration) {
        self.is_finished = true;
        self.running = None;
        self.count(Some(status), elapsed);
        self.record_usage(&self.report, Some(status), elapsed);
        self.trace(Some(status), elapsed);
        self.log_request(Some(status), elapsed);
        self.log_cost();
        self.log_slow(elapsed);
    }

    fn count(&self, status: Option<StatusCode>, elapsed: Duration) {
        let Some(shard) = &self.shard else { return };
        let refusal = self.refusal.as_ref().map(Refusal::code);
        let Self { report, response_bytes, .. } = self;
        let response_bytes = *response_bytes;
        shard.end(&CompletedRequest { status, elapsed, report, refusal, response_bytes });
    }

    /// Records the usage of the schema by the requests of a batch.
    pub(super) fn record_batch<'r>(&mut self, reports: impl Iterator<Item = &'r Report>) {
        let elapsed = self.started.elapsed();
        reports.for_each(|report| self.record_usage(report, Some(StatusCode::OK), elapsed));
        self.recorder = None;
    }

    fn record_usage(&self, report: &Report, status: Option<StatusCode>, elapsed: Duration) {
        let (Some(recorder), Some(document)) = (&self.recorder, &report.document) else { return };
        let is_answered = status.is_some_and(|status| status.is_success());
        let client = self.client.each_ref().map(Option::as_deref);
        let errors = report.codes.len();
        recorder.record(&RecordedRequest { document, client, elapsed, errors, is_answered });
    }

    fn trace(&self, status: Option<StatusCode>, elapsed: Duration) {
        let Some((traces, parent)) = &self.traces else { return };
        let id = RequestId::current();
        traces.export(&TracedRequest {
            parent,
            started: self.started,
            elapsed,
            method: &self.method,
            version: self.version,
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
        let is_logged = match (self.logging.requests, self.target) {
            (LoggedRequests::None, _) | (_, Target::Health) => false,
            (
                LoggedRequests::Failed,
                Target::GraphQL | Target::Handshake | Target::SingleStream | Target::Mcp,
            ) => has_failed,
            // The next message after the end of a subscription is refused, which ends it there.
            (LoggedRequests::Failed, Target::Callback | Target::Other) => false,
            (
                LoggedRequests::All,
                Target::GraphQL
                | Target::Handshake
                | Target::SingleStream
                | Target::Mcp
                | Target::Callback
                | Target::Other,
            ) => true,
        };
        if !is_logged {
            return;
        }
        let Self { peer, method, .. } = self;
        let version = version_number(self.version);
        let address = self.client_address.behind(self.peer).map(|address| address.to_string());
        let address = address.as_deref();
        let status = status.map(|status| status.as_u16());
        let operation = self.operation();
        let kind = self.kind();
        let codes = self.codes();
        let [client, client_version] = self.client.each_ref().map(Option::as_deref);
        let milliseconds = milliseconds(elapsed);
        // For a streamed response: its end, and the size of what was sent.
        let streamed = self.outcome.map(Outcome::name);
        let bytes = self.outcome.map(|_| self.response_bytes);
        if let Some(refusal) = &self.refusal {
            tracing::info!(
                %peer, address, %method, version, status, ?refusal, codes, milliseconds, "request refused"
            );
        } else if let Some(errors) = &self.errors {
            tracing::info!(
                %peer, address, %method, version, status, operation, client, client_version, codes, milliseconds, errors,
                "request refused"
            );
        } else if status.is_none() {
            tracing::info!(
                %peer, address, %method, version, operation, kind, milliseconds, streamed, bytes, "request abandoned"
            );
        } else if has_failed {
            tracing::info!(
                %peer, address, %method, version, status, operation, kind, client, client_version, codes, milliseconds,
                streamed, bytes, "request failed"
            );
        } else if self.target == Target::GraphQL {
            tracing::info!(
                %peer, address, %method, version, status, operation, kind, client, client_version, milliseconds,
                streamed, bytes, "request answered"
            );
        } else {
            tracing::info!(%peer, address, %method, version, status, milliseconds, "request answered");
        }
    }

    /// Logs a slow request. Its statements have placeholders, so that no values are logged.
    fn log_slow(&self, elapsed: Duration) {
        if self.target != Target::GraphQL || self.logging.slow.is_none_or(|slow| elapsed < slow) {
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
        let replica = self.report.observed.replica.as_deref();
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
            replica,
            "slow request"
        );
    }

    /// Logs an operation that costs more than is allowed, but is not refused.
    fn log_cost(&self) {
        let (Some(most), Some(cost)) = (self.logging.high_cost, self.report.cost) else { return };
        if cost > most {
            let operation = self.operation();
            let [client, client_version] = self.client.each_ref().map(Option::as_deref);
            tracing::warn!(
                operation,
                client,
                client_version,
                cost,
                most,
                "an operation costs more than --max-cost; it is executed, as --cost-mode says"
            );
        }
    }

    /// The name of the operation, from the document or else from the request.
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

    /// The distinct error codes.
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
        Some(texts.into_iter().chain(self.calls()).collect::<Vec<_>>().join("; "))
    }
}

impl Exchange {
    /// The requests to subgraphs, with their durations.
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

    /// The custom fields, each with the duration of its slowest request.
    fn calls(&self) -> Vec<String> {
        let mut slowest: Vec<(String, Duration)> = Vec::new();
        for call in self.report.calls.ended() {
            let (name, took) =
                (call.resolver.name(), call.ended.saturating_duration_since(call.started));
            match slowest.iter_mut().find(|(known, _)| *known == name) {
                Some((_, time)) => *time = took.max(*time),
                None => slowest.push((name, took)),
            }
        }
        slowest.iter().map(|(name, took)| format!("{name} {}", milliseconds(*took))).collect()
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

/// Ends the record of a request whose client disconnected.
impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.is_finished {
            let elapsed = self.started.elapsed();
            self.count(None, elapsed);
            self.record_usage(&self.report, None, elapsed);
            self.trace(None, elapsed);
            self.log_request(None, elapsed);
            self.log_slow(elapsed);
        }
    }
}

/// Milliseconds, to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1_000.0
}

/// The beginning of a text, of at most so many bytes.
pub(super) fn beginning(text: &str, most_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(most_bytes)]
}
