//! `thalweg serve`: serves a database.

use std::sync::Arc;

use source::Statistics;

use crate::commands::gateway::{self, KnownSubgraphs};
use crate::commands::prepare::prepare;
use crate::commands::{block_on, exposure};
use crate::configuration::{Again, Invocation, Reread};
use crate::failure::Failure;
use crate::http::{self, Collectors, Generation, Listeners, Reload, Reloaded, Reloader, Telemetry};
use crate::metrics::{Metrics, MetricsListener};
use crate::options::{Command, ServeOptions, ServingOptions};
use crate::traces::Traces;

pub(crate) fn run(options: &ServeOptions, invocation: &Invocation) -> Result<(), Failure> {
    block_on(http::take_signal())?;
    let prepared = prepare(options)?;
    let serving = &options.serving;
    let listeners = http::bind(serving)?;
    let again = invocation.again();
    let reload: Reload = Box::new(move || reload(&again, &KnownSubgraphs::default()));
    open_and_serve(|| prepared.open_or_wait(), serving, listeners, Some(reload), |_| Ok(()))
}

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
    let endpoint = observability.otlp_endpoint.as_deref();
    let traces = Traces::start(endpoint, observability.trace_ratio)?.map(Arc::new);
    let metrics = observability.metrics_listen.map(MetricsListener::bind).transpose()?;
    let collectors = metrics.as_ref().map(|_| Collectors {
        metrics: Arc::new(Metrics::new(threads, observability.metrics_operations)),
        connections: Statistics::new(threads),
    });
    let mut fresh = open()?;
    let watch = fresh.watch.take();
    let generation = Generation::first(fresh, Telemetry { collectors, traces: traces.clone() });
    exposure::log(&generation.api, serving);
    generation.settings.log_summary();
    ready(&listeners)?;
    let renewal = reload.map(|reload| Reloader { reload, watch });
    let served = block_on(http::serve(generation, listeners, renewal, metrics));
    if let Some(traces) = traces {
        traces.flush();
    }
    served
}

/// Repeats a start, except for options that need a restart.
pub(super) fn reload(again: &Again, known: &KnownSubgraphs) -> Result<Reloaded, Failure> {
    let Reread { arguments, kept } = again.read()?;
    let fresh = match &arguments.command {
        Command::Serve(options) => prepare(options)?.open()?,
        Command::Gateway(options) => gateway::prepare(options)?.open(known)?,
        Command::Schema(_)
        | Command::Explain(_)
        | Command::Types(_)
        | Command::Migrate(_)
        | Command::Check(_)
        | Command::Demo(_)
        | Command::Health(_)
        | Command::Completions(_)
        | Command::Config(_)
        | Command::Man(_) => {
            return Err(Failure::Usage("only servers reload their options".into()));
        }
    };
    for option in kept {
        tracing::warn!(option, "this option has changed, but needs a restart; it keeps its value");
    }
    Ok(fresh)
}
