//! One request, within its limits.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use super::resolve::{PermittedAddresses, PrivateAddress};
use super::{Egress, EgressSettings};
use crate::connect::error_chain;

/// A client of one thread, with a connection pool of its own.
#[derive(Debug)]
pub struct Client {
    egress: Arc<Egress>,
    client: legacy::Client<HttpsConnector<HttpConnector<PermittedAddresses>>, Full<Bytes>>,
    /// A permit for each connection.
    connections: Semaphore,
}

/// A request.
pub struct EgressRequest<'a> {
    pub method: Method,
    pub url: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Deadline; the timeout may be sooner.
    pub deadline: Option<Instant>,
    /// Timeout; `None` for that of the settings.
    pub timeout: Option<Duration>,
    /// Reserves memory before so many more bytes are buffered; returns whether the reservation
    /// succeeded.
    pub reserve: &'a dyn Fn(usize) -> bool,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Reason why there is no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    #[error("the host is not allowed")]
    HostRefused,
    #[error("{PrivateAddress}")]
    AddressRefused,
    #[error("it cannot be reached: {0}")]
    Unavailable(Box<str>),
    #[error("it did not respond in time")]
    Timeout,
    #[error("its response has more than {most} bytes")]
    TooLarge { most: usize },
    #[error("its response was truncated: {0}")]
    Truncated(Box<str>),
    #[error("it redirects to another address ({0}), which is not followed")]
    Redirect(u16),
    #[error("there is no memory for its response")]
    MemoryExhausted,
}

/// Timeout of idle connections.
const IDLE: std::time::Duration = std::time::Duration::from_secs(30);

impl Client {
    #[must_use]
    pub fn new(egress: &Arc<Egress>) -> Self {
        let EgressSettings { connections, timeout, .. } = egress.settings;
        let mut connector =
            HttpConnector::new_with_resolver(PermittedAddresses(Arc::clone(egress)));
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(timeout));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config((*egress.tls).clone())
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(connections)
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(connector);
        let connections = Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS));
        Self { egress: Arc::clone(egress), client, connections }
    }

    /// Sends a request and waits for its whole response. Dropping the future cancels the request.
    pub async fn send(&self, request: EgressRequest<'_>) -> Result<EgressResponse, EgressError> {
        let own = Instant::now() + request.timeout.unwrap_or(self.egress.settings.timeout);
        let deadline = request.deadline.map_or(own, |deadline| own.min(deadline));
        let sent = timeout_at(deadline.into(), self.send_patiently(request));
        sent.await.unwrap_or(Err(EgressError::Timeout))
    }

    async fn send_patiently(
        &self,
        request: EgressRequest<'_>,
    ) -> Result<EgressResponse, EgressError> {
        let settings = &self.egress.settings;
        let host = request.url.host().unwrap_or_default();
        if !settings.allows(host) {
            return Err(EgressError::HostRefused);
        }
        // An address is not resolved.
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if address.is_ok_and(|address| !settings.permits(address)) {
            return Err(EgressError::AddressRefused);
        }
        // Neither semaphore is closed.
        let closed = |_| EgressError::Unavailable("the client is closed".into());
        let _connection = self.connections.acquire().await.map_err(closed)?;
        let _request = self.egress.requests.acquire().await.map_err(closed)?;
        let EgressRequest { method, url, mut headers, body, reserve, .. } = request;
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("thalweg"));
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = url;
        *request.headers_mut() = headers;
        let response = self.client.request(request).await.map_err(|error| not_sent(&error))?;
        let status = response.status().as_u16();
        if (300..400).contains(&status) {
            return Err(EgressError::Redirect(status));
        }
        let (head, body) = response.into_parts();
        let body = read(body, settings.most_bytes, reserve).await?;
        Ok(EgressResponse { status, headers: head.headers, body })
    }
}

/// Reads a body up to a limit.
async fn read(
    mut body: Incoming,
    most: usize,
    reserve: &dyn Fn(usize) -> bool,
) -> Result<Bytes, EgressError> {
    if body.size_hint().lower() > most as u64 {
        return Err(EgressError::TooLarge { most });
    }
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| EgressError::Truncated(error_chain(&error).into()))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = read.len() + data.len();
        if length > most {
            return Err(EgressError::TooLarge { most });
        }
        if length > read.capacity() {
            let capacity = length.max(2 * read.capacity());
            if !reserve(capacity) {
                return Err(EgressError::MemoryExhausted);
            }
            read.reserve(capacity - read.len());
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

fn not_sent(error: &legacy::Error) -> EgressError {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(cause) = source {
        // The error within an `io::Error` is not its source.
        let within = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if cause.is::<PrivateAddress>()
            || within.is_some_and(|within| within.is::<PrivateAddress>())
        {
            return EgressError::AddressRefused;
        }
        source = cause.source();
    }
    let text = error_chain(error).into();
    match error.is_connect() {
        true => EgressError::Unavailable(text),
        false => EgressError::Truncated(text),
    }
}

impl std::fmt::Debug for EgressRequest<'_> {
    /// Without the headers and the query, which may have secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EgressRequest")
            .field("method", &self.method)
            .field("host", &self.url.host())
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
