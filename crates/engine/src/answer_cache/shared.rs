//! Answers in a store that several servers share.
//!
//! Each server follows the changes of the database by itself, and relies on nothing that another server
//! does: it uses only answers that were begun after its own feed, and before each look-up it writes the
//! names of all changes that it knows of into the store ([`Journal`](::live::Journal)). An answer of an
//! earlier moment that has one of these names is not found any more, whoever has made it and whenever
//! it is put. A mutation writes its names before its response is sent, so that all servers see it. A
//! task writes the names of other changes soon ([`publish_changes`]), also while nobody asks this server:
//! names that waited would drop answers that others have made since.
//!
//! Moments are those of the store's clock. Where a connection to it is lost, its writes may be, too: the
//! server then begins again, without the answers from before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ::live::{ChangeName, CohortKey, Dependencies, Hub, Journal};
use bytes::{Buf, Bytes};
use clients::byte_cache::{ByteCache, CacheKey, CacheTag, Cached, Moment, NewEntry};
use clients::redis_client::RedisUnavailable;
use response::MemoryReservation;
use tokio::time::sleep;

use super::AnswerCache;
use super::answer::CachedAnswer;
use super::policy::CacheWish;

/// The form of values. Servers of another version have entries of their own.
const FORM: &[u8] = concat!("1 ", env!("CARGO_PKG_VERSION")).as_bytes();

/// The bytes before the body of a value: the moment, and the time for which it is kept.
const HEAD: usize = 16;

/// The number of copies of a body while it is put: the value, the entry, the command and its bytes.
const COPIES: u64 = 4;

/// The time in which names of changes gather, to be written together.
const GATHERING: Duration = Duration::from_millis(20);

/// The pause after names could not be written.
const PAUSE: Duration = Duration::from_millis(100);

/// The answers of one source in a shared store.
#[derive(Debug)]
pub(crate) struct SharedAnswers {
    hub: Arc<Hub>,
    store: Arc<ByteCache>,
    /// Identity of the database.
    database: Box<str>,
    /// One task at a time writes the names of changes.
    publishing: tokio::sync::Mutex<()>,
    oldest: Mutex<Option<Oldest>>,
    /// True while a task writes the names of changes.
    has_publisher: Arc<AtomicBool>,
}

/// The duty to write the names of changes, which one task has at a time.
#[derive(Debug)]
pub(crate) struct Publisher(Arc<AtomicBool>);

/// The moment since which this server knows of all changes.
#[derive(Clone, Copy, Debug)]
struct Oldest {
    /// Epoch of the journal.
    beginning: u64,
    moment: Moment,
}

/// The right to put an answer that is made now.
#[derive(Debug)]
pub(crate) struct Ticket {
    key: CacheKey,
    tags: Vec<CacheTag>,
    since: Moment,
}

/// Result of a look-up.
#[derive(Debug)]
pub(crate) enum SharedLookup {
    Answer(CachedAnswer, Ticket),
    Missing(Ticket),
    /// Nothing follows the changes yet.
    Unfollowed,
    /// The request is executed as without a cache.
    Unavailable,
}

/// Gives names back that were not written: they are written before the next look-up. In an outage it
/// resets the journal instead, since they would gather: the knowledge of this server does not count then.
struct Publication<'p> {
    journal: &'p Journal,
    store: &'p ByteCache,
    /// Empty if they were written.
    names: Vec<ChangeName>,
}

impl Drop for Publication<'_> {
    fn drop(&mut self) {
        let names = std::mem::take(&mut self.names);
        if self.store.is_connected() {
            self.journal.give_back(names);
        } else if !names.is_empty() {
            self.journal.begin_again();
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl SharedAnswers {
    pub(crate) fn new(hub: &Arc<Hub>, store: &Arc<ByteCache>, database: String) -> Self {
        Self {
            hub: Arc::clone(hub),
            store: Arc::clone(store),
            database: database.into(),
            publishing: tokio::sync::Mutex::default(),
            oldest: Mutex::default(),
            has_publisher: Arc::default(),
        }
    }

    /// Looks for the answer to a request by a plan with these dependencies. An answer of more bytes is
    /// not sent by the store: a server with a larger cache has put it there.
    pub(crate) async fn look_up(
        &self,
        plan: CacheKey,
        (key, most_bytes): (&CohortKey, usize),
        wish: CacheWish,
        dependencies: &Dependencies,
    ) -> SharedLookup {
        let Some(journal) = self.hub.journal() else { return SharedLookup::Unfollowed };
        let beginning = journal.beginning();
        let Some(is_exact) = self.hub.is_exact(dependencies) else {
            return SharedLookup::Unfollowed;
        };
        let Some(names) = journal.names_of(dependencies, is_exact) else {
            return SharedLookup::Unavailable;
        };
        // Publishes pending changes before the look-up.
        if self.publish().await.is_err() {
            return SharedLookup::Unavailable;
        }
        let Some(oldest) = self.oldest(beginning).await else { return SharedLookup::Unavailable };
        let own_key = self.key(plan, key, wish, &names);
        let (found, since) = self.store.get_small(&[own_key], HEAD + most_bytes).await;
        let Some(since) = since else { return SharedLookup::Unavailable };
        if !since.has_clock_of(oldest) {
            *self.known_oldest() = None;
            return SharedLookup::Unavailable;
        }
        if journal.beginning() != beginning {
            return SharedLookup::Unavailable;
        }
        let tags = names.iter().map(|name| self.tag(name)).collect();
        let ticket = Ticket { key: own_key, tags, since };
        match found.into_iter().flatten().find_map(|cached| answer(key, cached, oldest)) {
            Some(answer) => SharedLookup::Answer(answer, ticket),
            None => SharedLookup::Missing(ticket),
        }
    }

    /// Puts an answer. It is not found if a change has concerned it since its ticket. Returns false if
    /// there is too little memory for its copies.
    pub(crate) async fn put(
        &self,
        ticket: Ticket,
        ttl: Duration,
        body: &[u8],
        mut copies: MemoryReservation,
    ) -> bool {
        if copies.grow_to(COPIES.saturating_mul(body.len() as u64)).is_err() {
            return false;
        }
        let Ticket { key, tags, since } = ticket;
        let milliseconds = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let mut value = Vec::with_capacity(HEAD + body.len());
        value.extend_from_slice(&since.at().to_be_bytes());
        value.extend_from_slice(&milliseconds.to_be_bytes());
        value.extend_from_slice(body);
        self.store.put(vec![NewEntry { key, value: value.into(), ttl, tags }], since).await;
        true
    }

    /// The duty to write the names of changes, unless a task has it.
    pub(crate) fn claim_publisher(&self) -> Option<Publisher> {
        let has_one = self.has_publisher.load(Ordering::Relaxed)
            || self.has_publisher.swap(true, Ordering::AcqRel);
        (!has_one).then(|| Publisher(Arc::clone(&self.has_publisher)))
    }

    /// Writes the names of the changes that this server knows of. If that fails, they are written the
    /// next time; in an outage, the server does not use the answers from before any more.
    pub(crate) async fn publish(&self) -> Result<(), RedisUnavailable> {
        let Some(journal) = self.hub.journal() else { return Ok(()) };
        // Waits for names that another request has taken.
        let _publishing = self.publishing.lock().await;
        let names = journal.take();
        if names.is_empty() {
            return Ok(());
        }
        let tags: Vec<CacheTag> = names.iter().map(|name| self.tag(name)).collect();
        let mut publication = Publication { journal, store: &self.store, names };
        self.store.invalidate(&tags).await?;
        publication.names.clear();
        Ok(())
    }

    /// The number of commands that the store has not executed.
    pub(crate) fn failures(&self) -> u64 {
        self.store.counts().failures
    }

    /// The moment since which this server knows of all changes, which begins now at the first look-up.
    async fn oldest(&self, beginning: u64) -> Option<Moment> {
        let known = self.known_oldest().filter(|known| known.beginning == beginning);
        if let Some(Oldest { moment, .. }) = known {
            return Some(moment);
        }
        let (_, moment) = self.store.get_many(&[]).await;
        let moment = moment?;
        *self.known_oldest() = Some(Oldest { beginning, moment });
        Some(moment)
    }

    /// The key of an answer. Answers with other names of changes have other keys, since a server whose
    /// names they are not would not find its changes in them.
    fn key(
        &self,
        plan: CacheKey,
        key: &CohortKey,
        wish: CacheWish,
        names: &[Box<[u8]>],
    ) -> CacheKey {
        let ttl = wish.ttl.as_millis().to_be_bytes();
        let content = key.content();
        let database = self.database.as_bytes();
        let mut parts: Vec<&[u8]> = vec![FORM, database, plan.as_bytes(), &content, &ttl];
        parts.extend(names.iter().map(|name| &**name));
        CacheKey::of(&parts)
    }

    fn tag(&self, name: &[u8]) -> CacheTag {
        CacheTag::of(&[self.database.as_bytes(), name])
    }

    fn known_oldest(&self) -> MutexGuard<'_, Option<Oldest>> {
        self.oldest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the names of changes some milliseconds after this server has learned of them, until the cache
/// is dropped.
pub(crate) async fn publish_changes(cache: Weak<AnswerCache>, _publisher: Publisher) {
    let journal = cache.upgrade().and_then(|cache| Some(cache.hub.journal()?.added()));
    let Some(added) = journal else { return };
    loop {
        added.notified().await;
        sleep(GATHERING).await;
        let Some(cache) = cache.upgrade() else { return };
        let Some(shared) = cache.shared() else { return };
        if shared.publish().await.is_err() {
            drop(cache);
            sleep(PAUSE).await;
            added.notify_one();
        }
    }
}

/// The answer of a value, unless it is older than what this server knows.
fn answer(key: &CohortKey, cached: Cached, oldest: Moment) -> Option<CachedAnswer> {
    let Cached { mut value, left } = cached;
    if value.len() < HEAD {
        return None;
    }
    let (since, ttl) = (value.get_u64(), Duration::from_millis(value.get_u64()));
    let age = ttl.saturating_sub(left);
    let body: Bytes = value;
    (since >= oldest.at()).then(|| CachedAnswer::shared(key.clone(), (age, ttl), body))
}
