//! Counters of sockets and subscriptions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::encode::Writer;
use super::store::Shard;

/// Counters of one thread.
#[derive(Debug, Default)]
pub(super) struct LiveCounts {
    sockets: AtomicI64,
    subscriptions: AtomicI64,
    events: AtomicU64,
}

/// Something that is counted while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    Socket,
    Subscription,
}

/// Counts something as open until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenGuard {
    shard: Arc<Shard>,
    of: Open,
}

impl LiveCounts {
    fn gauge(&self, of: Open) -> &AtomicI64 {
        match of {
            Open::Socket => &self.sockets,
            Open::Subscription => &self.subscriptions,
        }
    }
}

impl Shard {
    /// Counts something that is opened.
    pub(crate) fn open(self: &Arc<Self>, of: Open) -> OpenGuard {
        self.live.gauge(of).fetch_add(1, Ordering::Relaxed);
        OpenGuard { shard: Arc::clone(self), of }
    }
}

impl OpenGuard {
    /// Counts a response of a subscription.
    pub(crate) fn count_event(&self) {
        self.shard.live.events.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        self.shard.live.gauge(self.of).fetch_sub(1, Ordering::Relaxed);
    }
}

/// Writes the metrics of all threads.
pub(super) fn encode<'s>(
    shards: impl Iterator<Item = &'s LiveCounts> + Clone,
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    let open = |of: Open| -> i64 {
        shards.clone().map(|counts| counts.gauge(of).load(Ordering::Relaxed)).sum()
    };
    writer.gauge("thalweg_sockets", "Open WebSockets", open(Open::Socket) as f64)?;
    let help = "Running subscriptions";
    writer.gauge("thalweg_subscriptions", help, open(Open::Subscription) as f64)?;
    let events = shards.map(|counts| counts.events.load(Ordering::Relaxed)).sum();
    writer.counter("thalweg_subscription_events", "Responses sent to subscriptions", events)
}
