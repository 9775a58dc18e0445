//! Request line and headers of a request to a subgraph.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT,
    HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::uri::{Authority, Scheme};
use hyper::{Method, Request, Uri, Version};

use super::endpoint::Target;
use super::settings::Settings;
use crate::coding::Coding;

/// Accepted media types: <https://graphql.github.io/graphql-over-http/draft/#sec-Accept>.
const ACCEPTED: HeaderValue =
    HeaderValue::from_static("application/graphql-response+json, application/json;q=0.9");

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Number of headers of every request, including `content-length`.
const OWN_HEADERS: usize = 5;

/// Parts of the head that are equal for all requests of an endpoint.
#[derive(Debug)]
pub(super) struct Head {
    /// Path and query, for HTTP/1.1.
    path: Uri,
    /// Full URL, from which HTTP/2 makes `:scheme`, `:authority` and `:path`.
    absolute_uri: Uri,
    host: HeaderValue,
    accept: HeaderValue,
    accept_encoding: Option<HeaderValue>,
}

impl Head {
    pub(super) fn new(settings: &Settings) -> Self {
        let path = settings.endpoint.path.clone();
        let (scheme, authority) = match &settings.endpoint.target {
            Target::Tcp { is_encrypted: true, authority, .. } => (Scheme::HTTPS, authority.clone()),
            Target::Tcp { is_encrypted: false, authority, .. } => (Scheme::HTTP, authority.clone()),
            // A server behind a Unix socket has no host name.
            Target::Unix(_) => (Scheme::HTTP, Authority::from_static("localhost")),
        };
        let host = HeaderValue::try_from(authority.as_str())
            .unwrap_or_else(|_| HeaderValue::from_static("localhost"));
        let accept_encoding = settings.compression.map(|_| HeaderValue::from_static(Coding::NAMES));
        Self {
            path: Uri::from(path.clone()),
            absolute_uri: absolute_uri(scheme, authority, path.clone())
                .unwrap_or_else(|| Uri::from(path)),
            host,
            accept: ACCEPTED,
            accept_encoding,
        }
    }

    /// Replaces the accepted media types.
    pub(super) fn accepting(self, accept: HeaderValue) -> Self {
        Self { accept, ..self }
    }

    /// Returns the URL and the host of the handshake of a WebSocket. The connection is encrypted or
    /// not before that.
    pub(super) fn of_handshake(&self, headers: &HeaderMap) -> (Uri, HeaderValue) {
        let parts = self.absolute_uri.clone().into_parts();
        let url = parts.authority.zip(parts.path_and_query).and_then(|(authority, path)| {
            absolute_uri(Scheme::try_from("ws").ok()?, authority, path)
        });
        let host = headers.get(HOST).unwrap_or(&self.host).clone();
        (url.unwrap_or_else(|| self.path.clone()), host)
    }

    /// Returns the head of an HTTP/1.1 request.
    pub(super) fn http1(
        &self,
        headers: &HeaderMap,
        body: Bytes,
        coding: Option<Coding>,
    ) -> Request<Full<Bytes>> {
        let mut own = HeaderMap::with_capacity(OWN_HEADERS + headers.len());
        own.insert(HOST, headers.get(HOST).unwrap_or(&self.host).clone());
        self.fill(&mut own, headers, coding);
        request(self.path.clone(), Version::HTTP_11, own, body)
    }

    /// Returns the head of an HTTP/2 request.
    pub(super) fn http2(
        &self,
        headers: &HeaderMap,
        body: Bytes,
        coding: Option<Coding>,
    ) -> Request<Full<Bytes>> {
        let mut own = HeaderMap::with_capacity(OWN_HEADERS + headers.len());
        self.fill(&mut own, headers, coding);
        let other = headers.get(HOST).and_then(|host| self.for_host(host));
        request(other.unwrap_or_else(|| self.absolute_uri.clone()), Version::HTTP_2, own, body)
    }

    fn for_host(&self, host: &HeaderValue) -> Option<Uri> {
        let parts = self.absolute_uri.clone().into_parts();
        let host = Authority::try_from(host.as_bytes()).ok()?;
        absolute_uri(parts.scheme?, host, parts.path_and_query?)
    }

    fn fill(&self, own: &mut HeaderMap, headers: &HeaderMap, coding: Option<Coding>) {
        own.insert(CONTENT_TYPE, JSON);
        own.insert(ACCEPT, self.accept.clone());
        if let Some(names) = &self.accept_encoding {
            own.insert(ACCEPT_ENCODING, names.clone());
        }
        if let Some(coding) = coding {
            own.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        self.add_others(headers, own);
    }

    /// Adds the headers of a request that this client does not set itself.
    pub(super) fn add_others(&self, headers: &HeaderMap, own: &mut HeaderMap) {
        for (name, value) in headers {
            if !is_own(name) {
                own.append(name, value.clone());
            }
        }
    }
}

/// Whether a header is set by this client only, because it frames the body or controls the
/// connection.
fn is_own(name: &HeaderName) -> bool {
    const OWN: [HeaderName; 12] = [
        ACCEPT,
        ACCEPT_ENCODING,
        CONNECTION,
        CONTENT_ENCODING,
        CONTENT_LENGTH,
        CONTENT_TYPE,
        EXPECT,
        HOST,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    OWN.contains(name) || matches!(name.as_str(), "keep-alive" | "proxy-connection")
}

fn absolute_uri(
    scheme: Scheme,
    authority: Authority,
    path: hyper::http::uri::PathAndQuery,
) -> Option<Uri> {
    Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build().ok()
}

fn request(uri: Uri, version: Version, headers: HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri;
    *request.version_mut() = version;
    *request.headers_mut() = headers;
    request
}
