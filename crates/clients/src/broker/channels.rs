//! Subscriptions of Redis: patterns of channels over one connection, which is opened again after a
//! loss. <https://redis.io/docs/latest/commands/psubscribe/>

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use redis::Msg;
use redis::aio::{PubSubSink, PubSubStream};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};

use super::redis::{failed, open_subscriber};
use super::settings::BrokerSettings;
use super::{EventTopics, publish_event, thread, unavailable};
use crate::subgraph::{SubgraphError, Upstream, Upstreams};

/// Interval of pings, by which a connection is found that was lost without a notice.
const PING: Duration = Duration::from_secs(15);
/// Time for the answer to a ping or a subscription.
const ANSWER: Duration = Duration::from_secs(5);
/// Back-off before the first attempt; it doubles with each.
const INITIAL_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(10);

/// The subscriptions of one Redis.
#[derive(Debug)]
pub(super) struct Channels {
    settings: BrokerSettings,
    upstreams: Arc<Upstreams>,
    commands: OnceLock<UnboundedSender<Command>>,
}

#[derive(Debug)]
enum Command {
    Add { upstream: Arc<Upstream>, topics: EventTopics, added: oneshot::Sender<Added> },
    Remove { upstream: Arc<Upstream> },
}

type Added = Result<(), SubgraphError>;

/// Removes a subscription when its task ends.
struct RemoveGuard<'c> {
    commands: &'c UnboundedSender<Command>,
    upstream: &'c Arc<Upstream>,
}

impl Drop for RemoveGuard<'_> {
    fn drop(&mut self) {
        // The task of the connection ends with the process only.
        let _ = self.commands.send(Command::Remove { upstream: Arc::clone(self.upstream) });
    }
}

/// State of the task of the connection.
struct Subscriber {
    settings: BrokerSettings,
    upstreams: Arc<Upstreams>,
    connection: Option<(PubSubSink, PubSubStream)>,
    /// Patterns of the subscriptions.
    patterns: HashMap<String, Vec<(Arc<Upstream>, EventTopics)>>,
    attempts: u32,
    /// Time of the next attempt to connect, or of the next ping.
    next: Instant,
}

impl Channels {
    pub(super) fn new(settings: BrokerSettings, upstreams: Arc<Upstreams>) -> Self {
        Self { settings, upstreams, commands: OnceLock::new() }
    }

    /// Publishes the messages of channels to the listeners, until the future is dropped.
    pub(super) async fn follow(
        &self,
        upstream: &Arc<Upstream>,
        topics: &EventTopics,
    ) -> Result<(), SubgraphError> {
        let commands = self.commands.get_or_init(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            let subscriber = Subscriber {
                settings: self.settings.clone(),
                upstreams: Arc::clone(&self.upstreams),
                connection: None,
                patterns: HashMap::new(),
                attempts: 0,
                next: Instant::now(),
            };
            // This code runs on the thread, so it has started.
            thread::spawn(subscriber.run(receiver));
            sender
        });
        let (added, is_added) = oneshot::channel();
        let guard = RemoveGuard { commands, upstream };
        let (upstream, topics) = (Arc::clone(upstream), topics.clone());
        // A task that has ended is noticed by the next line.
        let _ = commands.send(Command::Add { upstream, topics, added });
        is_added.await.unwrap_or_else(|_| Err(unavailable("the connection was closed")))?;
        pending::<()>().await;
        drop(guard);
        Ok(())
    }
}

impl Subscriber {
    /// Runs until the sender of commands is dropped.
    async fn run(mut self, mut commands: UnboundedReceiver<Command>) {
        loop {
            let is_idle = self.patterns.is_empty();
            let next = self.next;
            let message = async {
                match &mut self.connection {
                    Some((_, messages)) => messages.next().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.execute(command).await,
                    None => return,
                },
                message = message => match message {
                    Some(message) => self.dispatch(&message),
                    None => self.lose("it was closed"),
                },
                () = sleep_until(next), if !is_idle => self.keep_alive().await,
            }
        }
    }

    async fn execute(&mut self, command: Command) {
        match command {
            Command::Add { upstream, topics, added } => {
                let result = self.add(&upstream, &topics).await;
                if result.is_err() {
                    self.remove(&upstream).await;
                }
                // The subscription may have ended.
                let _ = added.send(result);
            }
            Command::Remove { upstream } => self.remove(&upstream).await,
        }
    }

    async fn add(&mut self, upstream: &Arc<Upstream>, topics: &EventTopics) -> Added {
        let is_first = self.patterns.is_empty();
        let mut new = Vec::new();
        for pattern in &topics.topics {
            let listeners = self.patterns.entry(pattern.clone()).or_default();
            if listeners.is_empty() {
                new.push(pattern.clone());
            }
            listeners.push((Arc::clone(upstream), topics.clone()));
        }
        if self.connection.is_some() {
            return self.subscribe(&new).await;
        }
        if is_first {
            return self.connect().await;
        }
        // The connection is lost, and opened again soon.
        upstream.interrupt();
        Ok(())
    }

    async fn remove(&mut self, upstream: &Arc<Upstream>) {
        let mut unused = Vec::new();
        self.patterns.retain(|pattern, listeners| {
            listeners.retain(|(listener, _)| !Arc::ptr_eq(listener, upstream));
            if listeners.is_empty() {
                unused.push(pattern.clone());
            }
            !listeners.is_empty()
        });
        if self.patterns.is_empty() {
            self.connection = None;
        }
        if let (Some((sink, _)), false) = (&mut self.connection, unused.is_empty()) {
            let removed = timeout(ANSWER, sink.punsubscribe(&unused)).await;
            if !matches!(removed, Ok(Ok(()))) {
                self.lose("it does not answer");
            }
        }
    }

    /// Opens the connection, and subscribes to all patterns.
    async fn connect(&mut self) -> Added {
        self.connection = Some(open_subscriber(&self.settings).await?.split());
        let patterns: Vec<String> = self.patterns.keys().cloned().collect();
        self.subscribe(&patterns).await?;
        self.attempts = 0;
        self.next = Instant::now() + PING;
        Ok(())
    }

    async fn subscribe(&mut self, patterns: &[String]) -> Added {
        let Some((sink, _)) = &mut self.connection else { return Ok(()) };
        if patterns.is_empty() {
            return Ok(());
        }
        match timeout(ANSWER, sink.psubscribe(patterns)).await {
            Ok(subscribed) => subscribed.map_err(|error| failed(&error)),
            Err(_) => Err(SubgraphError::Timeout),
        }
    }

    /// Pings the server, or opens a lost connection again.
    async fn keep_alive(&mut self) {
        let Some((sink, _)) = &mut self.connection else { return self.reconnect().await };
        self.next = Instant::now() + PING;
        let answer = timeout(ANSWER, sink.ping::<redis::Value>()).await;
        if !matches!(answer, Ok(Ok(_))) {
            self.lose("it does not answer");
        }
    }

    async fn reconnect(&mut self) {
        match self.connect().await {
            Ok(()) => tracing::info!(broker = &*self.settings.name, "a broker is connected"),
            Err(error) => {
                let broker = &*self.settings.name;
                tracing::debug!(broker, %error, "a connection to a broker has failed");
                self.connection = None;
                let backoff = INITIAL_BACKOFF.saturating_mul(1 << self.attempts.min(10));
                self.attempts += 1;
                self.next = Instant::now() + backoff.min(MAX_BACKOFF);
            }
        }
    }

    fn lose(&mut self, reason: &str) {
        let broker = &*self.settings.name;
        tracing::warn!(broker, reason, "the connection to a broker is lost");
        self.connection = None;
        self.next = Instant::now() + INITIAL_BACKOFF;
        self.upstreams.interrupt_all();
    }

    fn dispatch(&self, message: &Msg) {
        let pattern = message.get_pattern::<String>().unwrap_or_default();
        let event = Bytes::copy_from_slice(message.get_payload_bytes());
        for (upstream, topics) in self.patterns.get(&pattern).into_iter().flatten() {
            publish_event(upstream, topics, &event);
        }
    }
}
