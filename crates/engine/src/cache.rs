//! Caches that hold a number of bytes.

use std::hash::Hash;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter};

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
    bounded_with(bytes, entries, shards, weighter, DefaultLifecycle::default())
}

/// The same, with a lifecycle that is told of evictions.
pub fn bounded_with<K, V, W, L>(
    bytes: u64,
    entries: usize,
    shards: u64,
    weighter: W,
    lifecycle: L,
) -> Cache<K, V, W, DefaultHashBuilder, L>
where
    K: Eq + Hash,
    V: Clone,
    W: Weighter<K, V> + Clone,
    L: Lifecycle<K, V> + Clone,
{
    let hasher = DefaultHashBuilder::default();
    let options = OptionsBuilder::new()
        .estimated_items_capacity(entries)
        .weight_capacity(bytes)
        .shards(usize::try_from(shards).unwrap_or(1))
        .build();
    let Ok(options) = options else {
        // Only options without a capacity are refused.
        return Cache::with(entries, bytes, weighter, hasher, lifecycle);
    };
    Cache::with_options(options, weighter, hasher, lifecycle)
}
