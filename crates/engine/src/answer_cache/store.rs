//! Answers in the memory of the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::live::CohortKey;
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Lifecycle, Weighter};

use super::answer::CachedAnswer;
use crate::cache;

/// Number of shards, each with a lock and an equal share of the bytes.
const SHARDS: u64 = 4;

/// Part of the bytes that one answer may take.
const LARGEST: u64 = 16;

/// About how many bytes an answer has, for the size of tables.
const USUAL: u64 = 4 << 10;

/// Answers by their keys.
#[derive(Debug)]
pub(super) struct Store {
    answers: Cache<CohortKey, Arc<CachedAnswer>, Weight, DefaultHashBuilder, Evictions>,
    most_bytes: usize,
    evicted: Arc<AtomicU64>,
}

#[derive(Clone, Debug)]
struct Weight;

/// Counts evictions. Evicted answers are dropped when the lock is free: that takes another lock.
#[derive(Clone, Debug)]
struct Evictions(Arc<AtomicU64>);

impl Weighter<CohortKey, Arc<CachedAnswer>> for Weight {
    fn weight(&self, _: &CohortKey, answer: &Arc<CachedAnswer>) -> u64 {
        answer.weight()
    }
}

impl Lifecycle<CohortKey, Arc<CachedAnswer>> for Evictions {
    type RequestState = Vec<Arc<CachedAnswer>>;

    fn begin_request(&self) -> Self::RequestState {
        Vec::new()
    }

    fn on_evict(&self, evicted: &mut Self::RequestState, _: CohortKey, answer: Arc<CachedAnswer>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        evicted.push(answer);
    }
}

impl Store {
    pub(super) fn new(bytes: u64) -> Self {
        let evicted = Arc::<AtomicU64>::default();
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX).max(32);
        let evictions = Evictions(Arc::clone(&evicted));
        let answers = cache::bounded_with(bytes, entries, SHARDS, Weight, evictions);
        let most_bytes = usize::try_from(bytes / LARGEST).unwrap_or(usize::MAX);
        Self { answers, most_bytes, evicted }
    }

    pub(super) fn get(&self, key: &CohortKey) -> Option<Arc<CachedAnswer>> {
        self.answers.get(key)
    }

    pub(super) fn insert(&self, key: CohortKey, answer: Arc<CachedAnswer>) {
        self.answers.insert(key, answer);
    }

    /// Removes the answer of a key, unless it was made again.
    pub(super) fn remove_invalid(&self, key: &CohortKey) {
        drop(self.answers.remove_if(key, |answer| !answer.is_current()));
    }

    /// The largest answer that is kept.
    pub(super) fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    pub(super) fn evictions(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }

    pub(super) fn len(&self) -> u64 {
        self.answers.len() as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        self.answers.weight()
    }
}
