//! All cohorts of an API.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ahash::{AHashMap, AHashSet};
use bytes::Bytes;
use catalog::EntityId;
use tokio::sync::{Notify, watch};

use crate::cohort::{Cohort, CohortKey, State};
use crate::cohort_set::CohortSet;
use crate::dependencies::Dependencies;
use crate::index::{Changed, Exact, Index};
use crate::journal::Journal;
use crate::written::Written;

/// The cohorts of an API, shared by all threads.
#[derive(Debug, Default)]
pub struct Hub {
    cohorts: Mutex<Cohorts>,
    /// Wakes the feed.
    pub(crate) woken: Notify,
    /// The entities that this process has changed since the feed was woken.
    written: Mutex<Written>,
    /// True since a feed has ended before its cohorts, until a driver takes it over.
    is_feed_lost: AtomicBool,
    alone: AtomicU64,
    executions: AtomicU64,
    /// The changes for a store of answers that several servers share, if there is one.
    journal: OnceLock<Journal>,
}

#[derive(Debug, Default)]
struct Cohorts {
    by_key: AHashMap<CohortKey, Arc<Cohort>>,
    index: Index,
    /// Cohorts whose responses may change without a change of rows, and those that read views of which
    /// the feed does not report each change.
    timed: CohortSet,
    exact: Exact,
    /// Cohorts that read rows of other entities than the exact ones, or are timed.
    inexact: CohortSet,
    /// Cached answers.
    watched: CohortSet,
    /// Those of them that may change with entities that they do not name: they read views or call
    /// functions.
    indirect: CohortSet,
    /// True while a cache wants changes to be followed.
    has_cache: bool,
    /// True while each change is noticed, if the source tells of any.
    is_followed: bool,
    /// True while there is a [`FeedClaim`] that has not ended.
    has_feed: bool,
    /// How that task finds changes.
    feed: Option<RunningFeed>,
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
    /// If there is one, the caller has to follow the changes of the source.
    pub feed: Option<FeedClaim>,
}

/// The right and the duty to follow the changes of the source, which one task has at a time. If it is
/// dropped while there are cohorts, they are marked as dirty, and the driver of one of them takes over
/// ([`Hub::take_feed`]).
#[derive(Debug)]
pub struct FeedClaim {
    pub(crate) hub: Arc<Hub>,
    /// True if the hub has recorded the end; another feed may have begun since.
    is_ended: bool,
    reason: FeedReason,
}

/// The reason for which a feed was begun, and may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeedReason {
    /// The driver of a subscription follows it, which has to end with the last subscription: it keeps
    /// the engine alive.
    Subscriptions,
    /// It goes on until the cache is closed.
    Cache,
}

/// How changes of the source are found at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningFeed {
    /// A stream of the source.
    Stream,
    /// The stream of another server, which relays it.
    Relayed,
    /// Notifications of triggers.
    Triggers,
    /// The state of the source, read in intervals.
    Probe,
    /// None: all cohorts are executed in intervals.
    Interval,
}

/// Numbers of running subscriptions, and of their executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub cohorts: u64,
    pub subscribers: u64,
    /// Executions of all cohorts so far.
    pub executions: u64,
    /// `None` without cohorts.
    pub feed: Option<RunningFeed>,
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
        let feed = self.claim_feed(&mut cohorts, FeedReason::Subscriptions);
        drop(cohorts);
        let query = LiveQuery::new(Arc::clone(self), Arc::clone(&cohort));
        Joined { query, cohort: is_new.then_some(cohort), feed }
    }

    /// Returns true if the feed has ended before its cohorts, and no task has taken it over.
    #[must_use]
    pub fn is_feed_lost(&self) -> bool {
        self.is_feed_lost.load(Ordering::Acquire)
    }

    /// Takes over a feed that was lost, unless another task has done so.
    pub fn take_feed(self: &Arc<Self>) -> Option<FeedClaim> {
        if !self.is_feed_lost() {
            return None;
        }
        let mut cohorts = self.lock();
        if cohorts.by_key.is_empty() {
            return None;
        }
        self.claim_feed(&mut cohorts, FeedReason::Subscriptions)
    }

    /// The right to follow the changes for a cache, until it is closed; `None` if a task does so
    /// already. That of a subscription may end sooner: then this returns the right once more.
    pub fn claim_feed_for_cache(self: &Arc<Self>) -> Option<FeedClaim> {
        let mut cohorts = self.lock();
        cohorts.has_cache = true;
        self.claim_feed(&mut cohorts, FeedReason::Cache)
    }

    /// True if a task follows the changes.
    #[must_use]
    pub fn has_feed(&self) -> bool {
        self.lock().has_feed
    }

    /// Ends the following of changes for a cache, and invalidates its answers.
    pub fn close_cache(&self) {
        let mut cohorts = self.lock();
        cohorts.has_cache = false;
        cohorts.watched.iter().for_each(|cohort| cohort.mark());
        self.break_journal();
        // Who waits for names sees the end.
        self.journal.get().into_iter().for_each(|journal| journal.added().notify_one());
        drop(cohorts);
        self.wake();
    }

    /// `None` if a task has claimed the feed.
    fn claim_feed(
        self: &Arc<Self>,
        cohorts: &mut Cohorts,
        reason: FeedReason,
    ) -> Option<FeedClaim> {
        self.is_feed_lost.store(false, Ordering::Release);
        let is_claimed = std::mem::replace(&mut cohorts.has_feed, true);
        (!is_claimed).then(|| FeedClaim { hub: Arc::clone(self), is_ended: false, reason })
    }

    /// Records changes for a store of answers that several servers share.
    pub fn keep_journal(&self, journal: Journal) {
        // There is one store.
        let _ = self.journal.set(journal);
    }

    /// The changes for a store that several servers share, if there is one.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.get()
    }

    /// Returns true if the feed reports each change that concerns an answer, and false if the answer
    /// ends with the next commit. `None` while changes are not followed.
    #[must_use]
    pub fn is_exact(&self, dependencies: &Dependencies) -> Option<bool> {
        let cohorts = self.lock();
        cohorts.is_followed.then(|| cohorts.exact.covers_dependencies(dependencies))
    }

    /// Records that changes may have been missed.
    fn break_journal(&self) {
        self.journal.get().into_iter().for_each(Journal::begin_again);
    }

    /// Registers a cached answer. Returns false if changes are not followed.
    pub(crate) fn add_watched(&self, cohort: &Arc<Cohort>) -> bool {
        let mut cohorts = self.lock();
        if !cohorts.is_followed {
            return false;
        }
        cohorts.index.add(cohort);
        cohorts.watched.add(cohort);
        let Dependencies { views, is_timed, .. } = &cohort.dependencies;
        if *is_timed || !views.is_empty() {
            cohorts.indirect.add(cohort);
        }
        if !cohorts.exact.covers(cohort) {
            cohorts.inexact.add(cohort);
        }
        true
    }

    pub(crate) fn unwatch(&self, cohort: &Arc<Cohort>) {
        let mut cohorts = self.lock();
        if cohorts.watched.contains(cohort) {
            cohorts.index.remove(cohort);
            cohorts.watched.remove(cohort);
            cohorts.indirect.remove(cohort);
            cohorts.inexact.remove(cohort);
        }
    }

    /// Invalidates the cached answers at once that a committed change of this process may concern, as
    /// far as its request tells; the feed reports the rest.
    pub fn invalidate_written(&self, written: &Written) {
        let cohorts = self.lock();
        if let Some(journal) = self.journal.get() {
            journal.add_written(written);
        }
        match written {
            Written::Anything => cohorts.watched.iter().for_each(|cohort| cohort.mark()),
            Written::Entities(entities) => {
                entities.iter().for_each(|entity| cohorts.index.invalidate_readers(*entity));
                cohorts.indirect.iter().for_each(|cohort| cohort.mark());
            }
        }
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

    /// Marks the cohorts as dirty that read rows of the entities, and those whose responses may change
    /// without a change of rows.
    pub(crate) fn mark_written(&self, entities: &AHashSet<EntityId>) {
        let cohorts = self.lock();
        entities.iter().for_each(|entity| cohorts.index.mark_readers(*entity));
        if let Some(journal) = self.journal.get() {
            entities.iter().for_each(|entity| journal.add_entity(*entity));
        }
        cohorts.timed.iter().for_each(|cohort| cohort.mark());
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks all cohorts as dirty.
    pub fn mark_all(&self) {
        let cohorts = self.lock();
        cohorts.mark_all();
        self.break_journal();
    }

    /// Marks the cohorts as dirty that changes may concern, and those of which it is not known.
    /// Any row of the entities `dependent` may have changed.
    pub(crate) fn mark_changes<'c>(
        &self,
        changes: impl Iterator<Item = Changed<'c>>,
        dependent: impl Iterator<Item = EntityId>,
    ) {
        let (cohorts, journal) = (self.lock(), self.journal.get());
        changes.for_each(|changed| {
            cohorts.index.mark(&changed);
            journal.into_iter().for_each(|journal| journal.add(&changed));
        });
        dependent.for_each(|entity| {
            cohorts.index.mark_readers(entity);
            journal.into_iter().for_each(|journal| journal.add_entity(entity));
        });
        cohorts.inexact.iter().for_each(|cohort| cohort.mark());
        journal.into_iter().for_each(Journal::add_commit);
    }

    /// Marks the cohorts as dirty of which the feed does not report each change.
    pub(crate) fn mark_inexact(&self) {
        let cohorts = self.lock();
        cohorts.inexact.iter().for_each(|cohort| cohort.mark());
        self.journal.get().into_iter().for_each(Journal::add_commit);
    }

    /// Marks the cohorts as dirty that are executed in intervals, since nothing tells of changes. A
    /// cached answer is valid for its time.
    pub(crate) fn mark_polled(&self) {
        let cohorts = self.lock();
        let subscribed = cohorts.inexact.iter().filter(|cohort| !cohort.is_watched());
        subscribed.for_each(|cohort| cohort.mark());
    }

    /// Sets the entities of which the feed reports each change.
    pub(crate) fn set_exact(&self, exact: Exact) {
        let mut cohorts = self.lock();
        if cohorts.exact != exact {
            cohorts.exact = exact;
            let Cohorts { by_key, watched, exact, inexact, timed, .. } = &mut *cohorts;
            let all = by_key.values().chain(watched.iter());
            *inexact = all.filter(|cohort| !exact.covers(cohort)).collect();
            *timed = by_key.values().filter(|cohort| exact.is_timed(cohort)).collect();
            self.break_journal();
        }
    }

    /// Records how changes are found; `is_followed` is false while some may be missed.
    pub(crate) fn set_feed(&self, feed: Option<RunningFeed>, is_followed: bool) {
        let mut cohorts = self.lock();
        (cohorts.feed, cohorts.is_followed) = (feed, is_followed);
        if feed.is_none() || !is_followed {
            self.break_journal();
        }
        if feed.is_none() {
            cohorts.watched.iter().for_each(|cohort| cohort.mark());
        }
    }

    /// Marks the cohorts as dirty whose responses may change without a change of rows.
    pub(crate) fn mark_timed(&self) {
        self.lock().timed.iter().for_each(|cohort| cohort.mark());
    }

    /// Records that the feed has ended, whatever cohorts there are. The driver of one takes over: all
    /// are marked, because changes may be lost.
    fn lose_feed(&self) {
        let mut cohorts = self.lock();
        cohorts.has_feed = false;
        cohorts.is_followed = false;
        self.is_feed_lost.store(true, Ordering::Release);
        cohorts.mark_all();
        self.break_journal();
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        let cohorts = self.lock();
        let each = cohorts.by_key.values();
        let subscribers = each.map(|cohort| u64::from(cohort.subscribers.load(Ordering::Acquire)));
        let executions = self.executions.load(Ordering::Relaxed);
        let cohorts_count = cohorts.by_key.len() as u64;
        let feed = cohorts.feed;
        Counts { subscribers: subscribers.sum(), cohorts: cohorts_count, executions, feed }
    }

    fn lock(&self) -> MutexGuard<'_, Cohorts> {
        self.cohorts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedClaim {
    /// Returns false if nobody needs it any more: the feed has ended with this call.
    pub(crate) fn is_needed(&mut self) -> bool {
        let mut cohorts = self.hub.lock();
        let is_for_cache = self.reason == FeedReason::Cache && cohorts.has_cache;
        cohorts.has_feed = is_for_cache || !cohorts.by_key.is_empty();
        self.is_ended = !cohorts.has_feed;
        if self.is_ended {
            cohorts.is_followed = false;
            cohorts.watched.iter().for_each(|cohort| cohort.mark());
            self.hub.break_journal();
        }
        cohorts.has_feed
    }
}

impl Drop for FeedClaim {
    fn drop(&mut self) {
        if !self.is_ended {
            self.hub.lose_feed();
        }
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
        if self.exact.is_timed(cohort) {
            self.timed.add(cohort);
        }
        if !self.exact.covers(cohort) {
            self.inexact.add(cohort);
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
        self.timed.remove(cohort);
        self.inexact.remove(cohort);
    }

    fn mark_all(&self) {
        self.by_key.values().chain(self.watched.iter()).for_each(|cohort| cohort.mark());
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use catalog::Catalog;
    use serde_json_bytes::Map;
    use source::changes::{
        ChangeProbe, ChangeStream, Changes, Coverage, Marker, NoStream, StreamKind, StreamOrigin,
        TableChange, TableName,
    };
    use source::{Session, SourceError};
    use tokio::task::{LocalSet, spawn_local};
    use tokio::time::timeout;

    use super::*;
    use crate::cohort::Wake;
    use crate::dependencies::ReadRows;
    use crate::feed::{FeedOptions, follow};

    /// A source whose reads panic, or return the same state each time.
    struct Source {
        panics: bool,
    }

    impl Changes for Source {
        type Probe = Self;
        type Stream = Self;

        fn probe(&self) -> Option<Self> {
            Some(Self { panics: self.panics })
        }

        async fn stream(&self, _: &[TableName], _: StreamKind) -> Result<Self, NoStream> {
            Err(NoStream::NotOffered)
        }
    }

    impl ChangeProbe for Source {
        async fn marker(&mut self) -> Result<Marker, SourceError> {
            assert!(!self.panics, "a fault");
            Ok(Marker(Box::default()))
        }
    }

    impl ChangeStream for Source {
        fn coverage(&self) -> &Coverage {
            unreachable!("the source has no stream")
        }

        fn origin(&self) -> StreamOrigin {
            unreachable!("the source has no stream")
        }

        async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
            unreachable!("the source has no stream")
        }

        async fn is_current(&mut self) -> Result<bool, SourceError> {
            unreachable!("the source has no stream")
        }
    }

    fn join(hub: &Arc<Hub>, document: &str) -> Joined {
        let key = CohortKey::new(document, None, &Map::new(), &Session::default());
        hub.join(key, || {
            let entities = [(EntityId::new(0), ReadRows::All)].into_iter().collect();
            Dependencies { entities, ..Dependencies::default() }
        })
    }

    #[tokio::test]
    async fn a_feed_that_panics_is_taken_over_once() {
        let (hub, catalog) = (Arc::<Hub>::default(), Rc::new(Catalog::default()));
        let [first, second] = ["a", "b"].map(|document| join(&hub, document));
        let cohorts = [first.cohort.unwrap(), second.cohort.unwrap()];
        for cohort in &cohorts {
            assert_eq!(cohort.wait().await, Wake::Execute);
        }
        assert!(second.feed.is_none());
        assert!(hub.take_feed().is_none());
        let local = LocalSet::new();
        let following = |claim, panics| {
            let catalog = Rc::clone(&catalog);
            let options = FeedOptions::default();
            spawn_local(async move { follow(claim, Source { panics }, &catalog, options).await })
        };
        local
            .run_until(async {
                let ended = following(first.feed.unwrap(), true).await;
                assert!(ended.unwrap_err().is_panic());
                // Changes may be lost.
                for cohort in &cohorts {
                    assert_eq!(cohort.wait().await, Wake::Execute);
                }
                assert!(hub.is_feed_lost());
                let claim = hub.take_feed().unwrap();
                assert!(hub.take_feed().is_none());
                let followed = following(claim, false);
                // Its first read marks them.
                assert_eq!(cohorts[0].wait().await, Wake::Execute);
                drop((first.query, second.query));
                hub.wake();
                timeout(Duration::from_secs(10), followed).await.unwrap().unwrap();
                assert!(!hub.is_feed_lost());
            })
            .await;
    }

    #[test]
    fn a_claim_that_is_dropped_is_taken_over_by_the_next_subscriber() {
        let hub = Arc::<Hub>::default();
        let first = join(&hub, "a");
        drop(first.feed);
        assert!(hub.is_feed_lost());
        let second = join(&hub, "b");
        assert!(second.feed.is_some());
        assert!(hub.take_feed().is_none());
    }
}
