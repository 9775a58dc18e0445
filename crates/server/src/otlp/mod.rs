//! Export to a collector of OpenTelemetry: <https://opentelemetry.io/docs/specs/otlp/>.
//!
//! * `signals`: traces, metrics and logs, with their addresses
//! * `client`: the HTTP client of the collector
//! * `sender`: sends the messages of metrics and logs
//! * `resource`: the attributes of the process
//! * `metrics`: the metrics of `/metrics`, in intervals
//! * `logs`: the records of the log
//!
//! Each signal has a thread of its own: a collector that is slow or away delays neither requests nor
//! the other signals. Spans are those of `traces`.

pub(crate) mod client;
mod error;
pub(crate) mod logs;
pub(crate) mod metrics;
mod resource;
mod sender;
mod signals;

pub(crate) use error::OtlpError;
pub(crate) use logs::{LogCounts, LogExporter, LogLayer};
pub(crate) use metrics::MetricExporter;
pub(crate) use resource::resource;
pub(crate) use signals::{Destinations, Signal, address};
