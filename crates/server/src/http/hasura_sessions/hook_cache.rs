//! A cache of the answers of a webhook, for requests that are equal for it.

use std::time::{Duration, Instant};

use engine::cache;
use hyper::header::HeaderMap;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json_bytes::Value as Json;

use super::webhook::HookSession;

/// Approximate bytes of all entries.
const MOST_BYTES: u64 = 16 << 20;

/// Number of entries for the first size of the tables.
const USUAL_ENTRIES: usize = 4_096;

/// Number of shards, each with a lock and an equal share of the bytes.
const SHARDS: u64 = 8;

/// Approximate bytes of an entry besides its key.
const ENTRY: u64 = 1_000;

/// Headers that differ from request to request, whoever sends it.
const OF_REQUESTS: [&str; 6] =
    ["x-request-id", "traceparent", "tracestate", "sec-websocket-key", "content-length", "date"];

/// The answers to earlier requests.
#[derive(Debug)]
pub(super) struct HookCache {
    sessions: Cache<Box<[u8]>, CachedSession, Weight>,
    lifetime: Duration,
}

#[derive(Clone, Debug)]
struct CachedSession {
    session: HookSession,
    /// The time from which on the webhook is asked again.
    until: Instant,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Box<[u8]>, CachedSession> for Weight {
    fn weight(&self, key: &Box<[u8]>, _: &CachedSession) -> u64 {
        key.len() as u64 + ENTRY
    }
}

impl HookCache {
    pub(super) fn new(lifetime: Duration) -> Self {
        let sessions = cache::bounded(MOST_BYTES, USUAL_ENTRIES, SHARDS, Weight);
        Self { sessions, lifetime }
    }

    /// What the webhook would receive, as a key: the whole text, so that no two requests share a session
    /// by chance.
    pub(super) fn key(headers: &HeaderMap, body: &Json) -> Box<[u8]> {
        let mut key = Vec::new();
        let mut push = |name: &str, value: &[u8]| {
            if !OF_REQUESTS.contains(&name) {
                key.extend_from_slice(name.as_bytes());
                key.push(b':');
                key.extend_from_slice(value);
                // No header has a line break.
                key.push(b'\n');
            }
        };
        headers.iter().for_each(|(name, value)| push(name.as_str(), value.as_bytes()));
        if let Json::Object(members) = body {
            let own = members.get("headers").and_then(Json::as_object);
            for (name, value) in own.into_iter().flatten() {
                push(name.as_str(), value.as_str().unwrap_or_default().as_bytes());
            }
            if let Some(request) = members.get("request") {
                key.extend_from_slice(request.to_string().as_bytes());
            }
        }
        key.into()
    }

    pub(super) fn find(&self, key: &[u8], now: Instant) -> Option<HookSession> {
        let kept = self.sessions.get(key)?;
        (now < kept.until).then_some(kept.session)
    }

    /// Keeps an answer, but no longer than it holds.
    pub(super) fn keep(&self, key: Box<[u8]>, session: HookSession, now: Instant) {
        let own = now + self.lifetime;
        let until = session.until.map_or(own, |until| until.min(own));
        self.sessions.insert(key, CachedSession { session, until });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hyper::header::HeaderValue;
    use serde_json_bytes::json;

    use super::super::hook_answer::HookAnswer;
    use super::super::variables::SessionVariables;
    use super::*;

    fn session(until: Option<Instant>) -> HookSession {
        let answer = HookAnswer { variables: SessionVariables::default(), lifetime: None };
        HookSession { answer: Arc::new(answer), until }
    }

    #[test]
    fn an_answer_is_kept_as_long_as_the_option_and_the_webhook_allow() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let check = |until: Option<Instant>, seconds: u32, is_there: bool| {
            let cache = HookCache::new(10 * second);
            cache.keep(b"a".as_slice().into(), session(until), now);
            let found = cache.find(b"a", now + seconds * second);
            assert_eq!(found.is_some(), is_there, "{seconds}");
            assert!(cache.find(b"b", now).is_none());
        };
        check(None, 9, true);
        check(None, 10, false);
        check(Some(now + 5 * second), 4, true);
        check(Some(now + 5 * second), 5, false);
        check(Some(now + 50 * second), 10, false);
    }

    #[test]
    fn requests_are_equal_if_the_webhook_would_see_no_difference() {
        let of = |values: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in values {
                headers.append(*name, HeaderValue::from_static(value));
            }
            HookCache::key(&headers, &Json::Null)
        };
        let key = of(&[("cookie", "a"), ("x-request-id", "1")]);
        assert_eq!(key, of(&[("cookie", "a"), ("x-request-id", "2")]));
        assert_ne!(key, of(&[("cookie", "b")]));
        assert_ne!(key, of(&[("cookie", "a"), ("x-hasura-role", "b")]));
        let posted = |headers: Json, request: Json| {
            HookCache::key(&HeaderMap::new(), &json!({ "headers": headers, "request": request }))
        };
        let key = posted(json!({ "cookie": "a", "traceparent": "1" }), json!({ "query": "{a}" }));
        assert_eq!(key, posted(json!({ "cookie": "a" }), json!({ "query": "{a}" })));
        assert_ne!(key, posted(json!({ "cookie": "a" }), json!({ "query": "{b}" })));
        assert_ne!(key, posted(json!({ "cookie": "b" }), json!({ "query": "{a}" })));
    }
}
