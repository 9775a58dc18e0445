//! Makes a record of each event of the log.
//!
//! The log starts before the options of a server are read, so the layer is connected to the queue later.

use std::sync::{Arc, OnceLock};

use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::queue::Queue;
use super::record;
use crate::otlp::client;

/// The queue of the process, if its log is exported.
static QUEUE: OnceLock<Arc<Queue>> = OnceLock::new();

/// Parts of the program whose events are about the export itself: to send them would cause further
/// ones.
const EXPORT: [&str; 2] = [concat!(env!("CARGO_BIN_NAME"), "::otlp"), "opentelemetry"];

/// A layer of the log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogLayer;

/// Exports the events from now on. A process has one exporter.
pub(super) fn connect(queue: Arc<Queue>) {
    let _ = QUEUE.set(queue);
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(queue) = QUEUE.get() else { return };
        if !is_of_export(event.metadata()) {
            queue.push(record::record(event));
        }
    }
}

fn is_of_export(metadata: &Metadata<'_>) -> bool {
    client::is_sending() || EXPORT.iter().any(|part| metadata.target().starts_with(part))
}
