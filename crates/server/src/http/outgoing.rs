//! Headers and compression of all responses: caching, content sniffing.

use std::sync::Arc;

use engine::MemoryBudget;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, HeaderMap, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS,
};

use super::accept_encoding::{self, Readable};
use super::compress::compress;
use super::respond::Response;
use super::settings::Settings;

/// Codings that the client accepts.
pub(super) fn readable(settings: &Settings, headers: &HeaderMap) -> Readable {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter();
    // A header that is not text names no coding.
    let accepted = accepted.filter_map(|header| header.to_str().ok());
    accept_encoding::negotiate(accepted, &settings.compression.codings)
}

/// Adds the common headers, and compresses.
pub(super) fn finish(
    settings: &Settings,
    mut response: Response,
    readable: Readable,
    memory: &Arc<MemoryBudget>,
) -> Response {
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("accept, accept-encoding"));
    // Rows can change at any time and may be private; GraphiQL's files set their own header.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    // Browsers do not interpret JSON as a page, whatever it contains.
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    compress(response, readable, settings.compression.min_size, memory)
}
