//! Ids of traces and spans: random, except for those that were sent to another server before the
//! span exists.
//!
//! The library draws the id of a span when the span is made, which is after the request has ended;
//! another server gets the id with its request.

use std::cell::Cell;

use engine::gateway::headers::Trace;
use hyper::header::HeaderMap;
use opentelemetry::trace::{SpanId, SpanKind, TraceContextExt, TraceId};
use opentelemetry::{Context, TraceFlags};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SamplingDecision, ShouldSample};

use super::exporter::Traces;
use crate::request_id::RequestTrace;

thread_local! {
    /// The ids of the next span of this thread.
    static NEXT: Cell<(Option<TraceId>, Option<SpanId>)> = const { Cell::new((None, None)) };
}

/// Generates random ids, or returns the preset ones.
#[derive(Debug, Default)]
pub(super) struct Ids(RandomIdGenerator);

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        let (trace, _) = NEXT.get();
        trace.unwrap_or_else(|| self.0.new_trace_id())
    }

    fn new_span_id(&self) -> SpanId {
        let (_, span) = NEXT.get();
        span.unwrap_or_else(|| self.0.new_span_id())
    }
}

/// Makes a span with these ids, unless it inherits its parent's.
pub(super) fn with_ids<T>(
    trace: Option<TraceId>,
    span: Option<SpanId>,
    make: impl FnOnce() -> T,
) -> T {
    NEXT.set((trace, span));
    let made = make();
    NEXT.set((None, None));
    made
}

impl Traces {
    /// The trace context of a request: the caller's, or a new one.
    pub(crate) fn begin(&self, parent: &Context) -> Trace {
        let ids = RandomIdGenerator::default();
        let drawn = u64::from_be_bytes(ids.new_span_id().to_bytes());
        let caller = parent.span();
        let caller = caller.span_context();
        if caller.is_valid() {
            let id = u128::from_be_bytes(caller.trace_id().to_bytes());
            return Trace::new(id, drawn, caller.trace_flags() == TraceFlags::SAMPLED);
        }
        let id = ids.new_trace_id();
        // The decision depends on the id alone, and so is the same for the spans later.
        let sampled = self.sampler.should_sample(Some(parent), id, "", &SpanKind::Server, &[], &[]);
        let is_sampled = matches!(sampled.decision, SamplingDecision::RecordAndSample);
        Trace::new(u128::from_be_bytes(id.to_bytes()), drawn, is_sampled)
    }
}

impl Traces {
    /// The caller's span, if it sent one.
    pub(crate) fn caller(headers: &HeaderMap) -> Option<RequestTrace> {
        let parent = Self::parent(headers);
        let caller = parent.span();
        let caller = caller.span_context();
        caller.is_valid().then(|| RequestTrace {
            id: u128::from_be_bytes(caller.trace_id().to_bytes()),
            span: u64::from_be_bytes(caller.span_id().to_bytes()),
            is_sampled: caller.is_sampled(),
        })
    }
}

/// Converts to the library's type.
pub(super) fn trace_id(trace: Trace) -> TraceId {
    TraceId::from_bytes(trace.id.to_be_bytes())
}

pub(super) fn span_id(id: u64) -> SpanId {
    SpanId::from_bytes(id.to_be_bytes())
}
