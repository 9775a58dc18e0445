//! Listeners to the channels of a source, each with a queue of its own.
//!
//! All listeners are ended when the session with the source is lost: they may miss notifications, and
//! do not continue as if they had not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::{AHashMap, AHashSet};
use source::SourceError;
use source::notifications::{ChannelSession, Channels, Notification};
use tokio::sync::Notify;

use crate::published::Published;
use crate::queue::{ListenerCounts, ListenerEnd, QueueReceiver, QueueSender, queue};

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
    queue: QueueSender<Event>,
}

/// A listener to a channel.
#[derive(Debug)]
pub struct Listener {
    listeners: Arc<Listeners>,
    channel: Box<str>,
    number: u64,
    queue: QueueReceiver<Event>,
}

/// A new listener.
#[derive(Debug)]
pub struct Listening {
    pub listener: Listener,
    /// True if the caller has to start a task that receives notifications.
    pub needs_task: bool,
}

/// The place of a listener among the others, at which another one can continue.
#[derive(Clone, Debug)]
pub struct ListenerPlace {
    listeners: Arc<Listeners>,
    channel: Box<str>,
    number: u64,
}

/// An event of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Notifications of transactions that commit from now on are received.
    Begun,
    Notified(Arc<Notice>),
}

/// A notification: its payload.
pub type Notice = Published<Box<str>>;

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
        let (sender, receiver) = queue();
        let mut channels = self.lock();
        channels.last_number += 1;
        let number = channels.last_number;
        let entry = Entry { number, queue: sender };
        let own = channels.channels.entry(channel.into()).or_default();
        if own.is_followed {
            entry.queue.send(Event::Begun);
        }
        own.entries.push(entry);
        let needs_task = !std::mem::replace(&mut channels.has_task, true);
        drop(channels);
        self.changed.notify_one();
        let listeners = Arc::clone(self);
        let listener = Listener { listeners, channel: channel.into(), number, queue: receiver };
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
        let notice = Arc::new(Notice::new(payload.clone(), 1));
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
                entry.queue.end(ListenerEnd::Lost);
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

impl Channel {
    /// Adds an event to all queues. Returns the number of listeners whose queues were full.
    fn send(&mut self, event: &Event) -> u64 {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.queue.send(event.clone()));
        (before - self.entries.len()) as u64
    }
}

impl Listener {
    /// Waits for the next event; the error is the last. Cancel safe.
    pub async fn next(&mut self) -> Result<Event, ListenerEnd> {
        self.queue.next().await
    }
}

impl Listener {
    #[must_use]
    pub fn place(&self) -> ListenerPlace {
        let Self { listeners, channel, number, .. } = self;
        let (listeners, channel) = (Arc::clone(listeners), channel.clone());
        ListenerPlace { listeners, channel, number: *number }
    }
}

impl ListenerPlace {
    /// Whether the listener is one of these, to this channel.
    #[must_use]
    pub fn is_of(&self, listeners: &Arc<Listeners>, channel: &str) -> bool {
        Arc::ptr_eq(&self.listeners, listeners) && *self.channel == *channel
    }

    /// Replaces the listener by another one, which receives the following events; the former one
    /// receives those before, and [`ListenerEnd::Moved`]. `None` if it has ended.
    #[must_use]
    pub fn succeed(&self) -> Option<Listener> {
        let Self { listeners, channel, number } = self;
        let (sender, receiver) = queue();
        let mut channels = listeners.lock();
        let last_number = channels.last_number + 1;
        let own = channels.channels.get_mut(channel)?;
        let entry = own.entries.iter_mut().find(|entry| entry.number == *number)?;
        let former = std::mem::replace(entry, Entry { number: last_number, queue: sender });
        former.queue.end(ListenerEnd::Moved);
        channels.last_number = last_number;
        drop(channels);
        let (listeners, channel) = (Arc::clone(listeners), channel.clone());
        Some(Listener { listeners, channel, number: last_number, queue: receiver })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.listeners.leave(&self.channel, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::QUEUE;

    fn notified(payload: &str) -> Result<Event, ListenerEnd> {
        Ok(Event::Notified(Arc::new(Notice::new(payload.into(), 1))))
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
    async fn a_listener_continues_another_one_without_a_gap() {
        let listeners = Arc::<Listeners>::default();
        let mut former = listeners.listen("a").listener;
        listeners.begin("a");
        listeners.notify(&notification("1"));
        let place = former.place();
        assert!(place.is_of(&listeners, "a") && !place.is_of(&listeners, "b"));
        assert!(!place.is_of(&Arc::default(), "a"));
        let mut next = place.succeed().unwrap();
        assert!(place.succeed().is_none());
        listeners.notify(&notification("2"));
        assert_eq!(former.next().await, Ok(Event::Begun));
        assert_eq!(former.next().await, notified("1"));
        assert_eq!(former.next().await, Err(ListenerEnd::Moved));
        drop(former);
        assert_eq!(next.next().await, notified("2"));
        assert_eq!(listeners.counts().listeners, 1);
    }

    #[tokio::test]
    async fn a_lost_session_ends_all_listeners() {
        let listeners = Arc::<Listeners>::default();
        let mut listener = listeners.listen("a").listener;
        drop(Following { listeners: &listeners, is_ended: false });
        assert_eq!(listener.next().await, Err(ListenerEnd::Lost));
        assert!(listeners.listen("a").needs_task);
    }
}
