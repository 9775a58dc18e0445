//! Opening of connections for the source stream of a subscription.

use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::time::{Instant, timeout_at};

use super::super::client::log_transition;
use super::super::dial::Dialer;
use super::super::request::SubgraphError;
use super::super::shared::Shared;
use super::callbacks::Callbacks;
use super::settings::SubscriptionSettings;
use super::socket_pool::Sockets;
use super::source_event::OpenError;

/// Everything that opens the source stream of one subscription.
#[derive(Clone, Debug)]
pub(super) struct SourceOpener {
    pub(super) settings: Arc<SubscriptionSettings>,
    pub(super) shared: Arc<Shared>,
    pub(super) sockets: Arc<Sockets>,
    pub(super) callbacks: Arc<Callbacks>,
    pub(super) dialer: Rc<Dialer>,
    /// Protocol and endpoint.
    pub(super) server: Arc<str>,
    pub(super) body: Bytes,
    pub(super) headers: HeaderMap,
}

impl SourceOpener {
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
