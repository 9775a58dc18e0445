//! Spans of requests of custom fields, by the semantic conventions for HTTP clients.
//!
//! URLs and bodies are left out, since they may contain values.

use clients::egress::Outcome;
use engine::resolvers::statistics::CallStatistics;
use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanKind, Status};

use super::ids;
use super::spans::{Part, TracedRequest};

impl TracedRequest<'_> {
    /// The requests of custom fields, in the order of their ends.
    pub(super) fn calls(&self) -> Vec<Part> {
        let ended = self.report.calls.ended();
        let parts = ended.iter().map(|seen| {
            let id = self.trace.map(|trace| ids::span_id(trace.span(seen.number)));
            Part { id, ..part(seen) }
        });
        parts.collect()
    }
}

fn part(seen: &CallStatistics) -> Part {
    let CallStatistics { resolver, started, ended, outcome, .. } = seen;
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let name = resolver.name();
    let mut attributes = vec![
        KeyValue::new("http.request.method", resolver.method.to_string()),
        KeyValue::new("server.address", resolver.url.host().to_owned()),
        KeyValue::new("thalweg.field", name.clone()),
        KeyValue::new("http.request.body.size", count(seen.sent_bytes)),
        KeyValue::new("http.response.body.size", count(seen.received_bytes)),
    ];
    if let Some(status) = seen.status {
        attributes.push(KeyValue::new("http.response.status_code", i64::from(status)));
    }
    if resolver.is_batch {
        attributes.push(KeyValue::new("thalweg.objects", count(seen.objects)));
    }
    let status = match outcome {
        Outcome::Answered => Status::Unset,
        failure => {
            attributes.push(KeyValue::new("error.type", failure.as_str()));
            Status::error(failure.as_str())
        }
    };
    Part {
        name: ["call ", &*name].concat().into(),
        kind: SpanKind::Client,
        started: *started,
        elapsed: ended.saturating_duration_since(*started),
        attributes,
        status,
        id: None,
    }
}
