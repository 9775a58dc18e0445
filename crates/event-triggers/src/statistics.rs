//! Counters of deliveries, for metrics.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sources::event_log::{Backlog, Outcome, Queue};

/// Counters that the thread of the delivery increments.
#[derive(Debug, Default)]
pub struct Statistics {
    /// By queue, then by outcome.
    attempts: [[AtomicU64; 3]; 3],
    /// Microseconds of all requests.
    micros: AtomicU64,
    running: AtomicU64,
    /// Backlog of each log at its last read, by the name of its source.
    backlogs: Mutex<BTreeMap<Box<str>, Backlog>>,
}

/// The values of the counters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Attempts with the names of their queue and outcome.
    pub attempts: Vec<(&'static str, &'static str, u64)>,
    /// Time of all requests.
    pub time: Duration,
    /// Requests that are running.
    pub running: u64,
    /// Events of all logs that are neither delivered nor given up.
    pub pending: u64,
    /// Time since the oldest event that is due became due.
    pub lag: Duration,
}

const QUEUES: [(Queue, &str); 3] =
    [(Queue::Rows, "event"), (Queue::Cron, "cron"), (Queue::OneOff, "one_off")];
const OUTCOMES: [&str; 3] = ["delivered", "retried", "failed"];

impl Statistics {
    pub(crate) fn begin(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self, queue: Queue, outcome: Outcome, time: Duration) {
        let queue = match queue {
            Queue::Rows => 0,
            Queue::Cron => 1,
            Queue::OneOff => 2,
        };
        let outcome = match outcome {
            Outcome::Delivered => 0,
            Outcome::Retry(_) => 1,
            Outcome::Failed => 2,
        };
        self.attempts[queue][outcome].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn set_backlog(&self, source: &str, backlog: Backlog) {
        self.backlogs().insert(source.into(), backlog);
    }

    /// Forgets the log of a source that is no longer read.
    pub(crate) fn end_backlog(&self, source: &str) {
        self.backlogs().remove(source);
    }

    fn backlogs(&self) -> MutexGuard<'_, BTreeMap<Box<str>, Backlog>> {
        self.backlogs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The values at this moment.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let attempts = QUEUES.iter().zip(&self.attempts).flat_map(|((_, queue), outcomes)| {
            OUTCOMES
                .iter()
                .zip(outcomes)
                .map(|(outcome, count)| (*queue, *outcome, count.load(Ordering::Relaxed)))
        });
        let backlogs = self.backlogs();
        let lag = backlogs.values().map(|one| one.lag).fold(0.0, f64::max);
        Totals {
            attempts: attempts.collect(),
            time: Duration::from_micros(self.micros.load(Ordering::Relaxed)),
            running: self.running.load(Ordering::Relaxed),
            pending: backlogs.values().map(|one| one.pending).sum(),
            lag: Duration::try_from_secs_f64(lag).unwrap_or_default(),
        }
    }
}
