//! The exporter: a bounded queue and a batch processor.

use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};

use super::ids::Ids;
use crate::collector::{OtlpError, Signal, address, variable};
use crate::otlp::client::Client;
use crate::otlp::resource;
use crate::otlp::sender::{check, milliseconds, patience};

/// Time limit for the last batch at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum number of queued spans; more are dropped.
const MOST_SPANS: usize = 8_192;

/// The exporter of traces.
#[derive(Debug)]
pub(crate) struct Traces {
    pub(super) tracer: SdkTracer,
    pub(super) sampler: Sampler,
    provider: SdkTracerProvider,
}

impl Traces {
    /// Starts the exporter. Requests with a trace context follow the caller's decision; `ratio` is the
    /// sampling ratio of the others.
    pub(crate) fn start(endpoint: &str, ratio: f64) -> Result<Self, OtlpError> {
        let address = address(endpoint)?;
        check(Signal::Traces)?;
        if let Some(delay) = variable("OTEL_BSP_SCHEDULE_DELAY".into()) {
            milliseconds(delay)?;
        }
        let client = Client::new(Signal::Traces, &address, patience(Signal::Traces)?)?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(endpoint)
            .build()
            .map_err(|error| OtlpError::Library {
                signal: Signal::Traces,
                reason: error.to_string(),
            })?;
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
