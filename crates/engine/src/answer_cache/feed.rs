//! The feed of changes of a cache.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ::live::{FeedClaim, FeedOptions};
use catalog::Catalog;
use futures_util::FutureExt;
use sources::Changes;

/// The work to follow the changes of a source for the cache of an engine. It does not keep the engine
/// alive, and ends with it.
#[derive(Debug)]
pub struct CacheFeed {
    pub(crate) claim: FeedClaim,
    pub(crate) changes: Changes,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) options: FeedOptions,
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
