//! Client of a request, as far as the response depends on it.

use std::sync::Arc;

use http::HeaderMap;
use source::{Freshness, Session};

use crate::answer_cache::CacheUse;
use crate::headers::Forwarded;

/// The head of a request, for hooks.
#[derive(Clone, Default)]
pub struct RequestHead {
    /// `None` for operations over a connection with several of them.
    pub method: Option<Box<str>>,
    pub path: Option<Box<str>>,
    pub headers: HeaderMap,
}

/// Values must not reach a log.
impl std::fmt::Debug for RequestHead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.headers.keys()).finish()
    }
}

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
    /// The head of its request, where hooks receive it.
    pub head: Option<Arc<RequestHead>>,
}
