//! Listeners to events of nodes: the changes of the mutations of this process.
//!
//! A listener has a queue of mutations, each with its events. Equal subscriptions share the response to
//! an event.
//!
//! Mutations with listeners run one after another, so that events of a node have the order of its
//! changes. If it is not known what a mutation has changed, the listeners to its nodes are ended: they
//! may miss events, and do not continue as if they had not.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ahash::AHashMap;
use bytes::Bytes;
use catalog::EntityId;
use ir::EventKind;
use source::{CommittedEvents, NodeEvent};
use tokio::sync::{self, OnceCell};

use crate::cohort::CohortKey;
use crate::queue::{ListenerEnd, QueueReceiver, QueueSender, queue};
use crate::written::Written;

/// The listeners to events, shared by all threads.
#[derive(Debug, Default)]
pub struct EventListeners {
    entries: Mutex<Entries>,
    /// The mutation whose events are published next.
    turn: sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Entries {
    entries: Vec<Entry>,
    last_number: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    subject: Subject,
    queue: QueueSender<Vec<Arc<Published>>>,
}

/// The events of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub entity: EntityId,
    pub kind: EventKind,
    /// Labels that the nodes have.
    pub labels: Box<[Box<str>]>,
}

/// An event, with the responses to it.
#[derive(Debug)]
pub struct Published {
    pub event: Arc<NodeEvent>,
    /// By subscription, as long as one of the equal ones has it: a slow listener keeps no responses of
    /// others.
    responses: Mutex<AHashMap<Arc<CohortKey>, Weak<OnceCell<Bytes>>>>,
}

/// A listener to events.
#[derive(Debug)]
pub struct EventListener {
    listeners: Arc<EventListeners>,
    number: u64,
    queue: QueueReceiver<Vec<Arc<Published>>>,
    /// The rest of the events of a mutation.
    rest: VecDeque<Arc<Published>>,
}

/// A mutation with listeners, while it runs.
///
/// If it is dropped without [`Publication::publish`], its outcome is not known, and the listeners to
/// its nodes are ended.
#[derive(Debug)]
pub struct Publication<'l> {
    listeners: &'l EventListeners,
    written: &'l Written,
    is_published: bool,
    _turn: sync::MutexGuard<'l, ()>,
}

impl EventListeners {
    /// Adds a listener.
    #[must_use]
    pub fn listen(self: &Arc<Self>, subject: Subject) -> EventListener {
        let (sender, receiver) = queue();
        let mut entries = self.lock();
        entries.last_number += 1;
        let number = entries.last_number;
        entries.entries.push(Entry { number, subject, queue: sender });
        drop(entries);
        let listeners = Arc::clone(self);
        EventListener { listeners, number, queue: receiver, rest: VecDeque::new() }
    }

    /// Returns true if there are listeners to nodes that a mutation may change.
    #[must_use]
    pub fn are_concerned(&self, written: &Written) -> bool {
        !written.is_empty()
            && self.lock().entries.iter().any(|entry| written.contains(entry.subject.entity))
    }

    /// Waits for the mutations before this one.
    pub async fn begin<'l>(&'l self, written: &'l Written) -> Publication<'l> {
        let turn = self.turn.lock().await;
        Publication { listeners: self, written, is_published: false, _turn: turn }
    }

    /// Ends the listeners to nodes that a mutation may have changed.
    pub fn lose(&self, written: &Written) {
        self.lock().entries.retain(|entry| {
            let is_lost = written.contains(entry.subject.entity);
            if is_lost {
                entry.queue.end(ListenerEnd::Lost);
            }
            !is_lost
        });
    }

    /// Adds events of nodes that a mutation may change to the queues of their listeners.
    fn publish(&self, events: &[Arc<NodeEvent>], written: &Written) {
        let published: Vec<Arc<Published>> = events.iter().map(Published::new).collect();
        self.lock().entries.retain(|entry| {
            if !written.contains(entry.subject.entity) {
                return true;
            }
            let own = published.iter().filter(|published| entry.subject.has(&published.event));
            let own: Vec<_> = own.cloned().collect();
            own.is_empty() || entry.queue.send(own)
        });
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subject {
    fn has(&self, event: &NodeEvent) -> bool {
        self.kind == event.kind && self.labels.iter().all(|label| event.labels.contains(label))
    }
}

impl Publication<'_> {
    /// Publishes the events of the committed changes.
    pub fn publish(mut self, committed: &CommittedEvents) {
        self.listeners.publish(&committed.events, self.written);
        self.is_published = !committed.is_incomplete;
    }
}

impl Drop for Publication<'_> {
    fn drop(&mut self) {
        if !self.is_published {
            self.listeners.lose(self.written);
        }
    }
}

impl Published {
    fn new(event: &Arc<NodeEvent>) -> Arc<Self> {
        Arc::new(Self { event: Arc::clone(event), responses: Mutex::default() })
    }

    /// The response for equal subscriptions.
    #[must_use]
    pub fn response(&self, key: &Arc<CohortKey>) -> Arc<OnceCell<Bytes>> {
        let mut responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        let known = responses.get(key).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let response = Arc::default();
            responses.insert(Arc::clone(key), Arc::downgrade(&response));
            response
        })
    }
}

impl EventListener {
    /// Waits for the next event; the error is the last. Cancel safe.
    pub async fn next(&mut self) -> Result<Arc<Published>, ListenerEnd> {
        loop {
            if let Some(published) = self.rest.pop_front() {
                return Ok(published);
            }
            self.rest = self.queue.next().await?.into();
        }
    }
}

impl Drop for EventListener {
    fn drop(&mut self) {
        let mut entries = self.listeners.lock();
        entries.entries.retain(|entry| entry.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use source::Session;

    use super::*;
    use crate::queue::QUEUE;

    fn movie() -> EntityId {
        EntityId::new(0)
    }

    fn person() -> EntityId {
        EntityId::new(1)
    }

    fn subject(entity: EntityId, kind: EventKind, labels: &[&str]) -> Subject {
        let labels = labels.iter().map(|label| (*label).into()).collect();
        Subject { entity, kind, labels }
    }

    fn event(kind: EventKind, labels: &[&str]) -> Arc<NodeEvent> {
        let labels = labels.iter().map(|label| (*label).into()).collect();
        Arc::new(NodeEvent { kind, labels, before: None, after: None, timestamp: 1 })
    }

    fn written(entity: EntityId) -> Written {
        Written::Entities([entity].into_iter().collect())
    }

    fn committed(events: Vec<Arc<NodeEvent>>) -> CommittedEvents {
        CommittedEvents { events, is_incomplete: false }
    }

    async fn next(listener: &mut EventListener) -> Result<Arc<NodeEvent>, ListenerEnd> {
        listener.next().await.map(|published| Arc::clone(&published.event))
    }

    #[tokio::test]
    async fn a_listener_receives_the_events_of_its_kind_and_labels_in_order() {
        let listeners = Arc::<EventListeners>::default();
        let movies = written(movie());
        assert!(!listeners.are_concerned(&movies));
        let mut created = listeners.listen(subject(movie(), EventKind::Created, &["Movie"]));
        assert!(listeners.are_concerned(&movies) && !listeners.are_concerned(&written(person())));
        assert!(!listeners.are_concerned(&Written::default()));
        let first = event(EventKind::Created, &["Film", "Movie"]);
        let second = event(EventKind::Created, &["Movie"]);
        let others = [event(EventKind::Created, &["Film"]), event(EventKind::Deleted, &["Movie"])];
        let events = [first.clone(), second.clone()].into_iter().chain(others).collect();
        listeners.begin(&movies).await.publish(&committed(events));
        assert_eq!(next(&mut created).await, Ok(first));
        assert_eq!(next(&mut created).await, Ok(second));
        drop(created);
        assert!(!listeners.are_concerned(&movies));
    }

    #[tokio::test]
    async fn a_slow_listener_receives_its_queue_and_the_end() {
        let listeners = Arc::<EventListeners>::default();
        let movies = written(movie());
        let mut slow = listeners.listen(subject(movie(), EventKind::Created, &[]));
        // Any number of events of one mutation.
        let many = committed(vec![event(EventKind::Created, &[]); 3 * QUEUE]);
        for _ in 0..=QUEUE {
            assert!(listeners.are_concerned(&movies));
            listeners.begin(&movies).await.publish(&many);
        }
        assert!(!listeners.are_concerned(&movies));
        for _ in 0..3 * QUEUE * QUEUE {
            assert!(next(&mut slow).await.is_ok());
        }
        assert_eq!(next(&mut slow).await, Err(ListenerEnd::TooSlow));
    }

    #[tokio::test]
    async fn an_unknown_outcome_ends_the_listeners_to_the_nodes() {
        let listeners = Arc::<EventListeners>::default();
        let movies = written(movie());
        let mut of_movies = listeners.listen(subject(movie(), EventKind::Created, &["Movie"]));
        let mut of_people = listeners.listen(subject(person(), EventKind::Created, &["Person"]));
        drop(listeners.begin(&movies).await);
        assert_eq!(next(&mut of_movies).await, Err(ListenerEnd::Lost));
        let known = event(EventKind::Created, &["Person"]);
        let events = CommittedEvents { events: vec![known.clone()], is_incomplete: true };
        listeners.begin(&Written::Anything).await.publish(&events);
        assert_eq!(next(&mut of_people).await, Ok(known));
        assert_eq!(next(&mut of_people).await, Err(ListenerEnd::Lost));
    }

    #[tokio::test]
    async fn equal_subscriptions_share_the_response_to_an_event() {
        let listeners = Arc::<EventListeners>::default();
        let own = || subject(movie(), EventKind::Created, &[]);
        let mut both = [listeners.listen(own()), listeners.listen(own())];
        let movies = written(movie());
        let events = committed(vec![event(EventKind::Created, &[])]);
        listeners.begin(&movies).await.publish(&events);
        let key = |query: &str| {
            let variables = serde_json_bytes::Map::new();
            Arc::new(CohortKey::new(query, None, &variables, &Session::default()))
        };
        let mut published = Vec::new();
        for listener in &mut both {
            published.push(listener.next().await.unwrap());
        }
        let [one, other] = published.as_slice() else { panic!("two listeners") };
        let response = one.response(&key("a"));
        response.get_or_init(async || Bytes::from_static(b"first")).await;
        let shared = other.response(&key("a"));
        assert_eq!(shared.get().map(Bytes::as_ref), Some(&b"first"[..]));
        assert!(other.response(&key("b")).get().is_none());
        drop((response, shared));
        assert!(other.response(&key("a")).get().is_none());
    }
}
