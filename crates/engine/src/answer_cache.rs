//! Cache of answers: a query's answer is kept, and sent again until a change of rows concerns it or
//! its time is over.
//!
//! A cached answer is a cohort of the crate [`live`](::live) without subscribers: it has the same
//! dependencies, and the same feed of changes invalidates it. Its key has the values of exactly those
//! claims that its plan reads, and all settings that the database receives.
//!
//! * `policy`: which operations are cached, and for how long
//! * `answer`: a cached answer
//! * `store`: answers in the memory of the process
//! * `shared`: answers in a Redis that several servers share
//! * `feed`: the task that follows changes for the cache
//! * `flight`: an execution that requests with equal keys share
//!
//! `worker/cached.rs` executes operations with it.

mod answer;
mod feed;
mod flight;
mod policy;
mod shared;
mod store;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::live::{CohortKey, Dependencies, FeedClaim, Hub, Invalidated, Watched, Written};
use ahash::AHashMap;
use bytes::Bytes;
use clients::byte_cache::ByteCache;
use graphql::schema::Schema;
use response::MemoryReservation;
use tokio::task::spawn_local;

pub use answer::CachedAnswer;
pub(crate) use answer::HeldBody;
pub use feed::CacheFeed;
pub(crate) use flight::{Flight, FlightEnd, Leading};
pub use policy::{CacheField, CachePolicyError, MOST_SECONDS};
pub(crate) use policy::{CachePolicy, CacheWish, Obstacle};
pub(crate) use shared::{SharedAnswers, SharedLookup, Ticket, publish_changes};
use store::Store;

/// Options of the cache of answers.
#[derive(Clone, Debug, Default)]
pub struct CacheOptions {
    /// Bytes of all answers; 0 for no cache.
    pub bytes: u64,
    /// Root fields whose answers are cached.
    pub fields: Arc<[CacheField]>,
    /// True if the schema has the directive `@cached`, whatever the dialect is.
    pub has_directive: bool,
    /// True if the root fields may be those of other sources.
    pub has_fields_of_others: bool,
    /// Where several servers share answers; without it they are in the memory of the process.
    pub store: Option<Arc<ByteCache>>,
}

/// What a client allows the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheUse {
    /// To answer.
    #[default]
    Answer,
    /// To answer by what is no older.
    Younger(Duration),
    /// To keep the new answer.
    Refresh,
    /// Nothing.
    Bypass,
}

/// The cached answers of an engine.
#[derive(Debug)]
pub(crate) struct AnswerCache {
    pub(crate) policy: CachePolicy,
    hub: Arc<Hub>,
    store: Store,
    /// Then the store in memory has only the keys of answers that are too large.
    shared: Option<SharedAnswers>,
    invalidated: Arc<Invalidated>,
    flights: Mutex<AHashMap<CohortKey, Arc<Flight>>>,
    /// True since a request was not cached because nothing followed the changes.
    wants_feed: AtomicBool,
    hits: AtomicU64,
    misses: AtomicU64,
    stores: AtomicU64,
}

/// Figures of the cache of answers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Requests that a kept answer, or that of an equal request at the same time, has answered.
    pub hits: u64,
    /// Requests that were executed, though their operations are cached.
    pub misses: u64,
    pub stores: u64,
    /// Answers that a change has invalidated.
    pub invalidations: u64,
    /// Answers that were removed because others needed the space.
    pub evictions: u64,
    pub answers: u64,
    pub bytes: u64,
    /// Commands that the shared store has not executed.
    pub failures: u64,
}

impl CacheCounts {
    /// The figures of two caches together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            stores: self.stores + other.stores,
            invalidations: self.invalidations + other.invalidations,
            evictions: self.evictions + other.evictions,
            answers: self.answers + other.answers,
            bytes: self.bytes + other.bytes,
            // All caches of a process have one store.
            failures: self.failures.max(other.failures),
        }
    }
}

/// How a request was answered.
#[derive(Clone, Debug)]
pub struct CacheUsed {
    pub answer: Arc<CachedAnswer>,
    /// True if it was not executed.
    pub is_hit: bool,
    /// True if the directive `@cached` asked for it.
    pub by_directive: bool,
}

/// What the cache has for a request.
pub(crate) enum CacheLookup {
    Answer(Arc<CachedAnswer>),
    /// The last answer was too large to be kept.
    TooLarge,
    /// An equal request is being executed.
    Running(Arc<Flight>),
    /// The request is to be executed, and its answer kept.
    Lead(Leading),
    /// Nothing would invalidate an answer now.
    Unfollowed,
}

/// The root fields that a schema has.
fn fields_of(schema: &Schema, fields: &[CacheField]) -> Vec<CacheField> {
    let query = schema.query;
    let is_known = |field: &&CacheField| {
        field.is_of_all()
            || query.is_some_and(|query| schema.find_field(query, &field.name).is_some())
    };
    fields.iter().filter(is_known).cloned().collect()
}

impl AnswerCache {
    /// `None` without a cache.
    pub(crate) fn new(
        options: &CacheOptions,
        schema: &Schema,
        hub: &Arc<Hub>,
        shared: Option<SharedAnswers>,
    ) -> Result<Option<Self>, CachePolicyError> {
        let policy = match options.has_fields_of_others {
            false => CachePolicy::new(&options.fields, schema)?,
            true => CachePolicy::new(&fields_of(schema, &options.fields), schema)?,
        };
        if options.bytes == 0 {
            return Ok(None);
        }
        Ok(Some(Self {
            policy,
            hub: Arc::clone(hub),
            store: Store::new(options.bytes),
            shared,
            invalidated: Arc::default(),
            flights: Mutex::default(),
            wants_feed: AtomicBool::new(false),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            stores: AtomicU64::new(0),
        }))
    }

    /// The store that servers share, if there is one.
    pub(crate) fn shared(&self) -> Option<&SharedAnswers> {
        self.shared.as_ref()
    }

    /// The answer to a request, or the way to it. `dependencies` are those of its plan.
    pub(crate) fn find(
        self: &Arc<Self>,
        key: &CohortKey,
        wish: CacheWish,
        allowed: CacheUse,
        dependencies: impl FnOnce() -> Dependencies,
    ) -> CacheLookup {
        self.sweep();
        let most_age = wish.most_age(allowed);
        if let Some(found) = self.find_kept(key, most_age) {
            return found;
        }
        let mut flights = self.flights();
        // An equal request may have ended meanwhile.
        if let Some(found) = self.find_kept(key, most_age) {
            return found;
        }
        if most_age.is_some()
            && let Some(flight) = flights.get(key).filter(|flight| flight.is_current())
        {
            return CacheLookup::Running(Arc::clone(flight));
        }
        let watched = self.hub.watch(key.clone(), dependencies(), &self.invalidated);
        let Some(watched) = watched else {
            self.want_feed();
            return CacheLookup::Unfollowed;
        };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let flight = Arc::new(Flight::new(watched));
        flights.insert(key.clone(), Arc::clone(&flight));
        CacheLookup::Lead(Leading::new(Arc::clone(self), key.clone(), flight))
    }

    /// The kept answer to a request, which has at most this age.
    fn find_kept(&self, key: &CohortKey, most_age: Option<Duration>) -> Option<CacheLookup> {
        let most_age = most_age?;
        let answer = self.store.get(key)?;
        if !answer.is_valid() || answer.age() > most_age {
            return None;
        }
        Some(match answer.body() {
            Some(_) => {
                self.hits.fetch_add(1, Ordering::Relaxed);
                CacheLookup::Answer(answer)
            }
            None => CacheLookup::TooLarge,
        })
    }

    /// Keeps an answer, if it is small enough, and no change has concerned it meanwhile. Returns it as
    /// it is sent.
    fn keep(
        &self,
        key: &CohortKey,
        watched: &Arc<Watched>,
        ttl: Duration,
        (mut body, held): (Vec<u8>, MemoryReservation),
    ) -> Arc<CachedAnswer> {
        let body = match self.shared {
            None => {
                // From now on the answer counts among the cache's bytes.
                drop(held);
                body.shrink_to_fit();
                Bytes::from(body)
            }
            Some(_) => Bytes::from_owner(HeldBody { body, _held: held }),
        };
        let answer = CachedAnswer::new(key.clone(), Arc::clone(watched), ttl, Some(body));
        let answer = Arc::new(answer);
        if self.shared.is_none() {
            self.insert(key, &answer);
        }
        answer
    }

    /// Remembers that an answer is too large, so that equal requests do not wait for one another.
    fn keep_too_large(&self, key: &CohortKey, watched: &Arc<Watched>, ttl: Duration) {
        let answer = CachedAnswer::new(key.clone(), Arc::clone(watched), ttl, None);
        self.insert(key, &Arc::new(answer));
    }

    fn insert(&self, key: &CohortKey, answer: &Arc<CachedAnswer>) {
        if answer.is_valid() {
            self.store.insert(key.clone(), Arc::clone(answer));
            self.stores.fetch_add(1, Ordering::Relaxed);
            // A change may have come between: nobody would remove it.
            if !answer.is_valid() {
                self.store.remove_invalid(key);
            }
        }
    }

    /// The right to follow the changes, if a request was not cached because nobody does so.
    pub(crate) fn claim_feed(&self) -> Option<FeedClaim> {
        let is_wanted = self.wants_feed.load(Ordering::Relaxed)
            && self.wants_feed.swap(false, Ordering::Relaxed);
        is_wanted.then(|| self.hub.claim_feed_for_cache()).flatten()
    }

    /// Has a feed begin: a request was not cached because nothing follows the changes.
    pub(crate) fn want_feed(&self) {
        self.wants_feed.store(true, Ordering::Relaxed);
    }

    /// Counts a request that was not executed.
    pub(crate) fn count_hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    fn end_flight(&self, key: &CohortKey, flight: &Arc<Flight>) {
        let mut flights = self.flights();
        if flights.get(key).is_some_and(|known| Arc::ptr_eq(known, flight)) {
            flights.remove(key);
        }
    }

    /// Removes answers that changes have invalidated.
    pub(crate) fn sweep(&self) {
        for key in self.invalidated.take() {
            self.store.remove_invalid(&key);
        }
    }

    /// Invalidates the answers that a change of this process may concern: the next request of its
    /// client sees it, however late the feed reports it.
    pub(crate) fn invalidate(&self, written: &Written) {
        self.hub.invalidate_written(written);
    }

    /// Tells the other servers about the changes that this one knows of.
    pub(crate) async fn publish(&self) {
        if let Some(shared) = &self.shared {
            // Without a store they learn it by their own feeds.
            let _ = shared.publish().await;
        }
    }

    /// The largest answer that is kept.
    pub(crate) fn most_bytes(&self) -> usize {
        self.store.most_bytes()
    }

    pub(crate) fn counts(&self) -> CacheCounts {
        self.sweep();
        CacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            stores: self.stores.load(Ordering::Relaxed),
            invalidations: self.invalidated.count(),
            evictions: self.store.evictions(),
            answers: self.store.len(),
            bytes: self.store.bytes(),
            failures: self.shared.as_ref().map_or(0, SharedAnswers::failures),
        }
    }

    fn flights(&self) -> MutexGuard<'_, AHashMap<CohortKey, Arc<Flight>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leading {
    /// Ends the execution with an answer, which is kept if it may be. Returns the answer as it is sent;
    /// a body that is too large comes back. With a ticket it is put into the store that servers share,
    /// with a reservation for its copies: the response does not wait for that, but equal requests do.
    pub(crate) fn answer(
        self,
        ttl: Duration,
        (body, held): (Vec<u8>, MemoryReservation),
        shared: Option<(Ticket, MemoryReservation)>,
    ) -> Result<Arc<CachedAnswer>, (Vec<u8>, MemoryReservation)> {
        let (cache, key, watched) = self.parts();
        if body.len() > cache.most_bytes() {
            cache.keep_too_large(key, watched, ttl);
            self.end(FlightEnd::NotShared);
            return Err((body, held));
        }
        let answer = cache.keep(key, watched, ttl, (body, held));
        let end = FlightEnd::Answer(Arc::clone(&answer));
        match shared {
            Some((ticket, copies)) if self.shared_store().is_some() => {
                spawn_local(self.put(ticket, ttl, Arc::clone(&answer), copies));
            }
            Some(_) | None => self.end(end),
        }
        Ok(answer)
    }

    /// Puts an answer into the store that servers share, and ends the execution.
    async fn put(
        self,
        ticket: Ticket,
        ttl: Duration,
        answer: Arc<CachedAnswer>,
        copies: MemoryReservation,
    ) {
        let (cache, ..) = self.parts();
        let is_put = match (cache.shared(), answer.body()) {
            (Some(shared), Some(body)) => shared.put(ticket, ttl, body, copies).await,
            (None, _) | (_, None) => false,
        };
        if is_put {
            cache.stores.fetch_add(1, Ordering::Relaxed);
            self.end(FlightEnd::Answer(answer));
        } else {
            self.end(FlightEnd::NotShared);
        }
    }
}

/// The feed ends with the engine, and with it the last reference to the hub.
impl Drop for AnswerCache {
    fn drop(&mut self) {
        self.hub.close_cache();
    }
}
