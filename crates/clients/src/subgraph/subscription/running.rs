//! Running subscriptions to a subgraph, over all threads.

use std::sync::Arc;

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
        SubscriptionCounts { sockets: self.sockets.count(), ..self.upstreams.snapshot() }
    }
}

impl SubscriptionCounts {
    /// The sums.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            subscriptions: self.subscriptions + other.subscriptions,
            listeners: self.listeners + other.listeners,
            sockets: self.sockets + other.sockets,
            events: self.events + other.events,
            reconnects: self.reconnects + other.reconnects,
            dropped: self.dropped + other.dropped,
        }
    }
}
