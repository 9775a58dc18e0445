//! Statistics of the connections of all threads, for metrics.
//!
//! Each thread counts for itself, so that none waits for another's memory; a reader adds up.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The counts of one thread after another.
#[derive(Debug)]
pub struct Statistics {
    shards: Vec<Arc<Counts>>,
    next: AtomicUsize,
}

/// The counts of one thread, on cache lines of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Counts {
    open: AtomicI64,
    used: AtomicI64,
    waiting: AtomicI64,
    opened: AtomicU64,
    failed: AtomicU64,
    acquired: AtomicU64,
    acquire_nanoseconds: AtomicU64,
    refused: AtomicU64,
    replaced: AtomicU64,
}

/// The sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Connections that there are now.
    pub open: i64,
    /// Connections that requests use now.
    pub used: i64,
    /// Requests that wait for one now.
    pub waiting: i64,
    /// Number of connections opened.
    pub opened: u64,
    /// Number of failed attempts to open one.
    pub failed: u64,
    /// Number of acquired connections.
    pub acquired: u64,
    /// Total time that those requests waited for a connection.
    pub acquire_time: Duration,
    /// Number of requests that received no connection.
    pub refused: u64,
    /// Number of connections closed because they held settings that the next request leaves unset.
    pub replaced: u64,
}

/// A gauge, which is counted up and down.
#[derive(Clone, Copy, Debug)]
pub enum Gauge {
    Open,
    Used,
    Waiting,
}

/// One unit of a gauge until it is dropped.
#[derive(Debug)]
pub struct Counted {
    counts: Option<Arc<Counts>>,
    gauge: Gauge,
}

/// A handle to the counts of one thread, if statistics are collected.
#[derive(Clone, Debug, Default)]
pub struct Counter(Option<Arc<Counts>>);

impl Statistics {
    /// Statistics of this number of threads.
    #[must_use]
    pub fn new(threads: usize) -> Arc<Self> {
        let shards = (0..threads.max(1)).map(|_| Arc::default()).collect();
        Arc::new(Self { shards, next: AtomicUsize::new(0) })
    }

    /// The counter of the next thread. After a reload the threads reuse the shards of those before.
    #[must_use]
    pub fn counter(&self) -> Counter {
        let place = self.next.fetch_add(1, Ordering::Relaxed) % self.shards.len();
        Counter(self.shards.get(place).map(Arc::clone))
    }

    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for counts in &self.shards {
            totals.open += counts.open.load(Ordering::Relaxed);
            totals.used += counts.used.load(Ordering::Relaxed);
            totals.waiting += counts.waiting.load(Ordering::Relaxed);
            totals.opened += counts.opened.load(Ordering::Relaxed);
            totals.failed += counts.failed.load(Ordering::Relaxed);
            totals.acquired += counts.acquired.load(Ordering::Relaxed);
            let nanoseconds = counts.acquire_nanoseconds.load(Ordering::Relaxed);
            totals.acquire_time += Duration::from_nanos(nanoseconds);
            totals.refused += counts.refused.load(Ordering::Relaxed);
            totals.replaced += counts.replaced.load(Ordering::Relaxed);
        }
        totals
    }
}

impl Counter {
    /// Raises a gauge until the result is dropped.
    pub fn hold(&self, gauge: Gauge) -> Counted {
        let counts = self.0.clone();
        if let Some(counts) = &counts {
            counts.gauge(gauge).fetch_add(1, Ordering::Relaxed);
        }
        Counted { counts, gauge }
    }

    /// Counts an attempt to connect.
    pub fn connected(&self, succeeded: bool) {
        let Some(counts) = &self.0 else { return };
        let count = if succeeded { &counts.opened } else { &counts.failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection that was closed for one with other settings.
    pub fn replaced(&self) {
        if let Some(counts) = &self.0 {
            counts.replaced.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a request that acquired a connection, or failed to.
    pub fn acquired(&self, succeeded: bool, after: Duration) {
        let Some(counts) = &self.0 else { return };
        if !succeeded {
            counts.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let nanoseconds = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        counts.acquired.fetch_add(1, Ordering::Relaxed);
        counts.acquire_nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}

impl Counts {
    fn gauge(&self, gauge: Gauge) -> &AtomicI64 {
        match gauge {
            Gauge::Open => &self.open,
            Gauge::Used => &self.used,
            Gauge::Waiting => &self.waiting,
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(counts) = &self.counts {
            counts.gauge(self.gauge).fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_added_up_and_what_is_gone_is_not_counted() {
        let statistics = Statistics::new(2);
        let counters = [statistics.counter(), statistics.counter(), statistics.counter()];
        let held: Vec<_> = counters.iter().map(|counter| counter.hold(Gauge::Open)).collect();
        counters[0].connected(true);
        counters[1].connected(false);
        counters[2].acquired(true, Duration::from_millis(3));
        counters[2].acquired(false, Duration::from_millis(9));
        let expected = Totals {
            open: 3,
            opened: 1,
            failed: 1,
            acquired: 1,
            acquire_time: Duration::from_millis(3),
            refused: 1,
            ..Totals::default()
        };
        assert_eq!(statistics.totals(), expected);
        drop(held);
        assert_eq!(statistics.totals(), Totals { open: 0, ..expected });
    }
}
