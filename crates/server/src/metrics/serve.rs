//! The HTTP endpoint of metrics, on an address of its own: metrics are not for clients of the API.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use super::encode::{Sources, encode};
use crate::failure::Failure;
use crate::usage;

const MEDIA_TYPE: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Time from one request to the head of the next.
const HEADER_TIMEOUT: Duration = Duration::from_secs(90);

/// Maximum lifetime of a connection; scrapers reconnect.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(600);

/// Pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(100);

/// A bound socket.
#[derive(Debug)]
pub(crate) struct MetricsListener {
    socket: TcpListener,
    /// With the port that the kernel chose for 0.
    pub(crate) address: SocketAddr,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot listen at {address}: {error}; choose another address with --metrics-listen")]
pub(crate) struct MetricsError {
    address: SocketAddr,
    error: io::Error,
}

impl From<MetricsError> for Failure {
    fn from(error: MetricsError) -> Self {
        Self::other(error)
    }
}

impl MetricsListener {
    pub(crate) fn bind(address: SocketAddr) -> Result<Self, MetricsError> {
        let bound = TcpListener::bind(address).and_then(|socket| {
            socket.set_nonblocking(true)?;
            Ok(Self { address: socket.local_addr()?, socket })
        });
        bound.map_err(|error| MetricsError { address, error })
    }
}

/// Serves until the process ends.
pub(crate) async fn serve(
    listener: MetricsListener,
    sources: impl Fn() -> Option<Sources> + Clone + 'static,
    foreign: impl Fn(&Request<Incoming>) -> Option<String> + Clone + 'static,
) {
    let listener = match tokio::net::TcpListener::from_std(listener.socket) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "metrics cannot be served"),
    };
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection for metrics could not be accepted");
                sleep(PAUSE).await;
                continue;
            }
        };
        let (sources, foreign) = (sources.clone(), foreign.clone());
        let service = service_fn(move |request| {
            let response = match foreign(&request) {
                Some(host) => misdirected(&host),
                None => answer(&request, &sources),
            };
            async move { Ok::<_, Infallible>(response) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service);
        spawn_local(async move {
            // Scrapers disconnect at any time.
            drop(timeout(CONNECTION_TIMEOUT, connection).await);
        });
    }
}

/// A document of the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Document {
    Metrics,
    /// The usage of the schema.
    Usage,
    /// The running operations.
    Operations,
}

impl Document {
    fn media_type(self) -> HeaderValue {
        match self {
            Self::Metrics => MEDIA_TYPE,
            Self::Usage | Self::Operations => HeaderValue::from_static("application/json"),
        }
    }
}

fn answer(
    request: &Request<Incoming>,
    sources: &impl Fn() -> Option<Sources>,
) -> Response<Full<Bytes>> {
    let document = match request.uri().path() {
        "/metrics" => Document::Metrics,
        "/usage" => Document::Usage,
        "/operations" => Document::Operations,
        _ => {
            let text = "Metrics are at /metrics, the usage of the schema is at /usage, running operations \
                 are at /operations.\n";
            return plain(StatusCode::NOT_FOUND, text);
        }
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Metrics are read by GET.\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let printed = match document {
        Document::Metrics => sources().map(encode).unwrap_or(Err(fmt::Error)),
        Document::Usage => match sources() {
            Some(Sources { metrics, usage, .. }) => Ok(usage::print(&usage, metrics.started)),
            None => Err(fmt::Error),
        },
        Document::Operations => {
            sources().map(|sources| sources.running_operations()).ok_or(fmt::Error)
        }
    };
    match printed {
        Ok(text) => {
            let mut response = Response::new(Full::new(Bytes::from(text)));
            response.headers_mut().insert(CONTENT_TYPE, document.media_type());
            response
        }
        Err(error) => {
            tracing::error!(%error, "metrics cannot be written");
            plain(StatusCode::INTERNAL_SERVER_ERROR, "Metrics cannot be written.\n")
        }
    }
}

/// The refusal of a request for another host (DNS rebinding).
fn misdirected(host: &str) -> Response<Full<Bytes>> {
    tracing::debug!(host, "a request for metrics with another host is refused");
    let text = "Metrics are not served for this host; --allowed-hosts names others.\n";
    plain(StatusCode::MISDIRECTED_REQUEST, text)
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    let media_type = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}
