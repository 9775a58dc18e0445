//! Running upstream subscriptions to a subgraph, over all threads, with their listeners.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

use super::super::deduplication::Key;
use super::mailbox::{Event, Mailbox, SharedResponse};

/// The upstream subscriptions to a subgraph. The lock is held for a look-up only.
#[derive(Debug, Default)]
pub(crate) struct Upstreams(Mutex<Running>);

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
    state: Mutex<State>,
    /// Wakes the task: there are no listeners any more.
    left: Notify,
}

#[derive(Debug, Default)]
struct State {
    listeners: Vec<Arc<Mailbox>>,
    /// The newest response of a live query.
    newest: Option<Bytes>,
    has_ended: bool,
}

/// Ends the listeners of a subscription if its task is dropped, with its thread.
#[derive(Debug)]
pub(crate) struct EndGuard {
    upstream: Arc<Upstream>,
    upstreams: Arc<Upstreams>,
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
                let upstream = Arc::new(Upstream::new(key.clone(), is_live));
                upstream.add(&mailbox);
                running.by_key.insert(key, Arc::clone(&upstream));
                (Arc::clone(&upstream), Some(upstream))
            }
        };
        drop(running);
        (Listener { upstreams: Arc::clone(self), upstream, mailbox }, begun)
    }

    /// Number of upstream subscriptions.
    pub(crate) fn count(&self) -> usize {
        self.lock().by_key.len()
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn new(key: UpstreamKey, is_live: bool) -> Self {
        Self { key, is_live, state: Mutex::default(), left: Notify::new() }
    }

    /// Adds a listener; `false` if the subscription has ended.
    fn add(&self, mailbox: &Arc<Mailbox>) -> bool {
        let mut state = self.lock();
        if state.has_ended {
            return false;
        }
        if let Some(newest) = &state.newest {
            // Not shared: what the listeners have attached may be out of date.
            mailbox.push(Event::Response(Arc::new(SharedResponse::new(newest.clone()))));
        }
        state.listeners.push(Arc::clone(mailbox));
        true
    }

    /// Passes a response to all listeners.
    pub(crate) fn publish(&self, body: Bytes) {
        let mut state = self.lock();
        if self.is_live {
            state.newest = Some(body.clone());
        }
        state.push(&Event::Response(Arc::new(SharedResponse::new(body))));
    }

    /// Reports to all listeners that events may be missing.
    pub(crate) fn interrupt(&self) {
        self.lock().push(&Event::Interrupted);
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
    fn push(&self, event: &Event) {
        self.listeners.iter().for_each(|listener| listener.push(event.clone()));
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
