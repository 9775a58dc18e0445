//! Transport of subgraph requests: over HTTP or in this process, within the deadline and the memory
//! of a request.

use std::cell::RefCell;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::subgraph::{
    Client, ResponseCaching, SubgraphError, SubgraphRequest, SubgraphResponse, SubscriptionClient,
};
use gateway::execute::{FetchError, FetchRequest, FetchResponse, ResponseBody, Subgraphs};
use gateway::plan::FetchId;
use graphql::operation::OperationKind;
use http::HeaderMap;
use response::{MemoryBudget, MemoryReservation};
use supergraph::SubgraphId;
use tokio::sync::Notify;

use super::connectors::{ConnectorClient, ConnectorInputs, ConnectorState};
use super::event_memory::EventMemory;
use super::events::{EventInputs, Events};
use super::local::LocalWorker;
use super::long_queries::LONG;
use super::{Caller, Gateway, Remote, SubgraphTransport};

/// Client of a subgraph on one thread.
#[derive(Debug)]
pub(super) enum SubgraphClient {
    Remote(Box<RemoteClient>),
    Local(Box<LocalWorker>),
    Events(Box<Events>),
    Connectors(Box<ConnectorClient>),
}

/// Client of a subgraph over HTTP.
#[derive(Debug)]
pub(super) struct RemoteClient {
    client: Client,
    pub(super) subscriptions: SubscriptionClient,
}

/// An event of a source stream, which the first fetch of the plan takes as its response.
#[derive(Debug)]
pub(super) struct SourceEvent(RefCell<Option<SourceResult>>);

/// The response; the error has details for the log.
type SourceResult = Result<FetchResponse, (FetchError, Box<str>)>;

impl SourceEvent {
    /// `None` for a plan without such a fetch.
    pub(super) fn new(event: Option<SourceResult>) -> Self {
        Self(RefCell::new(event))
    }

    fn take(&self, fetch: &FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        match self.0.take() {
            Some(Ok(response)) => Ok(response),
            Some(Err((error, reason))) => {
                drop(fetch.reason.set(reason));
                Err(error)
            }
            None => Err(FetchError::Unavailable),
        }
    }
}

impl SubgraphClient {
    pub(super) fn new(transport: &SubgraphTransport, memory: &Arc<MemoryBudget>) -> Self {
        match transport {
            SubgraphTransport::Remote(Remote {
                settings, subscriptions, shared, running, ..
            }) => {
                let client = Client::new(Arc::clone(settings), Arc::clone(shared));
                let subscriptions = SubscriptionClient::new(
                    Arc::clone(subscriptions),
                    Arc::clone(shared),
                    Arc::clone(running),
                    Arc::new(EventMemory::new(memory)),
                );
                Self::Remote(Box::new(RemoteClient { client, subscriptions }))
            }
            SubgraphTransport::Local(local) => {
                Self::Local(Box::new(LocalWorker::new(local, memory)))
            }
            SubgraphTransport::Events(events) => Self::Events(Box::new(events.clone())),
            SubgraphTransport::Connectors(connectors) => {
                Self::Connectors(Box::new(ConnectorClient::new(connectors)))
            }
        }
    }

    /// Limits the time of a request; used as a statement timeout by sources in this process.
    pub(super) fn within(self, time_limit: Duration) -> Self {
        match self {
            Self::Remote(client) => Self::Remote(client),
            Self::Local(local) => Self::Local(Box::new(local.within(time_limit))),
            Self::Events(events) => Self::Events(events),
            Self::Connectors(client) => Self::Connectors(client),
        }
    }

    /// Closes connections that were idle for too long.
    pub(super) fn close_idle(&self) {
        match self {
            Self::Remote(remote) => remote.client.close_idle(),
            Self::Local(local) => local.close_idle(),
            Self::Events(_) | Self::Connectors(_) => {}
        }
    }
}

/// Subgraph clients for one request.
pub(super) struct RequestTransport<'a> {
    /// By [`supergraph::SubgraphId`].
    pub(super) subgraphs: &'a [SubgraphClient],
    pub(super) gateway: &'a Gateway,
    pub(super) events: EventInputs<'a>,
    pub(super) connectors: ConnectorState,
    pub(super) caller: &'a Caller,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: &'a Arc<MemoryBudget>,
    /// Notified when a response is too long for this thread.
    pub(super) proves_long: Option<&'a Notify>,
    /// The event of a subscription.
    pub(super) event: Option<&'a SourceEvent>,
}

impl Subgraphs for RequestTransport<'_> {
    async fn fetch(&self, fetch: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        if let (OperationKind::Subscription, Some(event)) = (fetch.kind, self.event) {
            return event.take(&fetch);
        }
        let supergraph = &self.gateway.supergraph;
        let part = supergraph.subgraph(fetch.subgraph).part;
        let place = usize::from(part.map_or(fetch.subgraph, |part| part.of).0);
        let client = match self.subgraphs.get(place).ok_or(FetchError::Unavailable)? {
            SubgraphClient::Remote(remote) => remote,
            SubgraphClient::Local(local) => {
                return local.execute(&fetch, &self.caller.session).await;
            }
            SubgraphClient::Connectors(client) => {
                let inputs = ConnectorInputs {
                    gateway: self.gateway,
                    prepared: self.events.prepared,
                    caller: self.caller,
                    deadline: self.deadline,
                    memory: self.memory,
                    state: &self.connectors,
                };
                return client.execute(&fetch, inputs).await;
            }
            SubgraphClient::Events(events) => {
                let body = events.execute(&fetch, self.events).await?;
                let mut held = MemoryReservation::of(self.memory);
                return match held.grow_to(body.len() as u64) {
                    Ok(()) => Ok(FetchResponse::new(ResponseBody::Json(body), held)),
                    Err(_) => Err(FetchError::MemoryExhausted),
                };
            }
        };
        let headers = self.gateway.headers(self.caller, fetch.subgraph, fetch.fetch);
        match self.cache_for(&fetch) {
            // Boxed: few gateways have a cache, and every fetch would need the space.
            Some(cache) => Box::pin(self.fetch_cached(client, &headers, &fetch, cache)).await,
            None => {
                let body = fetch.body.clone();
                self.send(client, &headers, &fetch, body).await.map(|(response, _)| response)
            }
        }
    }
}

impl RequestTransport<'_> {
    /// Sends a body over HTTP; also returns for how long the response may be kept.
    pub(super) async fn send(
        &self,
        client: &RemoteClient,
        headers: &HeaderMap,
        fetch: &FetchRequest<'_>,
        body: Bytes,
    ) -> Result<(FetchResponse, ResponseCaching), FetchError> {
        let held = RefCell::new((MemoryReservation::of(self.memory), 0_u64));
        let reserve = |bytes: usize| {
            let (held, all) = &mut *held.borrow_mut();
            *all = all.saturating_add(bytes as u64);
            held.grow_to(*all).is_ok()
        };
        let request = SubgraphRequest {
            body,
            headers,
            is_query: fetch.kind == OperationKind::Query,
            deadline: self.deadline,
            reserve: &reserve,
        };
        let begun = Instant::now();
        match client.client.send(request).await {
            Ok(SubgraphResponse { body, caching, .. }) => {
                self.leave_if_long(body.len()).await;
                let held = held.into_inner().0;
                Ok((FetchResponse::new(ResponseBody::Json(body), held), caching))
            }
            Err(error) => {
                // Details for the log, which clients do not see.
                let reason = format!("{error} (after {:?})", begun.elapsed());
                let _ = fetch.reason.set(reason.into());
                Err(without_details(&error))
            }
        }
    }

    /// Leaves this thread if a response is too long for it.
    pub(super) async fn leave_if_long(&self, length: usize) {
        if let Some(proves_long) = self.proves_long.filter(|_| length > LONG) {
            proves_long.notify_one();
            // Waits until the future is dropped: the query is restarted on another thread.
            pending::<()>().await;
        }
    }
}

impl Gateway {
    /// Returns the propagated headers for a fetch.
    pub(super) fn headers(
        &self,
        caller: &Caller,
        subgraph: SubgraphId,
        fetch: FetchId,
    ) -> HeaderMap {
        let transport = self.transports.get(usize::from(subgraph.0));
        let transport = transport.and_then(SubgraphTransport::remote);
        let (Some(transport), Some(forwarded)) = (transport, &caller.forwarded) else {
            return HeaderMap::new();
        };
        let number = u32::try_from(fetch.index()).unwrap_or(u32::MAX);
        transport.rules.apply(forwarded, caller.session.claims.as_deref(), number)
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
