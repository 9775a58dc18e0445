//! Transport of subgraph requests: over HTTP or in this process, within the deadline and the memory
//! of a request.

use std::cell::RefCell;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clients::subgraph::{self, Client};
use gateway::execute::{Answer, Ask, AskError, Body, Subgraphs};
use gateway::plan::FetchId;
use gateway::supergraph::SubgraphId;
use graphql::operation::OperationKind;
use http::HeaderMap;
use response::{Held, Memory};
use tokio::sync::Notify;

use super::apart::LONG;
use super::local::LocalWorker;
use super::{Caller, Gateway, Remote, Way};

/// Client of a subgraph on one thread.
#[derive(Debug)]
pub(super) enum Asked {
    Remote(Box<Client>),
    Local(Box<LocalWorker>),
}

impl Asked {
    pub(super) fn new(way: &Way, memory: &Arc<Memory>) -> Self {
        match way {
            Way::Remote(Remote { settings, shared, .. }) => {
                Self::Remote(Box::new(Client::new(Arc::clone(settings), Arc::clone(shared))))
            }
            Way::Local(local) => Self::Local(Box::new(LocalWorker::new(local, memory))),
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
    pub(super) fn close_old(&self) {
        match self {
            Self::Remote(client) => client.close_old(),
            Self::Local(local) => local.close_old(),
        }
    }
}

/// Subgraph clients for one request.
pub(super) struct Asking<'a> {
    /// By [`gateway::supergraph::SubgraphId`].
    pub(super) subgraphs: &'a [Asked],
    pub(super) gateway: &'a Gateway,
    pub(super) caller: &'a Caller,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: &'a Arc<Memory>,
    /// Notified when a response is too long for this thread.
    pub(super) proves_long: Option<&'a Notify>,
}

impl Subgraphs for Asking<'_> {
    async fn ask(&self, ask: Ask<'_>) -> Result<Answer, AskError> {
        let place = usize::from(ask.subgraph.0);
        let client = match self.subgraphs.get(place).ok_or(AskError::Unavailable)? {
            Asked::Remote(client) => client,
            Asked::Local(local) => return local.ask(&ask, &self.caller.session).await,
        };
        let headers = self.headers(ask.subgraph, ask.fetch);
        let held = RefCell::new((Held::of(self.memory), 0_u64));
        let hold = |bytes: usize| {
            let (held, all) = &mut *held.borrow_mut();
            *all = all.saturating_add(bytes as u64);
            held.grow_to(*all).is_ok()
        };
        let request = subgraph::Ask {
            body: ask.body,
            headers: &headers,
            is_query: ask.kind == OperationKind::Query,
            deadline: self.deadline,
            hold: &hold,
        };
        let begun = Instant::now();
        match client.ask(request).await {
            Ok(subgraph::Answer { body, .. }) => {
                if let Some(proves_long) = self.proves_long.filter(|_| body.len() > LONG) {
                    proves_long.notify_one();
                    // Waits until the future is dropped: the query is restarted on another thread.
                    pending::<()>().await;
                }
                Ok(Answer { body: Body::Json(body), held: held.into_inner().0 })
            }
            Err(error) => {
                // Details for the log, which clients do not see.
                let reason = format!("{error} (after {:?})", begun.elapsed());
                let _ = ask.reason.set(reason.into());
                Err(told(&error))
            }
        }
    }
}

impl Asking<'_> {
    /// Returns the propagated headers for a fetch.
    fn headers(&self, subgraph: SubgraphId, fetch: FetchId) -> HeaderMap {
        let way = self.gateway.ways.get(usize::from(subgraph.0));
        let way = way.and_then(Way::remote);
        let (Some(way), Some(forwarded)) = (way, &self.caller.forwarded) else {
            return HeaderMap::new();
        };
        let number = u32::try_from(fetch.index()).unwrap_or(u32::MAX);
        way.rules.apply(forwarded, self.caller.session.claims.as_deref(), number)
    }
}

/// Converts an error without the details for the log.
pub(super) fn told(error: &subgraph::AskError) -> AskError {
    match error {
        subgraph::AskError::Unavailable(_) => AskError::Unavailable,
        subgraph::AskError::Timeout => AskError::Timeout,
        subgraph::AskError::TooLarge { most } => AskError::TooLarge { most: *most },
        subgraph::AskError::Status(status) => AskError::Status(*status),
        subgraph::AskError::Broken(_) => AskError::Broken,
        subgraph::AskError::Closed(_) => AskError::Closed,
        subgraph::AskError::NotGraphQl(_) => AskError::NotGraphQl,
        subgraph::AskError::MemoryExhausted => AskError::MemoryExhausted,
        subgraph::AskError::BreakerOpen { .. } => AskError::BreakerOpen,
        subgraph::AskError::Overloaded => AskError::Overloaded,
    }
}
