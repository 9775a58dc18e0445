//! Answers in a store that several servers share.
//!
//! Each server follows the changes of the database by itself, and relies on nothing that another server
//! does: it uses only answers that were begun after its own feed, and before each look-up it writes the
//! names of all changes that it knows of into the store ([`Journal`](::live::Journal)). An answer of an
//! earlier moment that has one of these names is not found any more, whoever has made it and whenever
//! it is put. A mutation writes its names before its response is sent, so that all servers see it.
//!
//! Moments are those of the store's clock. Where a connection to it is lost, its writes may be, too: the
//! server then begins again, without the answers from before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::live::{CohortKey, Dependencies, Hub, Journal};
use bytes::{Buf, Bytes};
use clients::byte_cache::{ByteCache, CacheKey, CacheTag, Cached, Moment, NewEntry};
use clients::redis_client::RedisUnavailable;

use super::answer::CachedAnswer;
use super::policy::CacheWish;

/// The form of values. Servers of another version have entries of their own.
const FORM: &[u8] = concat!("1 ", env!("CARGO_PKG_VERSION")).as_bytes();

/// The bytes before the body of a value: the moment, and the time for which it is kept.
const HEAD: usize = 16;

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
}

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

/// Resets the journal unless the names were written.
struct Publication<'p> {
    journal: &'p Journal,
    is_done: bool,
}

impl Drop for Publication<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.journal.begin_again();
        }
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
        }
    }

    /// Looks for the answer to a request by a plan with these dependencies.
    pub(crate) async fn look_up(
        &self,
        plan: CacheKey,
        key: &CohortKey,
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
        let (found, since) = self.store.get_many(&[own_key]).await;
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

    /// Puts an answer. It is not found if a change has concerned it since its ticket.
    pub(crate) async fn put(&self, ticket: Ticket, ttl: Duration, body: &[u8]) {
        let Ticket { key, tags, since } = ticket;
        let milliseconds = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let mut value = Vec::with_capacity(HEAD + body.len());
        value.extend_from_slice(&since.at().to_be_bytes());
        value.extend_from_slice(&milliseconds.to_be_bytes());
        value.extend_from_slice(body);
        self.store.put(vec![NewEntry { key, value: value.into(), ttl, tags }], since).await;
    }

    /// Writes the names of the changes that this server knows of. If that fails, the server does not
    /// use the answers from before any more.
    pub(crate) async fn publish(&self) -> Result<(), RedisUnavailable> {
        let Some(journal) = self.hub.journal() else { return Ok(()) };
        // Waits for names that another request has taken.
        let _publishing = self.publishing.lock().await;
        let names = journal.take();
        if names.is_empty() {
            return Ok(());
        }
        let mut publication = Publication { journal, is_done: false };
        let tags: Vec<CacheTag> = names.iter().map(|name| self.tag(name)).collect();
        let written = self.store.invalidate(&tags).await;
        publication.is_done = written.is_ok();
        written
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
