//! The feed of changes of a cache.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::live::{FeedClaim, FeedOptions};
use catalog::Catalog;
use futures_util::FutureExt;
use sources::Changes;

use crate::engine::Engine;

/// The work to follow the changes of a source for the cache of an engine. It does not keep the engine
/// alive, and ends with it.
#[derive(Debug)]
pub struct CacheFeed {
    claim: FeedClaim,
    changes: Changes,
    catalog: Arc<Catalog>,
    options: FeedOptions,
}

impl CacheFeed {
    /// Follows the changes until the engine is dropped.
    pub async fn run(self) {
        let Self { claim, changes, catalog, options } = self;
        let feed = ::live::follow(claim, changes, &catalog, options);
        // The panic hook has logged it, and the next request begins another one.
        let _ = AssertUnwindSafe(feed).catch_unwind().await;
    }
}

impl Engine {
    /// The work that a task has to do, if a request was not cached because nobody does it.
    #[must_use]
    pub fn cache_feed(&self) -> Option<CacheFeed> {
        let cache = self.cache.as_ref()?;
        let is_wanted = cache.wants_feed.load(Ordering::Relaxed)
            && cache.wants_feed.swap(false, Ordering::Relaxed);
        let claim = is_wanted.then(|| self.live.hub.claim_feed_for_cache())??;
        let options = self.live.options.clone();
        let changes = self.source.changes(options.relay.clone());
        Some(CacheFeed { claim, changes, catalog: Arc::clone(&self.catalog), options })
    }
}
