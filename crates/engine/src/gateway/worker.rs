//! What one thread needs to answer requests of a supergraph: a client for each subgraph.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gateway::execute::{Executed, Inputs, Observed, execute, write};
use gateway::supergraph::SubgraphId;
use graphql::operation::OperationKind;
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError, Request, coerce_variable_values};
use response::sink::Full;
use response::{Held, Memory, Refused, Sink};
use source::offload::{HERE, offload};
use tokio::sync::Notify;

use super::apart::{Done, LONG, Work, Written, execute_apart};
use super::ask::{Asked as AskedSubgraph, Asking};
use super::local::LocalWorker;
use super::{Caller, Gateway, Prepared, respond};
use crate::documents::Document;
use crate::report::{Planned, Report, Timed};
use crate::respond::{DATA, Response};
use crate::worker::{Allowed, refused};

/// Answers requests on one thread, over connections of its own.
#[derive(Debug)]
pub struct GatewayWorker {
    pub(super) gateway: Arc<Gateway>,
    /// By [`gateway::supergraph::SubgraphId`].
    subgraphs: Vec<AskedSubgraph>,
    memory: Arc<Memory>,
    time_limit: Option<Duration>,
}

impl GatewayWorker {
    /// A worker whose answers take their memory from what all of them may take together.
    #[must_use]
    pub fn sharing(gateway: Arc<Gateway>, memory: Arc<Memory>) -> Self {
        let subgraphs = gateway.ways.iter().map(|way| AskedSubgraph::new(way, &memory)).collect();
        Self { gateway, subgraphs, memory, time_limit: None }
    }

    /// The same worker, whose requests are waited for no longer than this.
    #[must_use]
    pub fn within(self, time_limit: Duration) -> Self {
        let subgraphs = self.subgraphs.into_iter().map(|one| one.within(time_limit)).collect();
        Self { subgraphs, time_limit: Some(time_limit), ..self }
    }

    /// A subgraph that is a source in this process.
    pub(super) fn local(&self, subgraph: SubgraphId) -> Option<&LocalWorker> {
        match self.subgraphs.get(usize::from(subgraph.0))? {
            AskedSubgraph::Local(local) => Some(local),
            AskedSubgraph::Remote(_) => None,
        }
    }

    /// Lets connections go that nobody needed for a while; to be called now and then.
    pub fn close_old_connections(&self) {
        self.subgraphs.iter().for_each(AskedSubgraph::close_old);
    }

    #[must_use]
    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    /// Answers one request and tells what happened to it. Dropping the future ends the request, those
    /// to subgraphs included.
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

    /// The whole road, a statement a stage.
    async fn run(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        report: &mut Report,
    ) -> Result<Response, Vec<GraphQLError>> {
        let gateway = &*self.gateway;
        let started = *report.started.insert(Instant::now());
        let timed = Timed::since(started, &mut report.stages.document);
        let known = gateway.document(request, &mut report.document_known)?;
        let planning = timed.end();
        let document = &*report.document.insert(Arc::clone(&known.document));
        let operation = &document.operation;
        report.operation = Some(operation.kind);
        if operation.kind != OperationKind::Query && allowed == Allowed::Queries {
            report.codes = vec![ErrorCode::MethodNotAllowed];
            return Ok(refused());
        }
        let timed = Timed::since(planning, &mut report.stages.plan);
        let variables = coerce_variable_values(gateway.schema(), operation, &request.variables)?;
        let name = request.operation_name.as_deref();
        let made_for = gateway.made_for(&known, caller);
        let prepared = gateway.plan(&known, name, &variables, &made_for, &mut report.plan_known)?;
        let executing = timed.end();
        report.prepared = Some(Planned::Gateway(Arc::clone(&prepared)));
        gateway.refuse_denied(&prepared)?;
        gateway.check_cost(&prepared, &variables, &mut report.cost)?;
        let timed = Timed::since(executing, &mut report.stages.execute);
        let asked = Asked { document, prepared: &prepared, variables: &variables, caller };
        let seen = Seen { codes: &mut report.codes, observed: &mut report.fetches };
        let response = self.execute(asked, started, seen).await;
        drop(timed);
        Ok(response)
    }

    async fn execute(
        &self,
        asked: Asked<'_>,
        started: Instant,
        Seen { codes, observed }: Seen<'_>,
    ) -> Response {
        let gateway = &*self.gateway;
        let Asked { document, prepared, caller, .. } = asked;
        let kind = document.operation.kind;
        let written = match kind {
            OperationKind::Query if gateway.ways.iter().all(|way| way.remote().is_some()) => {
                self.execute_query(asked, started, observed).await
            }
            OperationKind::Query | OperationKind::Mutation | OperationKind::Subscription => {
                self.execute_here(asked, started, None, observed).await.0
            }
        };
        match written {
            Ok((sink, errors)) => {
                let plan = gateway.tells_plan(caller).then_some(&prepared.plan);
                respond::complete(gateway, sink, errors, plan, codes)
            }
            Err(full) => respond::too_large(&full, kind, codes),
        }
    }

    /// Executes a query here, or on a thread apart if it proves long or did so the last time.
    async fn execute_query(
        &self,
        asked: Asked<'_>,
        started: Instant,
        observed: &mut Observed,
    ) -> Written {
        let is_long = &asked.prepared.is_long;
        if !is_long.load(Ordering::Relaxed) {
            let proves_long = Notify::new();
            tokio::select! {
                biased;
                () = proves_long.notified() => {}
                done = self.execute_here(asked, started, Some(&proves_long), observed) => {
                    return done.0;
                }
            }
            is_long.store(true, Ordering::Relaxed);
        }
        let work = Work {
            gateway: Arc::clone(&self.gateway),
            memory: Arc::clone(&self.memory),
            time_limit: self.time_limit,
            document: Arc::clone(asked.document),
            prepared: Arc::clone(asked.prepared),
            variables: asked.variables.clone(),
            caller: asked.caller.clone(),
            started,
            observed: std::mem::take(observed),
        };
        match execute_apart(work).await {
            Ok(done) => {
                *observed = done.observed;
                is_long.store(done.is_long, Ordering::Relaxed);
                done.written
            }
            Err(work) => {
                *observed = work.observed;
                self.execute_here(asked, started, None, observed).await.0
            }
        }
    }

    /// A worker of a thread for long requests like this one.
    pub(super) fn apart_for(work: &Work) -> Self {
        let worker = Self::sharing(Arc::clone(&work.gateway), Arc::clone(&work.memory));
        match work.time_limit {
            Some(limit) => worker.within(limit),
            None => worker,
        }
    }

    /// Whether a request can be executed by this worker.
    pub(super) fn is_for(&self, work: &Work) -> bool {
        Arc::ptr_eq(&self.gateway, &work.gateway)
            && Arc::ptr_eq(&self.memory, &work.memory)
            && self.time_limit == work.time_limit
    }

    /// Executes a request on a thread for long ones.
    pub(super) async fn execute_long(&self, work: Work) -> Done {
        let Work { document, prepared, variables, caller, started, mut observed, .. } = work;
        let asked = Asked {
            document: &document,
            prepared: &prepared,
            variables: &variables,
            caller: &caller,
        };
        let (written, is_long) = self.execute_here(asked, started, None, &mut observed).await;
        Done { written, observed, is_long }
    }

    /// Executes a request on this thread; whether some answer of a subgraph was long. Who is to be told
    /// of one sees to it that the request goes no further.
    async fn execute_here(
        &self,
        Asked { document, prepared, variables, caller }: Asked<'_>,
        started: Instant,
        proves_long: Option<&Notify>,
        observed: &mut Observed,
    ) -> (Written, bool) {
        let gateway = &*self.gateway;
        let (supergraph, plan) = (&gateway.supergraph, &prepared.plan);
        let operation = &document.operation;
        let asking = Asking {
            gateway,
            subgraphs: &self.subgraphs,
            caller,
            deadline: self.time_limit.map(|limit| started + limit),
            memory: &self.memory,
            proves_long,
        };
        let inputs = Inputs { supergraph, operation, plan, variables };
        let memory = Held::of(&self.memory);
        let options = gateway.options.execution;
        let executed = execute(inputs, &asking, options, memory, observed).await;
        let is_long = executed.received() > LONG;
        (self.write(prepared, executed).await, is_long)
    }

    /// Writes the data: on this thread if it is short, else on one of its own, where nobody waits for
    /// others meanwhile.
    async fn write(&self, prepared: &Arc<Prepared>, mut executed: Executed) -> Written {
        let begin = |gateway: &Gateway, executed: &Executed| {
            let most = gateway.limits().response_bytes;
            let held = Held::of(&self.memory);
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

/// What is executed.
#[derive(Clone, Copy)]
struct Asked<'a> {
    document: &'a Arc<Document>,
    prepared: &'a Arc<Prepared>,
    variables: &'a Variables,
    caller: &'a Caller,
}

/// What is told of it.
struct Seen<'a> {
    codes: &'a mut Vec<ErrorCode>,
    observed: &'a mut Observed,
}
