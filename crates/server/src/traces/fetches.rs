//! Spans of requests to subgraphs, by the semantic conventions for HTTP clients.
//!
//! Documents are left out, since they may contain values.

use engine::report::Planned;
use gateway::execute::FetchStatistics;
use gateway::plan::Fetch;
use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanKind, Status};

use super::ids;
use super::spans::{Part, TracedRequest};

impl TracedRequest<'_> {
    /// The fetches that were sent, in the order of the plan. One without a response lasts until the
    /// request was cancelled.
    pub(super) fn fetches(&self) -> Vec<Part> {
        let Some(Planned::Gateway(prepared)) = &self.report.prepared else { return Vec::new() };
        let fetches = prepared.plan.fetches.iter().zip(&self.report.fetches.fetches);
        let fetches = fetches.zip(&prepared.subgraphs).zip(0..);
        let parts = fetches.filter_map(|(((fetch, seen), name), number)| {
            let id = self.trace.map(|trace| ids::span_id(trace.span(number)));
            Some(Part { id, ..part(fetch, seen, name)? })
        });
        parts.collect()
    }
}

fn part(fetch: &Fetch, seen: &FetchStatistics, name: &str) -> Option<Part> {
    let (started, ended) = seen.times?;
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let mut attributes = vec![
        KeyValue::new("http.request.method", "POST"),
        KeyValue::new("thalweg.subgraph", name.to_owned()),
        KeyValue::new("http.request.body.size", count(seen.sent_bytes)),
        KeyValue::new("http.response.body.size", count(seen.received_bytes)),
    ];
    if !fetch.entities.is_empty() {
        attributes.push(KeyValue::new("thalweg.representations", count(seen.unique)));
        attributes.push(KeyValue::new("thalweg.representations.reused", count(seen.reused)));
    }
    let status = match seen.errors {
        0 => Status::Unset,
        _ => Status::error("the answer has errors, or is none"),
    };
    Some(Part {
        name: ["fetch ", name].concat().into(),
        kind: SpanKind::Client,
        started,
        elapsed: ended.saturating_duration_since(started),
        attributes,
        status,
        id: None,
    })
}
