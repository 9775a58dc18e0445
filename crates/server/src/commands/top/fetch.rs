//! Reads both documents of the address of metrics.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use clients::connect::{ConnectError, Connections, connections, error_chain};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::header::DATE;
use hyper::{StatusCode, Uri};
use tokio::runtime::{self, Runtime};
use tokio::time::timeout;

use super::address::MetricsUrl;
use super::snapshot::{RunningOperations, Snapshot};
use crate::failure::Failure;
use crate::metrics::read;

/// Time limit for both documents.
const PATIENCE: Duration = Duration::from_secs(5);

/// Size limit of a document.
const MOST_BYTES: usize = 64 << 20;

/// Reads snapshots of a server.
#[derive(Debug)]
pub(super) struct Fetcher {
    pub(super) url: MetricsUrl,
    pub(super) runtime: Runtime,
    connections: Connections<Empty<Bytes>>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("cannot read {url}: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("{url} answers {status}; it should be the address of `--metrics-listen`")]
    Status { url: String, status: StatusCode },
    #[error("{url} has no metrics of Thalweg; it should be the address of `--metrics-listen`")]
    Foreign { url: String },
    #[error("cannot connect: {0}")]
    Connect(#[from] ConnectError),
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Self::other(error)
    }
}

impl Fetcher {
    pub(super) fn new(url: MetricsUrl) -> Result<Self, Failure> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Failure::Runtime)?;
        let metrics = url.document("/metrics");
        let uri: Uri = metrics.parse().map_err(|_| FetchError::Foreign { url: metrics.clone() })?;
        let connections = connections(&uri).map_err(FetchError::Connect)?;
        Ok(Self { url, runtime, connections })
    }

    /// Reads the current state.
    pub(super) fn fetch(&self) -> Result<Snapshot, FetchError> {
        self.runtime.block_on(self.read())
    }

    pub(super) async fn read(&self) -> Result<Snapshot, FetchError> {
        let both = async {
            let metrics = self.get("/metrics").await?;
            Ok((metrics, self.get("/operations").await?.0))
        };
        let url = || self.url.document("/metrics");
        let (metrics, operations) = timeout(PATIENCE, both).await.unwrap_or_else(|_| {
            Err(FetchError::Unreachable { url: url(), reason: "no answer in time".to_owned() })
        })?;
        let foreign = || FetchError::Foreign { url: url() };
        let (metrics, time) = metrics;
        let text = str::from_utf8(&metrics).map_err(|_| foreign())?;
        let families = read(text).map_err(|_| foreign())?;
        let running = RunningOperations::read(&operations).ok_or_else(foreign)?;
        let taken = Instant::now();
        Snapshot::new(families, running, (taken, time)).ok_or_else(foreign)
    }

    /// A document, with the time by the clock of the server.
    async fn get(&self, path: &str) -> Result<(Bytes, SystemTime), FetchError> {
        let url = self.url.document(path);
        let failed = |reason: String| FetchError::Unreachable { url: url.clone(), reason };
        let uri: Uri = url.parse().map_err(|_| FetchError::Foreign { url: url.clone() })?;
        let response = self.connections.get(uri).await;
        let response = response.map_err(|error| failed(error_chain(&error)))?;
        let status = response.status();
        if !status.is_success() {
            return Err(FetchError::Status { url, status });
        }
        let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
        let time = date.and_then(|date| httpdate::parse_http_date(date).ok());
        let body = Limited::new(response.into_body(), MOST_BYTES).collect().await;
        let body = body.map_err(|error| failed(error_chain(&*error)))?;
        Ok((body.to_bytes(), time.unwrap_or_else(SystemTime::now)))
    }
}
