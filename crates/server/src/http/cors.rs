//! Cross-origin resource sharing (CORS): <https://fetch.spec.whatwg.org/#http-cors-protocol>.
//! Without `--cors-origins` no header is sent.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ALLOW, HeaderMap, HeaderValue,
    ORIGIN, VARY,
};
use hyper::{Method, StatusCode};

use super::answer_body::AnswerBody;
use super::respond::Response;
use super::settings::CorsSettings;

/// Response headers that pages may read, besides the default ones.
const EXPOSED: &str = "age, etag, ratelimit, ratelimit-policy, retry-after, server-timing, \
                       thalweg-position, x-hasura-query-cache-key, \
                       x-hasura-query-family-cache-key, x-request-id";

/// The CORS headers of a response.
#[derive(Debug)]
pub(super) struct Permission {
    /// The page's origin, or `*`; none for a page that may not read the response.
    origin: Option<HeaderValue>,
    credentials: bool,
    /// Whether the response is the same for all origins.
    is_for_all: bool,
}

impl Permission {
    pub(super) fn new(settings: &CorsSettings, headers: &HeaderMap) -> Self {
        let origin = headers.get(ORIGIN);
        let is_for_all = settings.origins.any;
        let origin = match is_for_all {
            true => Some(HeaderValue::from_static("*")),
            false => origin.filter(|_| settings.origins.contain(origin)).cloned(),
        };
        Self { origin, credentials: settings.credentials, is_for_all }
    }

    /// Adds the headers to a response.
    pub(super) fn add_headers(self, response: &mut Response) {
        let headers = response.headers_mut();
        if !self.is_for_all {
            // Several `Vary` headers are equivalent to a list.
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        let Some(origin) = self.origin else { return };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        if self.credentials {
            let allowed = HeaderValue::from_static("true");
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, allowed);
        }
    }
}

/// The response to a preflight request; none for other requests.
pub(super) fn preflight(
    settings: &CorsSettings,
    method: &Method,
    headers: &HeaderMap,
) -> Option<Response> {
    if method != Method::OPTIONS {
        return None;
    }
    let mut response = Response::new(AnswerBody::Whole(bytes::Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answer = response.headers_mut();
    answer.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE, OPTIONS"));
    if headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && settings.origins.contain(headers.get(ORIGIN))
    {
        let methods = HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE");
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        // An allowed origin may send any header: no header grants permissions that the origin does
        // not have.
        if let Some(wanted) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from(settings.max_age.as_secs()));
        let depends = HeaderValue::from_static("access-control-request-headers");
        answer.append(VARY, depends);
    }
    Some(response)
}
