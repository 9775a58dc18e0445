//! Source stream of a subscription, by any protocol, and the opening of connections for it.

use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::time::{Instant, timeout_at};

use super::super::client::log_transition;
use super::super::dial::Dialer;
use super::super::request::SubgraphError;
use super::super::shared::Shared;
use super::http_stream::HttpStream;
use super::message::errors_response;
use super::settings::SubscriptionSettings;
use super::sockets::Operation;

/// Opens the source stream of one subscription.
#[derive(Clone, Debug)]
pub(super) struct SourceOpener {
    pub(super) settings: Arc<SubscriptionSettings>,
    pub(super) shared: Arc<Shared>,
    pub(super) dialer: Rc<Dialer>,
    /// Protocol and endpoint.
    pub(super) server: Arc<str>,
    pub(super) body: Bytes,
    pub(super) headers: HeaderMap,
}

/// An open source stream.
#[derive(Debug)]
pub(super) enum Source {
    Socket(Operation),
    Http(Box<HttpStream>),
}

/// An event of a source stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SourceEvent {
    /// A GraphQL response, as JSON text.
    Response(Bytes),
    /// The last event: a response with the errors of an operation that was not executed.
    Errors(Bytes),
    /// The last event.
    Complete,
}

/// Reason why a source stream is not open.
#[derive(Clone, Debug)]
pub(super) enum OpenError {
    /// The subgraph refuses the subscription, or its client: another attempt does not help. A
    /// response with the errors.
    Refused(Bytes),
    Failed(SubgraphError),
}

impl From<SubgraphError> for OpenError {
    fn from(error: SubgraphError) -> Self {
        Self::Failed(error)
    }
}

impl SourceOpener {
    pub(super) async fn open(&self) -> Result<Source, OpenError> {
        let began = Instant::now();
        self.shared.begin();
        let opened = match self.settings.protocol.is_socket() {
            true => Operation::begin(self).await.map(Source::Socket),
            false => {
                let stream = self.admitted(HttpStream::open(self)).await;
                stream.map(|stream| Source::Http(Box::new(stream)))
            }
        };
        let error = match &opened {
            Err(OpenError::Failed(error)) => Some(error.kind()),
            Ok(_) | Err(OpenError::Refused(_)) => None,
        };
        self.shared.end(began.elapsed(), error);
        opened
    }

    /// Opens a connection within the time for a response, if the circuit breaker and the bulkhead
    /// of the subgraph allow it, and records the outcome.
    pub(super) async fn admitted<T>(
        &self,
        open: impl Future<Output = Result<T, OpenError>>,
    ) -> Result<T, OpenError> {
        let settings = &*self.settings.connection;
        let began = Instant::now();
        let deadline = began + settings.timeout;
        let permit = match &self.shared.circuit_breaker {
            None => None,
            Some(breaker) => Some(
                breaker
                    .admit(began)
                    .map_err(|until| SubgraphError::BreakerOpen { until: until.into_std() })?,
            ),
        };
        let slot = self.shared.acquire(deadline).await?;
        let opened = timeout_at(deadline, open).await;
        let opened = opened.unwrap_or(Err(OpenError::Failed(SubgraphError::Timeout)));
        if let (Ok(_), Some(slot)) = (&opened, &slot) {
            slot.record_response();
        }
        if let Some(permit) = permit {
            let has_failed = matches!(opened, Err(OpenError::Failed(_)));
            log_transition(settings, permit.end(has_failed, Instant::now()));
        }
        opened
    }
}

impl Source {
    /// Waits for the next event; the error is a lost connection. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<SourceEvent, SubgraphError> {
        match self {
            Self::Socket(operation) => operation.next().await,
            Self::Http(stream) => stream.next().await,
        }
    }
}

/// A refusal with this reason.
pub(super) fn refused(reason: &str) -> OpenError {
    OpenError::Refused(errors_response(reason))
}
