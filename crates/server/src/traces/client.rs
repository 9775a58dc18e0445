//! The way to the collector.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::http::uri::Scheme;
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Connections;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry_http::{HttpClient, HttpError};
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::{self, Runtime};
use tokio::time::timeout;

use super::exporter::TracesError;

/// For one batch, from connecting to the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A collector has little to say.
const MOST_ANSWER_BYTES: usize = 1 << 20;

/// A collector that is away is said to be once in a while.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// Sends batches on the thread that has made them, which does nothing else.
#[derive(Debug)]
pub(super) struct Client {
    runtime: Runtime,
    connections: Connections<HttpsConnector<HttpConnector>, Full<Bytes>>,
    failures: Mutex<Failures>,
}

#[derive(Debug, Default)]
struct Failures {
    logged: Option<Instant>,
    /// Since the last line of the log.
    unlogged: u64,
}

impl Client {
    pub(super) fn new(endpoint: &Uri) -> Result<Self, TracesError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(TracesError::Runtime)?;
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(endpoint)?)
            .https_or_http()
            .enable_http1()
            .build();
        // Batches are seconds apart, and between them nobody would notice that one was closed.
        let connections =
            Connections::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { runtime, connections, failures: Mutex::default() })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let response = self.connections.request(request.map(Full::new)).await?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, MOST_ANSWER_BYTES).collect().await?.to_bytes();
        Ok(Response::from_parts(head, body))
    }

    fn log_failure(&self, error: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.unlogged += 1;
        if failures.logged.is_some_and(|logged| logged.elapsed() < LOG_PAUSE) {
            return;
        }
        tracing::warn!(
            error,
            attempts = failures.unlogged,
            "traces do not reach the collector; requests are answered all the same"
        );
        *failures = Failures { logged: Some(Instant::now()), unlogged: 0 };
    }
}

/// The certificates that the system trusts, if they are needed.
fn tls(endpoint: &Uri) -> Result<ClientConfig, TracesError> {
    let mut roots = RootCertStore::empty();
    if endpoint.scheme() == Some(&Scheme::HTTPS) {
        let (added, _) =
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if added == 0 {
            return Err(TracesError::NoCertificates);
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TracesError::Tls)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.runtime.block_on(async { timeout(PATIENCE, self.send(request)).await });
        let sent = match sent {
            Ok(sent) => sent,
            Err(_) => Err("the collector did not answer in time".into()),
        };
        match &sent {
            Ok(response) if response.status().is_success() => {}
            Ok(response) => self.log_failure(&format!("the collector says {}", response.status())),
            Err(error) => self.log_failure(&whole(&**error)),
        }
        sent
    }
}

/// An error with its reasons, which say what was meant.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
