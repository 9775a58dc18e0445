//! A cached answer.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::live::{CohortKey, Watched};
use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use response::MemoryReservation;
use tokio::time::Instant;

use super::CacheUse;
use super::policy::CacheWish;

/// An answer with its registration at the feed.
#[derive(Debug)]
pub struct CachedAnswer {
    key: CohortKey,
    /// `None` for the answer of a shared store, which has looked for changes.
    watched: Option<Arc<Watched>>,
    made: Instant,
    ttl: Duration,
    /// The JSON text; `None` if it is too large to be kept.
    body: Option<Bytes>,
    tag: OnceLock<Box<str>>,
}

/// A body with the memory that is reserved for it.
#[derive(Debug)]
pub(crate) struct HeldBody<B> {
    pub(crate) body: B,
    pub(crate) _held: MemoryReservation,
}

/// Bytes of a hash that are shown.
const SHOWN: usize = 16;

impl<B: AsRef<[u8]>> AsRef<[u8]> for HeldBody<B> {
    fn as_ref(&self) -> &[u8] {
        self.body.as_ref()
    }
}

impl CachedAnswer {
    pub(crate) fn new(
        key: CohortKey,
        watched: Arc<Watched>,
        ttl: Duration,
        body: Option<Bytes>,
    ) -> Self {
        let (watched, made) = (Some(watched), Instant::now());
        Self { key, watched, made, ttl, body, tag: OnceLock::new() }
    }

    /// An answer of a store that servers share.
    pub(super) fn shared(key: CohortKey, (age, ttl): (Duration, Duration), body: Bytes) -> Self {
        let now = Instant::now();
        let made = now.checked_sub(age).unwrap_or(now);
        Self { key, watched: None, made, ttl, body: Some(body), tag: OnceLock::new() }
    }

    /// Returns true until its time is over, or a change may have concerned it.
    pub(crate) fn is_valid(&self) -> bool {
        self.is_current() && self.age() < self.ttl
    }

    pub(crate) fn is_current(&self) -> bool {
        self.watched.as_ref().is_none_or(|watched| watched.is_current())
    }

    /// Returns true if a request may be answered by it.
    pub(crate) fn is_allowed(&self, wish: CacheWish, allowed: CacheUse) -> bool {
        wish.most_age(allowed).is_some_and(|most| self.is_valid() && self.age() <= most)
    }

    pub(crate) fn body(&self) -> Option<&Bytes> {
        self.body.as_ref()
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let body = self.body.as_ref().map_or(0, Bytes::len);
        let keys = self.key.document_bytes() + 2 * self.key.bytes();
        let watched = self.watched.as_ref().map_or(0, |watched| watched.bytes());
        (size_of::<Self>() + body + keys + watched) as u64
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
