//! What all answers have in common: compression, and the headers for caches and browsers.

use std::sync::Arc;

use engine::Memory;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, HeaderMap, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS,
};

use super::accept_encoding::{self, Readable};
use super::compress::compress;
use super::respond::Response;
use super::settings::Settings;

/// Which compression the client reads.
pub(super) fn readable(settings: &Settings, headers: &HeaderMap) -> Readable {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter();
    // A header that is no text names nothing.
    let accepted = accepted.filter_map(|header| header.to_str().ok());
    accept_encoding::negotiate(accepted, &settings.compression.codings)
}

/// The answer as it is sent.
pub(super) fn finish(
    settings: &Settings,
    mut response: Response,
    readable: Readable,
    memory: &Arc<Memory>,
) -> Response {
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("accept, accept-encoding"));
    // Rows of a database change at any time and may be private; files of the page say otherwise.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    // No browser takes JSON for a page, whatever stands in it.
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    compress(response, readable, settings.compression.min_size, memory)
}
