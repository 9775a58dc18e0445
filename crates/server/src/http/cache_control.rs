//! The headers `Cache-Control` and `Vary` of a query with the directive `@cacheControl(maxAge:)`, and of one
//! to a gateway whose subgraph responses may all be kept.

use engine::{Caller, Report};
use graphql::operation::OperationKind;
use graphql::value::Value;
use hyper::header::{CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, VARY};

use super::service::Service;

/// The name of the directive of operations.
const DIRECTIVE: &str = "cacheControl";

/// Adds the headers to those of a response without errors to a query that caches may keep.
///
/// Caches that several clients share keep no response to a request with claims, with headers that
/// become settings (`has_settings`), or with headers that other servers receive. `Vary` names all
/// headers of these kinds, so that a request with one does not get a response to one without.
pub(super) fn add_cache_control(
    headers: &mut HeaderMap,
    report: &Report,
    service: &Service,
    caller: &Caller,
    has_settings: bool,
) {
    // Hooks decide by whatever they like.
    if service.settings.hooks.is_some() {
        return;
    }
    let Some((seconds, is_private)) = max_age(report) else { return };
    let Some(names) = names(service) else { return };
    let is_forwarded = caller.forwarded.as_ref().is_some_and(|forwarded| !forwarded.is_empty());
    let is_private = is_private || caller.session.claims.is_some() || has_settings || is_forwarded;
    let scope = if is_private { "private" } else { "public" };
    let Ok(value) = HeaderValue::from_str(&format!("{scope},max-age={seconds}")) else { return };
    headers.insert(CACHE_CONTROL, value);
    for name in names {
        headers.append(VARY, name.into());
    }
}

/// The seconds for which caches may keep the response of an operation, and whether only those of one
/// user may: by the directive, or else by what subgraphs say.
fn max_age(report: &Report) -> Option<(i64, bool)> {
    let operation = &report.document.as_ref()?.operation;
    if operation.kind != OperationKind::Query || !report.codes.is_empty() {
        return None;
    }
    let Some(directive) = operation.directives.iter().find(|own| *own.name == *DIRECTIVE) else {
        let caching = report.fetches.caching()?;
        let seconds = i64::try_from(caching.fresh?.as_secs()).ok()?;
        return Some((seconds, caching.is_private));
    };
    match directive.arguments.first()? {
        (_, Value::Int(seconds @ 0..)) => Some((*seconds, false)),
        _ => None,
    }
}

/// The names of the request headers on which responses depend, each once; `None` if they cannot be
/// listed.
pub(super) fn names(service: &Service) -> Option<Vec<HeaderName>> {
    let mut names = service.settings.credentials.session_headers()?;
    if let Some(read) = service.worker.read_headers() {
        names.extend(read.names()?.into_iter().cloned());
    }
    let mut known = Vec::new();
    for name in names {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    Some(known)
}
