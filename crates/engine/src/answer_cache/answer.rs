//! A cached answer.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::live::{CohortKey, Watched};
use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use tokio::time::Instant;

/// An answer with its registration at the feed.
#[derive(Debug)]
pub struct CachedAnswer {
    key: CohortKey,
    watched: Arc<Watched>,
    made: Instant,
    ttl: Duration,
    /// The JSON text; `None` if it is too large to be kept.
    body: Option<Bytes>,
    tag: OnceLock<Box<str>>,
}

/// Bytes of a hash that are shown.
const SHOWN: usize = 16;

impl CachedAnswer {
    pub(crate) fn new(
        key: CohortKey,
        watched: Arc<Watched>,
        ttl: Duration,
        body: Option<Bytes>,
    ) -> Self {
        Self { key, watched, made: Instant::now(), ttl, body, tag: OnceLock::new() }
    }

    /// Returns true until its time is over, or a change may have concerned it.
    pub(crate) fn is_valid(&self) -> bool {
        self.watched.is_current() && self.age() < self.ttl
    }

    pub(crate) fn is_current(&self) -> bool {
        self.watched.is_current()
    }

    pub(crate) fn body(&self) -> Option<&Bytes> {
        self.body.as_ref()
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let body = self.body.as_ref().map_or(0, Bytes::len);
        let keys = self.key.document_bytes() + 2 * self.key.bytes();
        (size_of::<Self>() + body + keys + self.watched.bytes()) as u64
    }

    /// The time since it was made.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.made.elapsed()
    }

    /// The longest time for which it is kept.
    #[must_use]
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Returns true if it depends on the session.
    #[must_use]
    pub fn has_session(&self) -> bool {
        self.key.has_session()
    }

    /// A hash of its text.
    #[must_use]
    pub fn tag(&self) -> &str {
        self.tag.get_or_init(|| hash(&[self.body.as_deref().unwrap_or_default()]).into())
    }

    /// A hash of its key, and one that does not depend on the values of variables.
    #[must_use]
    pub fn key_hashes(&self) -> [String; 2] {
        let (family, variables) = self.key.parts();
        [hash(&[&family, variables]), hash(&[&family])]
    }
}

fn hash(parts: &[&[u8]]) -> String {
    let digest = digest(&SHA256, &parts.join(&0));
    digest.as_ref().iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect()
}
