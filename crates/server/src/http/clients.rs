//! The limits of connections, and of streams of HTTP/2, of the process, over all threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clients::log_throttle::LogThrottle;
use tokio::sync::watch;

/// The connections of all threads.
#[derive(Debug)]
pub(crate) struct Clients {
    count: AtomicUsize,
    /// Open streams of HTTP/2.
    streams: AtomicUsize,
    /// Incremented when a thread found no room: the others evict an idle connection.
    eviction_requests: watch::Sender<u64>,
    pub(super) refused: LogThrottle,
    pub(super) exhausted: LogThrottle,
}

/// A permit of one connection, returned when dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit(Arc<Clients>);

/// A permit of one stream of HTTP/2, returned when dropped.
#[derive(Debug)]
pub(super) struct StreamPermit(Arc<Clients>);

/// Interval between two log lines of the same kind.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

impl Default for Clients {
    fn default() -> Self {
        Self {
            count: AtomicUsize::new(0),
            streams: AtomicUsize::new(0),
            eviction_requests: watch::Sender::new(0),
            refused: LogThrottle::new(LOG_INTERVAL),
            exhausted: LogThrottle::new(LOG_INTERVAL),
        }
    }
}

impl Clients {
    /// Acquires a permit, if there are fewer than `most`.
    pub(super) fn acquire(self: &Arc<Self>, most: usize) -> Option<ConnectionPermit> {
        let taken = self.count.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < most).then_some(count + 1)
        });
        taken.ok().map(|_| ConnectionPermit(Arc::clone(self)))
    }

    /// Acquires a permit beyond the limit, in exchange for a connection that was just evicted.
    pub(super) fn acquire_beyond(self: &Arc<Self>) -> ConnectionPermit {
        self.count.fetch_add(1, Ordering::AcqRel);
        ConnectionPermit(Arc::clone(self))
    }

    /// Acquires a permit of a stream, if there are fewer than `most`.
    pub(super) fn acquire_stream(self: &Arc<Self>, most: usize) -> Option<StreamPermit> {
        let taken = self.streams.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < most).then_some(count + 1)
        });
        taken.ok().map(|_| StreamPermit(Arc::clone(self)))
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Asks all threads to evict an idle connection.
    pub(super) fn request_eviction(&self) {
        self.eviction_requests.send_modify(|count| *count += 1);
    }

    pub(super) fn eviction_requests(&self) -> watch::Receiver<u64> {
        self.eviction_requests.subscribe()
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}
