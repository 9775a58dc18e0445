//! Sends metrics to a collector of OpenTelemetry, in intervals.

use std::sync::Arc;

use tokio::time::sleep;

use super::MetricExporter;
use crate::metrics::{Sources, encode};

/// Sends the metrics until the process ends.
pub(crate) async fn push(exporter: Arc<MetricExporter>, sources: impl Fn() -> Option<Sources>) {
    loop {
        sleep(exporter.interval).await;
        offer(&exporter, &sources);
    }
}

/// Sends the metrics of now.
pub(crate) fn offer(exporter: &MetricExporter, sources: &impl Fn() -> Option<Sources>) {
    match sources().map(encode) {
        Some(Ok(text)) => exporter.offer(text),
        Some(Err(error)) => tracing::error!(%error, "metrics cannot be written"),
        None => {}
    }
}
