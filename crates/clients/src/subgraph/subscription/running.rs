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

impl RunningSubscriptions {
    /// No subscriptions; those of the callback protocol will receive messages by `callbacks`.
    #[must_use]
    pub fn new(callbacks: Arc<Callbacks>) -> Self {
        Self { callbacks, ..Self::default() }
    }

    /// Number of subscriptions, and of the WebSockets that they use.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.upstreams.count(), self.sockets.count())
    }
}
