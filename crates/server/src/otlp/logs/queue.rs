//! A bounded queue of records: threads of requests never wait for the collector.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;

use crate::metrics::LogCounts;

/// The maximum number of queued records, and of their bytes; more are dropped.
const MOST_RECORDS: usize = 8_192;
const MOST_BYTES: usize = 16 << 20;

/// The maximum number of records of a batch, and of their bytes.
const BATCH_RECORDS: usize = 512;
const BATCH_BYTES: usize = 2 << 20;

#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) counts: Arc<LogCounts>,
    state: Mutex<State>,
    /// A batch is full, or the queue is closed.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Records with their bytes.
    records: VecDeque<(LogRecord, usize)>,
    bytes: usize,
    is_closed: bool,
}

/// The next batch; it may be empty.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    Batch(Vec<LogRecord>),
    /// The queue is closed; an empty batch is the end.
    Last(Vec<LogRecord>),
}

impl Queue {
    pub(super) fn push(&self, record: LogRecord) {
        let bytes = record.encoded_len();
        let mut state = self.state();
        let is_full = state.records.len() >= MOST_RECORDS || state.bytes + bytes > MOST_BYTES;
        if is_full || state.is_closed {
            drop(state);
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        state.bytes += bytes;
        state.records.push_back((record, bytes));
        if state.records.len() == BATCH_RECORDS {
            self.changed.notify_one();
        }
    }

    /// Waits until a batch is full, the time is over, or the queue is closed.
    pub(super) fn next(&self, delay: Duration) -> Next {
        let state = self.state();
        let waits = |state: &mut State| !state.is_closed && state.records.len() < BATCH_RECORDS;
        let waited = self.changed.wait_timeout_while(state, delay, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let batch = state.take();
        match state.is_closed {
            true => Next::Last(batch),
            false => Next::Batch(batch),
        }
    }

    /// Waits for so long; returns early, and false, if the queue is closed.
    pub(super) fn wait(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        let mut state = self.state();
        while !state.is_closed {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return true;
            }
            let waited = self.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Takes no further records.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Vec<LogRecord> {
        let (mut batch, mut size) = (Vec::new(), 0);
        while batch.len() < BATCH_RECORDS
            && let Some((record, bytes)) =
                self.records.pop_front_if(|(_, bytes)| size == 0 || size + *bytes <= BATCH_BYTES)
        {
            size += bytes;
            self.bytes -= bytes;
            batch.push(record);
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: usize) -> LogRecord {
        LogRecord { severity_text: "x".repeat(bytes), ..LogRecord::default() }
    }

    fn sizes(next: Next) -> usize {
        let (Next::Batch(records) | Next::Last(records)) = next;
        records.len()
    }

    #[test]
    fn a_full_queue_drops_and_counts() {
        let queue = Queue::default();
        (0..MOST_RECORDS + 3).for_each(|_| queue.push(record(1)));
        assert_eq!(queue.counts.dropped.load(Ordering::Relaxed), 3);
        assert_eq!(sizes(queue.next(Duration::ZERO)), BATCH_RECORDS);
        queue.push(record(1));
        assert_eq!(queue.counts.dropped.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn bytes_are_bounded() {
        let queue = Queue::default();
        (0..20).for_each(|_| queue.push(record(1 << 20)));
        assert_eq!(queue.counts.dropped.load(Ordering::Relaxed), 5);
        assert_eq!(sizes(queue.next(Duration::ZERO)), 1);
        queue.push(record(5 << 19));
        assert_eq!(queue.counts.dropped.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn a_closed_queue_is_emptied() {
        let queue = Queue::default();
        queue.push(record(1));
        queue.close();
        queue.push(record(2));
        assert!(!queue.wait(Duration::from_secs(60)));
        assert_eq!(queue.next(Duration::from_secs(60)), Next::Last(vec![record(1)]));
        assert_eq!(queue.next(Duration::from_secs(60)), Next::Last(Vec::new()));
    }
}
