//! Queue of a listener. Its writer never waits: a listener that reads too slowly is ended, or skips
//! to the newest response of a live query.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use super::super::request::SubgraphError;
use super::event_memory::EventReservation;

/// Maximum number of queued events.
const MAX_EVENTS: usize = 128;

/// Maximum size of the queued events, unless there is only one.
const MAX_BYTES: usize = 4 << 20;

/// An event of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A GraphQL response.
    Response(Arc<SharedResponse>),
    /// The connection is lost, and made again: events may be missing.
    Interrupted,
    /// The last event: the subgraph cannot be reached.
    Failed(SubgraphError),
    /// The last event: the listener read too slowly.
    TooSlow,
    /// The last event: the thread that runs the subscription has stopped, with the process.
    Stopped,
    /// The last event: the subgraph has no further events.
    Complete,
}

/// A response of the source stream, which all its listeners share.
pub struct SharedResponse {
    /// JSON text.
    pub body: Bytes,
    attached: OnceLock<Box<dyn Any + Send + Sync>>,
    /// The memory of the text, as long as a listener needs it.
    _held: Option<EventReservation>,
}

impl SharedResponse {
    /// A response without reserved memory.
    #[must_use]
    pub fn new(body: Bytes) -> Self {
        Self { body, attached: OnceLock::new(), _held: None }
    }

    /// A response with the memory that is reserved for it.
    pub(super) fn holding(body: Bytes, held: EventReservation) -> Self {
        Self { body, attached: OnceLock::new(), _held: Some(held) }
    }

    /// Returns a value that the listeners share, of a type of their own; `None` if they have several.
    pub fn attached<T: Default + Send + Sync + 'static>(&self) -> Option<&T> {
        self.attached.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}

impl PartialEq for SharedResponse {
    fn eq(&self, other: &Self) -> bool {
        self.body == other.body
    }
}

impl Eq for SharedResponse {}

/// Without the values, which must not reach a log.
impl fmt::Debug for SharedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedResponse").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// Queue of a listener.
#[derive(Debug)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    /// Wakes the listener.
    filled: Notify,
    is_live: bool,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Event>,
    bytes: usize,
    /// True if the last event is queued.
    has_ended: bool,
}

impl Mailbox {
    pub(super) fn new(is_live: bool) -> Self {
        Self { state: Mutex::default(), filled: Notify::new(), is_live }
    }

    /// Queues an event, unless the last one is queued already. Returns true if the listener is ended,
    /// because it reads too slowly.
    pub(super) fn push(&self, event: Event) -> bool {
        let mut state = self.lock();
        if state.has_ended {
            return false;
        }
        match &event {
            Event::Response(response) => {
                let body = &response.body;
                if self.is_live {
                    state.queue.clear();
                    state.bytes = 0;
                }
                let is_full =
                    state.queue.len() >= MAX_EVENTS || state.bytes + body.len() > MAX_BYTES;
                if is_full && !state.queue.is_empty() {
                    state.has_ended = true;
                    state.queue.push_back(Event::TooSlow);
                    return true;
                }
                state.bytes += body.len();
            }
            Event::Interrupted if self.is_live => return false,
            Event::Interrupted if state.queue.back() == Some(&Event::Interrupted) => return false,
            Event::Interrupted => {}
            Event::Failed(_) | Event::TooSlow | Event::Stopped | Event::Complete => {
                state.has_ended = true;
            }
        }
        state.queue.push_back(event);
        drop(state);
        self.filled.notify_one();
        false
    }

    /// True if no events wait.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().queue.is_empty()
    }

    /// Drops the responses that wait, and ends the listener: there is no memory. Returns true unless it
    /// has ended before.
    pub(super) fn exhaust(&self) -> bool {
        let mut state = self.lock();
        if std::mem::replace(&mut state.has_ended, true) {
            return false;
        }
        state.queue.clear();
        state.bytes = 0;
        state.queue.push_back(Event::Failed(SubgraphError::MemoryExhausted));
        drop(state);
        self.filled.notify_one();
        true
    }

    /// Waits for the next event; after the last one it waits forever. Cancel safe.
    pub(super) async fn next(&self) -> Event {
        loop {
            if let Some(event) = self.take() {
                return event;
            }
            self.filled.notified().await;
        }
    }

    fn take(&self) -> Option<Event> {
        let mut state = self.lock();
        let event = state.queue.pop_front()?;
        if let Event::Response(response) = &event {
            state.bytes -= response.body.len();
        }
        Some(event)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(text: &str) -> Event {
        Event::Response(Arc::new(SharedResponse::new(Bytes::copy_from_slice(text.as_bytes()))))
    }

    fn events(mailbox: &Mailbox) -> Vec<Event> {
        std::iter::from_fn(|| mailbox.take()).collect()
    }

    #[test]
    fn a_listener_receives_all_events_up_to_the_last() {
        let mailbox = Mailbox::new(false);
        let pushed = [response("1"), Event::Interrupted, response("2"), Event::Complete];
        assert!(pushed.iter().all(|event| !mailbox.push(event.clone())));
        mailbox.push(response("3"));
        assert_eq!(events(&mailbox), pushed);
    }

    #[test]
    fn a_slow_listener_is_ended() {
        let mailbox = Mailbox::new(false);
        for number in 0..=MAX_EVENTS {
            assert_eq!(mailbox.push(response(&number.to_string())), number == MAX_EVENTS);
        }
        let events = events(&mailbox);
        assert_eq!(events.len(), MAX_EVENTS + 1);
        assert_eq!(events.last(), Some(&Event::TooSlow));
        let mailbox = Mailbox::new(false);
        let large = "a".repeat(MAX_BYTES + 1);
        mailbox.push(response(&large));
        mailbox.push(response("b"));
        assert_eq!(self::events(&mailbox), [response(&large), Event::TooSlow]);
    }

    #[test]
    fn a_listener_without_memory_has_no_events() {
        let mailbox = Mailbox::new(false);
        mailbox.push(response("1"));
        assert!(!mailbox.is_empty());
        assert!(mailbox.exhaust() && !mailbox.exhaust());
        mailbox.push(response("2"));
        assert_eq!(events(&mailbox), [Event::Failed(SubgraphError::MemoryExhausted)]);
    }

    #[test]
    fn a_listener_to_a_live_query_skips_to_the_newest_response() {
        let mailbox = Mailbox::new(true);
        for event in [response("1"), Event::Interrupted, response("2"), Event::Complete] {
            mailbox.push(event);
        }
        assert_eq!(events(&mailbox), [response("2"), Event::Complete]);
    }
}
