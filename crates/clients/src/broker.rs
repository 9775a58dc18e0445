//! Brokers of events: NATS and Redis.
//!
//! A [`Broker`] is shared by all threads; its connections and tasks belong to one thread of their
//! own. Equal subscriptions share one subscription of the broker, as those to subgraphs share theirs.
//!
//! * [`settings`]: address, credentials and certificates
//! * `nats`: connection to NATS; `jet_stream`: its durable consumers
//! * `messages`: messages of one topic, which are not shared
//! * `redis`: connection to Redis for commands; `channels`: its subscriptions
//! * `thread`: the thread of all brokers

mod channels;
mod jet_stream;
mod messages;
mod nats;
mod redis;
pub mod settings;
pub(crate) mod thread;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::time::timeout;

use self::channels::Channels;
use self::nats::Nats;
use self::redis::Redis;
use crate::subgraph::{
    EndGuard, Event, EventBudget, Key, Listener, SubgraphError, SubscriptionCounts, Unavailable,
    Upstream, UpstreamKey, Upstreams,
};
pub use messages::BrokerMessages;
pub use settings::{BrokerKind, BrokerSettings, BrokerUrl, UrlError};

/// A broker of events, shared by all threads.
#[derive(Debug)]
pub struct Broker {
    settings: BrokerSettings,
    connection: Connection,
    /// Subscriptions that miss events while there is no connection.
    upstreams: Arc<Upstreams>,
    /// Subscriptions of durable consumers, for which the broker stores events.
    durable: Arc<Upstreams>,
}

#[derive(Debug)]
enum Connection {
    Nats(Nats),
    Redis { commands: Redis, channels: Channels },
}

/// A subscription to events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTopics {
    /// Subjects of NATS, or patterns of channels of Redis.
    pub topics: Vec<String>,
    /// The durable consumer of NATS that receives the events.
    pub consumer: Option<DurableConsumer>,
    /// Maximum size of an event.
    pub most_bytes: u64,
}

/// A durable consumer of a stream of NATS JetStream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurableConsumer {
    pub stream: String,
    /// Beginning of its name; the rest depends on the subject and the server.
    pub name: String,
    /// Time without subscriptions after which it is deleted; zero for never.
    pub inactive_threshold: Duration,
}

impl Broker {
    #[must_use]
    pub fn new(settings: BrokerSettings) -> Arc<Self> {
        let upstreams = Arc::<Upstreams>::default();
        let connection = match settings.kind() {
            BrokerKind::Nats => Connection::Nats(Nats::new(Arc::clone(&upstreams))),
            BrokerKind::Redis => {
                let channels = Channels::new(settings.clone(), Arc::clone(&upstreams));
                Connection::Redis { commands: Redis::default(), channels }
            }
        };
        Arc::new(Self { settings, connection, upstreams, durable: Arc::default() })
    }

    #[must_use]
    pub fn settings(&self) -> &BrokerSettings {
        &self.settings
    }

    /// Counters of subscriptions.
    #[must_use]
    pub fn counts(&self) -> SubscriptionCounts {
        self.upstreams.snapshot().plus(self.durable.snapshot())
    }

    /// Begins a subscription, or joins an equal one.
    #[must_use]
    pub fn subscribe(
        self: &Arc<Self>,
        topics: EventTopics,
        budget: &Arc<dyn EventBudget>,
    ) -> Listener {
        let upstreams = match &topics.consumer {
            None => &self.upstreams,
            Some(_) => &self.durable,
        };
        let (listener, begun) = upstreams.join(self.key(&topics), false, true, budget);
        if let Some(upstream) = begun {
            let guard = EndGuard::new(Arc::clone(&upstream), Arc::clone(upstreams));
            let broker = Arc::clone(self);
            // Without a thread the task is dropped, and its guard ends the listeners.
            thread::spawn(async move {
                tokio::select! {
                    event = broker.follow(&upstream, &topics) => guard.end(&event),
                    () = upstream.left() => {}
                }
            });
        }
        listener
    }

    /// Returns true if a listener receives these events already, and so can keep its place.
    #[must_use]
    pub fn is_kept(&self, listener: &Listener, topics: &EventTopics) -> bool {
        listener.is_of(&self.key(topics))
    }

    /// Publishes an event, and waits until it is sent to NATS or received by Redis.
    pub async fn publish(
        self: &Arc<Self>,
        topic: String,
        event: Bytes,
        limit: Duration,
    ) -> Result<(), SubgraphError> {
        let broker = Arc::clone(self);
        within(limit, async move {
            match &broker.connection {
                Connection::Nats(nats) => nats.publish(&broker.settings, topic, event).await,
                Connection::Redis { commands, .. } => {
                    commands.publish(&broker.settings, &topic, &event).await
                }
            }
        })
        .await
    }

    /// Subscribes to a topic alone.
    pub async fn messages(
        self: &Arc<Self>,
        topic: String,
        limit: Duration,
    ) -> Result<BrokerMessages, SubgraphError> {
        let broker = Arc::clone(self);
        within(limit, async move {
            let stream = match &broker.connection {
                Connection::Nats(nats) => {
                    messages::Stream::Nats(nats.subscribe(&broker.settings, topic).await?)
                }
                Connection::Redis { .. } => {
                    messages::Stream::Redis(redis::subscribe(&broker.settings, &topic).await?)
                }
            };
            Ok(BrokerMessages(stream))
        })
        .await
    }

    /// Sends a request of NATS and returns its reply. Redis has none.
    pub async fn request(
        self: &Arc<Self>,
        subject: String,
        body: Bytes,
        limit: Duration,
    ) -> Result<Bytes, SubgraphError> {
        let broker = Arc::clone(self);
        within(limit, async move {
            match &broker.connection {
                Connection::Nats(nats) => nats.request(&broker.settings, subject, body).await,
                Connection::Redis { .. } => Err(unavailable("Redis has no requests")),
            }
        })
        .await
    }

    /// Publishes the events of a subscription until the last one, which is returned.
    async fn follow(&self, upstream: &Arc<Upstream>, topics: &EventTopics) -> Event {
        let followed = match (&self.connection, &topics.consumer) {
            (Connection::Nats(nats), None) => nats.follow(&self.settings, upstream, topics).await,
            (Connection::Nats(nats), Some(consumer)) => match nats.client(&self.settings).await {
                Ok(client) => {
                    let instance = self.settings.instance();
                    jet_stream::follow(client, instance, upstream, topics, consumer).await
                }
                Err(error) => Err(error),
            },
            (Connection::Redis { channels, .. }, None) => channels.follow(upstream, topics).await,
            (Connection::Redis { .. }, Some(_)) => Err(unavailable("Redis has no streams of NATS")),
        };
        match followed {
            Ok(()) => Event::Complete,
            Err(error) => {
                let broker = &*self.settings.name;
                tracing::warn!(broker, %error, "a subscription to events has failed");
                Event::Failed(error)
            }
        }
    }

    fn key(&self, topics: &EventTopics) -> UpstreamKey {
        let EventTopics { topics, consumer, most_bytes } = topics;
        let text = format!("{topics:?} {consumer:?} {most_bytes}");
        let request = Key::new(&Bytes::from(text), &HeaderMap::new());
        UpstreamKey { request, server: Arc::clone(&self.settings.name), alone: 0 }
    }
}

/// Runs a command on the thread of the brokers, within a time.
async fn within<T: Send + 'static>(
    limit: Duration,
    command: impl Future<Output = Result<T, SubgraphError>> + Send + 'static,
) -> Result<T, SubgraphError> {
    let command =
        async move { timeout(limit, command).await.unwrap_or(Err(SubgraphError::Timeout)) };
    match thread::spawn(command) {
        Some(task) => {
            task.await.unwrap_or_else(|_| Err(unavailable("the thread of the brokers has stopped")))
        }
        None => Err(unavailable("the thread of the brokers does not start")),
    }
}

/// Passes an event to the listeners. An event that is too long is left out, which they are notified of.
fn publish_event(upstream: &Upstream, topics: &EventTopics, event: &Bytes) {
    if event.len() as u64 > topics.most_bytes {
        let (bytes, most) = (event.len(), topics.most_bytes);
        tracing::warn!(topics = ?topics.topics, bytes, most, "an event is too long");
        return upstream.interrupt();
    }
    upstream.publish(event);
}

fn unavailable(reason: &str) -> SubgraphError {
    SubgraphError::Unavailable(Unavailable::Connect(reason.into()))
}
