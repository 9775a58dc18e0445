//! Requests whose clients accept several payloads.

use std::sync::Arc;

use ::gateway::execute::IncrementalFormat;
use graphql::operation::OperationKind;
use graphql::{GraphQLError, Request};
use source::Session;

use super::{Allowed, Caller, Delivery, Ready, Worker};
use crate::incremental::{InitialPayload, PartsInputs, execute_incrementally};
use crate::report::{Planned, Report, Timed};
use crate::respond::Response;

impl Worker {
    /// Answers a request of a caller who accepts several payloads of a format.
    pub async fn deliver_incrementally(
        &self,
        request: &Request,
        caller: &Caller,
        allowed: Allowed,
        (delivery, format): (Delivery, IncrementalFormat),
        report: &mut Report,
    ) -> Response {
        self.deliver(request, caller, allowed, (delivery, Some(format)), report).await
    }

    /// Executes a planned request in parts; `None` if no fragment of it is sent later.
    pub(super) async fn run_in_parts(
        &self,
        ready: &Ready,
        request: &Request,
        session: &Session,
        format: IncrementalFormat,
        report: &mut Report,
    ) -> Result<Option<Response>, Vec<GraphQLError>> {
        let engine = &self.engine;
        let Ready { known, variables, since, cost, .. } = ready;
        if ready.kind != OperationKind::Query {
            return Ok(None);
        }
        let timed = Timed::since(*since, &mut report.stages.plan);
        let name = request.operation_name.as_deref();
        let is_known = &mut report.plan_known;
        let prepared = engine.plan_in_parts(known, name, variables, session, is_known)?;
        let since = timed.end();
        let fragments = prepared.deferred.iter().flat_map(|deferred| &deferred.fragments);
        let mut plans: Vec<_> = fragments.map(|fragment| &fragment.prepared.plan).collect();
        if plans.is_empty() {
            return Ok(None);
        }
        plans.push(&prepared.plan);
        let snapshot = self.connections.snapshot(&plans);
        report.set_plan(Planned::Source(Arc::clone(&prepared)));
        let timed = Timed::since(since, &mut report.stages.execute);
        let inputs = PartsInputs {
            engine: Arc::clone(engine),
            prepared: Arc::clone(&prepared),
            variables: variables.clone(),
            session: session.clone(),
            snapshot,
            memory: Arc::clone(&self.memory),
            cost: *cost,
            started: report.started.unwrap_or(since),
            time_limit: self.time_limit,
            format,
            observed: std::mem::take(&mut report.observed),
        };
        let InitialPayload { response, codes, observed } = execute_incrementally(inputs).await;
        drop(timed);
        report.codes.extend(codes);
        report.observed = observed;
        report.stages.split_off_write(report.observed.write);
        engine.reweigh(known, name, &prepared);
        Ok(Some(response))
    }
}
