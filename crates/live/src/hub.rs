//! All cohorts of an API.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::{AHashMap, AHashSet};
use bytes::Bytes;
use catalog::EntityId;
use tokio::sync::{Notify, watch};

use crate::cohort::{Cohort, CohortKey, State};
use crate::dependencies::Dependencies;
use crate::index::{Changed, Exact, Index};
use crate::written::Written;

/// The cohorts of an API, shared by all threads.
#[derive(Debug, Default)]
pub struct Hub {
    cohorts: Mutex<Cohorts>,
    /// Wakes the feed.
    pub(crate) woken: Notify,
    /// The entities that this process has changed since the feed was woken.
    written: Mutex<Written>,
    alone: AtomicU64,
    executions: AtomicU64,
}

#[derive(Debug, Default)]
struct Cohorts {
    by_key: AHashMap<CohortKey, Arc<Cohort>>,
    index: Index,
    /// Cohorts whose responses may change without a change of rows.
    timed: Vec<Arc<Cohort>>,
    exact: Exact,
    /// Cohorts that read rows of other entities than the exact ones, or are timed.
    inexact: Vec<Arc<Cohort>>,
    /// True while a task follows the changes of the source.
    has_feed: bool,
}

/// A subscriber of a cohort.
#[derive(Debug)]
pub struct LiveQuery {
    hub: Arc<Hub>,
    cohort: Arc<Cohort>,
    state: watch::Receiver<State>,
}

/// A new subscriber.
#[derive(Debug)]
pub struct Joined {
    pub query: LiveQuery,
    /// The cohort, if it is new: the caller drives it.
    pub cohort: Option<Arc<Cohort>>,
    /// True if the caller has to start a task that follows the changes of the source.
    pub needs_feed: bool,
}

/// Numbers of running subscriptions, and of their executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub cohorts: u64,
    pub subscribers: u64,
    /// Executions of all cohorts so far.
    pub executions: u64,
}

impl Hub {
    /// Adds a subscriber to the cohort of a key, or to a new one.
    pub fn join(
        self: &Arc<Self>,
        key: CohortKey,
        dependencies: impl FnOnce() -> Dependencies,
    ) -> Joined {
        let mut cohorts = self.lock();
        let existing = cohorts.by_key.get(&key).cloned();
        let (cohort, is_new) = match existing {
            Some(cohort) => (cohort, false),
            None => {
                let cohort = Arc::new(Cohort::new(key, dependencies()));
                cohorts.add(&cohort);
                (cohort, true)
            }
        };
        cohort.subscribers.fetch_add(1, Ordering::AcqRel);
        let needs_feed = !std::mem::replace(&mut cohorts.has_feed, true);
        drop(cohorts);
        let query = LiveQuery::new(Arc::clone(self), Arc::clone(&cohort));
        Joined { query, cohort: is_new.then_some(cohort), needs_feed }
    }

    /// A number that no other subscription has.
    pub fn number(&self) -> u64 {
        self.alone.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Removes a subscriber. Returns true if it was the last one of its cohort.
    pub(crate) fn leave(&self, cohort: &Arc<Cohort>) -> bool {
        let mut cohorts = self.lock();
        let is_last = cohort.subscribers.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            cohorts.remove(cohort);
        }
        is_last
    }

    /// Ends the subscriptions of a cohort whose driver has ended.
    pub fn end(&self, cohort: &Arc<Cohort>) {
        self.lock().remove(cohort);
        cohort.end();
    }

    /// Counts an execution of a cohort.
    pub fn count_execution(&self) {
        self.executions.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads the changes of the source soon: this process has committed one.
    pub fn wake(&self) {
        self.wake_written(Written::Anything);
    }

    /// Marks the cohorts soon that read rows of the entities which this process has changed.
    pub fn wake_written(&self, written: Written) {
        self.written().add(written);
        self.woken.notify_one();
    }

    /// Takes the entities that this process has changed.
    pub(crate) fn take_written(&self) -> Written {
        std::mem::take(&mut *self.written())
    }

    /// Marks the cohorts as dirty that read rows of the entities, or may read any.
    pub(crate) fn mark_written(&self, entities: &AHashSet<EntityId>) {
        for cohort in self.lock().by_key.values() {
            let Dependencies { entities: read, is_timed, .. } = &cohort.dependencies;
            if *is_timed || read.keys().any(|entity| entities.contains(entity)) {
                cohort.mark();
            }
        }
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks all cohorts as dirty.
    pub fn mark_all(&self) {
        for cohort in self.lock().by_key.values() {
            cohort.mark();
        }
    }

    /// Marks the cohorts as dirty that changes may concern, and those of which it is not known.
    pub(crate) fn mark_changes<'c>(&self, changes: impl Iterator<Item = Changed<'c>>) {
        let cohorts = self.lock();
        changes.for_each(|changed| cohorts.index.mark(&changed));
        cohorts.inexact.iter().for_each(|cohort| cohort.mark());
    }

    /// Marks the cohorts as dirty of which the feed does not report each change.
    pub(crate) fn mark_inexact(&self) {
        self.lock().inexact.iter().for_each(|cohort| cohort.mark());
    }

    /// Sets the entities of which the feed reports each change.
    pub(crate) fn set_exact(&self, exact: Exact) {
        let mut cohorts = self.lock();
        if cohorts.exact != exact {
            cohorts.exact = exact;
            let inexact = cohorts.by_key.values().filter(|cohort| !cohorts.exact.covers(cohort));
            cohorts.inexact = inexact.cloned().collect();
        }
    }

    /// Marks the cohorts as dirty whose responses may change without a change of rows.
    pub(crate) fn mark_timed(&self) {
        self.lock().timed.iter().for_each(|cohort| cohort.mark());
    }

    /// Returns false if there are no cohorts: the feed has ended with this call.
    pub(crate) fn keeps_feed(&self) -> bool {
        let mut cohorts = self.lock();
        cohorts.has_feed = !cohorts.by_key.is_empty();
        cohorts.has_feed
    }

    /// Records that the feed has ended, whatever cohorts there are.
    pub(crate) fn lose_feed(&self) {
        self.lock().has_feed = false;
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        let cohorts = self.lock();
        let each = cohorts.by_key.values();
        let subscribers = each.map(|cohort| u64::from(cohort.subscribers.load(Ordering::Acquire)));
        let executions = self.executions.load(Ordering::Relaxed);
        let cohorts_count = cohorts.by_key.len() as u64;
        Counts { subscribers: subscribers.sum(), cohorts: cohorts_count, executions }
    }

    fn lock(&self) -> MutexGuard<'_, Cohorts> {
        self.cohorts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveQuery {
    /// A new subscriber; the hub has counted it.
    pub(crate) fn new(hub: Arc<Hub>, cohort: Arc<Cohort>) -> Self {
        let mut state = cohort.state.subscribe();
        // An existing response is new to this subscriber.
        state.mark_changed();
        Self { hub, cohort, state }
    }

    /// Waits for the next response: the newest one, if several were published since the last call.
    /// `None`: the subscription has ended. Cancel safe.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            // Never an error: the cohort has the sender.
            self.state.changed().await.ok()?;
            match &*self.state.borrow_and_update() {
                State::Waiting => {}
                State::Response(response) => return Some(response.clone()),
                State::Ended => return None,
            }
        }
    }
}

impl Drop for LiveQuery {
    fn drop(&mut self) {
        if self.hub.leave(&self.cohort) {
            // Wakes the driver, which ends.
            self.cohort.mark();
        }
    }
}

impl Cohorts {
    fn add(&mut self, cohort: &Arc<Cohort>) {
        self.by_key.insert(cohort.key.clone(), Arc::clone(cohort));
        self.index.add(cohort);
        if cohort.dependencies.is_timed {
            self.timed.push(Arc::clone(cohort));
        }
        if !self.exact.covers(cohort) {
            self.inexact.push(Arc::clone(cohort));
        }
    }

    /// Removes a cohort, if it was not removed before.
    fn remove(&mut self, cohort: &Arc<Cohort>) {
        let is_own = |known: &Arc<Cohort>| Arc::ptr_eq(known, cohort);
        if !self.by_key.get(&cohort.key).is_some_and(is_own) {
            return;
        }
        self.by_key.remove(&cohort.key);
        self.index.remove(cohort);
        self.timed.retain(|known| !is_own(known));
        self.inexact.retain(|known| !is_own(known));
    }
}
