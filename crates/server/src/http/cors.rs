//! What a browser is told of pages of other origins:
//! <https://fetch.spec.whatwg.org/#http-cors-protocol>. Where no origin is named, nothing.

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

/// What the page may see of an answer's head besides the usual.
const EXPOSED: &str = "retry-after, server-timing, x-request-id";

/// What an answer tells the page that asked.
#[derive(Debug)]
pub(super) struct Permission {
    /// The page's origin, or `*`; none for a page that may not read the answer.
    origin: Option<HeaderValue>,
    credentials: bool,
    /// Whether the answer is the same for all origins.
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

    /// Adds to any answer what its reader may do with it.
    pub(super) fn tell(self, response: &mut Response) {
        let headers = response.headers_mut();
        if !self.is_for_all {
            // Further values of the header are as good as a list.
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

/// The answer to a browser that asks before it sends a request; none for other requests.
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
    answer.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST, OPTIONS"));
    if headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && settings.origins.contain(headers.get(ORIGIN))
    {
        let methods = HeaderValue::from_static("GET, HEAD, POST");
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        // Whoever may send requests may send them with any header; none decides about rights that
        // the origin has not.
        if let Some(wanted) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from(settings.max_age.as_secs()));
        let depends = HeaderValue::from_static("access-control-request-headers");
        answer.append(VARY, depends);
    }
    Some(response)
}
