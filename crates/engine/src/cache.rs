//! Caches that hold a number of bytes.

use std::hash::Hash;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// A cache that evicts entries beyond `bytes`, as `weighter` counts them. `entries` is an estimate.
///
/// Each of `shards` holds its part of `bytes`: an entry larger than that is not kept. The number of
/// shards does not depend on the machine's processors, so that all machines keep the same entries.
pub fn bounded<K, V, W>(bytes: u64, entries: usize, shards: u64, weighter: W) -> Cache<K, V, W>
where
    K: Eq + Hash,
    V: Clone,
    W: Weighter<K, V> + Clone,
{
    let options = OptionsBuilder::new()
        .estimated_items_capacity(entries)
        .weight_capacity(bytes)
        .shards(usize::try_from(shards).unwrap_or(1))
        .build();
    let Ok(options) = options else {
        // Only options without a capacity are refused.
        return Cache::with_weighter(entries, bytes, weighter);
    };
    let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    Cache::with_options(options, weighter, hasher, lifecycle)
}
