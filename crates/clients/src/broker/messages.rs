//! Messages of one topic, without a subscription that others share.

use std::fmt;

use async_nats::Subscriber;
use bytes::Bytes;
use futures_util::StreamExt;
use redis::aio::PubSubStream;

use super::unavailable;
use crate::subgraph::SubgraphError;

/// The messages of a topic. After a lost connection of NATS they go on, and some may be missing.
pub struct BrokerMessages(pub(super) Stream);

pub(super) enum Stream {
    Nats(Subscriber),
    Redis(PubSubStream),
}

impl BrokerMessages {
    /// Waits for the next message. Cancel safe.
    pub async fn next(&mut self) -> Result<Bytes, SubgraphError> {
        let message = match &mut self.0 {
            Stream::Nats(messages) => messages.next().await.map(|message| message.payload),
            Stream::Redis(messages) => messages
                .next()
                .await
                .map(|message| Bytes::copy_from_slice(message.get_payload_bytes())),
        };
        message.ok_or_else(|| unavailable("the connection was closed"))
    }
}

/// Without the connection, which has no form of its own.
impl fmt::Debug for BrokerMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerMessages").finish_non_exhaustive()
    }
}
