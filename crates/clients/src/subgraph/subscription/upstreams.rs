//! Running upstream subscriptions to a subgraph, over all threads, with their listeners.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use super::super::deduplication::Key;
use super::event_memory::{EventBudget, EventReservation};
use super::mailbox::{Event, Mailbox, SharedResponse};
use super::running::SubscriptionCounts;

/// The upstream subscriptions to a subgraph. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub(crate) struct Upstreams {
    running: Mutex<Running>,
    counts: Arc<Counts>,
}

/// Counters of all upstream subscriptions.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Responses that were received.
    pub(crate) events: AtomicU64,
    /// Attempts to reconnect.
    pub(crate) reconnects: AtomicU64,
    /// Listeners that were ended because they read too slowly, or there was no memory.
    pub(crate) dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct Running {
    by_key: HashMap<UpstreamKey, Arc<Upstream>, ahash::RandomState>,
    last_number: u64,
}

/// Parts of a subscription that must be equal for a shared source stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UpstreamKey {
    pub(crate) request: Key,
    /// Protocol and endpoint, which a reload may change.
    pub(crate) server: Arc<str>,
    /// Differs for each subscription that is not shared; 0 for the others.
    pub(crate) alone: u64,
}

/// An upstream subscription.
#[derive(Debug)]
pub(crate) struct Upstream {
    key: UpstreamKey,
    is_live: bool,
    budget: Arc<dyn EventBudget>,
    counts: Arc<Counts>,
    state: Mutex<State>,
    /// Wakes the task: there are no listeners any more.
    left: Notify,
}

#[derive(Debug, Default)]
struct State {
    listeners: Vec<Arc<Mailbox>>,
    /// The newest response of a live query.
    newest: Option<Arc<SharedResponse>>,
    has_ended: bool,
}

/// Ends the listeners of a subscription if its task is dropped, with its thread.
#[derive(Debug)]
pub(crate) struct EndGuard {
    upstream: Arc<Upstream>,
    pub(super) upstreams: Arc<Upstreams>,
}

/// A listener to a subscription.
#[derive(Debug)]
pub struct Listener {
    upstreams: Arc<Upstreams>,
    upstream: Arc<Upstream>,
    mailbox: Arc<Mailbox>,
}

impl Upstreams {
    /// Adds a listener. Also returns the upstream subscription if it is new: the caller has to run it.
    pub(crate) fn join(
        self: &Arc<Self>,
        mut key: UpstreamKey,
        is_live: bool,
        is_shared: bool,
        budget: &Arc<dyn EventBudget>,
    ) -> (Listener, Option<Arc<Upstream>>) {
        let mailbox = Arc::new(Mailbox::new(is_live));
        let mut running = self.lock();
        if !is_shared {
            running.last_number += 1;
            key.alone = running.last_number;
        }
        let known = running.by_key.get(&key).filter(|upstream| upstream.add(&mailbox)).cloned();
        let (upstream, begun) = match known {
            Some(upstream) => (upstream, None),
            None => {
                let upstream = Arc::new(Upstream {
                    key: key.clone(),
                    is_live,
                    budget: Arc::clone(budget),
                    counts: Arc::clone(&self.counts),
                    state: Mutex::default(),
                    left: Notify::new(),
                });
                upstream.add(&mailbox);
                running.by_key.insert(key, Arc::clone(&upstream));
                (Arc::clone(&upstream), Some(upstream))
            }
        };
        drop(running);
        (Listener { upstreams: Arc::clone(self), upstream, mailbox }, begun)
    }

    /// Counters of the upstream subscriptions, without sockets.
    pub(crate) fn snapshot(&self) -> SubscriptionCounts {
        let running = self.lock();
        let listeners = running.by_key.values().map(|upstream| upstream.lock().listeners.len());
        SubscriptionCounts {
            subscriptions: running.by_key.len(),
            listeners: listeners.sum(),
            sockets: 0,
            events: self.counts.events.load(Ordering::Relaxed),
            reconnects: self.counts.reconnects.load(Ordering::Relaxed),
            dropped: self.counts.dropped.load(Ordering::Relaxed),
        }
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Ends an upstream subscription with the last event of its listeners.
    pub(crate) fn end(&self, upstream: &Arc<Upstream>, event: &Event) {
        let mut running = self.lock();
        running.forget(upstream);
        let mut state = upstream.lock();
        drop(running);
        state.has_ended = true;
        for listener in std::mem::take(&mut state.listeners) {
            listener.push(event.clone());
        }
    }

    /// Reports to all listeners of all subscriptions that events may be missing.
    pub(crate) fn interrupt_all(&self) {
        let upstreams: Vec<_> = self.lock().by_key.values().cloned().collect();
        upstreams.iter().for_each(|upstream| upstream.interrupt());
    }

    fn leave(&self, upstream: &Arc<Upstream>, mailbox: &Arc<Mailbox>) {
        let mut running = self.lock();
        let mut state = upstream.lock();
        state.listeners.retain(|listener| !Arc::ptr_eq(listener, mailbox));
        if state.listeners.is_empty() && !state.has_ended {
            state.has_ended = true;
            running.forget(upstream);
            upstream.left.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndGuard {
    pub(crate) fn new(upstream: Arc<Upstream>, upstreams: Arc<Upstreams>) -> Self {
        Self { upstream, upstreams }
    }

    pub(crate) fn end(&self, event: &Event) {
        self.upstreams.end(&self.upstream, event);
    }
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.end(&Event::Stopped);
    }
}

impl Running {
    fn forget(&mut self, upstream: &Arc<Upstream>) {
        let is_this = |known: &Arc<Upstream>| Arc::ptr_eq(known, upstream);
        if self.by_key.get(&upstream.key).is_some_and(is_this) {
            self.by_key.remove(&upstream.key);
        }
    }
}

impl Upstream {
    /// Adds a listener; `false` if the subscription has ended.
    fn add(&self, mailbox: &Arc<Mailbox>) -> bool {
        let mut state = self.lock();
        if state.has_ended {
            return false;
        }
        if let Some(newest) = &state.newest {
            // Not shared: what the listeners have attached may be out of date.
            match self.reserved(&newest.body) {
                Some(response) => drop(mailbox.push(Event::Response(response))),
                None => self.exhaust(mailbox),
            }
        }
        state.listeners.push(Arc::clone(mailbox));
        true
    }

    /// Passes a response to all listeners. Without memory for it, those with responses that wait are
    /// ended, whose memory is released; if that is not enough, the others are ended as well.
    pub(crate) fn publish(&self, body: &Bytes) {
        self.counts.events.fetch_add(1, Ordering::Relaxed);
        let mut state = self.lock();
        state.newest = None;
        let response = self.reserved(body).or_else(|| {
            let waiting = state.listeners.iter().filter(|listener| !listener.is_empty());
            waiting.for_each(|listener| self.exhaust(listener));
            self.reserved(body)
        });
        let Some(response) = response else {
            return state.listeners.iter().for_each(|listener| self.exhaust(listener));
        };
        if self.is_live {
            state.newest = Some(Arc::clone(&response));
        }
        let dropped = state.push(&Event::Response(response));
        self.counts.dropped.fetch_add(dropped, Ordering::Relaxed);
    }

    /// A response with its memory; `None` if there is none left.
    fn reserved(&self, body: &Bytes) -> Option<Arc<SharedResponse>> {
        let held = EventReservation::take(&self.budget, body.len())?;
        Some(Arc::new(SharedResponse::holding(body.clone(), held)))
    }

    /// Ends a listener for lack of memory.
    fn exhaust(&self, listener: &Mailbox) {
        if listener.exhaust() {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Reports to all listeners that events may be missing.
    pub(crate) fn interrupt(&self) {
        // Such an event ends no listener.
        let _ = self.lock().push(&Event::Interrupted);
    }

    /// Waits until there are no listeners.
    pub(crate) async fn left(&self) {
        self.left.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Passes an event to all listeners. Returns the number of those that are ended by it.
    fn push(&self, event: &Event) -> u64 {
        let mut dropped = 0;
        for listener in &self.listeners {
            dropped += u64::from(listener.push(event.clone()));
        }
        dropped
    }
}

impl Listener {
    /// Waits for the next event; after the last one it waits forever. Cancel safe.
    pub async fn next(&self) -> Event {
        self.mailbox.next().await
    }

    /// Whether it listens to a subscription with the request of this key, which has not ended.
    pub(crate) fn is_of(&self, key: &UpstreamKey) -> bool {
        let UpstreamKey { request, server, alone: _ } = &self.upstream.key;
        *request == key.request && *server == key.server && !self.upstream.lock().has_ended
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.upstreams.leave(&self.upstream, &self.mailbox);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use hyper::HeaderMap;

    use super::super::super::request::SubgraphError;
    use super::*;

    /// A budget of ten bytes.
    #[derive(Debug, Default)]
    struct Budget(AtomicUsize);

    impl EventBudget for Budget {
        fn take(&self, bytes: usize) -> bool {
            let take = |held: usize| Some(held + bytes).filter(|held| *held <= 10);
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
        }

        fn give_back(&self, bytes: usize) {
            self.0.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    fn join(upstreams: &Arc<Upstreams>, budget: &Arc<Budget>, is_live: bool) -> Listener {
        let request = Key::new(&Bytes::from_static(b"{}"), &HeaderMap::new());
        let key = UpstreamKey { request, server: "".into(), alone: 0 };
        let budget = Arc::clone(budget);
        upstreams.join(key, is_live, true, &(budget as Arc<dyn EventBudget>)).0
    }

    async fn text(listener: &Listener) -> Result<String, SubgraphError> {
        match listener.next().await {
            Event::Response(response) => {
                Ok(String::from_utf8(response.body.to_vec()).unwrap_or_default())
            }
            Event::Failed(error) => Err(error),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn queued_events_count_once_and_end_slow_listeners_without_memory() {
        let (upstreams, budget) = (Arc::new(Upstreams::default()), Arc::new(Budget::default()));
        let [fast, slow] = [(); 2].map(|()| join(&upstreams, &budget, false));
        let publish =
            |text: &'static str| slow.upstream.publish(&Bytes::from_static(text.as_bytes()));
        publish("12345");
        assert_eq!(budget.0.load(Ordering::Relaxed), 5);
        assert_eq!(text(&fast).await, Ok("12345".into()));
        publish("1234567");
        assert_eq!(text(&slow).await, Err(SubgraphError::MemoryExhausted));
        assert_eq!(text(&fast).await, Ok("1234567".into()));
        assert_eq!(budget.0.load(Ordering::Relaxed), 0);
        publish("12345678901");
        assert_eq!(text(&fast).await, Err(SubgraphError::MemoryExhausted));
        let counts = upstreams.snapshot();
        assert_eq!((counts.dropped, counts.events), (2, 3));
        assert_eq!((counts.subscriptions, counts.listeners), (1, 2));
    }

    #[tokio::test]
    async fn the_newest_response_of_a_live_query_holds_its_memory() {
        let (upstreams, budget) = (Arc::new(Upstreams::default()), Arc::new(Budget::default()));
        let first = join(&upstreams, &budget, true);
        first.upstream.publish(&Bytes::from_static(b"12345"));
        assert_eq!(text(&first).await, Ok("12345".into()));
        first.upstream.publish(&Bytes::from_static(b"1234567"));
        assert_eq!(text(&first).await, Ok("1234567".into()));
        assert_eq!(budget.0.load(Ordering::Relaxed), 7);
        let second = join(&upstreams, &budget, true);
        assert_eq!(text(&second).await, Err(SubgraphError::MemoryExhausted));
        drop((first, second));
        assert_eq!(budget.0.load(Ordering::Relaxed), 0);
    }
}
