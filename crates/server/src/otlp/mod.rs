//! Export to a collector of OpenTelemetry: <https://opentelemetry.io/docs/specs/otlp/>.
//!
//! * `client`: the HTTP client of the collector
//! * `sender`: sends the messages of metrics and logs, and checks the variables of all signals
//! * `resource`: the attributes of the process
//! * `metrics`: the metrics of `/metrics`, in intervals
//! * `logs`: the records of the log
//!
//! Each signal has a thread of its own: a collector that is slow or away delays neither requests nor
//! the other signals. Spans are those of `traces`.

pub(crate) mod client;
pub(crate) mod logs;
pub(crate) mod metrics;
mod resource;
pub(crate) mod sender;

pub(crate) use logs::{LogExporter, LogLayer};
pub(crate) use metrics::{MetricExporter, offer, push};
pub(crate) use resource::resource;
