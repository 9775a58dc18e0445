//! Telemetry: collectors of metrics, the exporters to OpenTelemetry, and the reporter of usage.

use std::sync::Arc;

use engine::Api;
use engine::usage::Usage;
use source::Statistics;
use source::statistics::Counter;

use crate::metrics::{Metrics, Shard};
use crate::otlp::{LogExporter, MetricExporter};
use crate::traces::Traces;
use crate::usage::Recorder;
use crate::usage::hive::Reporter;

/// Kept for the lifetime of the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Telemetry {
    pub(crate) collectors: Option<Collectors>,
    pub(crate) traces: Option<Arc<Traces>>,
    /// The exporters of metrics and of the log to a collector.
    pub(crate) pushed: Option<Arc<MetricExporter>>,
    pub(crate) logs: Option<Arc<LogExporter>>,
    pub(crate) reporter: Option<Arc<Reporter>>,
    pub(crate) events: Option<Arc<event_triggers::Statistics>>,
}

/// Collectors of metrics.
#[derive(Clone, Debug)]
pub(crate) struct Collectors {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Statistics>,
    pub(crate) usage: Arc<Usage>,
}

impl Telemetry {
    /// The counters of a new thread.
    pub(super) fn shard(&self) -> Option<Arc<Shard>> {
        self.collectors.as_ref()?.metrics.shard()
    }

    /// The recorder of the usage of an API on a thread.
    pub(super) fn recorder(&self, api: &Api) -> Option<Recorder> {
        let usage = self.collectors.as_ref().map(|collectors| &collectors.usage);
        Recorder::new(usage, self.reporter.as_ref(), api)
    }

    /// The counters of a thread's connections to the database.
    pub(super) fn counter(&self) -> Counter {
        self.collectors
            .as_ref()
            .map(|collectors| collectors.connections.counter())
            .unwrap_or_default()
    }
}
