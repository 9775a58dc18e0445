//! A cache of bytes by keys, with a time to live and with tags: in the memory of the process, or in a
//! Redis that several servers share.
//!
//! * `memory`, `shared`: the two stores
//!
//! An invalidation removes nothing by itself: it remembers a moment for a tag. An entry tells since which
//! moment its value was being made, and does not count if one of its tags was invalidated since. So a
//! value that was made before an invalidation, and is put after it, does not come back.

mod memory;
mod shared;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aws_lc_rs::digest::{Context, SHA256};
use bytes::Bytes;

use crate::redis_client::{RedisClient, RedisUnavailable};
use memory::MemoryStore;
use shared::SharedStore;

/// A key: a hash, so that it has a constant size and contains no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey([u8; 16]);

/// The hash of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheTag([u8; 16]);

/// The moment of a look-up, by the clock of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    at: u64,
    /// The number of the connection that has told it. Another one may lead to another clock.
    connection: u64,
}

/// A value with the time for which it stays fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cached {
    pub value: Bytes,
    pub left: Duration,
}

/// A value to put.
#[derive(Clone, Debug)]
pub struct NewEntry {
    pub key: CacheKey,
    pub value: Bytes,
    pub ttl: Duration,
    pub tags: Vec<CacheTag>,
}

/// A cache of bytes.
#[derive(Debug)]
pub struct ByteCache {
    store: Store,
    counts: [AtomicU64; 3],
}

#[derive(Debug)]
enum Store {
    Memory(MemoryStore),
    Shared(SharedStore),
}

/// Figures of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    pub hits: u64,
    pub misses: u64,
    /// Commands that a shared store has not executed.
    pub failures: u64,
    /// Bytes in memory; 0 for a shared store.
    pub bytes: u64,
    pub entries: u64,
}

/// Hashes parts that are told apart by their lengths.
fn hash(parts: &[&[u8]]) -> [u8; 16] {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let mut short = [0; 16];
    for (to, from) in short.iter_mut().zip(context.finish().as_ref()) {
        *to = *from;
    }
    short
}

impl CacheKey {
    /// The key of a value that depends on these parts.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        Self(hash(parts))
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Moment {
    /// The moment as a number, which grows.
    #[must_use]
    pub fn at(self) -> u64 {
        self.at
    }

    /// Returns true if one clock has told both.
    #[must_use]
    pub fn has_clock_of(self, other: Self) -> bool {
        self.connection == other.connection
    }
}

impl CacheTag {
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        Self(hash(parts))
    }
}

impl ByteCache {
    /// A cache in memory with so many bytes.
    #[must_use]
    pub fn in_memory(most_bytes: u64) -> Self {
        Self::new(Store::Memory(MemoryStore::new(most_bytes)))
    }

    /// A cache in Redis, whose keys begin with a prefix.
    #[must_use]
    pub fn shared(client: Arc<RedisClient>, prefix: &str) -> Self {
        Self::new(Store::Shared(SharedStore::new(client, prefix)))
    }

    fn new(store: Store) -> Self {
        Self { store, counts: Default::default() }
    }

    /// Looks keys up. During an outage nothing is found, and nothing can be put: there is no moment.
    pub async fn get_many(&self, keys: &[CacheKey]) -> (Vec<Option<Cached>>, Option<Moment>) {
        self.get_small(keys, usize::MAX).await
    }

    /// Looks keys up, without values in a shared store that have more than so many bytes: another
    /// process may have put them, and the store does not send them.
    pub async fn get_small(
        &self,
        keys: &[CacheKey],
        most_bytes: usize,
    ) -> (Vec<Option<Cached>>, Option<Moment>) {
        let (found, moment) = match &self.store {
            Store::Memory(memory) => {
                let (found, moment) = memory.get_many(keys);
                (found, Some(moment))
            }
            Store::Shared(shared) => match shared.get_many(keys, most_bytes).await {
                Ok((found, moment)) => (found, Some(moment)),
                Err(RedisUnavailable) => {
                    self.count(2, 1);
                    (vec![None; keys.len()], None)
                }
            },
        };
        (found, moment)
    }

    /// Counts values that were found or not. The caller knows which of its keys are alternatives.
    pub fn count_found(&self, hits: u64, misses: u64) {
        self.count(0, hits);
        self.count(1, misses);
    }

    /// Puts values that were made since a look-up.
    pub async fn put(&self, entries: Vec<NewEntry>, since: Moment) {
        match &self.store {
            Store::Memory(memory) => memory.put(entries, since),
            Store::Shared(shared) => {
                if shared.put(&entries, since).await.is_err() {
                    self.count(2, 1);
                }
            }
        }
    }

    /// Makes all entries with one of these tags stale.
    pub async fn invalidate(&self, tags: &[CacheTag]) -> Result<(), RedisUnavailable> {
        match &self.store {
            Store::Memory(memory) => {
                memory.invalidate(tags);
                Ok(())
            }
            Store::Shared(shared) => {
                shared.invalidate(tags).await.inspect_err(|_| self.count(2, 1))
            }
        }
    }

    /// False in an outage of a shared store, but not while its replies are late.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        match &self.store {
            Store::Memory(_) => true,
            Store::Shared(shared) => shared.is_connected(),
        }
    }

    #[must_use]
    pub fn counts(&self) -> CacheCounts {
        let [hits, misses, failures] =
            [0, 1, 2].map(|place: usize| self.counts[place].load(Ordering::Relaxed));
        let (bytes, entries) = match &self.store {
            Store::Memory(memory) => memory.size(),
            Store::Shared(_) => (0, 0),
        };
        CacheCounts { hits, misses, failures, bytes, entries }
    }

    fn count(&self, place: usize, more: u64) {
        self.counts[place].fetch_add(more, Ordering::Relaxed);
    }
}
