//! Telemetry: collectors of metrics, and the exporter of traces.

use std::sync::Arc;

use source::Statistics;
use source::statistics::Counter;

use crate::metrics::{Metrics, Shard};
use crate::traces::Traces;

/// Kept for the lifetime of the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Telemetry {
    pub(crate) collectors: Option<Collectors>,
    pub(crate) traces: Option<Arc<Traces>>,
}

/// Collectors of metrics.
#[derive(Clone, Debug)]
pub(crate) struct Collectors {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Statistics>,
}

impl Telemetry {
    /// The counters of a new thread.
    pub(super) fn shard(&self) -> Option<Arc<Shard>> {
        self.collectors.as_ref()?.metrics.shard()
    }

    /// The counters of a thread's connections to the database.
    pub(super) fn counter(&self) -> Counter {
        self.collectors
            .as_ref()
            .map(|collectors| collectors.connections.counter())
            .unwrap_or_default()
    }
}
