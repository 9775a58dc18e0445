//! Cohorts: equal subscriptions, which are executed once and receive the same response.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use exact_numbers::ExactNumbers;
use ir::Claims;
use serde_json_bytes::{ByteString, Map, Value};
use source::{Session, Settings};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::dependencies::{Dependencies, ReadRows};

/// The part of a subscription on which its responses depend: equal keys have equal responses.
#[derive(Clone, PartialEq, Eq)]
pub struct CohortKey {
    document: Arc<str>,
    operation_name: Option<Box<str>>,
    /// JSON text, and behind it the numbers that it rounds.
    variables: Box<[u8]>,
    settings: Option<Arc<Settings>>,
    claims: Option<Arc<Claims>>,
    /// Differs for subscriptions that must not share their responses; 0 for all others.
    alone: u64,
    /// Numbers of the rules by which a cached answer was planned; none for subscriptions.
    rules: [Option<u32>; 2],
    /// Of the key of a cached answer.
    session: SessionDigest,
}

/// A hash of settings and claims, and the bytes of the claims. Zero for subscriptions, whose sessions are
/// only compared: few have the same document and variables and differ in them, but all users may ask a
/// cache the same.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct SessionDigest {
    hash: u64,
    claim_bytes: usize,
}

/// Equal subscriptions.
#[derive(Debug)]
pub struct Cohort {
    /// Differs between cohorts.
    pub(crate) number: u64,
    pub(crate) key: CohortKey,
    pub(crate) dependencies: Dependencies,
    pub(crate) state: watch::Sender<State>,
    is_dirty: AtomicBool,
    /// Wakes the driver.
    marked: Notify,
    /// Number of subscribers. It changes under the lock of the hub.
    pub(crate) subscribers: AtomicU32,
    /// Of a cached answer: the list that its first mark adds its key to.
    invalidated: Option<Arc<Invalidated>>,
}

/// About how many bytes an entry of a set takes.
const ENTRY: usize = 64;

/// The number of cohorts so far.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The keys of answers that changes have invalidated, for the cache to remove them.
#[derive(Debug, Default)]
pub struct Invalidated {
    keys: Mutex<Vec<CohortKey>>,
    /// True if there may be keys: nobody waits for the lock without need.
    has_keys: AtomicBool,
    count: AtomicU64,
}

/// Reason for which the driver of a cohort continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The request has to be executed.
    Execute,
    /// There are no subscribers any more.
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The first response is still to come.
    Waiting,
    Response(Bytes),
    Ended,
}

impl CohortKey {
    /// The key of a request of a session.
    #[must_use]
    pub fn new(
        document: &str,
        operation_name: Option<&str>,
        variables: &Map<ByteString, Value>,
        session: &Session,
    ) -> Self {
        // Maps of JSON have texts as keys, so writing them cannot fail.
        let variables = serde_json::to_vec(variables).unwrap_or_default().into();
        Self {
            document: document.into(),
            operation_name: operation_name.map(Into::into),
            variables,
            settings: session.settings.clone(),
            claims: session.claims.clone(),
            alone: 0,
            rules: [None; 2],
            session: SessionDigest::default(),
        }
    }

    /// The key of an answer that was planned by these rules: sessions share it that have the same
    /// settings and the same values of the claims that the plan reads.
    #[must_use]
    pub fn of_answer(
        document: &Arc<str>,
        operation_name: Option<&str>,
        variables: &Map<ByteString, Value>,
        (settings, claims): (Option<&Arc<Settings>>, Option<Arc<Claims>>),
        rules: [Option<u32>; 2],
    ) -> Self {
        Self {
            document: Arc::clone(document),
            operation_name: operation_name.map(Into::into),
            variables: serde_json::to_vec(variables).unwrap_or_default().into(),
            session: SessionDigest::of(settings.map(|one| &**one), claims.as_deref()),
            settings: settings.cloned(),
            claims,
            alone: 0,
            rules,
        }
    }

    /// Adds the exact digits of variables to the key: cohorts whose values differ in digits that their
    /// JSON rounds are two.
    #[must_use]
    pub fn with_numbers(mut self, numbers: &ExactNumbers) -> Self {
        if !numbers.is_empty() {
            let mut variables = self.variables.into_vec();
            numbers.write_key(&mut variables);
            self.variables = variables.into();
        }
        self
    }

    /// Returns true if answers depend on the session.
    #[must_use]
    pub fn has_session(&self) -> bool {
        self.settings.is_some() || self.claims.is_some()
    }

    /// The parts of the key: those that all values of the variables share, and the variables.
    #[must_use]
    pub fn parts(&self) -> (Vec<u8>, &[u8]) {
        let Self {
            document,
            operation_name,
            variables,
            settings,
            claims,
            alone,
            rules,
            session: _,
        } = self;
        let settings = settings.iter().flat_map(|settings| settings.pairs());
        let claims = claims.as_ref().map(|claims| claims.all().to_string());
        let family = format!(
            "{:?}",
            (document, operation_name, settings.collect::<Vec<_>>(), claims, alone, rules)
        );
        (family.into_bytes(), variables)
    }

    /// Everything on which an answer of a plan depends, beside the plan and the source: it is the same
    /// in each server, unlike the numbers of rules.
    #[must_use]
    pub fn content(&self) -> Vec<u8> {
        let Self { document, operation_name, variables, settings, claims, .. } = self;
        let claims = claims.as_ref().map(|claims| claims.all().to_string());
        let mut content = Vec::new();
        let mut add = |part: Option<&[u8]>| {
            // A length tells parts apart, and an absent one from an empty one.
            let length = part.map_or(u64::MAX, |part| part.len() as u64);
            content.extend_from_slice(&length.to_be_bytes());
            content.extend_from_slice(part.unwrap_or_default());
        };
        add(Some(document.as_bytes()));
        add(operation_name.as_deref().map(str::as_bytes));
        add(Some(variables));
        add(claims.as_deref().map(str::as_bytes));
        for (name, value) in settings.iter().flat_map(|settings| settings.pairs()) {
            add(Some(name.as_bytes()));
            add(Some(value.as_bytes()));
        }
        content
    }

    /// The bytes of the document, which its copies share.
    #[must_use]
    pub fn document_bytes(&self) -> usize {
        self.document.len()
    }

    /// About how many bytes it takes, without the document.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let Self { variables, settings, operation_name, session, .. } = self;
        let name = operation_name.as_ref().map_or(0, |name| name.len());
        let settings = settings.as_ref().map_or(0, |settings| settings.bytes());
        size_of::<Self>() + variables.len() + name + settings + session.claim_bytes
    }

    /// The key of a subscription that shares its responses only with those of the same number.
    #[must_use]
    pub fn alone(self, number: u64) -> Self {
        Self { alone: number, ..self }
    }
}

impl Hash for CohortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { document, operation_name, variables, alone, rules, session, .. } = self;
        (document, operation_name, variables, alone, rules, session.hash).hash(state);
    }
}

impl SessionDigest {
    fn of(settings: Option<&Settings>, claims: Option<&Claims>) -> Self {
        let claims = claims.map(|claims| claims.all().to_string());
        let mut hasher = DefaultHasher::new();
        settings.into_iter().flat_map(Settings::pairs).for_each(|pair| pair.hash(&mut hasher));
        claims.hash(&mut hasher);
        Self { hash: hasher.finish(), claim_bytes: claims.map_or(0, |claims| claims.len()) }
    }
}

/// Variables and sessions must not reach a log.
impl fmt::Debug for CohortKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CohortKey").field("operation_name", &self.operation_name).finish()
    }
}

impl Invalidated {
    pub(crate) fn add(&self, key: CohortKey) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).push(key);
        self.has_keys.store(true, Ordering::Release);
    }

    /// Takes the keys that were invalidated since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<CohortKey> {
        if !self.has_keys.load(Ordering::Acquire) || !self.has_keys.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        std::mem::take(&mut *self.keys.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of invalidated answers so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Cohort {
    pub(crate) fn new(key: CohortKey, dependencies: Dependencies) -> Self {
        let state = watch::Sender::new(State::Waiting);
        // The first execution is due.
        let is_dirty = AtomicBool::new(true);
        let (marked, subscribers) = (Notify::new(), AtomicU32::new(0));
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let invalidated = None;
        Self { number, key, dependencies, state, is_dirty, marked, subscribers, invalidated }
    }

    /// The cohort of a cached answer, which is current until it is marked.
    pub(crate) fn watched(
        key: CohortKey,
        dependencies: Dependencies,
        invalidated: Arc<Invalidated>,
    ) -> Self {
        let is_dirty = AtomicBool::new(false);
        Self { is_dirty, invalidated: Some(invalidated), ..Self::new(key, dependencies) }
    }

    /// Marks it as dirty: it is executed once, however often it was marked before that begins. A cached
    /// answer is invalid from then on.
    pub(crate) fn mark(&self) {
        let was_dirty = self.is_dirty.swap(true, Ordering::AcqRel);
        match &self.invalidated {
            Some(invalidated) if !was_dirty => invalidated.add(self.key.clone()),
            Some(_) => {}
            None => self.marked.notify_one(),
        }
    }

    pub(crate) fn is_dirty(&self) -> bool {
        self.is_dirty.load(Ordering::Acquire)
    }

    /// Returns true for the cohort of a cached answer.
    pub(crate) fn is_watched(&self) -> bool {
        self.invalidated.is_some()
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let Dependencies { entities, fields, views, .. } = &self.dependencies;
        // Entries of the trees, with those of the index.
        let entries = 2 * entities.len() + fields.len() + views.len();
        let values: usize = entities.values().map(ReadRows::bytes).sum();
        size_of::<Self>() + self.key.bytes() + ENTRY * entries + 2 * values
    }

    /// Waits until it is marked, and removes the mark. Cancel safe.
    async fn take_mark(&self) {
        // A wake-up may be left from an earlier mark.
        while !self.is_dirty.swap(false, Ordering::AcqRel) {
            self.marked.notified().await;
        }
    }

    fn has_subscribers(&self) -> bool {
        self.subscribers.load(Ordering::Acquire) > 0
    }

    /// Waits until it is dirty, or has no subscribers.
    pub async fn wait(&self) -> Wake {
        self.take_mark().await;
        match self.has_subscribers() {
            true => Wake::Execute,
            false => Wake::End,
        }
    }

    /// Waits, and marks it as dirty then; a change before that ends the wait.
    pub async fn mark_after(&self, pause: Duration) {
        // A change that comes meanwhile is kept for the next wait.
        if timeout(pause, self.take_mark()).await.is_ok() || self.has_subscribers() {
            self.mark();
        }
    }

    /// Waits until a time: all changes before it are one execution, which follows. It ends early if
    /// there are no subscribers any more.
    pub async fn collect_until(&self, until: Instant) -> Wake {
        while Instant::now() < until
            && let Ok(wake) = timeout_at(until, self.wait()).await
        {
            if wake == Wake::End {
                return Wake::End;
            }
        }
        Wake::Execute
    }

    /// Waits for a pause, whose changes are kept for the next wait; it ends early if there are no
    /// subscribers any more.
    pub async fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut is_dirty = false;
        while let Ok(wake) = timeout_at(until, self.wait()).await {
            is_dirty = true;
            if wake == Wake::End {
                break;
            }
        }
        if is_dirty {
            self.mark();
        }
    }

    /// Passes a response to the subscribers, unless it equals the last one. Returns the number of
    /// subscribers that receive it.
    pub fn publish(&self, response: Bytes) -> u32 {
        let is_sent = self.state.send_if_modified(|state| {
            let response = State::Response(response);
            let differs = *state != response;
            if differs {
                *state = response;
            }
            differs
        });
        match is_sent {
            true => self.subscribers.load(Ordering::Acquire),
            false => 0,
        }
    }

    /// Ends the subscriptions.
    pub(crate) fn end(&self) {
        self.state.send_replace(State::Ended);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn cohort() -> Cohort {
        let key = CohortKey::new("", None, &Map::new(), &Session::default());
        let cohort = Cohort::new(key, Dependencies::default());
        cohort.subscribers.store(1, Ordering::Release);
        cohort
    }

    #[test]
    fn several_marks_are_one_execution() {
        let cohort = cohort();
        assert_eq!(cohort.wait().now_or_never(), Some(Wake::Execute));
        let mut waiting = Box::pin(cohort.wait());
        assert_eq!(waiting.as_mut().now_or_never(), None);
        cohort.mark();
        cohort.mark();
        assert_eq!(waiting.now_or_never(), Some(Wake::Execute));
        assert_eq!(cohort.wait().now_or_never(), None);
        // A mark during an execution.
        cohort.mark();
        assert_eq!(cohort.wait().now_or_never(), Some(Wake::Execute));
    }

    #[tokio::test(start_paused = true)]
    async fn marks_in_a_window_are_one_execution() {
        let cohort = cohort();
        let begun = Instant::now();
        let until = begun + Duration::from_millis(20);
        cohort.wait().await;
        cohort.mark();
        assert_eq!(cohort.collect_until(until).await, Wake::Execute);
        assert_eq!(begun.elapsed(), Duration::from_millis(20));
        assert_eq!(cohort.wait().now_or_never(), None);
        // It is over.
        assert_eq!(cohort.collect_until(until).now_or_never(), Some(Wake::Execute));
        cohort.subscribers.store(0, Ordering::Release);
        cohort.mark();
        let later = Instant::now() + Duration::from_secs(10);
        assert_eq!(cohort.collect_until(later).await, Wake::End);
        assert!(Instant::now() < later);
    }

    #[tokio::test(start_paused = true)]
    async fn a_repetition_is_one_execution_too() {
        let cohort = cohort();
        cohort.wait().await;
        cohort.mark_after(Duration::from_secs(1)).await;
        cohort.mark();
        assert_eq!(cohort.wait().now_or_never(), Some(Wake::Execute));
        assert_eq!(cohort.wait().now_or_never(), None);
        // A change ends the pause.
        cohort.mark();
        cohort.mark_after(Duration::from_secs(1)).await;
        assert_eq!(cohort.wait().now_or_never(), Some(Wake::Execute));
        assert_eq!(cohort.wait().now_or_never(), None);
    }
}
