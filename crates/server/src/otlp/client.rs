//! The HTTP client of the collector.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use clients::connect::{Connections, connections, error_chain};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Request, Response, Uri};
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::{self, Runtime};
use tokio::time::timeout;

use crate::collector::OtlpError;
use crate::collector::Signal;

/// Default time limit for one batch, including connecting.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Size limit of the collector's response.
const MOST_ANSWER_BYTES: usize = 1 << 20;

/// Minimum interval between two log lines about failures (rate-limited logging).
const LOG_PAUSE: Duration = Duration::from_secs(60);

thread_local! {
    /// Whether the thread sends to a collector, and does nothing else.
    static SENDS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current thread sends to a collector. Its log lines are not sent: each would cause the
/// next one.
pub(super) fn is_sending() -> bool {
    SENDS.get()
}

/// Sends batches on the thread of its signal, which does nothing else.
#[derive(Debug)]
pub(crate) struct Client {
    signal: Signal,
    patience: Duration,
    runtime: Runtime,
    connections: Connections<Full<Bytes>>,
    failures: Mutex<Failures>,
}

#[derive(Debug, Default)]
struct Failures {
    logged: Option<Instant>,
    /// Failures since the last log line.
    unlogged: u64,
}

impl Client {
    pub(crate) fn new(
        signal: Signal,
        endpoint: &Uri,
        patience: Duration,
    ) -> Result<Self, OtlpError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| OtlpError::Runtime(signal, error))?;
        let connections =
            connections(endpoint).map_err(|error| OtlpError::Connect(signal, error))?;
        Ok(Self { signal, patience, runtime, connections, failures: Mutex::default() })
    }

    /// Sends a request, and logs a failure.
    pub(super) fn post(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        SENDS.set(true);
        let sent =
            self.runtime.block_on(async { timeout(self.patience, self.send(request)).await });
        let sent = match sent {
            Ok(sent) => sent,
            Err(_) => Err("the collector did not answer in time".into()),
        };
        match &sent {
            Ok(response) if response.status().is_success() => {}
            Ok(response) => self.log_failure(&format!("the collector says {}", response.status())),
            Err(error) => self.log_failure(&error_chain(&**error)),
        }
        sent
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let response = self.connections.request(request.map(Full::new)).await?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, MOST_ANSWER_BYTES).collect().await?.to_bytes();
        Ok(Response::from_parts(head, body))
    }

    pub(super) fn log_failure(&self, error: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.unlogged += 1;
        if failures.logged.is_some_and(|logged| logged.elapsed() < LOG_PAUSE) {
            return;
        }
        tracing::warn!(
            error,
            attempts = failures.unlogged,
            "{} do not reach the collector; requests are not affected",
            self.signal
        );
        *failures = Failures { logged: Some(Instant::now()), unlogged: 0 };
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        self.post(request)
    }
}
