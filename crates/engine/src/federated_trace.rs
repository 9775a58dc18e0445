//! Federated tracing: the trace that routers request of a subgraph, in `extensions.ftv1`.
//!
//! Routers request it by a header, and use it to count the used fields of the graph, their
//! durations and their failures. It is specified only by the messages `Trace` and `Trace.Node` of
//! Apollo's reports:
//! <https://github.com/apollographql/apollo-server/blob/main/packages/usage-reporting-protobuf/src/reports.proto>.
//!
//! * `fields`: the tree of selected fields, with the errors
//! * `message`: protocol buffers, as far as it needs them

mod fields;
mod message;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use graphql::schema::Schema;
use graphql::variables::Steering;
use graphql::{Request, coerce_variable_values};

use crate::engine::Engine;
use crate::report::Report;
use crate::respond::Response;
use fields::Fields;
use message::Message;

/// A request that is traced, at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    /// The wall clock, for comparison with other machines.
    clock: SystemTime,
    /// Start by the monotonic clock, since the system's clock may be set in between.
    started: Instant,
}

/// A time span, relative to the start of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: Duration,
    to: Duration,
}

impl Begun {
    pub(crate) fn now() -> Self {
        Self { clock: SystemTime::now(), started: Instant::now() }
    }

    /// Adds the trace to the whole answer.
    pub(crate) fn write(
        self,
        engine: &Engine,
        request: &Request,
        report: &Report,
        response: &mut Response,
    ) {
        // Only a whole answer ends with the brace of its object.
        if response.rest.is_some() {
            return;
        }
        let (mut fields, executed) = selected(engine, request, report);
        if !report.codes.is_empty() {
            fields.add_errors(&response.body);
        }
        let mut body = Vec::from(std::mem::take(&mut response.body));
        body.pop_if(|last| *last == b'}');
        let trace = self.message(&fields, &engine.api.schema, executed, self.started.elapsed());
        body.extend_from_slice(b",\"extensions\":{\"ftv1\":\"");
        body.extend_from_slice(STANDARD.encode(trace.bytes()).as_bytes());
        body.extend_from_slice(b"\"}}");
        response.body = body.into();
    }

    /// The message `Trace`.
    fn message(self, fields: &Fields<'_>, schema: &Schema, at: Span, took: Duration) -> Message {
        let mut trace = Message::default();
        trace.put_message(3, &timestamp(self.clock + took));
        trace.put_message(4, &timestamp(self.clock));
        trace.put_number(11, nanoseconds(took));
        trace.put_message(14, &fields.message(schema, at));
        // `field_execution_weight`: number of requests that the trace represents.
        trace.put_double(31, 1.0);
        trace
    }
}

/// The fields of a request that was executed, and when that was; without them, it came no further.
fn selected<'r>(engine: &Engine, request: &Request, report: &'r Report) -> (Fields<'r>, Span) {
    let stages = report.stages;
    let from = [stages.document, stages.plan].into_iter().flatten().sum();
    let took: Duration = [stages.execute, stages.write].into_iter().flatten().sum();
    let executed = Span { from, to: from + took };
    let document = report.document.as_ref().filter(|_| stages.execute.is_some());
    let fields = document.and_then(|document| {
        let operation = &document.operation;
        let variables =
            coerce_variable_values(&engine.api.schema, operation, &request.variables).ok()?;
        let most = engine.limits.document.fields;
        Some(Fields::of(operation, &Steering::new(&variables), most))
    });
    (fields.unwrap_or_default(), executed)
}

/// `google.protobuf.Timestamp`.
fn timestamp(time: SystemTime) -> Message {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut timestamp = Message::default();
    timestamp.put_number(1, since.as_secs());
    timestamp.put_number(2, since.subsec_nanos().into());
    timestamp
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
