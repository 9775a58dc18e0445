//! A broker over which servers relay changes to each other.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::broker::{Broker, BrokerMessages};
use clients::subgraph::SubgraphError;
use source::message_bus::{BusFuture, BusMessages, MessageBus};
use source::{SourceError, SourceErrorKind};

/// Time limit of a publication, and of the beginning of a subscription.
const LIMIT: Duration = Duration::from_secs(5);

/// A broker as the means of a relay.
#[derive(Debug)]
pub struct BrokerBus(pub Arc<Broker>);

#[derive(Debug)]
struct Messages(BrokerMessages);

impl MessageBus for BrokerBus {
    fn publish(&self, topic: String, message: Bytes) -> BusFuture<'_, ()> {
        Box::pin(async move {
            self.0.publish(topic, message, LIMIT).await.map_err(|error| lost(&error))
        })
    }

    fn subscribe(&self, topic: String) -> BusFuture<'_, Box<dyn BusMessages>> {
        Box::pin(async move {
            let messages = self.0.messages(topic, LIMIT).await.map_err(|error| lost(&error))?;
            let messages: Box<dyn BusMessages> = Box::new(Messages(messages));
            Ok(messages)
        })
    }
}

impl BusMessages for Messages {
    fn next(&mut self) -> BusFuture<'_, Bytes> {
        Box::pin(async move { self.0.next().await.map_err(|error| lost(&error)) })
    }
}

fn lost(error: &SubgraphError) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, format!("the broker of changes: {error}"))
}
