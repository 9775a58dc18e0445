//! Worker of a gateway: the state of one serving thread, with a client for each subgraph.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gateway::execute::{Executed, ExecutionStatistics, IncrementalFormat, Inputs, execute, write};
use graphql::operation::OperationKind;
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request, coerce_variable_values};
use response::sink::Full;
use response::{MemoryBudget, MemoryReservation, Refused, Sink};
use source::offload::{HERE, offload};
use supergraph::SubgraphId;
use tokio::sync::Notify;

use super::connectors::ConnectorState;
use super::events::EventInputs;
use super::incremental::execute_incrementally;
use super::local::LocalWorker;
use super::long_queries::{LONG, LongQuery, LongQueryResult, Written, execute_on_long_thread};
use super::transport::{RequestTransport, SourceEvent, SubgraphClient};
use super::{Caller, Gateway, Prepared, respond};
use crate::documents::Document;
use crate::live::without_stream;
use crate::report::{Planned, Report, Timed};
use crate::respond::{DATA, Response};
use crate::worker::{Allowed, refused};

/// Executes requests on one thread, over its own connections.
#[derive(Debug)]
pub struct GatewayWorker {
    pub(super) gateway: Arc<Gateway>,
    /// By [`supergraph::SubgraphId`].
    subgraphs: Vec<SubgraphClient>,
    memory: Arc<MemoryBudget>,
    time_limit: Option<Duration>,
}

impl GatewayWorker {
    /// Creates a worker whose responses use a shared memory budget.
    #[must_use]
    pub fn sharing(gateway: Arc<Gateway>, memory: Arc<MemoryBudget>) -> Self {
        let subgraphs =
            gateway.transports.iter().map(|way| SubgraphClient::new(way, &memory)).collect();
        Self { gateway, subgraphs, memory, time_limit: None }
    }

    /// The document of a request, validated. The error is a finished response.
    pub(crate) fn document(&self, request: &Request) -> Result<Arc<Document>, Response> {
        let known = self.gateway.document(request, &mut false);
        let known = known.map_err(|errors| Response::request_error(&errors))?;
        Ok(Arc::clone(&known.document))
    }

    /// Limits the time of a request.
    #[must_use]
    pub fn within(self, time_limit: Duration) -> Self {
        let subgraphs = self.subgraphs.into_iter().map(|one| one.within(time_limit)).collect();
        Self { subgraphs, time_limit: Some(time_limit), ..self }
    }

    /// Returns a subgraph that is a source in this process.
    pub(super) fn local(&self, subgraph: SubgraphId) -> Option<&LocalWorker> {
        match self.subgraphs.get(usize::from(subgraph.0))? {
            SubgraphClient::Local(local) => Some(local),
            SubgraphClient::Remote(_)
            | SubgraphClient::Events(_)
            | SubgraphClient::Connectors(_) => None,
        }
    }

    /// Returns the client of a subgraph.
    pub(super) fn client(&self, subgraph: SubgraphId) -> Option<&SubgraphClient> {
        self.subgraphs.get(usize::from(subgraph.0))
    }

    /// Returns the budget of responses.
    pub(super) fn memory(&self) -> &Arc<MemoryBudget> {
        &self.memory
    }

    /// Closes connections that were idle for too long; to be called periodically.
    pub fn close_old_connections(&self) {
        self.subgraphs.iter().for_each(SubgraphClient::close_idle);
    }

    #[must_use]
    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    pub(crate) fn shared_gateway(&self) -> Arc<Gateway> {
        Arc::clone(&self.gateway)
    }

    /// Executes a request and reports its stages. Dropping the future cancels the request and its
    /// fetches.
    pub async fn deliver_reported(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        report: &mut Report,
    ) -> Response {
        match self.run(request, caller, allowed, report).await {
            Ok(response) => response,
            Err(errors) => {
                report.refuse(&errors);
                Response::request_error(&errors)
            }
        }
    }

    /// Executes a request whose client accepts several payloads of a format.
    pub(crate) async fn deliver_incrementally(
        self: &Rc<Self>,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        format: IncrementalFormat,
        report: &mut Report,
    ) -> Response {
        match self.run_incrementally(request, caller, allowed, format, report).await {
            Ok(response) => response,
            Err(errors) => {
                report.refuse(&errors);
                Response::request_error(&errors)
            }
        }
    }

    /// The pipeline, a statement per stage.
    async fn run(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let Some(ready) = self.ready(request, caller, allowed, Parts::Together, report)? else {
            return Ok(refused());
        };
        Ok(self.execute_ready(&ready, caller, report).await)
    }

    async fn run_incrementally(
        self: &Rc<Self>,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        format: IncrementalFormat,
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let Some(ready) = self.ready(request, caller, allowed, Parts::Deferred, report)? else {
            return Ok(refused());
        };
        if ready.prepared.plan.parts.len() < 2 {
            return Ok(self.execute_ready(&ready, caller, report).await);
        }
        let timed = Timed::since(ready.executing, &mut report.stages.execute);
        let observed = std::mem::take(&mut report.fetches);
        let query = self.long_query(ready.inputs(caller), ready.started, observed);
        let initial = execute_incrementally(self, query, format).await;
        drop(timed);
        report.codes.extend(initial.codes);
        report.fetches = initial.observed;
        Ok(initial.response)
    }

    /// Plans a request, and checks whether it may be executed; `None` if it may not be by its method.
    fn ready(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        parts: Parts,
        report: &mut Report,
    ) -> Result<Option<Ready>, Vec<GraphQLError>> {
        let gateway = &*self.gateway;
        let started = *report.started.insert(Instant::now());
        let timed = Timed::since(started, &mut report.stages.document);
        let known = gateway.document(request, &mut report.document_known)?;
        let planning = timed.end();
        report.set_document(&known.document);
        let document = Arc::clone(&known.document);
        let operation = &document.operation;
        report.operation = Some(operation.kind);
        if operation.kind == OperationKind::Subscription {
            return Err(vec![without_stream(OperationKind::Subscription)]);
        }
        if operation.kind != OperationKind::Query && allowed == Allowed::Queries {
            report.codes = vec![ErrorCode::MethodNotAllowed];
            return Ok(None);
        }
        let timed = Timed::since(planning, &mut report.stages.plan);
        let variables = coerce_variable_values(gateway.schema(), operation, &request.variables)?;
        let name = request.operation_name.as_deref();
        let plan_key = match parts {
            Parts::Deferred if document.defers => gateway.plan_key(&known, caller).in_parts(),
            Parts::Deferred | Parts::Together => gateway.plan_key(&known, caller),
        };
        let prepared = gateway.plan(&known, name, &variables, &plan_key, &mut report.plan_known)?;
        let executing = timed.end();
        report.set_plan(Planned::Gateway(Arc::clone(&prepared)));
        gateway.refuse_denied(&prepared)?;
        gateway.check_cost(&prepared, &variables, &mut report.cost)?;
        gateway.check_topics(&prepared, operation, &variables)?;
        Ok(Some(Ready { document, prepared, variables, started, executing }))
    }

    async fn execute_ready(&self, ready: &Ready, caller: &Caller, report: &mut Report) -> Response {
        let timed = Timed::since(ready.executing, &mut report.stages.execute);
        let seen = ReportParts { codes: &mut report.codes, observed: &mut report.fetches };
        let response = self.execute(ready.inputs(caller), ready.started, seen).await;
        drop(timed);
        response
    }

    async fn execute(
        &self,
        inputs: ExecutionInputs<'_>,
        started: Instant,
        ReportParts { codes, observed }: ReportParts<'_>,
    ) -> Response {
        let gateway = &*self.gateway;
        let kind = inputs.document.operation.kind;
        let written = match kind {
            OperationKind::Query if gateway.transports.iter().all(|way| way.local().is_none()) => {
                self.execute_query(inputs, started, observed).await
            }
            OperationKind::Query | OperationKind::Mutation | OperationKind::Subscription => {
                self.execute_here(inputs, started, ExecutionMode::Whole, observed).await.0
            }
        };
        self.respond(inputs, written, codes)
    }

    /// Executes the plan of a subscription for an event.
    pub(super) async fn execute_event(
        &self,
        inputs: ExecutionInputs<'_>,
        started: Instant,
        event: &SourceEvent,
        ReportParts { codes, observed }: ReportParts<'_>,
    ) -> Response {
        let mode = ExecutionMode::Event(event);
        let (written, _) = self.execute_here(inputs, started, mode, observed).await;
        self.respond(inputs, written, codes)
    }

    fn respond(
        &self,
        inputs: ExecutionInputs<'_>,
        written: Written,
        codes: &mut Vec<ErrorCode>,
    ) -> Response {
        let gateway = &*self.gateway;
        let ExecutionInputs { document, prepared, caller, .. } = inputs;
        let kind = document.operation.kind;
        match written {
            Ok((sink, errors)) => {
                let plan = gateway.exposes_plan(caller).then_some(&prepared.plan);
                respond::complete(gateway, sink, errors, plan, codes)
            }
            Err(full) => respond::too_large(&full, kind, codes),
        }
    }

    /// Executes a query on this thread, or on a separate one if a response is long or was long the
    /// last time.
    async fn execute_query(
        &self,
        inputs: ExecutionInputs<'_>,
        started: Instant,
        observed: &mut ExecutionStatistics,
    ) -> Written {
        let is_long = &inputs.prepared.is_long;
        if !is_long.load(Ordering::Relaxed) {
            let proves_long = Notify::new();
            tokio::select! {
                biased;
                () = proves_long.notified() => {}
                done = self.execute_here(inputs, started, ExecutionMode::Probe(&proves_long), observed) => {
                    return done.0;
                }
            }
            is_long.store(true, Ordering::Relaxed);
        }
        let query = self.long_query(inputs, started, std::mem::take(observed));
        match execute_on_long_thread(query).await {
            Ok(done) => {
                *observed = done.observed;
                is_long.store(done.is_long, Ordering::Relaxed);
                done.written
            }
            Err(query) => {
                *observed = query.observed;
                self.execute_here(inputs, started, ExecutionMode::Whole, observed).await.0
            }
        }
    }

    /// Returns a query with everything that its execution on another thread needs.
    fn long_query(
        &self,
        inputs: ExecutionInputs<'_>,
        started: Instant,
        observed: ExecutionStatistics,
    ) -> LongQuery {
        LongQuery {
            gateway: Arc::clone(&self.gateway),
            memory: Arc::clone(&self.memory),
            time_limit: self.time_limit,
            document: Arc::clone(inputs.document),
            prepared: Arc::clone(inputs.prepared),
            variables: inputs.variables.clone(),
            caller: inputs.caller.clone(),
            started,
            observed,
        }
    }

    /// Creates the worker of a separate thread for a query.
    pub(super) fn for_long_query(query: &LongQuery) -> Self {
        let worker = Self::sharing(Arc::clone(&query.gateway), Arc::clone(&query.memory));
        match query.time_limit {
            Some(limit) => worker.within(limit),
            None => worker,
        }
    }

    /// Whether this worker has the gateway and the limits of a query.
    pub(super) fn is_for(&self, query: &LongQuery) -> bool {
        Arc::ptr_eq(&self.gateway, &query.gateway)
            && Arc::ptr_eq(&self.memory, &query.memory)
            && self.time_limit == query.time_limit
    }

    /// Executes a query on a separate thread.
    pub(super) async fn execute_long(&self, query: LongQuery) -> LongQueryResult {
        let LongQuery { document, prepared, variables, caller, started, mut observed, .. } = query;
        let inputs = ExecutionInputs {
            document: &document,
            prepared: &prepared,
            variables: &variables,
            caller: &caller,
        };
        let (written, is_long) =
            self.execute_here(inputs, started, ExecutionMode::Whole, &mut observed).await;
        LongQueryResult { written, observed, is_long }
    }

    /// Executes a request on this thread; also returns whether a subgraph response was long.
    async fn execute_here(
        &self,
        inputs: ExecutionInputs<'_>,
        started: Instant,
        mode: ExecutionMode<'_>,
        observed: &mut ExecutionStatistics,
    ) -> (Written, bool) {
        let ExecutionInputs { document, prepared, variables, .. } = inputs;
        let gateway = &*self.gateway;
        let (supergraph, plan) = (&gateway.supergraph, &prepared.plan);
        let operation = &document.operation;
        let (proves_long, event) = match mode {
            ExecutionMode::Whole => (None, None),
            ExecutionMode::Probe(proves_long) => (Some(proves_long), None),
            ExecutionMode::Event(event) => (None, Some(event)),
        };
        let transport = RequestTransport { proves_long, event, ..self.transport(inputs, started) };
        let inputs = Inputs { supergraph, operation, plan, variables };
        let memory = MemoryReservation::of(&self.memory);
        let options = gateway.options.execution;
        let executed = execute(inputs, &transport, options, memory, observed).await;
        let is_long = executed.received() > LONG;
        (self.write(prepared, executed).await, is_long)
    }

    /// Returns the transport of a request that was received at a time.
    pub(super) fn transport<'a>(
        &'a self,
        ExecutionInputs { document, prepared, variables, caller }: ExecutionInputs<'a>,
        started: Instant,
    ) -> RequestTransport<'a> {
        let supergraph = &self.gateway.supergraph;
        let operation = &document.operation;
        RequestTransport {
            gateway: &self.gateway,
            events: EventInputs { supergraph, prepared, operation, variables },
            connectors: ConnectorState::default(),
            subgraphs: &self.subgraphs,
            caller,
            deadline: self.time_limit.map(|limit| started + limit),
            memory: &self.memory,
            proves_long: None,
            event: None,
        }
    }

    /// Writes the data: on this thread if it is short, otherwise on a blocking thread, so that
    /// other requests do not wait.
    async fn write(&self, prepared: &Arc<Prepared>, mut executed: Executed) -> Written {
        let begin = |gateway: &Gateway, executed: &Executed| {
            let most = gateway.limits().response_bytes;
            let held = MemoryReservation::of(&self.memory);
            Sink::new(DATA.to_vec(), most, held).expecting(executed.expected())
        };
        if executed.received() <= HERE {
            let mut sink = begin(&self.gateway, &executed);
            sink.limit_work(Some(HERE as u64));
            let (supergraph, plan) = (&self.gateway.supergraph, &prepared.plan);
            match write(supergraph, plan, &mut executed, &prepared.literals, sink) {
                Err(Full::Refused(Refused::TooLongHere)) => {}
                written => return written.map(|sink| (sink, executed.into_errors())),
            }
        }
        let mut sink = begin(&self.gateway, &executed);
        let (gateway, prepared) = (Arc::clone(&self.gateway), Arc::clone(prepared));
        let written = offload(move |abandoned| {
            sink.watch(abandoned);
            let (supergraph, plan) = (&gateway.supergraph, &prepared.plan);
            let sink = write(supergraph, plan, &mut executed, &prepared.literals, sink)?;
            Ok((sink, executed.into_errors()))
        });
        written.await.unwrap_or(Err(Full::Refused(Refused::Unread)))
    }
}

/// Form of the response of an operation with deferred fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    Together,
    Deferred,
}

/// A planned request that may be executed.
struct Ready {
    document: Arc<Document>,
    prepared: Arc<Prepared>,
    variables: Variables,
    /// Time of its begin, and of the end of planning.
    started: Instant,
    executing: Instant,
}

impl Ready {
    fn inputs<'a>(&'a self, caller: &'a Caller) -> ExecutionInputs<'a> {
        let Self { document, prepared, variables, .. } = self;
        ExecutionInputs { document, prepared, variables, caller }
    }
}

/// Inputs of an execution.
#[derive(Clone, Copy)]
pub(super) struct ExecutionInputs<'a> {
    pub(super) document: &'a Arc<Document>,
    pub(super) prepared: &'a Arc<Prepared>,
    pub(super) variables: &'a Variables,
    pub(super) caller: &'a Caller,
}

/// Kind of an execution.
#[derive(Clone, Copy)]
enum ExecutionMode<'a> {
    Whole,
    /// The caller cancels it when a response of a subgraph proves to be long, which is notified.
    Probe(&'a Notify),
    /// For an event of a subscription.
    Event(&'a SourceEvent),
}

/// Parts of the report that an execution fills.
pub(super) struct ReportParts<'a> {
    pub(super) codes: &'a mut Vec<ErrorCode>,
    pub(super) observed: &'a mut ExecutionStatistics,
}
