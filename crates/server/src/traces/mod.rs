//! What happened to requests, told to a collector: <https://opentelemetry.io/docs/specs/otlp/>.
//!
//! * `exporter`: the queue, and who is told
//! * `client`: the way to the collector
//! * `spans`: what is told of one request
//! * `fetches`: what is told of its requests to subgraphs
//! * `ids`: spans that others knew before they were told
//!
//! Spans are made when a request has ended, of what its report says, so that requests that are
//! not sampled cost nothing but their times.

mod client;
mod exporter;
mod fetches;
mod ids;
mod spans;

pub(crate) use exporter::{Traces, TracesError};
pub(crate) use spans::Traced;
