//! Workers: everything that one thread needs to answer requests.

mod action_delivery;
mod batches;
mod cached;
mod events;
pub(crate) mod further;
mod further_requests;
mod incremental;
mod input_checks;
mod logged_actions;
mod passwords;
mod raw_statements;
mod record;
mod recorded;
mod resolve;
mod streams;
mod subscribe;
mod topics;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::gateway::execute::IncrementalFormat;
use ::live::Written;
use clients::egress::Client;
use graphql::operation::{Operation, OperationKind};
use graphql::variables::SlotNumbers;
use graphql::{ErrorCode, GraphQLError, Request, View, check_files, coerce_variable_values};
use response::{Echo, MemoryBudget, MemoryReservation};
use source::operand::Password;
use source::statistics::Counter;
use source::{
    ChangePosition, ExecuteError, ExecuteParams, Executed, Freshness, Session, Sizes, SourceError,
    Variables,
};
use sources::Connections;
use uploads::Files;

use self::batches::Batches;
pub(crate) use self::further_requests::FurtherRequest;
use crate::caller::Caller;
use crate::documents::CachedDocument;
use crate::engine::Engine;
use crate::event_session;
use crate::events::given_event;
use crate::federated_trace::Begun;
use crate::live::without_stream;
use crate::operands::operands_of;
use crate::prepare::Prepared;
use crate::report::{Planned, Report, Timed};
use crate::resolvers::Resolvers;
use crate::respond::{DATA, Kind, Response};

/// Answers requests on one thread, with connections of its own.
#[derive(Debug)]
pub struct Worker {
    pub(crate) engine: Arc<Engine>,
    pub(crate) connections: Connections,
    memory: Arc<MemoryBudget>,
    /// The client of other servers that give values of fields.
    egress: Option<Client>,
    sizes: Sizes,
    time_limit: Option<Duration>,
    batches: Batches,
    /// The workers of further sources.
    pub(crate) further: Vec<Worker>,
}

/// The logged message of a value that cannot be bound.
const NOT_TAKEN: &str = "A value of the request is not one of its type.";

/// The form of delivering an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As a whole.
    Whole,
    /// In parts if it is long.
    Streamed,
    /// As a whole, with a trace of the selected fields.
    Traced,
}

impl Delivery {
    /// Delivery of a part of an answer that is delivered as a whole.
    #[must_use]
    pub fn whole(self) -> Self {
        match self {
            Self::Whole | Self::Streamed => Self::Whole,
            Self::Traced => Self::Traced,
        }
    }
}

/// The operations that a request may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Queries only: the request came by GET, which may be repeated.
    Queries,
    /// Queries and mutations.
    All,
    /// Subscriptions, too: they are executed as queries are.
    Subscriptions,
}

/// A request that is planned.
struct Ready {
    known: Arc<CachedDocument<Prepared>>,
    prepared: Arc<Prepared>,
    variables: graphql::variables::Variables,
    kind: OperationKind,
    /// Estimated cost, in rows.
    cost: u64,
    /// The time at which it was planned.
    since: Instant,
    files: Files,
}

impl Ready {
    fn variables<'v>(&'v self, session: &'v Session) -> Variables<'v> {
        let claims = session.claims.as_deref();
        Variables { claims, files: &self.files, ..operands_of(&self.variables) }
    }
}

impl Ready {
    /// Whether its response may have several payloads.
    fn may_be_in_parts(&self) -> bool {
        self.known.document.defers && self.files.is_empty()
    }

    /// Refuses files of a mutation that other servers receive parts of.
    fn require_no_files(&self, whose: &str) -> Result<(), GraphQLError> {
        match self.files.is_empty() {
            true => Ok(()),
            false => Err(GraphQLError::new(
                ErrorCode::BadUserInput,
                format!(
                    "A mutation with files cannot have {whose}: send the files by a mutation of \
                     their own."
                ),
            )),
        }
    }
}

impl Worker {
    /// A worker without a limit of its answers' memory.
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Self {
        Self::sharing(engine, MemoryBudget::new(u64::MAX))
    }

    /// A worker whose answers share the memory budget of all workers.
    #[must_use]
    pub fn sharing(engine: Arc<Engine>, memory: Arc<MemoryBudget>) -> Self {
        let connections = engine.source.connections(engine.connections, &memory);
        let egress = engine.resolvers.as_ref().map(Resolvers::client);
        let (sizes, batches) = (Sizes::default(), Batches::default());
        let further = engine.further.iter();
        let further =
            further.map(|one| Self::sharing(Arc::clone(&one.engine), Arc::clone(&memory)));
        let further = further.collect();
        Self { engine, connections, memory, egress, sizes, time_limit: None, batches, further }
    }

    /// Sets the sizes of streamed answers.
    pub fn set_sizes(&mut self, sizes: Sizes) {
        self.sizes = sizes;
        self.further.iter_mut().for_each(|worker| worker.set_sizes(sizes));
    }

    /// The worker with a timeout of its requests, which databases enforce as a statement timeout.
    #[must_use]
    pub fn within(self, time_limit: Duration) -> Self {
        let further = self.further.into_iter().map(|worker| worker.within(time_limit)).collect();
        Self { time_limit: Some(time_limit), further, ..self }
    }

    /// The worker with a counter of its connections.
    #[must_use]
    pub fn counted(mut self, counter: Counter) -> Self {
        let further = std::mem::take(&mut self.further).into_iter();
        self.further = further.map(|worker| worker.counted(counter.clone())).collect();
        self.connections.count(counter);
        self
    }

    /// Closes idle connections of long standing; to be called periodically.
    pub fn close_old_connections(&self) {
        self.connections.close_old();
        self.further.iter().for_each(Self::close_old_connections);
    }

    /// Probes the source.
    pub async fn probe(&self) -> Result<(), SourceError> {
        self.connections.probe().await
    }

    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Answers one request of an unauthenticated session.
    pub async fn execute(&self, request: &Request, allowed: Allowed) -> Response {
        self.execute_reported(request, allowed, &mut Report::default()).await
    }

    /// Answers one request of an unauthenticated session and fills the report. Dropping the future
    /// cancels the request, its statements in the source included; the report then shows its
    /// progress.
    pub async fn execute_reported(
        &self,
        request: &Request,
        allowed: Allowed,
        report: &mut Report,
    ) -> Response {
        let anonymous = Session::default();
        self.deliver_reported(request, &anonymous, allowed, Delivery::Whole, report).await
    }

    /// Answers one request of a session. An answer that may be streamed has a rest.
    pub async fn deliver_reported(
        &self,
        request: &Request,
        session: &Session,
        allowed: Allowed,
        delivery: Delivery,
        report: &mut Report,
    ) -> Response {
        let caller = Caller { session: session.clone(), ..Caller::default() };
        self.deliver_for(request, &caller, allowed, delivery, report).await
    }

    /// Answers one request of a caller, whose headers other servers may receive.
    pub async fn deliver_for(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        delivery: Delivery,
        report: &mut Report,
    ) -> Response {
        self.deliver(request, caller, allowed, (delivery, None), report).await
    }

    /// The same, perhaps in several payloads.
    async fn deliver(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        (delivery, incremental): (Delivery, Option<IncrementalFormat>),
        report: &mut Report,
    ) -> Response {
        if let Some(worker) = self.further_of(request, &caller.session) {
            // Boxed: a further source has none itself.
            let delivered =
                worker.deliver(request, caller, allowed, (delivery, incremental), report);
            let response = Box::pin(delivered).await;
            // The document of this API: its fields are counted, and not those of the source's own.
            if let Ok(known) = self.engine.document(request, &caller.session, &mut false) {
                report.document = Some(Arc::clone(&known.document));
            }
            return response;
        }
        let begun = (delivery == Delivery::Traced).then(Begun::now);
        let form = (delivery, incremental.filter(|_| begun.is_none()));
        let mut response = match self.run(request, caller, allowed, form, report).await {
            Ok(response) => response,
            Err(errors) => {
                report.refuse(&errors);
                Response::request_error(&errors)
            }
        };
        response = self.engine.formed(response, request, &caller.session);
        if report.operation == Some(OperationKind::Mutation) {
            self.invalidate_answers(report).await;
            self.wake_cohorts(report);
            // Other servers, and statements of clients, may have changed something as well.
            if report.observed.changed_at.is_none() && may_have_changed(report) {
                report.observed.changed_at = Some(ChangePosition::Unknown);
            }
        }
        if let Some(begun) = begun {
            begun.write(&self.engine, request, report, &mut response);
        }
        response
    }

    /// The whole pipeline, one statement per stage.
    async fn run(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        (delivery, incremental): (Delivery, Option<IncrementalFormat>),
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let Some(ready) = self.ready(request, &caller.session, allowed, report)? else {
            return Ok(refused());
        };
        let caller = &*of_kind(caller, ready.kind, allowed);
        if let Some(wish) = self.wish(&ready, request, caller, (allowed, delivery))? {
            // Boxed: every request that is not cached would need the space.
            let cached = self.run_cached(&ready, request, (caller, delivery), wish, report);
            return Box::pin(cached).await;
        }
        if ready.kind == OperationKind::Mutation && !engine.api.input_checks.is_empty() {
            // Boxed: few APIs have such checks.
            Box::pin(self.check_inputs(&ready, caller, report)).await.map_err(|one| vec![one])?;
        }
        if ready.prepared.has_resolved() {
            ready.require_no_files("values of other servers").map_err(|one| vec![one])?;
            return Box::pin(self.run_resolved(&ready, request, caller, report)).await;
        }
        if let Some(format) = incremental.filter(|_| ready.may_be_in_parts()) {
            // Boxed: few requests have parts, and every one would need the space.
            let session = &caller.session;
            let parts = Box::pin(self.run_in_parts(&ready, request, session, format, report));
            if let Some(response) = parts.await? {
                return Ok(response);
            }
        }
        self.run_ready(&ready, request, (caller, delivery), report).await
    }

    /// The stages after the plan.
    async fn run_ready(
        &self,
        ready: &Ready,
        request: &Request,
        (caller, delivery): (&Caller, Delivery),
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let (engine, session) = (&*self.engine, &caller.session);
        let Ready { known, variables, kind, since, .. } = ready;
        let events = &engine.live.events;
        let is_concerned = events.are_concerned(&ready.prepared.written);
        let recorders = engine.recorders(&ready.prepared.written);
        let name = request.operation_name.as_deref();
        let has_listeners = is_concerned && engine.api.has_row_events();
        let observing = match has_listeners || recorders.is_some() {
            true => Some(engine.plan_with_events(known, name, variables, session)?),
            false => None,
        };
        if let Some(observing) = &observing {
            report.set_plan(Planned::Source(Arc::clone(observing)));
        }
        let prepared = observing.as_ref().unwrap_or(&ready.prepared);
        let timed = Timed::since(*since, &mut report.stages.execute);
        let echoes = prepared
            .echoes(ready.variables(session))
            .map_err(|error| vec![engine.map_error(&error).logged_as(NOT_TAKEN)])?;
        let recorded = self.recorded(*kind, session);
        let session = recorded.as_ref().unwrap_or(session);
        let passwords = self.hashed(ready, session).await?;
        let params = self.params(ready, session, caller.freshness, (&echoes, &passwords));
        let params = ExecuteParams { recorders, ..params };
        let held = MemoryReservation::of(&self.memory);
        let sink = prepared.begin(DATA, engine.limits.response_bytes, held);
        let observed = &mut report.observed;
        let publication = match is_concerned {
            true => Some(events.begin(&prepared.written).await),
            false => None,
        };
        let touched = match &publication {
            Some(_) if observing.is_none() => prepared.touched(engine),
            Some(_) | None => None,
        };
        let plan = touched.unwrap_or(&prepared.plan);
        let delivery = match delivery {
            Delivery::Streamed if *kind == OperationKind::Query => {
                source::Delivery::Streamed(self.sizes)
            }
            // The answer of a change begins after its commit, so it is not streamed.
            Delivery::Whole | Delivery::Streamed | Delivery::Traced => source::Delivery::Whole,
        };
        let executed = self.connections.deliver(plan, params, sink, delivery, observed).await;
        let has_events = touched.is_some() || observing.is_some();
        if let Some(publication) = publication.filter(|_| has_events) {
            publication.publish(&std::mem::take(&mut observed.committed));
        }
        drop(timed);
        report.stages.split_off_write(report.observed.write);
        engine.reweigh(known, name, prepared);
        Ok(match executed {
            Ok(Executed::Whole(written)) => {
                prepared.end(&written.data);
                Response::executed(engine, written, &mut report.codes)
            }
            Ok(Executed::Streamed(streamed)) => Response::begun(&self.engine, streamed),
            Err(error) => failed(engine, error, report),
        })
    }

    /// The session of a change whose variables are recorded; `None` if they are not.
    fn recorded(&self, kind: OperationKind, session: &Session) -> Option<Session> {
        match self.engine.records_sessions {
            true => event_session::of_change(kind, session),
            false => None,
        }
    }

    /// Invalidates the cached answers that a mutation may concern, those of other servers, too.
    async fn invalidate_answers(&self, report: &Report) {
        let Some(cache) = &self.engine.cache else { return };
        match &report.prepared {
            // Statements of clients and other servers may have changed anything.
            Some(Planned::Source(prepared)) if prepared.has_resolved() => {
                cache.invalidate(&Written::Anything);
            }
            Some(Planned::Source(prepared)) => {
                cache.invalidate(&prepared.written_with_cascades(&self.engine.catalog));
            }
            Some(Planned::Gateway(_)) | None => return,
        }
        if cache.shared().is_some() {
            // Boxed: most servers share nothing, and every request would need the space.
            Box::pin(cache.publish()).await;
        }
    }

    /// Executes live queries soon that a mutation may concern.
    fn wake_cohorts(&self, report: &Report) {
        let hub = &self.engine.live.hub;
        match &report.prepared {
            // Other sources find the changes themselves.
            Some(Planned::Source(prepared)) if prepared.plan.graph().is_some() => {
                hub.wake_written(prepared.all_written());
            }
            _ => hub.wake(),
        }
    }

    /// Prepares a request; `None` if the operation is not allowed.
    fn ready(
        &self,
        request: &Request,
        session: &Session,
        allowed: Allowed,
        report: &mut Report,
    ) -> Result<Option<Ready>, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let started = *report.started.insert(Instant::now());
        let timed = Timed::since(started, &mut report.stages.document);
        let known = engine.document(request, session, &mut report.document_known)?;
        let planning = timed.end();
        report.set_document(&known.document);
        let document = &known.document;
        let operation = &document.operation;
        let kind = operation.kind;
        report.operation = Some(kind);
        if allowed != Allowed::Subscriptions && engine.has_response_stream(document, request) {
            return Err(vec![without_stream(kind)]);
        }
        if kind != OperationKind::Query && allowed == Allowed::Queries {
            report.codes = vec![ErrorCode::MethodNotAllowed];
            return Ok(None);
        }
        let timed = Timed::since(planning, &mut report.stages.plan);
        let schema = engine.view(session)?.schema;
        check_files(schema, operation, request).map_err(|error| vec![error])?;
        let variables = coerced(schema, operation, request)?;
        let name = request.operation_name.as_deref();
        let prepared = engine.plan(&known, name, &variables, session, &mut report.plan_known)?;
        let since = timed.end();
        report.set_plan(Planned::Source(Arc::clone(&prepared)));
        let cost = prepared.cost(&variables, session);
        report.cost = Some(cost);
        engine.limits.cost.check(cost).map_err(|error| vec![error])?;
        let checked = prepared.check_patterns(engine.limits.patterns, &variables);
        checked.map_err(|error| vec![error])?;
        let files = request.files.clone();
        Ok(Some(Ready { known, prepared, variables, kind, cost, since, files }))
    }

    /// The passwords of a request.
    async fn hashed(
        &self,
        ready: &Ready,
        session: &Session,
    ) -> Result<Vec<Password>, Vec<GraphQLError>> {
        if ready.prepared.passwords.is_empty() {
            return Ok(Vec::new());
        }
        let variables = ready.variables(session);
        let hashed = self.passwords(&ready.prepared, variables, session).await;
        hashed.map_err(|error| vec![error])
    }

    fn params<'v>(
        &self,
        ready: &'v Ready,
        session: &'v Session,
        freshness: Freshness,
        (echoes, passwords): (&'v [Echo], &'v [Password]),
    ) -> ExecuteParams<'v> {
        let variables = Variables { passwords, ..ready.variables(session) };
        let (cost, time_limit) = (ready.cost, self.time_limit);
        let recorders = None;
        ExecuteParams { variables, session, freshness, echoes, cost, time_limit, recorders }
    }
}

/// The caller of an operation of a kind. Only a query may see another state than the newest: what a
/// mutation reads are its own changes, and a subscription is executed after the changes that it shows.
fn of_kind(caller: &Caller, kind: OperationKind, allowed: Allowed) -> Cow<'_, Caller> {
    let is_query = kind == OperationKind::Query && allowed != Allowed::Subscriptions;
    match is_query || caller.freshness == Freshness::Newest {
        true => Cow::Borrowed(caller),
        false => Cow::Owned(Caller { freshness: Freshness::Newest, ..caller.clone() }),
    }
}

/// Whether a mutation may have committed changes.
fn may_have_changed(report: &Report) -> bool {
    let has_resolved = match &report.prepared {
        Some(Planned::Source(prepared)) => prepared.has_resolved(),
        Some(Planned::Gateway(_)) | None => false,
    };
    report.observed.has_changed || has_resolved
}

/// The values of a request's variables; of a subscription also those of its event.
pub(crate) fn coerced(
    schema: View<'_>,
    operation: &Operation,
    request: &Request,
) -> Result<graphql::variables::Variables, Vec<GraphQLError>> {
    let mut variables = coerce_variable_values(schema, operation, &request.variables)?;
    variables.numbers = SlotNumbers::new(operation, &request.numbers);
    if operation.kind == OperationKind::Subscription {
        variables.values.extend(given_event(&request.variables));
    }
    Ok(variables)
}

/// The response of a request that failed before its first byte.
fn failed(engine: &Engine, error: ExecuteError, report: &mut Report) -> Response {
    match error {
        ExecuteError::TooLarge(error) if report.observed.has_changed => {
            Response::changed(&error, &mut report.codes)
        }
        error => Response::failed(engine, error, &mut report.codes),
    }
}

/// The response to an operation that changes something and came by GET.
pub(crate) fn refused() -> Response {
    let error = GraphQLError::new(
        ErrorCode::MethodNotAllowed,
        "Only queries can be sent by GET; send a mutation by POST.",
    );
    Response { kind: Kind::MutationRefused, ..Response::request_error(&[error]) }
}
