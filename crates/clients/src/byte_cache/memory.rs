//! The store in the memory of the process.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::{CacheKey, CacheTag, Cached, Moment, NewEntry};

/// The memory of an entry beside its value.
const OVERHEAD: u64 = 160;

/// The expected size of a value, by which the number of entries is estimated.
const USUAL_BYTES: u64 = 512;

/// The most tags whose invalidations are remembered; beyond, everything is invalidated.
const MOST_TAGS: usize = 100_000;

#[derive(Debug)]
pub(super) struct MemoryStore {
    entries: Cache<CacheKey, Entry, Bytewise>,
    invalidations: RwLock<Invalidations>,
}

/// The moments of invalidations.
#[derive(Debug, Default)]
struct Invalidations {
    /// The number of invalidations until now.
    now: u64,
    by_tag: HashMap<CacheTag, u64>,
    /// Everything that is older is stale.
    all: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    value: Bytes,
    ends: Instant,
    since: Moment,
    tags: Box<[CacheTag]>,
}

#[derive(Clone, Debug)]
struct Bytewise;

impl Weighter<CacheKey, Entry> for Bytewise {
    fn weight(&self, _: &CacheKey, entry: &Entry) -> u64 {
        OVERHEAD + entry.value.len() as u64 + size_of_val(&*entry.tags) as u64
    }
}

impl Invalidations {
    fn is_stale(&self, entry: &Entry) -> bool {
        let Moment { at: since, .. } = entry.since;
        since < self.all
            || entry.tags.iter().any(|tag| self.by_tag.get(tag).is_some_and(|at| *at > since))
    }
}

impl MemoryStore {
    pub(super) fn new(most_bytes: u64) -> Self {
        let expected = usize::try_from(most_bytes / USUAL_BYTES).unwrap_or(usize::MAX).max(16);
        Self {
            entries: Cache::with_weighter(expected, most_bytes, Bytewise),
            invalidations: RwLock::default(),
        }
    }

    pub(super) fn get_many(&self, keys: &[CacheKey]) -> (Vec<Option<Cached>>, Moment) {
        let now = Instant::now();
        let invalidations = self.invalidations.read().unwrap_or_else(PoisonError::into_inner);
        let found = keys.iter().map(|key| {
            let entry = self.entries.get(key)?;
            let left = entry.ends.saturating_duration_since(now);
            if left.is_zero() || invalidations.is_stale(&entry) {
                self.entries.remove(key);
                return None;
            }
            Some(Cached { value: entry.value, left })
        });
        (found.collect(), Moment { at: invalidations.now, connection: 0 })
    }

    pub(super) fn put(&self, entries: Vec<NewEntry>, since: Moment) {
        let now = Instant::now();
        for NewEntry { key, value, ttl, tags } in entries {
            let Some(ends) = now.checked_add(ttl) else { continue };
            // A value is often a part of a response, which would stay in memory as a whole.
            let value = Bytes::copy_from_slice(&value);
            self.entries.insert(key, Entry { value, ends, since, tags: tags.into() });
        }
    }

    pub(super) fn invalidate(&self, tags: &[CacheTag]) {
        let mut invalidations = self.invalidations.write().unwrap_or_else(PoisonError::into_inner);
        invalidations.now += 1;
        let now = invalidations.now;
        if invalidations.by_tag.len() + tags.len() > MOST_TAGS {
            invalidations.all = now;
            invalidations.by_tag = HashMap::new();
            self.entries.clear();
            return;
        }
        invalidations.by_tag.extend(tags.iter().map(|tag| (*tag, now)));
    }

    /// Bytes and entries.
    pub(super) fn size(&self) -> (u64, u64) {
        (self.entries.weight(), self.entries.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn entry(number: u32, length: usize, tags: &[&str]) -> NewEntry {
        NewEntry {
            key: key(number),
            value: Bytes::from(vec![b'x'; length]),
            ttl: Duration::from_secs(60),
            tags: tags.iter().map(|tag| CacheTag::of(&[tag.as_bytes()])).collect(),
        }
    }

    fn key(number: u32) -> CacheKey {
        CacheKey::of(&[&number.to_be_bytes()])
    }

    fn is_found(store: &MemoryStore, number: u32) -> bool {
        store.get_many(&[key(number)]).0[0].is_some()
    }

    #[test]
    fn tags_invalidate_what_was_begun_before() {
        let store = MemoryStore::new(1 << 20);
        let (_, before) = store.get_many(&[]);
        store.put(vec![entry(1, 9, &["a"]), entry(2, 9, &["a", "b"]), entry(3, 9, &[])], before);
        assert_eq!([1, 2, 3].map(|number| is_found(&store, number)), [true; 3]);
        store.invalidate(&[CacheTag::of(&[b"b"])]);
        assert_eq!([1, 2, 3].map(|number| is_found(&store, number)), [true, false, true]);
        // It was made of data that are older than the invalidation.
        store.put(vec![entry(2, 9, &["b"])], before);
        assert!(!is_found(&store, 2));
        let (_, after) = store.get_many(&[]);
        store.put(vec![entry(2, 9, &["b"])], after);
        assert!(is_found(&store, 2));
    }

    #[test]
    fn entries_end() {
        let store = MemoryStore::new(1 << 20);
        let (_, now) = store.get_many(&[]);
        store.put(vec![NewEntry { ttl: Duration::ZERO, ..entry(1, 9, &[]) }], now);
        assert!(!is_found(&store, 1));
        assert_eq!(store.size(), (0, 0));
    }

    #[test]
    fn the_memory_is_bounded() {
        let store = MemoryStore::new(1 << 20);
        let (_, now) = store.get_many(&[]);
        for number in 0..5_000 {
            store.put(vec![entry(number, 1_000, &["a"])], now);
        }
        let (bytes, entries) = store.size();
        assert!(bytes <= 1 << 20, "{bytes}");
        assert!(entries > 500, "{entries}");
        // What is larger than the cache is not kept.
        store.put(vec![entry(9_999, 2 << 20, &[])], now);
        assert!(!is_found(&store, 9_999));
    }

    #[test]
    fn very_many_invalidated_tags_invalidate_everything() {
        let store = MemoryStore::new(1 << 20);
        let (_, now) = store.get_many(&[]);
        store.put(vec![entry(1, 9, &["a"])], now);
        for number in 0..=MOST_TAGS {
            store.invalidate(&[CacheTag::of(&[&number.to_be_bytes()])]);
        }
        assert!(!is_found(&store, 1));
        store.put(vec![entry(1, 9, &["a"])], now);
        assert!(!is_found(&store, 1));
    }
}
