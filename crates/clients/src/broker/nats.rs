//! Connection to NATS. The client library reconnects with its own back-off, and subscribes again.

use std::sync::Arc;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event as NatsEvent, RequestErrorKind, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::select_all;
use tokio::sync::Mutex;

use super::settings::BrokerSettings;
use super::{EventTopics, publish_event, unavailable};
use crate::subgraph::{SubgraphError, Upstream, Upstreams};

/// Messages of one subscription that wait for its task. The server drops further ones, which is
/// reported.
const QUEUE: usize = 4_096;

/// Connection to NATS, opened by the first command.
#[derive(Debug)]
pub(super) struct Nats {
    client: Mutex<Option<Client>>,
    upstreams: Arc<Upstreams>,
}

impl Nats {
    pub(super) fn new(upstreams: Arc<Upstreams>) -> Self {
        Self { client: Mutex::default(), upstreams }
    }

    /// Returns the connection. An open one reconnects by itself; the first attempt may fail.
    pub(super) async fn client(&self, settings: &BrokerSettings) -> Result<Client, SubgraphError> {
        let mut client = self.client.lock().await;
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        let connected = options(settings, &self.upstreams).connect(&settings.url.text).await;
        let connected = connected.map_err(|error| unavailable(&error.to_string()))?;
        Ok(client.insert(connected).clone())
    }

    /// Returns the connection if it is open: the library would send messages later.
    async fn connected(&self, settings: &BrokerSettings) -> Result<Client, SubgraphError> {
        let client = self.client(settings).await?;
        match client.connection_state() {
            State::Connected => Ok(client),
            State::Pending | State::Disconnected => Err(unavailable("the connection is lost")),
        }
    }

    pub(super) async fn publish(
        &self,
        settings: &BrokerSettings,
        subject: String,
        event: Bytes,
    ) -> Result<(), SubgraphError> {
        let client = self.connected(settings).await?;
        let failed = |error: &dyn std::error::Error| unavailable(&error.to_string());
        client.publish(subject, event).await.map_err(|error| failed(&error))?;
        client.flush().await.map_err(|error| failed(&error))
    }

    pub(super) async fn subscribe(
        &self,
        settings: &BrokerSettings,
        subject: String,
    ) -> Result<Subscriber, SubgraphError> {
        let client = self.connected(settings).await?;
        client.subscribe(subject).await.map_err(|error| unavailable(&error.to_string()))
    }

    pub(super) async fn request(
        &self,
        settings: &BrokerSettings,
        subject: String,
        body: Bytes,
    ) -> Result<Bytes, SubgraphError> {
        let client = self.connected(settings).await?;
        // The caller limits the time.
        let request = async_nats::Request::new().payload(body).timeout(None);
        match client.send_request(subject, request).await {
            Ok(reply) => Ok(reply.payload),
            Err(error) => Err(match error.kind() {
                RequestErrorKind::TimedOut => SubgraphError::Timeout,
                RequestErrorKind::NoResponders => unavailable("no service responds to the subject"),
                RequestErrorKind::InvalidSubject
                | RequestErrorKind::MaxPayloadExceeded
                | RequestErrorKind::Other => unavailable(&error.to_string()),
            }),
        }
    }

    /// Publishes the messages of subjects to the listeners.
    pub(super) async fn follow(
        &self,
        settings: &BrokerSettings,
        upstream: &Upstream,
        topics: &EventTopics,
    ) -> Result<(), SubgraphError> {
        let client = self.client(settings).await?;
        let mut subscribers = Vec::with_capacity(topics.topics.len());
        for subject in &topics.topics {
            let subscriber = client.subscribe(subject.clone()).await;
            subscribers.push(subscriber.map_err(|error| unavailable(&error.to_string()))?);
        }
        let mut messages = select_all(subscribers);
        while let Some(message) = messages.next().await {
            publish_event(upstream, topics, &message.payload);
        }
        // The library connects no more, for instance since the credentials are refused now.
        *self.client.lock().await = None;
        Err(unavailable("the connection was closed"))
    }
}

fn options(settings: &BrokerSettings, upstreams: &Arc<Upstreams>) -> ConnectOptions {
    let BrokerSettings { name, url, user, password, token, connect_timeout, tls, .. } = settings;
    let (broker, upstreams) = (Arc::clone(name), Arc::clone(upstreams));
    let mut options = ConnectOptions::new()
        .name("thalweg")
        .connection_timeout(*connect_timeout)
        .subscription_capacity(QUEUE)
        .require_tls(url.is_encrypted)
        .event_callback(move |event| {
            observe(&broker, &upstreams, &event);
            std::future::ready(())
        });
    if let Some(tls) = tls {
        options = options.tls_client_config((*tls.0).clone());
    }
    if let Some(token) = token {
        options = options.token(token.clone());
    }
    if let (Some(user), Some(password)) = (user, password) {
        options = options.user_and_password(user.clone(), password.clone());
    }
    options
}

/// Logs an event of the connection, and reports losses to the listeners.
fn observe(broker: &str, upstreams: &Upstreams, event: &NatsEvent) {
    match event {
        NatsEvent::Disconnected => {
            tracing::warn!(broker, "the connection to a broker is lost");
            upstreams.interrupt_all();
        }
        NatsEvent::SlowConsumer(_) => {
            tracing::warn!(broker, "events of a broker were dropped");
            upstreams.interrupt_all();
        }
        NatsEvent::ServerError(error) => {
            tracing::warn!(broker, %error, "a broker reports an error");
        }
        NatsEvent::ClientError(error) => {
            tracing::debug!(broker, %error, "a connection to a broker has failed");
        }
        NatsEvent::Connected => tracing::info!(broker, "a broker is connected"),
        NatsEvent::LameDuckMode | NatsEvent::Draining | NatsEvent::Closed => {
            tracing::debug!(broker, %event, "a connection to a broker has changed");
        }
    }
}
