//! Subscriptions on one thread.

use std::sync::Arc;
use std::time::Duration;

use ::live::{CohortKey, Dependencies, Joined, Wake};
use futures_util::future::join;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Request, coerce_variable_values};

use super::{Allowed, Delivery, Worker};
use crate::caller::Caller;
use crate::live::{Begun, Driver, Execution, reserved};
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
        let claims = caller.session.claims.as_deref();
        let variables = source::Variables { claims, ..source::Variables::of(&variables.values) };
        Ok(prepared.dependencies(&engine.catalog, variables))
    }

    /// Executes a subscription until it has no subscribers, and follows the changes of the source for
    /// all of them if nobody else does.
    pub async fn drive(&self, driver: Driver) {
        let execution = async {
            if let Some(execution) = &driver.execution {
                self.execute_cohort(execution).await;
            }
        };
        if driver.needs_feed {
            let engine = &*self.engine;
            let changes = engine.source.changes();
            let options = engine.live.options;
            let feed = ::live::follow(&engine.live.hub, changes, &engine.catalog, options);
            // Boxed: only one task of many has it.
            Box::pin(join(execution, feed)).await;
        } else {
            execution.await;
        }
    }

    async fn execute_cohort(&self, Execution { cohort, request, caller }: &Execution) {
        let mut again = FIRST_RETRY;
        while cohort.wait().await == Wake::Execute {
            // The semaphore is never closed.
            let slot = self.engine.live.slots.acquire().await;
            self.engine.live.hub.count_execution();
            let mut report = Report::default();
            let (allowed, whole) = (Allowed::Subscriptions, Delivery::Whole);
            // Boxed: the task of a subscription is small while it waits.
            let executed =
                Box::pin(self.deliver_for(request, caller, allowed, whole, &mut report)).await;
            drop(slot);
            let Response { body, held, .. } = executed;
            cohort.publish(reserved(body, held));
            match report.codes.iter().copied().any(is_transient) {
                true => {
                    // No change would tell that the source answers again.
                    cohort.mark_after(again).await;
                    again = (again * 2).min(LAST_RETRY);
                }
                false => again = FIRST_RETRY,
            }
        }
    }
}

/// Returns true if the same request may succeed later without a change of rows.
fn is_transient(code: ErrorCode) -> bool {
    match code {
        ErrorCode::Unavailable
        | ErrorCode::Timeout
        | ErrorCode::Overloaded
        | ErrorCode::ResponseMemoryExhausted
        | ErrorCode::ResolverUnavailable
        | ErrorCode::ResolverTimeout => true,
        _ => false,
    }
}
