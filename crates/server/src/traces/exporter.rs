//! The exporter: a bounded queue and a batch processor.

use std::env;
use std::io;
use std::time::Duration;

use clients::connect::ConnectError;
use hyper::Uri;
use hyper::http::uri::Scheme;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{Key, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};

use super::client::Client;
use super::ids::Ids;
use crate::failure::Failure;

/// Time limit for the last batch at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum number of queued spans; more are dropped.
const MOST_SPANS: usize = 8_192;

/// The standard path of traces.
const PATH: &str = "v1/traces";

/// The exporter of traces.
#[derive(Debug)]
pub(crate) struct Traces {
    pub(super) tracer: SdkTracer,
    pub(super) sampler: Sampler,
    provider: SdkTracerProvider,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum TracesError {
    #[error("`{0}` is not the address of a collector; write it as http://HOST:4318")]
    Endpoint(String),
    #[error("traces cannot be sent: {0}")]
    Exporter(String),
    #[error("traces cannot be sent: {0}")]
    Runtime(io::Error),
    #[error("traces cannot be sent: {0}")]
    Connect(#[from] ConnectError),
}

impl From<TracesError> for Failure {
    fn from(error: TracesError) -> Self {
        Self::other(error)
    }
}

/// The address of the collector, from the option or else from OpenTelemetry's variables.
fn endpoint(option: Option<&str>) -> Option<String> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let named = option.map(below);
    named
        .or_else(|| variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
        .or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT").map(|endpoint| below(&endpoint)))
}

impl Traces {
    /// Starts the exporter, if an option or the environment names a collector. Requests with a trace
    /// context follow the caller's decision; `ratio` is the sampling ratio of the others.
    pub(crate) fn start(option: Option<&str>, ratio: f64) -> Result<Option<Self>, TracesError> {
        endpoint(option).map(|endpoint| Self::new(&endpoint, ratio)).transpose()
    }

    /// Whether an option or the environment names a collector.
    pub(crate) fn has_endpoint(option: Option<&str>) -> bool {
        endpoint(option).is_some()
    }

    fn new(endpoint: &str, ratio: f64) -> Result<Self, TracesError> {
        let address = address(endpoint)
            .ok_or_else(|| TracesError::Endpoint(redact::address(endpoint).into()))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client::new(&address)?)
            .with_endpoint(endpoint)
            .build()
            .map_err(|error| TracesError::Exporter(error.to_string()))?;
        let batches = BatchConfigBuilder::default().with_max_queue_size(MOST_SPANS).build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(ratio)));
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            .with_sampler(sampler.clone())
            .with_id_generator(Ids::default())
            .with_resource(resource())
            .build();
        Ok(Self { tracer: provider.tracer("thalweg"), sampler, provider })
    }

    /// Sends the queued spans. Blocks the thread for a few seconds at most.
    pub(crate) fn flush(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(%error, "the last traces did not reach the collector");
        }
    }
}

/// The resource attributes from the environment, with a default for the service name.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let builder = || Resource::builder().with_attribute(version.clone());
    let named = builder().build();
    let name = named.get_ref(&Key::from_static_str("service.name"));
    match name.is_some_and(|name| !name.as_str().starts_with("unknown_service")) {
        true => named,
        false => builder().with_service_name("thalweg").build(),
    }
}

/// Appends the standard path to an address.
fn below(endpoint: &str) -> String {
    match endpoint.ends_with(PATH) {
        true => endpoint.to_owned(),
        false => [endpoint.trim_end_matches('/'), "/", PATH].concat(),
    }
}

fn address(endpoint: &str) -> Option<Uri> {
    let address: Uri = endpoint.parse().ok()?;
    let is_known = [Some(&Scheme::HTTP), Some(&Scheme::HTTPS)].contains(&address.scheme());
    (is_known && address.host().is_some_and(|host| !host.is_empty())).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_added_once() {
        let expected = "http://collector:4318/v1/traces";
        for endpoint in ["http://collector:4318", "http://collector:4318/", expected] {
            assert_eq!(below(endpoint), expected);
        }
        assert_eq!(below("https://x.example/otlp"), "https://x.example/otlp/v1/traces");
    }

    #[test]
    fn what_is_no_address_of_http_is_refused() {
        assert!(address("http://127.0.0.1:4318/v1/traces").is_some());
        assert!(address("https://collector.example/v1/traces").is_some());
        for endpoint in ["", "collector:4318", "grpc://collector:4317", "/v1/traces", "http:///x"] {
            assert_eq!(address(endpoint), None, "{endpoint}");
        }
    }
}
