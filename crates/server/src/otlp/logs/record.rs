//! The record of an event: <https://opentelemetry.io/docs/specs/otel/logs/data-model/>.

use std::fmt;
use std::time::SystemTime;

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, SeverityNumber};
use tracing::field::{Field, Visit};
use tracing::{Event, Level};

use crate::otlp::metrics::nanoseconds;
use crate::otlp::sender::{attribute, text_attribute};
use crate::request_id::RequestScope;

/// The name of the field with the message of an event.
const MESSAGE: &str = "message";

/// The fields of an event.
#[derive(Debug, Default)]
struct Fields {
    message: String,
    attributes: Vec<KeyValue>,
}

/// The record of an event, with the trace of its request.
pub(super) fn record(event: &Event<'_>) -> LogRecord {
    let mut fields = Fields::default();
    event.record(&mut fields);
    let Fields { message, mut attributes } = fields;
    let now = nanoseconds(SystemTime::now());
    let level = *event.metadata().level();
    let mut record = LogRecord {
        time_unix_nano: now,
        observed_time_unix_nano: now,
        severity_number: severity(level).into(),
        severity_text: level.as_str().into(),
        body: Some(AnyValue { value: Some(Value::StringValue(message)) }),
        ..LogRecord::default()
    };
    if let Some(scope) = RequestScope::current() {
        attributes.push(text_attribute("request_id", scope.id.as_str()));
        if let Some(trace) = scope.trace {
            record.trace_id = trace.id.to_be_bytes().into();
            record.span_id = trace.span.to_be_bytes().into();
            record.flags = trace.is_sampled.into();
        }
    }
    record.attributes = attributes;
    record
}

fn severity(level: Level) -> SeverityNumber {
    match level {
        Level::ERROR => SeverityNumber::Error,
        Level::WARN => SeverityNumber::Warn,
        Level::INFO => SeverityNumber::Info,
        Level::DEBUG => SeverityNumber::Debug,
        Level::TRACE => SeverityNumber::Trace,
    }
}

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            (MESSAGE, Value::StringValue(message)) => self.message = message,
            (name, value) => self.attributes.push(attribute(name, value)),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, Value::StringValue(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, Value::StringValue(value.into()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, Value::IntValue(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match i64::try_from(value) {
            Ok(value) => self.add(field, Value::IntValue(value)),
            Err(_) => self.add(field, Value::StringValue(value.to_string())),
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, Value::DoubleValue(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, Value::BoolValue(value));
    }
}
