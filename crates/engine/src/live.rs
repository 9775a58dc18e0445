//! Subscriptions: live queries of one source.
//!
//! A subscription is lowered, authorized and compiled as a query is. Its cohort is executed on the
//! thread of its first subscriber, whenever the crate [`live`] marks it as dirty.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::join;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Request, coerce_variable_values};
use live::{Cohort, CohortKey, Dependencies, Hub, Joined, Wake};
use response::MemoryReservation;
use tokio::sync::Semaphore;

pub use live::{Counts, FeedOptions, LiveQuery};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::prepare::Prepared;
use crate::report::Report;
use crate::respond::Response;
use crate::worker::{Allowed, Delivery, Worker};

/// Live queries that are executed at the same time: the others wait, so that requests of clients find
/// connections.
const MOST_AT_ONCE: usize = 8;

/// The live queries of an engine.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) hub: Arc<Hub>,
    options: FeedOptions,
    slots: Semaphore,
}

/// A subscription that has begun.
#[derive(Debug)]
pub struct Begun {
    pub query: LiveQuery,
    /// The work that somebody has to do for it, by [`Worker::drive`]; `None` if somebody does so
    /// already.
    pub driver: Option<Driver>,
}

/// The execution of a cohort, and the feed of all cohorts.
#[derive(Debug)]
pub struct Driver {
    hub: Arc<Hub>,
    execution: Option<Execution>,
    needs_feed: bool,
}

#[derive(Debug)]
struct Execution {
    cohort: Arc<Cohort>,
    request: Request,
    caller: Caller,
}

/// A response, with the memory that is reserved for it.
struct Reserved {
    body: Vec<u8>,
    _held: MemoryReservation,
}

impl AsRef<[u8]> for Reserved {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Live {
    pub(crate) fn new(options: FeedOptions) -> Self {
        Self { hub: Arc::default(), options, slots: Semaphore::new(MOST_AT_ONCE) }
    }
}

/// Ends the subscriptions of a cohort that is executed no longer: also if the task is dropped.
impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(Execution { cohort, .. }) = &self.execution {
            self.hub.end(cohort);
        }
    }
}

impl Worker {
    /// The kind of a request's operation.
    pub fn operation_kind(&self, request: &Request) -> Result<OperationKind, Response> {
        let known = self.engine.document(request, &mut false);
        let known = known.map_err(|errors| Response::request_error(&errors))?;
        Ok(known.document.operation.kind)
    }

    /// Begins a subscription. The error is a finished response.
    pub fn subscribe(&self, request: &Request, caller: &Caller) -> Result<Begun, Response> {
        let dependencies = self
            .dependencies(request, caller)
            .map_err(|errors| Response::request_error(&errors))?;
        let hub = &self.engine.live.hub;
        let name = request.operation_name.as_deref();
        let key = CohortKey::new(&request.query, name, &request.variables, &caller.session);
        let key = match &caller.forwarded {
            // Other servers receive headers of this client.
            Some(_) => key.alone(hub.number()),
            None => key,
        };
        let Joined { query, cohort, needs_feed } = hub.join(key, || dependencies);
        let execution = cohort.map(|cohort| Execution {
            cohort,
            request: request.clone(),
            caller: caller.clone(),
        });
        let driver = (execution.is_some() || needs_feed).then(|| Driver {
            hub: Arc::clone(hub),
            execution,
            needs_feed,
        });
        Ok(Begun { query, driver })
    }

    /// Checks a request as its execution does, and returns what it depends on.
    fn dependencies(
        &self,
        request: &Request,
        caller: &Caller,
    ) -> Result<Dependencies, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let known = engine.document(request, &mut false)?;
        let operation = &known.document.operation;
        let variables = coerce_variable_values(&engine.api.schema, operation, &request.variables)?;
        let name = request.operation_name.as_deref();
        let prepared = engine.plan(&known, name, &variables, &caller.session, &mut false)?;
        let cost = prepared.cost(&variables, &caller.session);
        engine.limits.cost.check(cost).map_err(|error| vec![error])?;
        Ok(prepared.dependencies(engine))
    }

    /// Executes a subscription until it has no subscribers, and follows the changes of the source for
    /// all of them if nobody else does.
    pub async fn drive(&self, driver: Driver) {
        let execution = async {
            if let Some(execution) = &driver.execution {
                self.execute_cohort(execution).await;
            }
        };
        let feed = async {
            if driver.needs_feed {
                let engine = &*self.engine;
                let probe = engine.source.change_probe();
                live::follow(&engine.live.hub, probe, engine.live.options).await;
            }
        };
        join(execution, feed).await;
    }

    async fn execute_cohort(&self, Execution { cohort, request, caller }: &Execution) {
        while cohort.wait().await == Wake::Execute {
            // The semaphore is never closed.
            let _slot = self.engine.live.slots.acquire().await;
            let mut report = Report::default();
            let (allowed, whole) = (Allowed::Subscriptions, Delivery::Whole);
            // Boxed: the task of a subscription is small while it waits.
            let executed =
                Box::pin(self.deliver_for(request, caller, allowed, whole, &mut report)).await;
            let Response { body, held, .. } = executed;
            cohort.publish(Bytes::from_owner(Reserved { body, _held: held }));
        }
    }
}

impl Prepared {
    /// The dependencies of all parts of the operation.
    fn dependencies(&self, engine: &Engine) -> Dependencies {
        let mut all = Dependencies::of(&self.request, &engine.catalog);
        // Values that other servers give may change at any time.
        all.is_timed |= self.has_resolved();
        if let Some(next) = &self.next {
            let next = next.dependencies(engine);
            all.entities.extend(next.entities);
            all.is_timed |= next.is_timed;
        }
        all
    }
}

/// The error of a subscription that came as a plain request.
pub(crate) fn without_stream() -> GraphQLError {
    GraphQLError::new(
        ErrorCode::BadUserInput,
        "A subscription has many responses: send it over a WebSocket with the subprotocol \
         `graphql-transport-ws`, or with the header `Accept: text/event-stream`.",
    )
}
