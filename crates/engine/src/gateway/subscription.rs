//! Subscriptions of a gateway: the source stream of one subgraph, and the execution of the plan for
//! each of its events.
//!
//! An event is executed when the response to the one before is taken. The events that come meanwhile
//! wait in the queue of the [`Listener`], which ends a listener that is too slow.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use ::gateway::execute::{
    ExecutionStatistics, FetchError, FetchResponse, Inputs, ResponseBody, SourceRequest,
    source_request,
};
use ::live::LiveQuery;
use bytes::Bytes;
use clients::subgraph::{
    Event, EventBudget, Listener, SharedResponse, SubgraphError, SubscriptionRequest,
};
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request, coerce_variable_values};
use response::MemoryReservation;
use supergraph::SubgraphId;
use tokio::task::spawn_local;

use super::event_memory::EventMemory;
use super::events::{EventInputs, EventSubscription};
use super::shared_execution::{ResponseKey, SharedResponses};
use super::transport::{SourceEvent, SubgraphClient, without_details};
use super::worker::{ExecutionInputs, GatewayWorker, ReportParts};
use super::{Caller, Prepared};
use crate::documents::Document;
use crate::events::reads_too_slowly;
use crate::live::{Begun, Driver, EventResponses, Responses, StreamResponses, reserved};
use crate::respond::Response;

/// Events that are executed at the same time if they need further subgraphs: the others wait, so that
/// queries find room in the bulkheads of these subgraphs.
pub(super) const MOST_AT_ONCE: usize = 64;

/// A running subscription.
pub struct GatewaySubscription {
    operation: Rc<Operation>,
    source: Source,
    /// The execution of an event, which a cancelled call continues.
    running: Option<Pin<Box<dyn Future<Output = Bytes>>>>,
    /// Whether the next response reports that events may be missing.
    is_interrupted: bool,
    has_ended: bool,
}

/// The source stream.
enum Source {
    /// One event: the errors of a subgraph that refuses the subscription. `None` if the client is not
    /// authorized for the root field, which no subgraph resolves.
    Once(Option<Bytes>),
    Remote(Listener),
    /// A live query of a source in this process.
    Live(LiveQuery),
    /// Notifications of a source in this process.
    Events(Box<EventResponses>),
    /// Rows of a source in this process.
    Rows(Box<StreamResponses>),
}

/// A subscription as this generation of the gateway executes it.
struct Operation {
    worker: Rc<GatewayWorker>,
    document: Arc<Document>,
    prepared: Arc<Prepared>,
    variables: Variables,
    caller: Caller,
    key: Arc<ResponseKey>,
    /// The subscription, if its subgraph is one of events.
    events: Option<EventSubscription>,
}

/// The work for the subscription of a source in this process.
#[derive(Debug)]
pub struct SubgraphDriver {
    subgraph: SubgraphId,
    driver: Driver,
}

/// A source stream that has begun, with the work for it.
type BegunSource = (Source, Option<SubgraphDriver>);

/// An event of the source stream; the error has details for the log.
type EventResult = Result<Bytes, (FetchError, Box<str>)>;

impl GatewayWorker {
    /// Begins a subscription. The error is a finished response.
    pub(crate) fn subscribe(
        self: &Rc<Self>,
        request: &Request,
        caller: &Caller,
    ) -> Result<(GatewaySubscription, Option<SubgraphDriver>), Response> {
        let operation = Rc::new(
            self.operation(request, caller).map_err(|errors| Response::request_error(&errors))?,
        );
        let (source, driver) = operation.begin(None);
        let subscription = GatewaySubscription {
            operation,
            source,
            running: None,
            is_interrupted: false,
            has_ended: false,
        };
        Ok((subscription, driver))
    }

    /// Continues a subscription of another generation of the gateway. A source stream that is the
    /// same in both keeps its place; another one may miss events.
    pub(crate) fn resume(
        self: &Rc<Self>,
        subscription: &mut GatewaySubscription,
        request: &Request,
        caller: &Caller,
    ) -> Result<Option<SubgraphDriver>, Response> {
        let operation = Rc::new(
            self.operation(request, caller).map_err(|errors| Response::request_error(&errors))?,
        );
        let before = std::mem::replace(&mut subscription.source, Source::Once(None));
        let mut may_miss =
            matches!(before, Source::Remote(_) | Source::Events(_) | Source::Rows(_));
        let kept = match before {
            Source::Remote(listener) => Some((listener, &mut may_miss)),
            Source::Once(_) | Source::Live(_) | Source::Events(_) | Source::Rows(_) => None,
        };
        let (source, driver) = operation.begin(kept);
        subscription.is_interrupted |= may_miss;
        subscription.source = source;
        subscription.operation = operation;
        Ok(driver)
    }

    /// Plans a subscription, and checks it as its execution does.
    fn operation(
        self: &Rc<Self>,
        request: &Request,
        caller: &Caller,
    ) -> Result<Operation, Vec<GraphQLError>> {
        let gateway = self.gateway();
        let known = gateway.document(request, &mut false)?;
        let document = Arc::clone(&known.document);
        let operation = &document.operation;
        let variables = coerce_variable_values(gateway.schema(), operation, &request.variables)?;
        let name = request.operation_name.as_deref();
        let plan_key = gateway.plan_key(&known, caller);
        let prepared = gateway.plan(&known, name, &variables, &plan_key, &mut false)?;
        gateway.refuse_denied(&prepared)?;
        gateway.check_cost(&prepared, &variables, &mut None)?;
        gateway.check_topics(&prepared, operation, &variables)?;
        let events = self.event_subscription(operation, &prepared, &variables);
        let key = Arc::new(ResponseKey::new(&prepared, &variables, caller));
        let (worker, caller) = (Rc::clone(self), caller.clone());
        Ok(Operation { worker, document, prepared, variables, caller, key, events })
    }

    /// Returns the subscription to events, if the source stream is one of events.
    fn event_subscription(
        &self,
        operation: &graphql::operation::Operation,
        prepared: &Prepared,
        variables: &Variables,
    ) -> Option<EventSubscription> {
        let supergraph = &self.gateway().supergraph;
        let inputs = Inputs { supergraph, operation, plan: &prepared.plan, variables };
        let SourceRequest { subgraph, fetch, .. } = source_request(inputs)?;
        match self.client(subgraph)? {
            SubgraphClient::Events(events) => {
                let inputs = EventInputs { supergraph, prepared, operation, variables };
                events.subscription(fetch, inputs)
            }
            SubgraphClient::Remote(_)
            | SubgraphClient::Local(_)
            | SubgraphClient::Connectors(_) => None,
        }
    }

    /// Executes the subscription of a source in this process.
    pub(crate) async fn drive(&self, SubgraphDriver { subgraph, driver }: SubgraphDriver) {
        if let Some(local) = self.local(subgraph) {
            local.drive(driver).await;
        }
    }
}

impl Operation {
    /// Begins the source stream. A listener that receives it already is kept, and misses nothing.
    fn begin(&self, kept: Option<(Listener, &mut bool)>) -> BegunSource {
        if let Some(events) = &self.events {
            let (kept, may_miss) = kept.unzip();
            let budget: Arc<dyn EventBudget> = Arc::new(EventMemory::new(self.worker.memory()));
            let (listener, is_kept) = events.listen(kept, &budget);
            if let (Some(may_miss), true) = (may_miss, is_kept) {
                *may_miss = false;
            }
            return (Source::Remote(listener), None);
        }
        let Self { worker, document, prepared, variables, caller, .. } = self;
        let gateway = worker.gateway();
        let inputs = Inputs {
            supergraph: &gateway.supergraph,
            operation: &document.operation,
            plan: &prepared.plan,
            variables,
        };
        let Some(SourceRequest { subgraph, fetch, body }) = source_request(inputs) else {
            return (Source::Once(None), None);
        };
        match worker.client(subgraph) {
            Some(SubgraphClient::Remote(remote)) => {
                let headers = gateway.headers(caller, subgraph, fetch);
                let request = SubscriptionRequest { body, headers };
                let listener = match kept {
                    Some((listener, may_miss))
                        if remote.subscriptions.is_kept(&listener, &request) =>
                    {
                        *may_miss = false;
                        listener
                    }
                    // The former listener, if there is one, leaves after the new one has begun.
                    Some(_) | None => remote.subscriptions.subscribe(request),
                };
                (Source::Remote(listener), None)
            }
            Some(SubgraphClient::Local(local)) => match local.subscribe(&body, &caller.session) {
                Ok(Begun { responses, driver }) => {
                    let driver = driver.map(|driver| SubgraphDriver { subgraph, driver });
                    (Source::of(responses), driver)
                }
                Err(response) => (Source::Once(Some(response.body.into())), None),
            },
            // Connectors have no subscriptions.
            Some(SubgraphClient::Events(_) | SubgraphClient::Connectors(_)) | None => {
                (Source::Once(None), None)
            }
        }
    }

    /// Whether an event passes the filter of an event-driven subgraph.
    fn accepts(&self, event: &[u8]) -> bool {
        let supergraph = &self.worker.gateway().supergraph;
        let events = self.events.as_ref();
        events.is_none_or(|events| events.accepts(supergraph, &self.prepared, event))
    }

    /// Returns the response of the subgraph: the event itself, or one made of it.
    fn subgraph_response(&self, event: Bytes) -> EventResult {
        let supergraph = &self.worker.gateway().supergraph;
        match &self.events {
            Some(events) => events.response(supergraph, &self.prepared, &event),
            None => Ok(event),
        }
    }

    /// Returns the response to an event, which equal subscriptions share.
    async fn execute_shared(self: Rc<Self>, event: Arc<SharedResponse>) -> Bytes {
        if let Some(responses) = event.attached::<SharedResponses>() {
            let mut pending = responses.find(&self.key);
            if let Some(sender) = pending.sender.take() {
                let (operation, body) = (Rc::clone(&self), event.body.clone());
                spawn_local(async move {
                    let event = operation.subgraph_response(body);
                    let response = operation.execute(Some(event)).await;
                    sender.send_replace(Some(response));
                });
            }
            if let Some(response) = pending.wait().await {
                return response;
            }
        }
        self.execute(Some(self.subgraph_response(event.body.clone()))).await
    }

    async fn execute_alone(self: Rc<Self>, event: Option<EventResult>) -> Bytes {
        self.execute(event).await
    }

    /// Executes the plan for an event.
    async fn execute(&self, event: Option<EventResult>) -> Bytes {
        let Self { worker, document, prepared, variables, caller, .. } = self;
        let inputs = ExecutionInputs { document, prepared, variables, caller };
        let needs_others = prepared.plan.fetches.len() > 1;
        // The semaphore is never closed.
        let _slot = match needs_others {
            true => Some(worker.gateway().event_slots.acquire().await),
            false => None,
        };
        let event = event.map(|event| {
            event.and_then(|body| {
                let mut held = MemoryReservation::of(worker.memory());
                match held.grow_to(body.len() as u64) {
                    Ok(()) => Ok(FetchResponse::new(ResponseBody::Json(body), held)),
                    Err(_) => Err((FetchError::MemoryExhausted, Box::default())),
                }
            })
        });
        let (mut codes, mut observed) = (Vec::new(), ExecutionStatistics::default());
        let seen = ReportParts { codes: &mut codes, observed: &mut observed };
        let event = SourceEvent::new(event);
        let response = worker.execute_event(inputs, Instant::now(), &event, seen).await;
        let Response { body, held, .. } = response;
        reserved(body.into(), held)
    }
}

impl Source {
    /// The source stream of a source in this process.
    fn of(responses: Responses) -> Self {
        match responses {
            Responses::Live(query) => Self::Live(query),
            Responses::Events(events) => Self::Events(Box::new(events)),
            Responses::Rows(rows) => Self::Rows(Box::new(rows)),
        }
    }
}

impl GatewaySubscription {
    /// Waits for the next response; `None` after the last one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(running) = &mut self.running {
                let response = running.await;
                self.running = None;
                return Some(response);
            }
            if std::mem::take(&mut self.is_interrupted) {
                return Some(interrupted());
            }
            if self.has_ended {
                return None;
            }
            match &mut self.source {
                Source::Once(event) => {
                    let event = event.take();
                    self.has_ended = true;
                    self.begin(event.map(Ok));
                }
                Source::Live(query) => match query.next().await {
                    Some(response) => self.begin(Some(Ok(response))),
                    None => self.has_ended = true,
                },
                Source::Events(events) => match events.next().await {
                    Some(response) => self.begin(Some(Ok(response))),
                    None => self.has_ended = true,
                },
                Source::Rows(rows) => match rows.next().await {
                    Some(response) => self.begin(Some(Ok(response))),
                    None => self.has_ended = true,
                },
                Source::Remote(listener) => match listener.next().await {
                    Event::Response(response) if !self.operation.accepts(&response.body) => {}
                    Event::Response(response) => {
                        let operation = Rc::clone(&self.operation);
                        self.running = Some(Box::pin(operation.execute_shared(response)));
                    }
                    Event::Interrupted => self.is_interrupted = true,
                    Event::Failed(error) => {
                        self.has_ended = true;
                        self.begin(Some(Err(failed(&error))));
                    }
                    Event::TooSlow => {
                        self.has_ended = true;
                        let response = Response::request_error(&[reads_too_slowly()]);
                        return Some(response.body.into());
                    }
                    Event::Complete | Event::Stopped => self.has_ended = true,
                },
            }
        }
    }

    /// Whether it is a live query, whose first response after a reload may equal the last.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.source, Source::Live(_))
    }

    fn begin(&mut self, event: Option<EventResult>) {
        self.running = Some(Box::pin(Rc::clone(&self.operation).execute_alone(event)));
    }
}

fn failed(error: &SubgraphError) -> (FetchError, Box<str>) {
    (without_details(error), error.to_string().into())
}

/// The response after a loss of the source stream, which is opened again.
fn interrupted() -> Bytes {
    let message =
        "The connection to a subgraph was lost, and is made again: events may be missing.";
    let error = GraphQLError::new(ErrorCode::SubscriptionInterrupted, message);
    Response::without_data(&error, &mut Vec::new()).body.into()
}

impl std::fmt::Debug for GatewaySubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewaySubscription")
            .field("is_running", &self.running.is_some())
            .field("has_ended", &self.has_ended)
            .finish_non_exhaustive()
    }
}
