//! Spans of one request, by the semantic conventions for HTTP servers, GraphQL servers and database
//! clients: <https://opentelemetry.io/docs/specs/semconv/>.
//!
//! Statements have placeholders instead of values; documents are left out, since they may contain
//! values.

use std::borrow::Cow;
use std::time::{Duration, Instant, SystemTime};

use engine::Report;
use engine::gateway::headers::Trace;
use graphql::operation::OperationKind;
use hyper::header::HeaderMap;
use hyper::{Method, StatusCode, Version};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Span, SpanId, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use source::Round;
use sources::Plan;

use super::exporter::Traces;
use super::ids;

/// A completed request.
#[derive(Debug)]
pub(crate) struct TracedRequest<'r> {
    /// The trace context of the caller, if it sent one.
    pub(crate) parent: &'r Context,
    pub(crate) started: Instant,
    pub(crate) elapsed: Duration,
    pub(crate) method: &'r Method,
    pub(crate) version: Version,
    /// None if the client disconnected before the response.
    pub(crate) status: Option<StatusCode>,
    pub(crate) request_id: Option<&'r str>,
    pub(crate) operation: Option<&'r str>,
    pub(crate) codes: &'r [&'static str],
    pub(crate) report: &'r Report,
    /// The trace context that other servers have received.
    pub(crate) trace: Option<Trace>,
}

/// Converts an instant to system time.
#[derive(Clone, Copy, Debug)]
struct Clock {
    instant: Instant,
    time: SystemTime,
}

/// A part of a request with a span of its own.
pub(super) struct Part {
    pub(super) name: Cow<'static, str>,
    pub(super) kind: SpanKind,
    pub(super) started: Instant,
    pub(super) elapsed: Duration,
    pub(super) attributes: Vec<KeyValue>,
    pub(super) status: Status,
    /// The id, if it was sent to another server before.
    pub(super) id: Option<SpanId>,
}

impl Traces {
    /// The caller's span: <https://www.w3.org/TR/trace-context/>.
    pub(crate) fn parent(headers: &HeaderMap) -> Context {
        let extractor = HeaderExtractor(headers);
        TraceContextPropagator::new().extract_with_context(&Context::new(), &extractor)
    }

    /// Exports a request, if it is sampled.
    pub(crate) fn export(&self, traced: &TracedRequest<'_>) {
        let now = Instant::now();
        let clock = Clock { instant: now, time: SystemTime::now() };
        let begun = traced.trace.map(ids::trace_id);
        let root = traced.trace.map(|trace| ids::span_id(trace.root()));
        let request = || self.export_part(clock, traced.parent, traced.request());
        let Some(request) = ids::with_ids(begun, root, request) else { return };
        let Some(operation) = traced.graphql() else { return };
        let Some(operation) = self.export_part(clock, &request, operation) else { return };
        for (name, started, elapsed) in traced.stages() {
            let stage = Part::internal(name, started, elapsed);
            let Some(stage) = self.export_part(clock, &operation, stage) else { continue };
            if name == "execute" {
                for round in &traced.report.observed.rounds {
                    self.export_part(clock, &stage, traced.round(round, started + elapsed));
                }
                for request in traced.fetches().into_iter().chain(traced.calls()) {
                    self.export_part(clock, &stage, request);
                }
            }
        }
    }

    /// The context of inner spans, if this one is sampled.
    fn export_part(&self, clock: Clock, parent: &Context, part: Part) -> Option<Context> {
        let builder = self
            .tracer
            .span_builder(part.name)
            .with_kind(part.kind)
            .with_start_time(clock.at(part.started))
            .with_attributes(part.attributes);
        let start = || builder.start_with_context(&self.tracer, parent);
        let mut span = match part.id {
            Some(id) => ids::with_ids(None, Some(id), start),
            None => start(),
        };
        if !span.is_recording() {
            return None;
        }
        span.set_status(part.status);
        let context = parent.with_remote_span_context(span.span_context().clone());
        span.end_with_timestamp(clock.at(part.started + part.elapsed));
        Some(context)
    }
}

impl TracedRequest<'_> {
    /// The HTTP span.
    fn request(&self) -> Part {
        let name = match *self.method {
            Method::GET => "GET /graphql",
            Method::HEAD => "HEAD /graphql",
            Method::POST => "POST /graphql",
            _ => "HTTP /graphql",
        };
        let mut attributes = vec![
            KeyValue::new("http.request.method", self.method_name()),
            KeyValue::new("http.route", "/graphql"),
            KeyValue::new("url.path", "/graphql"),
            KeyValue::new("network.protocol.version", version_number(self.version)),
        ];
        if let Some(id) = self.request_id {
            attributes.push(KeyValue::new("thalweg.request_id", id.to_owned()));
        }
        let status = match self.status {
            Some(status) => {
                let number = i64::from(status.as_u16());
                attributes.push(KeyValue::new("http.response.status_code", number));
                if status.is_server_error() {
                    attributes.push(KeyValue::new("error.type", number.to_string()));
                    Status::error("")
                } else {
                    Status::Unset
                }
            }
            None => {
                attributes.push(KeyValue::new("error.type", "abandoned"));
                Status::error("the client went away")
            }
        };
        let Self { started, elapsed, .. } = *self;
        let name = name.into();
        Part { name, kind: SpanKind::Server, started, elapsed, attributes, status, id: None }
    }

    /// Other methods are replaced by a placeholder: clients may send any text.
    fn method_name(&self) -> &'static str {
        match *self.method {
            Method::GET => "GET",
            Method::HEAD => "HEAD",
            Method::POST => "POST",
            _ => "_OTHER",
        }
    }

    /// The GraphQL span: none if the request did not reach the engine.
    fn graphql(&self) -> Option<Part> {
        let started = self.report.started?;
        let elapsed = (self.started + self.elapsed).saturating_duration_since(started);
        let kind = self.report.operation.map(|kind| match kind {
            OperationKind::Query => "query",
            OperationKind::Mutation => "mutation",
            OperationKind::Subscription => "subscription",
        });
        let mut attributes = Vec::new();
        if let Some(kind) = kind {
            attributes.push(KeyValue::new("graphql.operation.type", kind));
        }
        if let Some(name) = self.operation {
            attributes.push(KeyValue::new("graphql.operation.name", name.to_owned()));
        }
        let status = match self.codes {
            [] => Status::Unset,
            [first, ..] => {
                attributes.push(KeyValue::new("error.type", *first));
                Status::error(self.codes.join(","))
            }
        };
        // Names from clients would have too high a cardinality for the name of a span.
        let name = kind.unwrap_or("GraphQL Operation").into();
        let kind = SpanKind::Internal;
        Some(Part { name, kind, started, elapsed, attributes, status, id: None })
    }

    /// The stages, one after the other.
    fn stages(&self) -> Vec<(&'static str, Instant, Duration)> {
        let stages = &self.report.stages;
        let taken = [
            ("document", stages.document),
            ("plan", stages.plan),
            ("execute", stages.execute),
            ("write", stages.write),
        ];
        let Some(mut started) = self.report.started else { return Vec::new() };
        let mut placed = Vec::with_capacity(taken.len());
        for (name, elapsed) in taken {
            let Some(elapsed) = elapsed else { continue };
            placed.push((name, started, elapsed));
            started += elapsed;
        }
        placed
    }

    /// Statements that were sent together.
    fn round(&self, round: &Round, ended: Instant) -> Part {
        let Round { started, elapsed, .. } = *round;
        let program = self.report.statements();
        let system = program.map_or("postgresql", Plan::system);
        let text = |level: &usize| program?.text(*level, &self.report.observed);
        let texts: Vec<_> = round.levels.iter().filter_map(text).collect();
        // A statement begins with its operation; one of a graph may begin with its language.
        let first = texts.first().map(|text| text.strip_prefix("CYPHER 5 ").unwrap_or(text));
        let first = first.and_then(|text| text.split(' ').next()).unwrap_or_default();
        let operation = if texts.len() > 1 { ["BATCH ", first].concat() } else { first.to_owned() };
        let mut attributes = vec![
            KeyValue::new("db.system.name", system),
            // The name of the attribute before the conventions were stable.
            KeyValue::new("db.system", system),
            KeyValue::new("db.operation.name", operation.clone()),
            KeyValue::new("db.query.text", texts.join("; ")),
        ];
        if texts.len() > 1 {
            let size = i64::try_from(texts.len()).unwrap_or(i64::MAX);
            attributes.push(KeyValue::new("db.operation.batch.size", size));
        }
        let (elapsed, status) = match elapsed {
            Some(elapsed) => (elapsed, Status::Unset),
            None => {
                let elapsed = ended.saturating_duration_since(started);
                (elapsed, Status::error("failed or given up"))
            }
        };
        let name = operation.into();
        Part { name, kind: SpanKind::Client, started, elapsed, attributes, status, id: None }
    }
}

impl Part {
    fn internal(name: &'static str, started: Instant, elapsed: Duration) -> Self {
        let (kind, status) = (SpanKind::Internal, Status::Unset);
        let name = name.into();
        Self { name, kind, started, elapsed, attributes: Vec::new(), status, id: None }
    }
}

impl Clock {
    fn at(self, instant: Instant) -> SystemTime {
        match instant.checked_duration_since(self.instant) {
            Some(later) => self.time + later,
            None => self.time - self.instant.duration_since(instant),
        }
    }
}

/// The number of a version of HTTP.
pub(crate) fn version_number(version: Version) -> &'static str {
    match version {
        Version::HTTP_2 => "2",
        Version::HTTP_10 => "1.0",
        _ => "1.1",
    }
}
