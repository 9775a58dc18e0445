//! Durable consumers of NATS JetStream: <https://docs.nats.io/nats-concepts/jetstream/consumers>.
//!
//! The server stores the events that a consumer has not acknowledged, so none is missing after a lost
//! connection. An event is acknowledged when all listeners have it in their queues.

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream;
use async_nats::jetstream::consumer::pull::{Config, MessagesErrorKind};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use super::{DurableConsumer, EventTopics, publish_event, unavailable};
use crate::connect::error_chain;
use crate::subgraph::{SubgraphError, Upstream};

/// Pause after an error of a consumer.
const PAUSE: Duration = Duration::from_millis(200);

/// Publishes the messages of the consumers, one for each subject, to the listeners.
pub(super) async fn follow(
    client: Client,
    instance: String,
    upstream: &Upstream,
    topics: &EventTopics,
    consumer: &DurableConsumer,
) -> Result<(), SubgraphError> {
    let failed = |error: &dyn std::error::Error| unavailable(&error_chain(error));
    let stream = jetstream::new(client).get_stream(&consumer.stream).await;
    let stream = stream.map_err(|error| failed(&error))?;
    let mut all = Vec::with_capacity(topics.topics.len());
    for subject in &topics.topics {
        let name = name(consumer, &instance, subject);
        let config = Config {
            durable_name: Some(name.clone()),
            filter_subject: subject.clone(),
            inactive_threshold: consumer.inactive_threshold,
            ack_policy: AckPolicy::Explicit,
            // A client does not receive the history of the stream.
            deliver_policy: DeliverPolicy::New,
            ..Config::default()
        };
        let durable = stream.get_or_create_consumer(&name, config).await;
        let messages = durable.map_err(|error| failed(&error))?.messages().await;
        all.push(messages.map_err(|error| failed(&error))?);
    }
    let mut messages = select_all(all);
    while let Some(message) = messages.next().await {
        let message = match message {
            Ok(message) => message,
            Err(error) if is_temporary(error.kind()) => {
                tracing::debug!(%error, "a consumer of events is interrupted");
                sleep(PAUSE).await;
                continue;
            }
            Err(error) => return Err(failed(&error)),
        };
        publish_event(upstream, topics, &message.payload);
        if let Err(error) = message.ack().await {
            tracing::debug!(%error, "an event is not acknowledged");
        }
    }
    Err(unavailable("the consumer has ended"))
}

/// True for errors after which the library requests messages again.
fn is_temporary(error: MessagesErrorKind) -> bool {
    match error {
        MessagesErrorKind::MissingHeartbeat
        | MessagesErrorKind::NoResponders
        | MessagesErrorKind::Pull
        | MessagesErrorKind::RequestLimitExceeded
        | MessagesErrorKind::Other => true,
        MessagesErrorKind::ConsumerDeleted | MessagesErrorKind::PushBasedConsumer => false,
    }
}

/// Name of a consumer: the same after a restart, and another one on each server, since the messages of
/// one consumer are distributed over its clients.
fn name(consumer: &DurableConsumer, instance: &str, subject: &str) -> String {
    let hash = Sha256::digest([instance, "\0", subject].concat());
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    [&consumer.name, "-", &hash].concat()
}
