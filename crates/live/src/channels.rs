//! Listeners to the channels of a source, each with a queue of its own.
//!
//! A listener whose queue is full, and all listeners when the session with the source is lost, are
//! ended: they may miss notifications, and do not continue as if they had not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ahash::{AHashMap, AHashSet};
use bytes::Bytes;
use source::SourceError;
use source::notifications::{ChannelSession, Channels, Notification};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{Notify, OnceCell};

use crate::cohort::CohortKey;

/// Notifications that wait for one listener.
const QUEUE: usize = 128;

/// Most bytes of a response that is kept while its notification waits for some listener.
const KEPT: usize = 16 << 10;

/// The listeners to all channels, shared by all threads.
#[derive(Debug, Default)]
pub struct Listeners {
    channels: Mutex<ByChannel>,
    /// Wakes the task that receives notifications: a channel has its first listener, or none.
    changed: Notify,
    executions: AtomicU64,
}

#[derive(Debug, Default)]
struct ByChannel {
    channels: AHashMap<Box<str>, Channel>,
    /// Listeners that were ended because their queues were full.
    too_slow: u64,
    /// True while a task receives notifications.
    has_task: bool,
    last_number: u64,
}

/// A channel with listeners.
#[derive(Debug, Default)]
struct Channel {
    /// True if the session listens to it.
    is_followed: bool,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    queue: Sender<Event>,
    end: Arc<OnceLock<ListenerEnd>>,
}

/// A listener to a channel.
#[derive(Debug)]
pub struct Listener {
    listeners: Arc<Listeners>,
    channel: Box<str>,
    number: u64,
    queue: Receiver<Event>,
    end: Arc<OnceLock<ListenerEnd>>,
}

/// A new listener.
#[derive(Debug)]
pub struct Listening {
    pub listener: Listener,
    /// True if the caller has to start a task that receives notifications.
    pub needs_task: bool,
}

/// An event of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Notifications of transactions that commit from now on are received.
    Begun,
    Notified(Arc<Notice>),
}

/// A notification, with the responses of equal subscriptions to it.
#[derive(Debug)]
pub struct Notice {
    payload: Box<str>,
    responses: Mutex<AHashMap<CohortKey, Arc<OnceCell<Bytes>>>>,
}

/// Numbers of listeners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListenerCounts {
    pub listeners: u64,
    /// Those that were ended because their queues were full, so far.
    pub too_slow: u64,
    /// Executions of their subscriptions, so far.
    pub executions: u64,
}

/// The reason for the end of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenerEnd {
    /// Its queue was full.
    TooSlow,
    /// The session with the source is lost.
    Lost,
}

/// Channels to which the session should begin to listen, and no longer listen.
struct Differences {
    begun: Vec<Box<str>>,
    ended: Vec<Box<str>>,
}

/// Ends all listeners when the task that receives notifications ends, or is dropped.
struct Following<'l> {
    listeners: &'l Listeners,
    /// True if there were no listeners: the next one has a task of its own.
    is_ended: bool,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        if !self.is_ended {
            self.listeners.lose();
        }
    }
}

/// Receives notifications until there are no listeners, or the session is lost.
pub async fn follow_channels<C: Channels>(listeners: &Listeners, channels: &C) {
    let mut following = Following { listeners, is_ended: false };
    match receive(listeners, channels).await {
        Ok(()) => following.is_ended = true,
        Err(error) => tracing::warn!(
            %error,
            "notifications of the database are received no longer: subscriptions to them end"
        ),
    }
}

async fn receive<C: Channels>(listeners: &Listeners, channels: &C) -> Result<(), SourceError> {
    let mut session = channels.connect().await?;
    let mut followed = AHashSet::new();
    while let Some(Differences { begun, ended }) = listeners.differences(&followed) {
        for channel in begun {
            session.listen(&channel).await?;
            listeners.begin(&channel);
            followed.insert(channel);
        }
        for channel in ended {
            session.unlisten(&channel).await?;
            followed.remove(&channel);
        }
        tokio::select! {
            notification = session.next() => listeners.notify(&notification?),
            () = listeners.changed.notified() => {}
        }
    }
    Ok(())
}

impl Listeners {
    /// Adds a listener to a channel.
    pub fn listen(self: &Arc<Self>, channel: &str) -> Listening {
        let (sender, queue) = mpsc::channel(QUEUE);
        let end = Arc::default();
        let mut channels = self.lock();
        channels.last_number += 1;
        let number = channels.last_number;
        let entry = Entry { number, queue: sender, end: Arc::clone(&end) };
        let own = channels.channels.entry(channel.into()).or_default();
        if own.is_followed {
            entry.send(Event::Begun);
        }
        own.entries.push(entry);
        let needs_task = !std::mem::replace(&mut channels.has_task, true);
        drop(channels);
        self.changed.notify_one();
        let listeners = Arc::clone(self);
        let listener = Listener { listeners, channel: channel.into(), number, queue, end };
        Listening { listener, needs_task }
    }

    /// `None`: there are no listeners, and the task has ended with this call.
    fn differences(&self, followed: &AHashSet<Box<str>>) -> Option<Differences> {
        let mut channels = self.lock();
        channels.has_task = !channels.channels.is_empty();
        if !channels.has_task {
            return None;
        }
        let own = &channels.channels;
        let begun = own.iter().filter(|(_, channel)| !channel.is_followed);
        let begun = begun.map(|(name, _)| name.clone()).collect();
        let ended = followed.iter().filter(|name| !own.contains_key(*name));
        Some(Differences { begun, ended: ended.cloned().collect() })
    }

    fn begin(&self, channel: &str) {
        let mut channels = self.lock();
        if let Some(own) = channels.channels.get_mut(channel) {
            own.is_followed = true;
            let ended = own.send(&Event::Begun);
            channels.too_slow += ended;
        }
    }

    fn notify(&self, Notification { channel, payload }: &Notification) {
        let notice = Arc::new(Notice::new(payload));
        let mut channels = self.lock();
        if let Some(own) = channels.channels.get_mut(channel) {
            let ended = own.send(&Event::Notified(notice));
            channels.too_slow += ended;
        }
    }

    /// Counts an execution of a subscription.
    pub fn count_execution(&self) {
        self.executions.fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn counts(&self) -> ListenerCounts {
        let channels = self.lock();
        let listeners = channels.channels.values().map(|channel| channel.entries.len() as u64);
        let executions = self.executions.load(Ordering::Relaxed);
        ListenerCounts { listeners: listeners.sum(), too_slow: channels.too_slow, executions }
    }

    /// Ends all listeners.
    fn lose(&self) {
        let mut channels = self.lock();
        channels.has_task = false;
        for channel in std::mem::take(&mut channels.channels).into_values() {
            for entry in channel.entries {
                entry.end(ListenerEnd::Lost);
            }
        }
    }

    fn leave(&self, channel: &str, number: u64) {
        let mut channels = self.lock();
        let Some(own) = channels.channels.get_mut(channel) else { return };
        own.entries.retain(|entry| entry.number != number);
        if own.entries.is_empty() {
            channels.channels.remove(channel);
            self.changed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ByChannel> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notice {
    fn new(payload: &str) -> Self {
        Self { payload: payload.into(), responses: Mutex::default() }
    }

    #[must_use]
    pub fn payload(&self) -> &str {
        &self.payload
    }

    /// The response of equal subscriptions: that of the first of them that is executed. A large one is
    /// not kept for those that read later.
    pub async fn response(&self, key: &CohortKey, execution: impl Future<Output = Bytes>) -> Bytes {
        let cell = Arc::clone(self.responses().entry(key.clone()).or_default());
        // If the subscriber that executes it leaves, another one does.
        let response = cell.get_or_init(|| execution).await.clone();
        if response.len() > KEPT {
            self.responses().remove(key);
        }
        response
    }

    fn responses(&self) -> MutexGuard<'_, AHashMap<CohortKey, Arc<OnceCell<Bytes>>>> {
        self.responses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Notice {
    fn eq(&self, other: &Self) -> bool {
        self.payload == other.payload
    }
}

impl Eq for Notice {}

impl Channel {
    /// Adds an event to all queues. Returns the number of listeners whose queues were full.
    fn send(&mut self, event: &Event) -> u64 {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.send(event.clone()));
        (before - self.entries.len()) as u64
    }
}

impl Entry {
    /// Adds an event to the queue, or ends the listener; returns true if it continues.
    fn send(&self, event: Event) -> bool {
        let is_sent = self.queue.try_send(event).is_ok();
        if !is_sent {
            self.end(ListenerEnd::TooSlow);
        }
        is_sent
    }

    fn end(&self, end: ListenerEnd) {
        self.end.get_or_init(|| end);
    }
}

impl Listener {
    /// Waits for the next event; the error is the last. Cancel safe.
    pub async fn next(&mut self) -> Result<Event, ListenerEnd> {
        let event = self.queue.recv().await;
        event.ok_or_else(|| *self.end.get_or_init(|| ListenerEnd::Lost))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.listeners.leave(&self.channel, self.number);
    }
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::Map;
    use source::Session;

    use super::*;

    fn notified(payload: &str) -> Result<Event, ListenerEnd> {
        Ok(Event::Notified(Arc::new(Notice::new(payload))))
    }

    fn notification(payload: &str) -> Notification {
        Notification { channel: "a".into(), payload: payload.into() }
    }

    #[tokio::test]
    async fn a_listener_receives_the_notifications_of_its_channel() {
        let listeners = Arc::<Listeners>::default();
        let Listening { mut listener, needs_task } = listeners.listen("a");
        assert!(needs_task);
        let Listening { listener: other, needs_task } = listeners.listen("b");
        assert!(!needs_task);
        let none = AHashSet::new();
        assert_eq!(listeners.differences(&none).unwrap().begun.len(), 2);
        listeners.begin("a");
        listeners.notify(&notification("1"));
        assert_eq!(listener.next().await, Ok(Event::Begun));
        assert_eq!(listener.next().await, notified("1"));
        let mut late = listeners.listen("a").listener;
        assert_eq!(late.next().await, Ok(Event::Begun));
        drop((other, late, listener));
        assert!(listeners.differences(&none).is_none());
        assert!(listeners.listen("a").needs_task);
    }

    #[tokio::test]
    async fn a_listener_that_is_too_slow_receives_its_queue_and_the_end() {
        let listeners = Arc::<Listeners>::default();
        let mut slow = listeners.listen("a").listener;
        listeners.begin("a");
        for number in 0..QUEUE {
            listeners.notify(&notification(&number.to_string()));
        }
        assert_eq!(slow.next().await, Ok(Event::Begun));
        // One did not fit, and this one comes after it.
        listeners.notify(&notification("later"));
        for number in 0..QUEUE - 1 {
            assert_eq!(slow.next().await, notified(&number.to_string()));
        }
        assert_eq!(slow.next().await, Err(ListenerEnd::TooSlow));
        assert_eq!(listeners.counts(), ListenerCounts { too_slow: 1, ..Default::default() });
    }

    #[tokio::test]
    async fn a_lost_session_ends_all_listeners() {
        let listeners = Arc::<Listeners>::default();
        let mut listener = listeners.listen("a").listener;
        drop(Following { listeners: &listeners, is_ended: false });
        assert_eq!(listener.next().await, Err(ListenerEnd::Lost));
        assert!(listeners.listen("a").needs_task);
    }

    #[tokio::test]
    async fn equal_subscriptions_have_one_response_to_a_notification() {
        let notice = Notice::new("1");
        let session = Session::default();
        let keys =
            ["{a}", "{b}"].map(|document| CohortKey::new(document, None, &Map::new(), &session));
        let [first, other] = &keys;
        let executed = AtomicU64::new(0);
        let execute = |length: usize| {
            let executed = &executed;
            async move {
                executed.fetch_add(1, Ordering::Relaxed);
                Bytes::from(vec![b'x'; length])
            }
        };
        for key in [first, first, other, first] {
            notice.response(key, execute(1)).await;
        }
        assert_eq!(executed.load(Ordering::Relaxed), 2);
        // A large response is not kept.
        let notice = Notice::new("2");
        for _ in 0..2 {
            notice.response(first, execute(KEPT + 1)).await;
        }
        assert_eq!(executed.load(Ordering::Relaxed), 4);
    }
}
