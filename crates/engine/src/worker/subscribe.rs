//! Subscriptions on one thread.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ::live::{CohortKey, Joined, Listening, Subject, Wake, follow_channels};
use bytes::Bytes;
use dialects::{Listened, ListenedChannel};
use futures_util::future::{OptionFuture, join};
use graphql::operation::OperationKind;
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request};
use sources::Channels;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Allowed, Delivery, Worker, coerced};
use crate::caller::Caller;
use crate::events::{EventExecution, Events, NextEvent, channel, ended, none, set_event};
use crate::live::{Begun, Driver, EventResponses, Execution, LiveWork, Responses, Work, reserved};
use crate::prepare::Prepared;
use crate::report::Report;
use crate::respond::Response;

/// Pauses before an execution that has failed is repeated.
const FIRST_RETRY: Duration = Duration::from_millis(500);
const LAST_RETRY: Duration = Duration::from_secs(30);

impl Worker {
    /// The kind of a request's operation.
    pub fn operation_kind(&self, request: &Request) -> Result<OperationKind, Response> {
        let known = self.engine.document(request, &mut false);
        let known = known.map_err(|errors| Response::request_error(&errors))?;
        Ok(known.document.operation.kind)
    }

    /// Begins a subscription. The error is a finished response.
    pub fn subscribe(&self, request: &Request, caller: &Caller) -> Result<Begun, Response> {
        let refused = |errors: Vec<GraphQLError>| Response::request_error(&errors);
        let (prepared, variables) = self.checked(request, caller).map_err(refused)?;
        match prepared.listened.as_deref() {
            Some(Listened::Channel(listened)) => {
                let begun = self.listen(listened, &variables, (request, caller));
                begun.map_err(|error| refused(vec![error]))
            }
            Some(Listened::Changes { entity, kind, response_name }) => {
                let labels = self.engine.catalog[*entity].labels.clone().into();
                let subject = Subject { entity: *entity, kind: *kind, labels };
                let listener = self.engine.live.events.listen(subject);
                let key = Arc::new(self.key(request, caller));
                let events = Events::Changes { listener, key, none: none(response_name) };
                // Authorization has removed the root field.
                let is_refused = prepared.is_empty();
                Ok(begun(events, is_refused, None, (request, caller)))
            }
            None => Ok(self.join((&prepared, &variables), request, caller)),
        }
    }

    /// Begins a live query.
    fn join(
        &self,
        (prepared, variables): (&Prepared, &Variables),
        request: &Request,
        caller: &Caller,
    ) -> Begun {
        let hub = &self.engine.live.hub;
        let key = self.key(request, caller);
        let claims = caller.session.claims.as_deref();
        let variables = source::Variables { claims, ..source::Variables::of(&variables.values) };
        let dependencies = || prepared.dependencies(&self.engine.catalog, variables);
        let Joined { query, cohort, needs_feed } = hub.join(key, dependencies);
        let execution = cohort.map(|cohort| Execution {
            cohort,
            request: request.clone(),
            caller: caller.clone(),
        });
        let driver = (execution.is_some() || needs_feed).then(|| {
            let work = LiveWork { hub: Arc::clone(hub), execution, needs_feed };
            Driver(Work::Live(Box::new(work)))
        });
        Begun { responses: Responses::Live(query), driver }
    }

    /// The key of a subscription: equal ones have equal responses.
    fn key(&self, request: &Request, caller: &Caller) -> CohortKey {
        let name = request.operation_name.as_deref();
        let key = CohortKey::new(&request.query, name, &request.variables, &caller.session);
        match &caller.forwarded {
            // Other servers receive headers of this client.
            Some(_) => key.alone(self.engine.live.hub.number()),
            None => key,
        }
    }

    /// Begins a subscription to notifications.
    fn listen(
        &self,
        listened: &ListenedChannel,
        variables: &Variables,
        (request, caller): (&Request, &Caller),
    ) -> Result<Begun, GraphQLError> {
        let engine = &*self.engine;
        let Some(channels) = engine.source.channels() else {
            return Err(GraphQLError::new(
                ErrorCode::NotSupported,
                "The data source has no notifications.",
            ));
        };
        let values = source::Variables::of(&variables.values);
        let topic = source::operand::resolve(&listened.topic, values);
        let topic = topic.map_err(|error| engine.map_error(&error))?;
        let channel = channel(listened, &topic.text().unwrap_or_default())?;
        let Listening { listener, needs_task } = engine.live.listeners.listen(&channel);
        let node = listened.binding.node.clone();
        let events = Events::Notifications { listener, node, begins: listened.begins };
        Ok(begun(events, false, needs_task.then_some(channels), (request, caller)))
    }

    /// Checks a request as its execution does, and returns its plan.
    fn checked(
        &self,
        request: &Request,
        caller: &Caller,
    ) -> Result<(Arc<Prepared>, Variables), Vec<GraphQLError>> {
        let engine = &*self.engine;
        let known = engine.document(request, &mut false)?;
        let variables = coerced(&engine.api.schema, &known.document.operation, request)?;
        let name = request.operation_name.as_deref();
        let prepared = engine.plan(&known, name, &variables, &caller.session, &mut false)?;
        let cost = prepared.cost(&variables, &caller.session);
        engine.limits.cost.check(cost).map_err(|error| vec![error])?;
        Ok((prepared, variables))
    }

    /// Executes a subscription until it has no subscribers, and does the work for all subscriptions
    /// if nobody else does: it follows the changes of the source, or receives notifications.
    pub async fn drive(&self, driver: Driver) {
        match driver.0 {
            Work::Live(work) => self.drive_live(*work).await,
            // Boxed: the task of a live query is small.
            Work::Events(work) => Box::pin(self.drive_events(*work)).await,
        }
    }

    async fn drive_live(&self, work: LiveWork) {
        let execution = async {
            if let Some(execution) = &work.execution {
                self.execute_cohort(execution).await;
            }
        };
        let feed = work.needs_feed.then(|| self.follow());
        join(execution, OptionFuture::from(feed)).await;
    }

    /// Follows the changes of the source. Boxed: only one task of many does so.
    fn follow(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        let engine = &*self.engine;
        let changes = engine.source.changes();
        let options = engine.live.options;
        Box::pin(::live::follow(&engine.live.hub, changes, &engine.catalog, options))
    }

    async fn execute_cohort(&self, Execution { cohort, request, caller }: &Execution) {
        let mut again = FIRST_RETRY;
        while cohort.wait().await == Wake::Execute {
            self.engine.live.hub.count_execution();
            let (response, codes) = self.response(request, caller).await;
            cohort.publish(response);
            match codes.into_iter().any(is_transient) {
                true => {
                    // No change would tell that the source answers again.
                    cohort.mark_after(again).await;
                    again = (again * 2).min(LAST_RETRY);
                }
                false => again = FIRST_RETRY,
            }
        }
    }

    async fn drive_events(&self, mut work: EventExecution) {
        let channels = work.channels.take();
        let task = async {
            if let Some(channels) = channels {
                follow_channels(&self.engine.live.listeners, &channels).await;
            }
        };
        join(self.execute_events(work), task).await;
    }

    /// Executes a subscription for each event, until the subscriber leaves or events may be missing.
    async fn execute_events(&self, work: EventExecution) {
        let EventExecution { mut events, responses, mut request, caller, is_refused, .. } = work;
        if is_refused {
            let (response, _) = self.response(&request, &caller).await;
            // The subscriber may have left.
            let _ = responses.send(events.refused(response)).await;
            return;
        }
        loop {
            let event = tokio::select! {
                event = events.next() => event,
                () = responses.closed() => return,
            };
            let NextEvent { value, shared } = match event {
                Ok(event) => event,
                Err(end) => {
                    let response = Response::request_error(&[ended(end, events.origin())]);
                    // The subscriber may have left.
                    let _ = responses.send(response.body.into()).await;
                    return;
                }
            };
            set_event(&mut request.variables, value);
            let response = async || self.response(&request, &caller).await.0;
            let response = match &shared {
                Some(shared) => shared.get_or_init(response).await.clone(),
                None => response().await,
            };
            // Equal subscriptions may still take the shared response while it is sent.
            let Some(response) = events.sent(response) else { continue };
            if responses.send(response).await.is_err() {
                return;
            }
            drop(shared);
        }
    }

    /// The response to a subscription now, with the codes of its errors. Boxed: the task of a
    /// subscription is small while it waits.
    fn response<'e>(
        &'e self,
        request: &'e Request,
        caller: &'e Caller,
    ) -> Pin<Box<dyn Future<Output = (Bytes, Vec<ErrorCode>)> + 'e>> {
        Box::pin(async move {
            // The semaphore is never closed.
            let _slot = self.engine.live.slots.acquire().await;
            let mut report = Report::default();
            let (allowed, whole) = (Allowed::Subscriptions, Delivery::Whole);
            let limit = self.time_limit.unwrap_or(Duration::MAX);
            let work = self.deliver_for(request, caller, allowed, whole, &mut report);
            // After the limit the future is dropped, which cancels its statements.
            match timeout(limit, work).await {
                Ok(Response { body, held, .. }) => (reserved(body, held), report.codes),
                Err(_) => {
                    (Response::request_error(&[too_slow()]).body.into(), vec![ErrorCode::Timeout])
                }
            }
        })
    }
}

/// A subscription to events that has begun.
fn begun(
    events: Events,
    is_refused: bool,
    channels: Option<Channels>,
    (request, caller): (&Request, &Caller),
) -> Begun {
    // The next event is executed when the response to the last one is taken.
    let (responses, receiver) = mpsc::channel(1);
    let received = EventResponses { receiver, origin: events.origin() };
    let (request, caller) = (request.clone(), caller.clone());
    let work = EventExecution { events, responses, request, caller, is_refused, channels };
    let driver = Some(Driver(Work::Events(Box::new(work))));
    Begun { responses: Responses::Events(received), driver }
}

fn too_slow() -> GraphQLError {
    let message = "The subscription was not executed in time; it is executed again later.";
    GraphQLError::new(ErrorCode::Timeout, message)
}

/// Returns true if the same request may succeed later without a change of rows.
fn is_transient(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Unavailable
            | ErrorCode::Timeout
            | ErrorCode::Overloaded
            | ErrorCode::ResponseMemoryExhausted
            | ErrorCode::ResolverUnavailable
            | ErrorCode::ResolverTimeout
    )
}
