//! Running subscriptions to a subgraph, over all threads.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::callbacks::Callbacks;
use super::socket_pool::Sockets;
use super::upstreams::Upstreams;

/// The running subscriptions to a subgraph. They can outlive a reload of the settings.
#[derive(Debug, Default)]
pub struct RunningSubscriptions {
    pub(super) upstreams: Arc<Upstreams>,
    pub(super) sockets: Arc<Sockets>,
    pub(super) callbacks: Arc<Callbacks>,
}

/// A snapshot of the counters of subscriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionCounts {
    /// Running upstream subscriptions.
    pub subscriptions: usize,
    /// Listeners to them.
    pub listeners: usize,
    /// WebSockets that they use.
    pub sockets: usize,
    /// Responses of the subgraph that were received.
    pub events: u64,
    /// Attempts to reconnect after a loss.
    pub reconnects: u64,
    /// Listeners that were ended because they read too slowly, or there was no memory.
    pub dropped: u64,
}

impl RunningSubscriptions {
    /// No subscriptions; those of the callback protocol will receive messages by `callbacks`.
    #[must_use]
    pub fn new(callbacks: Arc<Callbacks>) -> Self {
        Self { callbacks, ..Self::default() }
    }

    /// Returns a snapshot of the counters.
    #[must_use]
    pub fn counts(&self) -> SubscriptionCounts {
        let (subscriptions, listeners) = self.upstreams.count();
        let counts = self.upstreams.counts();
        SubscriptionCounts {
            subscriptions,
            listeners,
            sockets: self.sockets.count(),
            events: counts.events.load(Ordering::Relaxed),
            reconnects: counts.reconnects.load(Ordering::Relaxed),
            dropped: counts.dropped.load(Ordering::Relaxed),
        }
    }
}
