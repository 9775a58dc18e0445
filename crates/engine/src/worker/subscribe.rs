//! Live queries on one thread, and what they have in common with other subscriptions.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ::live::{CohortKey, FeedClaim, Joined, Subject, SubjectKind, Wake};
use bytes::Bytes;
use dialects::Listened;
use futures_util::FutureExt;
use futures_util::future::join;
use graphql::operation::OperationKind;
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request, check_files};
use source::Session;
use source::changes::Relay;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::batches;
use super::{Allowed, Delivery, Worker, coerced};
use crate::caller::Caller;
use crate::documents::Document;
use crate::engine::Engine;
use crate::events::{EventPlace, Events, NodeChanges, none};
use crate::live::{Begun, Driver, Execution, LiveWork, Responses, StreamResponses, Work, reserved};
use crate::live_directive::{LiveDirective, mark};
use crate::operands::operands_of;
use crate::prepare::Prepared;
use crate::repeated_errors::KnownErrors;
use crate::report::Report;
use crate::respond::Response;

/// Pauses before an execution that has failed is repeated.
pub(super) const FIRST_RETRY: Duration = Duration::from_millis(500);
pub(super) const LAST_RETRY: Duration = Duration::from_secs(30);

/// Pause before a feed continues the one that was lost: its fault may be a lasting one.
const FEED_PAUSE: Duration = Duration::from_millis(500);

/// Shortest time between two executions of a cohort in batches: the changes in this time are one.
/// It does not concern cohorts that change by themselves.
const WINDOW: Duration = Duration::from_millis(20);

/// Time between two executions of a subscription to calls of asynchronous actions.
const POLL: Duration = Duration::from_secs(1);

/// Number of executions of a cohort by itself after a batch that has failed.
const ALONE_AFTER_FAILURE: u8 = 16;

impl Engine {
    /// Returns true if an operation has a stream of responses: a subscription, and a live query.
    pub(crate) fn has_response_stream(&self, document: &Document, request: &Request) -> bool {
        document.operation.kind == OperationKind::Subscription
            || self.live_directive(document, request).is_some()
    }

    /// The directive by which a query is a live query.
    fn live_directive(&self, document: &Document, request: &Request) -> Option<LiveDirective> {
        let (schema, operation) = (&self.api.schema, &document.operation);
        let has_directive = self.live.options.has_directive;
        has_directive.then(|| LiveDirective::find(schema, operation, &request.variables)).flatten()
    }
}

const RESTRICTED: &str = "Policies restrict what you may read, and events of rows have former values: \
     only a role that may read everything (`all = true`) can subscribe to them.";

/// Logs at the first subscription to events whose events it receives. A broker of changes is there for
/// several servers.
fn log_reach(relay: &Relay) {
    const TEXT: &str = "subscriptions to events receive those of this server's mutations, and no events of \
                        other servers: send the mutations and the subscriptions of a type to one server, \
                        or subscribe to live queries";
    match relay {
        Relay::Bus(_) => tracing::warn!("{TEXT}"),
        Relay::Notify | Relay::None => tracing::info!("{TEXT}"),
    }
}

impl Worker {
    /// The document of a request, validated. The error is a finished response.
    pub fn document(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Arc<Document>, Response> {
        let known = self.engine.document(request, session, &mut false);
        let known = known.map_err(|errors| {
            self.engine.formed(Response::request_error(&errors), request, session)
        })?;
        Ok(Arc::clone(&known.document))
    }

    /// Returns true if an operation has a stream of responses: a subscription, and a live query.
    #[must_use]
    pub fn has_response_stream(&self, document: &Document, request: &Request) -> bool {
        self.engine.has_response_stream(document, request)
    }

    /// Begins a subscription or a live query. The error is a finished response.
    pub fn subscribe(&self, request: &Request, caller: &Caller) -> Result<Begun, Response> {
        if let Some(begun) = self.subscribe_further(request, caller) {
            return begun;
        }
        let begun = self.begin_after(None, request, caller)?;
        // Only a former subscription may have ended.
        begun.ok_or_else(|| {
            let error = GraphQLError::new(ErrorCode::Unavailable, "The subscription has ended.");
            self.engine.formed_alone(Response::request_error(&[error]))
        })
    }

    /// Continues a subscription of another engine. The error is a finished response.
    pub(crate) fn resume(
        &self,
        responses: &mut Responses,
        request: &Request,
        caller: &Caller,
    ) -> Result<Option<Driver>, Response> {
        if let Some(resumed) = self.resume_further(responses, request, caller) {
            return resumed;
        }
        let former = match responses {
            Responses::Events(former) => former,
            Responses::Rows(former) => return self.resume_stream(former, request, caller),
            Responses::Live(_) => {
                let Begun { responses: following, driver } = self.subscribe(request, caller)?;
                *responses = following;
                return Ok(driver);
            }
        };
        match self.begin_after(Some(&former.place), request, caller)? {
            Some(Begun { responses: Responses::Events(following), driver }) => {
                former.continue_with(following);
                Ok(driver)
            }
            Some(Begun { responses: Responses::Live(_) | Responses::Rows(_), .. }) => {
                let lost = Response::request_error(&[former.place.lost()]);
                Err(self.engine.formed_alone(lost))
            }
            // Its last responses are still to be sent.
            None => Ok(None),
        }
    }

    /// Continues a stream of another engine after the responses that are still to be sent.
    fn resume_stream(
        &self,
        former: &mut StreamResponses,
        request: &Request,
        caller: &Caller,
    ) -> Result<Option<Driver>, Response> {
        let refused =
            |errors: Vec<GraphQLError>| self.engine.formed_alone(Response::request_error(&errors));
        let position = former.end_execution();
        let (prepared, variables, _) = self.checked(request, caller).map_err(refused)?;
        let Some(Listened::Rows(stream)) = prepared.listened.as_deref() else {
            let message = "The API has been loaded again without this stream.";
            let error = GraphQLError::new(ErrorCode::Unavailable, message);
            return Err(refused(vec![error]));
        };
        let operation = (&*prepared, &variables);
        let begun = self.begin_stream(stream, operation, (request, caller), Some(position));
        let Begun { responses, driver } = begun.map_err(|error| refused(vec![error]))?;
        if let Responses::Rows(following) = responses {
            former.continue_with(following);
        }
        Ok(driver)
    }

    /// Requires that nothing restricts a session: events have values of rows as they were, which no
    /// rule can be asked about any more.
    fn require_all(&self, caller: &Caller) -> Result<(), Vec<GraphQLError>> {
        match self.engine.access_set(&caller.session)? {
            Some(set) if !set.permits_all() => {
                Err(vec![GraphQLError::new(ErrorCode::PermissionDenied, RESTRICTED)])
            }
            _ => Ok(()),
        }
    }

    /// Begins a subscription, after the events of a former one if there is one; `None` if that has
    /// ended.
    fn begin_after(
        &self,
        former: Option<&EventPlace>,
        request: &Request,
        caller: &Caller,
    ) -> Result<Option<Begun>, Response> {
        let refused = |errors: Vec<GraphQLError>| {
            self.engine.formed(Response::request_error(&errors), request, &caller.session)
        };
        let (prepared, variables, directive) = self.checked(request, caller).map_err(refused)?;
        match prepared.listened.as_deref() {
            Some(Listened::Channel(listened)) => {
                let begun = self.listen(listened, &variables, (request, caller), former);
                begun.map_err(|error| refused(vec![error]))
            }
            Some(
                Listened::Changes { entity, response_name, .. }
                | Listened::RowChanges { entity, response_name },
            ) => {
                if let Some(Listened::RowChanges { .. }) = prepared.listened.as_deref() {
                    self.require_all(caller).map_err(refused)?;
                }
                // Authorization removes the root field of a caller that may not subscribe, and nothing
                // is read of an event that a request refuses.
                let is_refused = prepared.is_empty();
                let none = none(response_name);
                let of = match prepared.listened.as_deref() {
                    Some(Listened::Changes { kind, .. }) => {
                        let labels = self.engine.catalog[*entity].labels.clone().into();
                        SubjectKind::Nodes { kind: *kind, labels }
                    }
                    _ => SubjectKind::Rows,
                };
                let subject = Subject { entity: *entity, of };
                let listeners = &self.engine.live.events;
                let listener = match former {
                    None => {
                        let listener = listeners.listen(subject);
                        if listener.is_first() {
                            log_reach(&self.engine.live.options.relay);
                        }
                        Some(listener)
                    }
                    Some(place) => {
                        place.changes(listeners, &subject).map_err(|error| refused(vec![error]))?
                    }
                };
                let Some(listener) = listener else { return Ok(None) };
                let changes = NodeChanges { listener, none, is_refused };
                Ok(Some(self.begun(Events::Changes(changes), (request, caller))))
            }
            Some(Listened::Rows(stream)) => {
                let operation = (&*prepared, &variables);
                let begun = self.begin_stream(stream, operation, (request, caller), None);
                begun.map(Some).map_err(|error| refused(vec![error]))
            }
            None => Ok(Some(self.join((&prepared, &variables, directive), request, caller))),
        }
    }

    /// Begins a live query.
    fn join(
        &self,
        (prepared, variables, directive): (&Prepared, &Variables, Option<LiveDirective>),
        request: &Request,
        caller: &Caller,
    ) -> Begun {
        let hub = &self.engine.live.hub;
        let name = request.operation_name.as_deref();
        let key = CohortKey::new(&request.query, name, &request.variables, &caller.session)
            .with_numbers(&request.numbers);
        let key = match &caller.forwarded {
            // Other servers receive headers of this client.
            Some(_) => key.alone(hub.number()),
            None => key,
        };
        let claims = caller.session.claims.as_deref();
        let variables = source::Variables { claims, ..operands_of(variables) };
        let dependencies = || prepared.dependencies(&self.engine.catalog, variables);
        let Joined { query, cohort, feed } = hub.join(key, dependencies);
        let execution = cohort.map(|cohort| Execution {
            cohort,
            request: request.clone(),
            caller: caller.clone(),
            directive,
            stream: None,
            polled: self.reads_action_log(prepared).then_some(POLL),
        });
        let driver = (execution.is_some() || feed.is_some()).then(|| {
            let work = LiveWork { hub: Arc::clone(hub), execution, feed };
            Driver(Work::Live(Box::new(work)))
        });
        Begun { responses: Responses::Live(query), driver }
    }

    /// Whether an operation reads calls of asynchronous actions.
    fn reads_action_log(&self, prepared: &Prepared) -> bool {
        let resolved = prepared.resolved.as_deref();
        resolved.is_some_and(|plan| {
            let mut selected = plan.selections.iter();
            selected.any(|selection| {
                let resolver = self.engine.api.find_resolver(selection.resolver);
                resolver.is_some_and(|resolver| resolver.definition.logged().is_some())
            })
        })
    }

    /// Checks a request as its execution does, and returns its plan.
    fn checked(
        &self,
        request: &Request,
        caller: &Caller,
    ) -> Result<(Arc<Prepared>, Variables, Option<LiveDirective>), Vec<GraphQLError>> {
        let engine = &*self.engine;
        let known = engine.document(request, &caller.session, &mut false)?;
        let kind = known.document.operation.kind;
        self.check_sources(request, caller, kind).map_err(|error| vec![error])?;
        let schema = engine.view(&caller.session)?.schema;
        let operation = &known.document.operation;
        check_files(schema, operation, request).map_err(|error| vec![error])?;
        let variables = coerced(schema, operation, request)?;
        let name = request.operation_name.as_deref();
        let prepared = engine.plan(&known, name, &variables, &caller.session, &mut false)?;
        let cost = prepared.cost(&variables, &caller.session);
        engine.limits.cost.check(cost).map_err(|error| vec![error])?;
        let directive = engine.live_directive(&known.document, request);
        let checked = directive.map(LiveDirective::check).transpose();
        checked.map_err(|error| vec![error])?;
        Ok((prepared, variables, directive))
    }

    /// Executes a subscription until it has no subscribers, and does the work for all subscriptions
    /// if nobody else does: it follows the changes of the source, or receives notifications.
    pub async fn drive(&self, driver: Driver) {
        match driver.0 {
            Work::Live(work) => self.drive_live(work).await,
            // Boxed: the task of a live query is small.
            Work::Events(work) => Box::pin(self.drive_events(*work)).await,
            Work::Further { number, driver } => {
                // The worker of the same engine has begun it.
                if let Some(worker) = self.further.get(number) {
                    Box::pin(worker.drive(*driver)).await;
                }
            }
        }
    }

    async fn drive_live(&self, mut work: Box<LiveWork>) {
        let hub = Arc::clone(&work.hub);
        let claim = work.feed.take();
        let (wakes_feed, has_ended) = (Notify::new(), Cell::new(false));
        let execution = async {
            if let Some(execution) = &work.execution {
                self.execute_cohort(execution, &wakes_feed).await;
            }
            has_ended.set(true);
            wakes_feed.notify_one();
        };
        let feed = async {
            if let Some(claim) = claim {
                self.follow(claim).await;
            }
            loop {
                match hub.take_feed() {
                    Some(claim) => self.continue_feed(claim).await,
                    None if has_ended.get() => return,
                    None => wakes_feed.notified().await,
                }
            }
        };
        join(execution, feed).await;
    }

    /// Follows the changes of the source. After a panic the claim is lost, and the driver of any cohort
    /// takes it; it is lost as well when the thread ends, as at the stop of the server. Boxed: only one
    /// task of many does so.
    fn follow(&self, claim: FeedClaim) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        let engine = &*self.engine;
        Box::pin(async move {
            let options = engine.live.options.clone();
            let changes = engine.source.changes(options.relay.clone());
            let feed = ::live::follow(claim, changes, &engine.catalog, options);
            // The panic hook has logged the reason.
            if AssertUnwindSafe(feed).catch_unwind().await.is_err() {
                tracing::error!(
                    "the task that follows changes of rows has failed; another one begins"
                );
            }
        })
    }

    /// Follows the changes of the source after another task was lost that did so.
    fn continue_feed(&self, claim: FeedClaim) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(async move {
            tracing::debug!("this task follows changes of rows now, after another one");
            sleep(FEED_PAUSE).await;
            self.follow(claim).await;
        })
    }

    async fn execute_cohort(&self, execution: &Execution, wakes_feed: &Notify) {
        let Execution { cohort, request, caller, directive, stream, polled } = execution;
        if let Some(stream) = stream {
            // Boxed: the task of a live query is small.
            return Box::pin(self.execute_stream(execution, stream, wakes_feed)).await;
        }
        let mut again = FIRST_RETRY;
        let mut known = KnownErrors::default();
        // Number of executions without a batch.
        let mut alone = 0;
        // The end of the window after the last batch.
        let mut window = Instant::now();
        while cohort.wait().await == Wake::Execute {
            if cohort.collect_until(window).await == Wake::End {
                break;
            }
            if self.engine.live.hub.is_feed_lost() {
                wakes_feed.notify_one();
            }
            self.engine.live.hub.count_execution();
            let begun = Instant::now();
            let batched = match alone {
                0 => self.batched(request, caller).await,
                _ => batches::Execution::Alone,
            };
            alone = match batched {
                batches::Execution::Failed => ALONE_AFTER_FAILURE,
                batches::Execution::Done(_) | batches::Execution::Alone => alone.saturating_sub(1),
            };
            let (response, codes) = match batched {
                batches::Execution::Done((response, codes)) => {
                    let response = self.engine.formed(response, request, &caller.session);
                    window = begun + WINDOW;
                    (finished(response, directive.is_some()), codes)
                }
                batches::Execution::Alone | batches::Execution::Failed => {
                    self.response(request, caller, directive.is_some(), &mut known).await
                }
            };
            match codes.is_empty() {
                true => known = KnownErrors::default(),
                false => alone = alone.max(1),
            }
            cohort.publish(response);
            if let Some(pause) = directive.and_then(LiveDirective::throttle) {
                // Boxed: the task of other live queries is small.
                Box::pin(cohort.pause(pause)).await;
            }
            match codes.into_iter().any(is_transient) {
                true => {
                    // No change would tell that the source answers again.
                    cohort.mark_after(again).await;
                    again = (again * 2).min(LAST_RETRY);
                }
                false => again = FIRST_RETRY,
            }
            if let Some(pause) = polled {
                // Boxed, as above.
                Box::pin(cohort.mark_after(*pause)).await;
            }
        }
    }

    /// The response to a subscription now, with the codes of its errors. Boxed: the task of a
    /// subscription is small while it waits.
    pub(super) fn response<'e>(
        &'e self,
        request: &'e Request,
        caller: &'e Caller,
        is_live_query: bool,
        known: &'e mut KnownErrors,
    ) -> Pin<Box<dyn Future<Output = (Bytes, Vec<ErrorCode>)> + 'e>> {
        Box::pin(async move {
            // The semaphore is never closed.
            let _slot = self.engine.live.slots.acquire().await;
            self.response_now(request, caller, is_live_query, known).await
        })
    }

    /// The response to a subscription now, for a caller that limits its executions itself.
    pub(super) async fn response_now(
        &self,
        request: &Request,
        caller: &Caller,
        is_live_query: bool,
        known: &mut KnownErrors,
    ) -> (Bytes, Vec<ErrorCode>) {
        let mut report = Report::default();
        let (allowed, whole) = (Allowed::Subscriptions, Delivery::Whole);
        let limit = self.time_limit.unwrap_or(Duration::MAX);
        let work = self.deliver_for(request, caller, allowed, whole, &mut report);
        let work = known.in_execution(work);
        // After the limit the future is dropped, which cancels its statements.
        match timeout(limit, work).await {
            Ok(response) => (finished(response, is_live_query), report.codes),
            Err(_) => {
                let response = Response::request_error(&[too_slow()]);
                let response = self.engine.formed_alone(response);
                (response.body.into(), vec![ErrorCode::Timeout])
            }
        }
    }
}

/// The bytes of a response.
fn finished(Response { body, held, .. }: Response, is_live_query: bool) -> Bytes {
    let mut body = Vec::from(body);
    if is_live_query {
        mark(&mut body);
    }
    reserved(body, held)
}

fn too_slow() -> GraphQLError {
    let message = "The subscription was not executed in time; it is executed again later.";
    GraphQLError::new(ErrorCode::Timeout, message)
}

/// Returns true if the same request may succeed later without a change of rows.
pub(super) fn is_transient(code: ErrorCode) -> bool {
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
