//! Records of the log for a collector.
//!
//! * `layer`: makes a record of each event of the log
//! * `record`: the record of an event
//! * `queue`: a bounded queue
//!
//! The records are those that the log has, whatever its format: the level of `--log` is for both.

mod layer;
mod queue;
mod record;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;

pub(crate) use self::layer::LogLayer;
use self::queue::{Next, Queue};
use super::resource;
use super::sender::{Delivery, Sender, milliseconds, scope};
use crate::collector::OtlpError;
use crate::collector::{Signal, variable};
use crate::metrics::LogCounts;

/// Default time between two batches, that of OpenTelemetry's libraries.
const DELAY: Duration = Duration::from_secs(1);

/// Pauses before a batch is sent again; after the last one it is given up.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];

/// Time limit for the last batches at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Interval of checks whether the thread has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Exports records of the log on a thread of its own.
#[derive(Debug)]
pub(crate) struct LogExporter {
    queue: Arc<Queue>,
    thread: JoinHandle<()>,
}

impl LogExporter {
    /// Starts the exporter, which the layer of the log gives its records to.
    pub(crate) fn start(endpoint: &str) -> Result<Self, OtlpError> {
        let delay = variable("OTEL_BLRP_SCHEDULE_DELAY".into());
        let delay = delay.map_or(Ok(DELAY), milliseconds)?;
        let sender = Sender::new(Signal::Logs, endpoint)?;
        let queue = Arc::new(Queue::default());
        let received = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("otlp-logs".into())
            .spawn(move || run(&sender, &received, delay))
            .map_err(|error| OtlpError::Runtime(Signal::Logs, error))?;
        layer::connect(Arc::clone(&queue));
        Ok(Self { queue, thread })
    }

    /// The records by their outcomes.
    pub(crate) fn counts(&self) -> Arc<LogCounts> {
        Arc::clone(&self.queue.counts)
    }

    /// Sends the queued records. Blocks the thread for a few seconds at most.
    pub(crate) fn flush(&self) {
        self.queue.close();
        let end = Instant::now() + FLUSH_TIMEOUT;
        while !self.thread.is_finished() && Instant::now() < end {
            thread::sleep(CHECK_INTERVAL);
        }
        if !self.thread.is_finished() {
            tracing::warn!("the last records of the log did not reach the collector");
        }
    }
}

fn run(sender: &Sender, queue: &Queue, delay: Duration) {
    let resource = resource::message();
    loop {
        let next = queue.next(delay);
        let (records, is_last) = match next {
            Next::Batch(records) => (records, false),
            Next::Last(records) => (records, true),
        };
        if !records.is_empty() {
            deliver(sender, queue, &message(records, resource.clone()));
        } else if is_last {
            return;
        }
    }
}

/// Sends a batch, again if the collector is not available. Meanwhile records wait in the queue.
fn deliver(sender: &Sender, queue: &Queue, message: &ExportLogsServiceRequest) {
    let records = message.resource_logs.iter().flat_map(|logs| &logs.scope_logs);
    let records: usize = records.map(|logs| logs.log_records.len()).sum();
    let records = records as u64;
    let mut pauses = PAUSES.iter();
    let rejected = loop {
        match sender.send(message) {
            Delivery::Accepted { rejected } => break rejected.min(records),
            Delivery::Refused => break records,
            Delivery::Unavailable => match pauses.next() {
                Some(pause) if queue.wait(*pause) => {}
                Some(_) | None => break records,
            },
        }
    };
    queue.counts.failed.fetch_add(rejected, Ordering::Relaxed);
    queue.counts.sent.fetch_add(records - rejected, Ordering::Relaxed);
}

fn message(log_records: Vec<LogRecord>, resource: Resource) -> ExportLogsServiceRequest {
    let scope = Some(scope());
    let scope_logs = vec![ScopeLogs { scope, log_records, ..ScopeLogs::default() }];
    let resource = Some(resource);
    let logs = ResourceLogs { resource, scope_logs, ..ResourceLogs::default() };
    ExportLogsServiceRequest { resource_logs: vec![logs] }
}
