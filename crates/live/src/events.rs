//! Listeners to events of nodes and rows: the changes of the mutations of this process.
//!
//! A listener has a queue of mutations, each with its events. Equal subscriptions share the response to
//! an event.
//!
//! Mutations with listeners run one after another, so that events of a node have the order of its
//! changes. If it is not known what a mutation has changed, the listeners to its nodes are ended: they
//! may miss events, and do not continue as if they had not.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::EntityId;
use ir::EventKind;
use source::{CommittedEvent, CommittedEvents};
use tokio::sync;

use crate::published::Published;
use crate::queue::{ListenerCounts, ListenerEnd, QueueReceiver, QueueSender, queue};
use crate::written::Written;

/// The listeners to events, shared by all threads.
#[derive(Debug, Default)]
pub struct EventListeners {
    entries: Mutex<Entries>,
    /// The mutation whose events are published next.
    turn: sync::Mutex<()>,
    executions: AtomicU64,
}

#[derive(Debug, Default)]
struct Entries {
    entries: Vec<Entry>,
    last_number: u64,
    /// Listeners that were ended because their queues were full.
    too_slow: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    subject: Subject,
    queue: QueueSender<Vec<Arc<Change>>>,
}

/// The events of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub entity: EntityId,
    pub of: SubjectKind,
}

/// The changes of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// Changes of one kind, of nodes with all of these labels.
    Nodes { kind: EventKind, labels: Box<[Box<str>]> },
    /// All changes of rows of the entity.
    Rows,
}

/// An event of a listener.
pub type Change = Published<Arc<CommittedEvent>>;

/// A listener to events.
#[derive(Debug)]
pub struct EventListener {
    listeners: Arc<EventListeners>,
    number: u64,
    subject: Subject,
    queue: QueueReceiver<Vec<Arc<Change>>>,
    /// The rest of the events of a mutation.
    rest: VecDeque<Arc<Change>>,
}

/// The place of a listener among the others, at which another one can continue.
#[derive(Clone, Debug)]
pub struct EventPlace {
    listeners: Arc<EventListeners>,
    number: u64,
    subject: Subject,
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
        entries.entries.push(Entry { number, subject: subject.clone(), queue: sender });
        drop(entries);
        let listeners = Arc::clone(self);
        EventListener { listeners, number, subject, queue: receiver, rest: VecDeque::new() }
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
    fn publish(&self, events: &[Arc<CommittedEvent>], written: &Written) {
        let change = |event| Arc::new(Change::new(Arc::clone(event), events.len()));
        let changes: Vec<Arc<Change>> = events.iter().map(change).collect();
        let mut entries = self.lock();
        let before = entries.entries.len();
        entries.entries.retain(|entry| {
            if !written.contains(entry.subject.entity) {
                return true;
            }
            let own = changes.iter().filter(|change| entry.subject.has(&change.event));
            let own: Vec<_> = own.cloned().collect();
            own.is_empty() || entry.queue.send(own)
        });
        entries.too_slow += (before - entries.entries.len()) as u64;
    }

    /// Counts an execution of a subscription.
    pub fn count_execution(&self) {
        self.executions.fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn counts(&self) -> ListenerCounts {
        let entries = self.lock();
        ListenerCounts {
            listeners: entries.entries.len() as u64,
            too_slow: entries.too_slow,
            executions: self.executions.load(Ordering::Relaxed),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subject {
    fn has(&self, event: &CommittedEvent) -> bool {
        match (&self.of, event) {
            (SubjectKind::Nodes { kind, labels }, CommittedEvent::Node(event)) => {
                *kind == event.kind && labels.iter().all(|label| event.labels.contains(label))
            }
            (SubjectKind::Rows, CommittedEvent::Row(event)) => self.entity == event.entity,
            (SubjectKind::Nodes { .. }, CommittedEvent::Row(_))
            | (SubjectKind::Rows, CommittedEvent::Node(_)) => false,
        }
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

impl EventListener {
    /// Returns true if it is the first one of its listeners.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.number == 1
    }

    /// Waits for the next event; the error is the last. Cancel safe.
    pub async fn next(&mut self) -> Result<Arc<Change>, ListenerEnd> {
        loop {
            if let Some(change) = self.rest.pop_front() {
                return Ok(change);
            }
            self.rest = self.queue.next().await?.into();
        }
    }
}

impl EventListener {
    #[must_use]
    pub fn place(&self) -> EventPlace {
        let Self { listeners, number, subject, .. } = self;
        let (listeners, subject) = (Arc::clone(listeners), subject.clone());
        EventPlace { listeners, number: *number, subject }
    }
}

impl EventPlace {
    /// Whether the listener is one of these, to this subject.
    #[must_use]
    pub fn is_of(&self, listeners: &Arc<EventListeners>, subject: &Subject) -> bool {
        Arc::ptr_eq(&self.listeners, listeners) && self.subject == *subject
    }

    /// Replaces the listener by another one, which receives the following events; the former one
    /// receives those before, and [`ListenerEnd::Moved`]. `None` if it has ended.
    #[must_use]
    pub fn succeed(&self) -> Option<EventListener> {
        let Self { listeners, number, subject } = self;
        let (sender, receiver) = queue();
        let mut entries = listeners.lock();
        let last_number = entries.last_number + 1;
        let entry = entries.entries.iter_mut().find(|entry| entry.number == *number)?;
        entry.number = last_number;
        std::mem::replace(&mut entry.queue, sender).end(ListenerEnd::Moved);
        entries.last_number = last_number;
        drop(entries);
        let (listeners, subject) = (Arc::clone(listeners), subject.clone());
        let (number, rest) = (last_number, VecDeque::new());
        Some(EventListener { listeners, number, subject, queue: receiver, rest })
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
    use source::{NodeEvent, RowEvent};

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
        Subject { entity, of: SubjectKind::Nodes { kind, labels } }
    }

    fn event(kind: EventKind, labels: &[&str]) -> Arc<CommittedEvent> {
        let labels = labels.iter().map(|label| (*label).into()).collect();
        let event = NodeEvent { kind, labels, before: None, after: None, timestamp: 1 };
        Arc::new(CommittedEvent::Node(event))
    }

    fn written(entity: EntityId) -> Written {
        Written::Entities([entity].into_iter().collect())
    }

    fn committed(events: Vec<Arc<CommittedEvent>>) -> CommittedEvents {
        CommittedEvents { events, is_incomplete: false }
    }

    async fn next(listener: &mut EventListener) -> Result<Arc<CommittedEvent>, ListenerEnd> {
        listener.next().await.map(|change| Arc::clone(&change.event))
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
    async fn a_listener_to_rows_receives_all_changes_of_those_of_its_entity() {
        let listeners = Arc::<EventListeners>::default();
        let mut listener = listeners.listen(Subject { entity: movie(), of: SubjectKind::Rows });
        let row = |entity, value: &str| {
            Arc::new(CommittedEvent::Row(RowEvent { entity, value: value.into() }))
        };
        let own = [row(movie(), "a"), row(movie(), "b")];
        let others = [row(person(), "c"), event(EventKind::Created, &[])];
        let events = own.iter().cloned().chain(others).collect();
        listeners.begin(&Written::Anything).await.publish(&committed(events));
        for expected in own {
            assert_eq!(next(&mut listener).await, Ok(expected));
        }
        drop(listeners.begin(&written(movie())).await);
        assert_eq!(next(&mut listener).await, Err(ListenerEnd::Lost));
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
        assert_eq!(listeners.counts(), ListenerCounts { too_slow: 1, ..Default::default() });
    }

    #[tokio::test]
    async fn a_listener_continues_another_one_without_a_gap() {
        let listeners = Arc::<EventListeners>::default();
        let movies = written(movie());
        let own = subject(movie(), EventKind::Created, &[]);
        let mut former = listeners.listen(own.clone());
        let [first, second] = [&["a"], &["b"]].map(|labels| event(EventKind::Created, labels));
        listeners.begin(&movies).await.publish(&committed(vec![first.clone()]));
        let place = former.place();
        assert!(place.is_of(&listeners, &own));
        assert!(!place.is_of(&listeners, &subject(person(), EventKind::Created, &[])));
        let mut following = place.succeed().unwrap();
        listeners.begin(&movies).await.publish(&committed(vec![second.clone()]));
        assert_eq!(next(&mut former).await, Ok(first));
        assert_eq!(next(&mut former).await, Err(ListenerEnd::Moved));
        drop(former);
        assert_eq!(next(&mut following).await, Ok(second));
        drop(following);
        assert!(place.succeed().is_none());
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
}
