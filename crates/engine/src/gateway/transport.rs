//! Transport of subgraph requests: over HTTP or in this process, within the deadline and the memory
//! of a request.

use std::cell::RefCell;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clients::subgraph::{Client, SubgraphError, SubgraphRequest, SubgraphResponse};
use gateway::execute::{FetchError, FetchRequest, FetchResponse, ResponseBody, Subgraphs};
use gateway::plan::FetchId;
use gateway::supergraph::SubgraphId;
use graphql::operation::OperationKind;
use http::HeaderMap;
use response::{MemoryBudget, MemoryReservation};
use tokio::sync::Notify;

use super::local::LocalWorker;
use super::long_queries::LONG;
use super::{Caller, Gateway, Remote, SubgraphTransport};

/// Client of a subgraph on one thread.
#[derive(Debug)]
pub(super) enum SubgraphClient {
    Remote(Box<Client>),
    Local(Box<LocalWorker>),
}

impl SubgraphClient {
    pub(super) fn new(transport: &SubgraphTransport, memory: &Arc<MemoryBudget>) -> Self {
        match transport {
            SubgraphTransport::Remote(Remote { settings, shared, .. }) => {
                Self::Remote(Box::new(Client::new(Arc::clone(settings), Arc::clone(shared))))
            }
            SubgraphTransport::Local(local) => {
                Self::Local(Box::new(LocalWorker::new(local, memory)))
            }
        }
    }

    /// Limits the time of a request; used as a statement timeout by sources in this process.
    pub(super) fn within(self, time_limit: Duration) -> Self {
        match self {
            Self::Remote(client) => Self::Remote(client),
            Self::Local(local) => Self::Local(Box::new(local.within(time_limit))),
        }
    }

    /// Closes connections that were idle for too long.
    pub(super) fn close_idle(&self) {
        match self {
            Self::Remote(client) => client.close_idle(),
            Self::Local(local) => local.close_idle(),
        }
    }
}

/// Subgraph clients for one request.
pub(super) struct RequestTransport<'a> {
    /// By [`gateway::supergraph::SubgraphId`].
    pub(super) subgraphs: &'a [SubgraphClient],
    pub(super) gateway: &'a Gateway,
    pub(super) caller: &'a Caller,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: &'a Arc<MemoryBudget>,
    /// Notified when a response is too long for this thread.
    pub(super) proves_long: Option<&'a Notify>,
}

impl Subgraphs for RequestTransport<'_> {
    async fn fetch(&self, fetch: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let place = usize::from(fetch.subgraph.0);
        let client = match self.subgraphs.get(place).ok_or(FetchError::Unavailable)? {
            SubgraphClient::Remote(client) => client,
            SubgraphClient::Local(local) => {
                return local.execute(&fetch, &self.caller.session).await;
            }
        };
        let headers = self.headers(fetch.subgraph, fetch.fetch);
        let held = RefCell::new((MemoryReservation::of(self.memory), 0_u64));
        let reserve = |bytes: usize| {
            let (held, all) = &mut *held.borrow_mut();
            *all = all.saturating_add(bytes as u64);
            held.grow_to(*all).is_ok()
        };
        let request = SubgraphRequest {
            body: fetch.body,
            headers: &headers,
            is_query: fetch.kind == OperationKind::Query,
            deadline: self.deadline,
            reserve: &reserve,
        };
        let begun = Instant::now();
        match client.send(request).await {
            Ok(SubgraphResponse { body, .. }) => {
                if let Some(proves_long) = self.proves_long.filter(|_| body.len() > LONG) {
                    proves_long.notify_one();
                    // Waits until the future is dropped: the query is restarted on another thread.
                    pending::<()>().await;
                }
                Ok(FetchResponse { body: ResponseBody::Json(body), held: held.into_inner().0 })
            }
            Err(error) => {
                // Details for the log, which clients do not see.
                let reason = format!("{error} (after {:?})", begun.elapsed());
                let _ = fetch.reason.set(reason.into());
                Err(without_details(&error))
            }
        }
    }
}

impl RequestTransport<'_> {
    /// Returns the propagated headers for a fetch.
    fn headers(&self, subgraph: SubgraphId, fetch: FetchId) -> HeaderMap {
        let transport = self.gateway.transports.get(usize::from(subgraph.0));
        let transport = transport.and_then(SubgraphTransport::remote);
        let (Some(transport), Some(forwarded)) = (transport, &self.caller.forwarded) else {
            return HeaderMap::new();
        };
        let number = u32::try_from(fetch.index()).unwrap_or(u32::MAX);
        transport.rules.apply(forwarded, self.caller.session.claims.as_deref(), number)
    }
}

/// Converts an error without the details for the log.
pub(super) fn without_details(error: &SubgraphError) -> FetchError {
    match error {
        SubgraphError::Unavailable(_) => FetchError::Unavailable,
        SubgraphError::Timeout => FetchError::Timeout,
        SubgraphError::TooLarge { most } => FetchError::TooLarge { most: *most },
        SubgraphError::Status(status) => FetchError::Status(*status),
        SubgraphError::Broken(_) => FetchError::Broken,
        SubgraphError::Closed(_) => FetchError::Closed,
        SubgraphError::NotGraphQl(_) => FetchError::NotGraphQl,
        SubgraphError::MemoryExhausted => FetchError::MemoryExhausted,
        SubgraphError::BreakerOpen { .. } => FetchError::BreakerOpen,
        SubgraphError::Overloaded => FetchError::Overloaded,
    }
}
