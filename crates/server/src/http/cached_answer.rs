//! Caching of answers as HTTP has it: what a request allows, the headers of a cached answer, and the
//! response 304 to a client that has it already.
//! <https://www.rfc-editor.org/rfc/rfc9111>

use std::time::Duration;

use engine::{CacheUse, CacheUsed, Caller, Report};
use hyper::header::{
    AGE, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, COOKIE, ETAG, HeaderMap, HeaderName,
    HeaderValue, IF_NONE_MATCH, VARY,
};
use hyper::{Method, StatusCode};

use super::answer_body::AnswerBody;
use super::cache_control::names;
use super::exchange::HttpRequest;
use super::respond::Response;
use super::service::Service;
use crate::options::HttpCaching;

/// Headers of Hasura: the hash of the key, and the one that does not depend on variables.
const KEY: HeaderName = HeaderName::from_static("x-hasura-query-cache-key");
const FAMILY_KEY: HeaderName = HeaderName::from_static("x-hasura-query-family-cache-key");

/// Beginning of the headers that name a session of Hasura, and those that most requests have.
const HASURA: &str = "x-hasura-";
const SESSION: [HeaderName; 5] = [
    AUTHORIZATION,
    COOKIE,
    HeaderName::from_static("x-hasura-admin-secret"),
    HeaderName::from_static("x-hasura-role"),
    HeaderName::from_static("x-hasura-user-id"),
];

/// The part of a request that decides how it may be answered by a cache.
#[derive(Debug, Default)]
pub(super) struct CacheRequest {
    pub(super) allowed: CacheUse,
    /// The tags of the copies that the client has; none for methods that are not repeated.
    known: Option<HeaderValue>,
    /// The headers of the request that name a session of Hasura.
    session: Vec<HeaderName>,
}

impl CacheRequest {
    pub(super) fn new(service: &Service, request: &HttpRequest) -> Self {
        let headers = request.headers();
        let may_know = matches!(*request.method(), Method::GET | Method::HEAD);
        let known = may_know.then(|| headers.get(IF_NONE_MATCH).cloned()).flatten();
        let session = match service.settings.is_of_hasura() {
            true => headers.keys().filter(|name| name.as_str().starts_with(HASURA)).cloned(),
            false => return Self { allowed: allowed(headers), known, session: Vec::new() },
        };
        Self { allowed: allowed(headers), known, session: session.collect() }
    }

    /// Adds the headers of a cached answer to its response, which becomes 304 if the client has it.
    /// `has_settings` is true for requests with headers that become settings.
    pub(super) fn complete(
        self,
        response: &mut Response,
        report: &Report,
        (service, caller): (&Service, &Caller),
        has_settings: bool,
    ) {
        // Hooks decide by whatever they like, and may have replaced the answer.
        if service.settings.hooks.is_some() {
            return;
        }
        let Some(used) = &report.cache else { return };
        let is_hasura = service.settings.is_of_hasura() && used.by_directive;
        let is_forwarded = caller.forwarded.as_ref().is_some_and(|forwarded| !forwarded.is_empty());
        let is_private = caller.session.claims.is_some()
            || has_settings
            || is_forwarded
            || used.answer.has_session();
        let scope = if is_private { "private" } else { "public" };
        let headers = response.headers_mut();
        let varying = self.varying(service);
        let control = match service.settings.http_caching {
            HttpCaching::Off => None,
            // A copy might be shown to a session that a header makes which `Vary` cannot name.
            _ if varying.is_none() => Some(format!("{scope}, no-cache")),
            _ if is_hasura => Some(format!("{scope}, max-age={}", left(used).as_secs())),
            HttpCaching::Revalidate => Some(format!("{scope}, no-cache")),
            HttpCaching::MaxAge => {
                Some(format!("{scope}, max-age={}", used.answer.ttl().as_secs()))
            }
        };
        if let Some(control) = control.and_then(|control| HeaderValue::try_from(control).ok()) {
            headers.insert(CACHE_CONTROL, control);
            for name in varying.unwrap_or_else(|| SESSION.into()) {
                headers.append(VARY, name.into());
            }
            if used.is_hit && !is_hasura {
                headers.insert(AGE, HeaderValue::from(used.answer.age().as_secs()));
            }
        }
        if is_hasura {
            let names = [KEY, FAMILY_KEY].into_iter().zip(used.answer.key_hashes());
            for (name, hash) in names {
                if let Ok(hash) = HeaderValue::try_from(hash) {
                    headers.insert(name, hash);
                }
            }
        }
        if service.settings.http_caching == HttpCaching::Off {
            return;
        }
        let tag = format!("W/\"{}\"", used.answer.tag());
        let is_known = self.known.as_ref().is_some_and(|known| matches(known, &tag));
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(ETAG, tag);
        }
        if is_known && response.status() == StatusCode::OK {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response.headers_mut().remove(CONTENT_TYPE);
            *response.body_mut() = AnswerBody::Whole(bytes::Bytes::new());
        }
    }

    /// The headers on which an answer depends; `None` if they cannot be listed.
    fn varying(&self, service: &Service) -> Option<Vec<HeaderName>> {
        if let Some(names) = names(service) {
            return Some(names);
        }
        let mut names: Vec<HeaderName> = SESSION.into();
        let of_tokens = service.settings.credentials.hasura_headers()?;
        for name in self.session.iter().chain(&of_tokens) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Some(names)
    }
}

/// The time for which an answer is still kept.
fn left(used: &CacheUsed) -> Duration {
    used.answer.ttl().saturating_sub(used.answer.age())
}

/// What the header `Cache-Control` of a request allows.
fn allowed(headers: &HeaderMap) -> CacheUse {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let mut allowed = CacheUse::Answer;
    for directive in values.flat_map(|value| value.split(',')) {
        let directive = directive.trim();
        if directive.eq_ignore_ascii_case("no-store") {
            return CacheUse::Bypass;
        }
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        let age = value.trim_matches('"').parse().ok().map(Duration::from_secs);
        allowed = match (allowed, age) {
            (CacheUse::Refresh, _) => CacheUse::Refresh,
            _ if name.eq_ignore_ascii_case("no-cache") => CacheUse::Refresh,
            (_, Some(Duration::ZERO)) if name.eq_ignore_ascii_case("max-age") => CacheUse::Refresh,
            (_, Some(age)) if name.eq_ignore_ascii_case("max-age") => CacheUse::Younger(age),
            (allowed, _) => allowed,
        };
    }
    allowed
}

/// Returns true if `If-None-Match` has a tag.
fn matches(known: &HeaderValue, tag: &str) -> bool {
    let opaque = tag.trim_start_matches("W/");
    let known = known.to_str().unwrap_or_default();
    known.trim() == "*"
        || known.split(',').any(|known| known.trim().trim_start_matches("W/") == opaque)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_what_it_allows() {
        let check = |text: &'static str, expected: CacheUse| {
            let value = HeaderValue::from_static(text);
            let headers = HeaderMap::from_iter([(CACHE_CONTROL, value)]);
            assert_eq!(allowed(&headers), expected, "{text}");
        };
        check("no-cache", CacheUse::Refresh);
        check("max-age=0", CacheUse::Refresh);
        check("no-cache, no-store", CacheUse::Bypass);
        check("No-Store", CacheUse::Bypass);
        check("no-cache, max-age=9", CacheUse::Refresh);
        check("max-age=9", CacheUse::Younger(Duration::from_secs(9)));
        check("max-age=soon, only-if-cached", CacheUse::Answer);
        assert_eq!(allowed(&HeaderMap::new()), CacheUse::Answer);
    }

    #[test]
    fn tags_are_compared_weakly() {
        let check = |text: &'static str, expected: bool| {
            assert_eq!(matches(&HeaderValue::from_static(text), "W/\"a\""), expected, "{text}");
        };
        check("W/\"a\"", true);
        check("\"a\"", true);
        check("\"b\", W/\"a\"", true);
        check("*", true);
        check("\"b\"", false);
        check("", false);
    }
}
