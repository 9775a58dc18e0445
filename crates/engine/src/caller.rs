//! Client of a request, as far as the response depends on it.

use source::{Freshness, Session};

use crate::answer_cache::CacheUse;
use crate::headers::Forwarded;

/// A client, with its headers that other servers may receive.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    pub session: Session,
    /// How new the state must be that its queries see. Whatever else it sends sees the newest one.
    pub freshness: Freshness,
    /// What it allows the cache of answers.
    pub cache: CacheUse,
    /// `None` for most requests, and so boxed.
    pub forwarded: Option<Box<Forwarded>>,
}
