//! Subscriptions on one thread.

use std::sync::Arc;

use ::live::{CohortKey, Dependencies, Joined, Wake};
use futures_util::future::join;
use graphql::operation::OperationKind;
use graphql::{GraphQLError, Request, coerce_variable_values};

use super::{Allowed, Delivery, Worker};
use crate::caller::Caller;
use crate::live::{Begun, Driver, Execution, reserved};
use crate::report::Report;
use crate::respond::Response;

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
        let feed = async {
            if driver.needs_feed {
                let engine = &*self.engine;
                let changes = engine.source.changes();
                let options = engine.live.options;
                ::live::follow(&engine.live.hub, changes, &engine.catalog, options).await;
            }
        };
        join(execution, feed).await;
    }

    async fn execute_cohort(&self, Execution { cohort, request, caller }: &Execution) {
        while cohort.wait().await == Wake::Execute {
            // The semaphore is never closed.
            let _slot = self.engine.live.slots.acquire().await;
            self.engine.live.hub.count_execution();
            let mut report = Report::default();
            let (allowed, whole) = (Allowed::Subscriptions, Delivery::Whole);
            // Boxed: the task of a subscription is small while it waits.
            let executed =
                Box::pin(self.deliver_for(request, caller, allowed, whole, &mut report)).await;
            let Response { body, held, .. } = executed;
            cohort.publish(reserved(body, held));
        }
    }
}
