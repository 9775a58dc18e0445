//! Serves an API until a signal, for all commands that are servers.

use std::sync::Arc;

use engine::usage::Usage;
use source::Statistics;

use crate::collector::Destinations;
use crate::commands::{block_on, exposure};
use crate::configuration::{Again, Reread};
use crate::failure::Failure;
use crate::http::{self, Collectors, Generation, Listeners, Reload, Reloaded, Reloader, Telemetry};
use crate::metrics::{Metrics, MetricsListener};
use crate::options::{Command, ServingOptions};
use crate::otlp::{LogExporter, MetricExporter};
use crate::traces::Traces;
use crate::usage::hive::Reporter;

/// Serves until a signal. Sockets are bound first: a port in use is reported before a large catalog is
/// read.
pub(crate) fn open_and_serve(
    open: impl FnOnce() -> Result<Reloaded, Failure>,
    serving: &ServingOptions,
    listeners: Listeners,
    reload: Option<Reload>,
    ready: impl FnOnce(&Listeners) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let threads = serving.threads().get();
    let observability = &serving.observability;
    let Destinations { traces, metrics: pushed, logs } = observability.destinations()?;
    let logs = logs.map(|endpoint| LogExporter::start(&endpoint)).transpose()?.map(Arc::new);
    let ratio = observability.trace_ratio;
    let traces = traces.map(|endpoint| Traces::start(&endpoint, ratio)).transpose()?.map(Arc::new);
    let interval = observability.otlp_metrics_interval.map(|interval| interval.0);
    let pushed = pushed.map(|endpoint| MetricExporter::start(&endpoint, interval)).transpose()?;
    let pushed = pushed.map(Arc::new);
    let reporter = serving.hive.settings()?.map(Reporter::start).transpose()?.map(Arc::new);
    let metrics = observability.metrics_listen.map(MetricsListener::bind).transpose()?;
    let is_counted = metrics.is_some() || pushed.is_some();
    let collectors = is_counted.then(|| Collectors {
        metrics: Arc::new(Metrics::new(threads, observability.metrics_operations)),
        connections: Statistics::new(threads),
        usage: Arc::new(Usage::default()),
    });
    let mut fresh = open()?;
    let watch = fresh.watch.take();
    let events = fresh.events.take();
    let telemetry = Telemetry { collectors, traces, pushed, logs, reporter, events };
    let Telemetry { traces, pushed, logs, reporter, .. } = telemetry.clone();
    let generation = Generation::first(fresh, telemetry);
    exposure::log(&generation.api, serving, &generation.settings);
    generation.settings.log_summary();
    ready(&listeners)?;
    let renewal = reload.map(|reload| Reloader { reload, watch });
    let served = block_on(http::serve(generation, listeners, renewal, metrics));
    if let Some(traces) = traces {
        traces.flush();
    }
    if let Some(pushed) = pushed {
        pushed.flush();
    }
    if let Some(reporter) = reporter {
        reporter.flush();
    }
    // The last one, since the others log their failures.
    if let Some(logs) = logs {
        logs.flush();
    }
    served
}

/// Reads the options again, and logs those that need a restart.
pub(super) fn reread(again: &Again) -> Result<Command, Failure> {
    let Reread { arguments, kept } = again.read()?;
    for option in kept {
        tracing::warn!(option, "this option has changed, but needs a restart; it keeps its value");
    }
    Ok(arguments.command)
}
