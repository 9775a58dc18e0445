//! Sends metrics to a collector of OpenTelemetry, in intervals.

use std::sync::Arc;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::encode::{Sources, encode};
use crate::otlp::MetricExporter;

/// Sends the metrics until the process ends.
pub(crate) async fn push(exporter: Arc<MetricExporter>, sources: impl Fn() -> Option<Sources>) {
    let first = Instant::now() + exporter.interval;
    let mut ticks = interval_at(first, exporter.interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
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
