//! Export of OpenTelemetry traces: <https://opentelemetry.io/docs/specs/otlp/>.
//!
//! * `exporter`: a bounded queue and a batch processor, with the client of `otlp`
//! * `spans`: spans of one request
//! * `fetches`: spans of its requests to subgraphs
//! * `calls`: spans of its requests of custom fields
//! * `ids`: ids of spans, known before the spans exist
//!
//! Spans are made from the report after a request has ended, so requests that are not sampled cost
//! nothing but their time stamps.

mod calls;
mod exporter;
mod fetches;
mod ids;
mod spans;

pub(crate) use exporter::Traces;
pub(crate) use spans::{TracedRequest, version_number};
