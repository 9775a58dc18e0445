//! Download of one document from another server, by GET or as the response to a POST.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, EXPIRES, HeaderMap, HeaderName, HeaderValue,
    IF_NONE_MATCH, USER_AGENT,
};
use hyper::http::response::Parts;
use hyper::http::uri::Scheme;
use hyper::{Method, Request, StatusCode, Uri};
use tokio::time::timeout;

use crate::connect::{ConnectError, Connections, connections, error_chain};

/// Limits for a JWKS document, which is about a hundredth of this size.
const JWKS_LIMITS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(5), most_bytes: 1 << 20 };

/// The largest body of an error that is read.
const MOST_OF_ERROR: usize = 64 << 10;

/// A client for documents of one server.
#[derive(Debug)]
pub struct Client {
    connections: Connections<Full<Bytes>>,
}

/// Limits for the time and the size of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadLimits {
    /// Timeout from connecting to the last byte.
    pub time_limit: Duration,
    pub most_bytes: usize,
}

/// A downloaded document with its cache headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    pub body: Bytes,
    /// Freshness lifetime of the document, by `Cache-Control` or else `Expires`.
    pub max_age: Option<Duration>,
    /// Entity tag of this version: <https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3>.
    pub etag: Option<HeaderValue>,
}

/// An answer with any status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// Empty if the body of an error could not be read.
    pub body: Bytes,
}

/// Reason why a download failed.
#[derive(Debug, thiserror::Error)]
pub enum GetError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("the server cannot be reached: {0}")]
    Unreached(String),
    #[error("the server says {0}")]
    Status(StatusCode),
    #[error("the document has more than {most} bytes")]
    TooLarge { most: usize },
    #[error("the document broke off: {0}")]
    BrokenOff(String),
    #[error("the document did not come within {} seconds", time_limit.as_secs())]
    TooLate { time_limit: Duration },
}

/// Reason why a URL is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("an address is wanted, such as `https://host.example/path`")]
    NoUrl,
    #[error(
        "`http://` is only for addresses of this machine; what comes over it can be changed on the way: use `https://`"
    )]
    NotEncrypted,
}

/// Parses a URL and requires HTTPS, except for loopback addresses: the document is trusted, so
/// nobody on the network may be able to change it.
pub fn read_url(text: &str) -> Result<Uri, UrlError> {
    let url: Uri = text.trim().parse().map_err(|_| UrlError::NoUrl)?;
    let host = url.host().ok_or(UrlError::NoUrl)?;
    match url.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => Ok(url),
        Some(scheme) if *scheme == Scheme::HTTP => match is_loopback(host) {
            true => Ok(url),
            false => Err(UrlError::NotEncrypted),
        },
        Some(_) | None => Err(UrlError::NoUrl),
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

impl Client {
    /// Creates a client for URLs with this scheme.
    pub fn new(url: &Uri) -> Result<Self, GetError> {
        Ok(Self { connections: connections(url)? })
    }

    /// Downloads a document. Redirects are not followed.
    pub async fn get(&self, url: &Uri) -> Result<Fetched, GetError> {
        self.get_answer(url, &[], None, JWKS_LIMITS).await?.into_document()
    }

    /// Sends a GET request with these headers; 304 answers it if the entity tag is the known one.
    pub async fn get_answer(
        &self,
        url: &Uri,
        headers: &[(HeaderName, HeaderValue)],
        known: Option<&HeaderValue>,
        bounds: DownloadLimits,
    ) -> Result<Answer, GetError> {
        let mut request = request(url, headers, Bytes::new());
        if let Some(known) = known {
            request.headers_mut().insert(IF_NONE_MATCH, known.clone());
        }
        self.send(request, bounds).await
    }

    /// Posts a JSON document with these headers, and downloads the response.
    pub async fn post_json(
        &self,
        url: &Uri,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
        bounds: DownloadLimits,
    ) -> Result<Fetched, GetError> {
        let mut request = request(url, headers, body);
        *request.method_mut() = Method::POST;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        self.send(request, bounds).await?.into_document()
    }

    async fn send(
        &self,
        request: Request<Full<Bytes>>,
        DownloadLimits { time_limit, most_bytes }: DownloadLimits,
    ) -> Result<Answer, GetError> {
        let answer = timeout(time_limit, self.send_unbounded(request, most_bytes));
        answer.await.unwrap_or(Err(GetError::TooLate { time_limit }))
    }

    async fn send_unbounded(
        &self,
        request: Request<Full<Bytes>>,
        most: usize,
    ) -> Result<Answer, GetError> {
        let response = self.connections.request(request).await;
        let response = response.map_err(|error| GetError::Unreached(error_chain(&error)))?;
        let (Parts { status, headers, .. }, body) = response.into_parts();
        let most = if status == StatusCode::OK { most } else { most.min(MOST_OF_ERROR) };
        let body = match Limited::new(body, most).collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) if status != StatusCode::OK => Bytes::new(),
            Err(error) if error.is::<LengthLimitError>() => {
                return Err(GetError::TooLarge { most });
            }
            Err(error) => return Err(GetError::BrokenOff(error_chain(&*error))),
        };
        Ok(Answer { status, headers, body })
    }
}

impl Answer {
    /// The document; an error with the status if there is none.
    pub fn into_document(self) -> Result<Fetched, GetError> {
        match self.status {
            StatusCode::OK => Ok(Fetched {
                max_age: max_age(&self.headers)
                    .or_else(|| until_expiry(&self.headers, SystemTime::now())),
                etag: self.headers.get(ETAG).cloned(),
                body: self.body,
            }),
            status => Err(GetError::Status(status)),
        }
    }
}

fn request(url: &Uri, headers: &[(HeaderName, HeaderValue)], body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.uri_mut() = url.clone();
    let all = request.headers_mut();
    all.insert(ACCEPT, HeaderValue::from_static("application/json, */*;q=0.5"));
    all.insert(USER_AGENT, HeaderValue::from_static("thalweg"));
    for (name, value) in headers {
        all.insert(name, value.clone());
    }
    request
}

/// Value of `Cache-Control: max-age=600`; `no-store` and `no-cache` override it.
fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let mut age = None;
    for directive in values.flat_map(|value| value.split(',')).map(str::trim) {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        match name.to_ascii_lowercase().as_str() {
            "no-store" | "no-cache" => return Some(Duration::ZERO),
            "max-age" => age = value.trim_matches('"').parse().ok().map(Duration::from_secs),
            _ => {}
        }
    }
    age
}

/// Time until the date of `Expires`; none if there is no valid date.
fn until_expiry(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(headers.get(EXPIRES)?.to_str().ok()?).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_expiry_counts_from_now() {
        let check = |value: &'static str, expected: Option<u64>| {
            let mut headers = HeaderMap::new();
            headers.insert(EXPIRES, HeaderValue::from_static(value));
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777 - 600);
            assert_eq!(until_expiry(&headers, now), expected.map(Duration::from_secs), "{value}");
        };
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(600));
        check("Sun, 06 Nov 1994 08:29:37 GMT", Some(0));
        check("0", None);
    }

    #[test]
    fn only_what_nobody_on_the_way_can_change_is_asked() {
        let check = |text: &str, expected: Result<(), UrlError>| {
            assert_eq!(read_url(text).map(drop), expected, "{text}");
        };
        check("https://a.example/keys", Ok(()));
        check("http://127.0.0.1:8080/keys", Ok(()));
        check("http://[::1]/keys", Ok(()));
        check("http://localhost/keys", Ok(()));
        check("http://a.example/keys", Err(UrlError::NotEncrypted));
        check("http://localhost.a.example/keys", Err(UrlError::NotEncrypted));
        check("file:///etc/passwd", Err(UrlError::NoUrl));
        check("ftp://a.example/keys", Err(UrlError::NoUrl));
        check("/keys", Err(UrlError::NoUrl));
        check("", Err(UrlError::NoUrl));
    }

    #[test]
    fn a_server_says_how_long_a_document_is_fresh() {
        let check = |values: &[&'static str], expected: Option<u64>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CACHE_CONTROL, HeaderValue::from_static(value));
            }
            assert_eq!(max_age(&headers), expected.map(Duration::from_secs), "{values:?}");
        };
        check(&[], None);
        check(&["public, max-age=600"], Some(600));
        check(&["public", "Max-Age=\"7\""], Some(7));
        check(&["max-age=600, no-store"], Some(0));
        check(&["max-age=-1"], None);
        check(&["max-age=99999999999999999999"], None);
    }
}
