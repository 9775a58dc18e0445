//! Metrics for a collector: those of `/metrics`, in intervals.
//!
//! * `push`: takes the metrics in intervals
//! * `message`: the message of a text of metrics
//! * `starts`: start times of counters

mod message;
mod push;
mod starts;

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use self::starts::Starts;
use super::resource;
use super::sender::{Sender, milliseconds};
use crate::collector::OtlpError;
use crate::collector::{Signal, variable};
use crate::metrics::read;

pub(super) use self::message::nanoseconds;
pub(crate) use self::push::{offer, push};

/// Default interval, that of OpenTelemetry's libraries.
const INTERVAL: Duration = Duration::from_secs(60);

/// Time limit for the last message at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Interval of checks whether the thread has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Exports metrics on a thread of its own.
#[derive(Debug)]
pub(crate) struct MetricExporter {
    pub(crate) interval: Duration,
    /// None after the shutdown.
    texts: Mutex<Option<SyncSender<Scrape>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A text of metrics, with its time.
#[derive(Debug)]
struct Scrape {
    text: String,
    time: SystemTime,
}

impl MetricExporter {
    pub(crate) fn start(endpoint: &str, interval: Option<Duration>) -> Result<Self, OtlpError> {
        let interval = match (interval, variable("OTEL_METRIC_EXPORT_INTERVAL".into())) {
            (Some(interval), _) => interval,
            (None, Some(variable)) => milliseconds(variable)?,
            (None, None) => INTERVAL,
        };
        let sender = Sender::new(Signal::Metrics, endpoint)?;
        // One message waits at most: the next one has the same counts and later ones.
        let (texts, received) = sync_channel(1);
        let started = SystemTime::now();
        let thread = thread::Builder::new()
            .name("otlp-metrics".into())
            .spawn(move || run(&sender, &received, started))
            .map_err(|error| OtlpError::Runtime(Signal::Metrics, error))?;
        let (texts, thread) = (Mutex::new(Some(texts)), Mutex::new(Some(thread)));
        Ok(Self { interval, texts, thread })
    }

    /// Sends a text of metrics, unless an earlier one still waits.
    pub(crate) fn offer(&self, text: String) {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(texts) = &*texts {
            // The collector does not keep up; the log has a line about it.
            let _ = texts.try_send(Scrape { text, time: SystemTime::now() });
        }
    }

    /// Sends what was offered. Blocks the thread for a few seconds at most.
    pub(crate) fn flush(&self) {
        drop(self.texts.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        let end = Instant::now() + FLUSH_TIMEOUT;
        while !thread.is_finished() && Instant::now() < end {
            thread::sleep(CHECK_INTERVAL);
        }
        if !thread.is_finished() {
            tracing::warn!("the last metrics did not reach the collector");
        }
    }
}

fn run(sender: &Sender, texts: &Receiver<Scrape>, started: SystemTime) {
    let resource = resource::message();
    let mut starts = Starts::new(started);
    for Scrape { text, time } in texts {
        match read(&text) {
            Ok(families) => {
                let message = message::message(families, time, &mut starts, resource.clone());
                // A failed message is not repeated: the next one has all that it had.
                let _ = sender.send(&message);
            }
            Err(error) => tracing::error!(%error, "metrics cannot be sent"),
        }
    }
}
