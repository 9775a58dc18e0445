//! Execution of one GraphQL request, alone or of a batch.

use std::pin::pin;
use std::time::Instant;

use engine::gateway::IncrementalFormat;
use engine::{Allowed, Caller, Delivery, Report};
use graphql::{ErrorCode, Parameters, Request};
use tokio::task::spawn_local;
use tokio::time::timeout_at;

use super::client_address::ClientAddress;
use super::execution_limits::run_limited;
use super::persisted::Found;
use super::rate_limits::{self, Counted, Counting};
use super::refusal::Refusal;
use super::service::Service;
use super::{hasura, hooks};
use crate::memory;

/// The caller of an operation, the operations that it may execute, and the delivery of the response.
#[derive(Clone, Copy, Debug)]
pub(super) struct Execution<'e> {
    pub(super) caller: &'e Caller,
    pub(super) allowed: Allowed,
    pub(super) delivery: Delivery,
    /// The format of several payloads, if the client accepts them.
    pub(super) incremental: Option<IncrementalFormat>,
}

/// A response with the operation name of the request.
#[derive(Debug)]
pub(super) struct Executed {
    pub(super) response: engine::Response,
    pub(super) operation_name: Option<String>,
    /// The rate limits that counted it.
    pub(super) counted: Vec<Counted>,
}

/// Executes a request of a client that began at a time, with the document that it contains or names.
pub(super) async fn execute(
    service: &Service,
    parameters: Parameters,
    execution: Execution<'_>,
    (client, began): (ClientAddress, Instant),
    report: &mut Report,
) -> Result<Executed, Refusal> {
    let found = find_document(service, parameters, execution.caller, client).await?;
    execute_found(service, found, execution, began, report).await
}

/// Checks the number of requests in a batch against the limit of its caller.
pub(super) fn check_batch_limit(
    service: &Service,
    found: usize,
    caller: &Caller,
) -> Result<(), Refusal> {
    hasura::check_batch(service, found, caller)
}

/// Checks a request that is counted already, whose caller has got other claims since.
pub(super) fn check_again(
    service: &Service,
    request: &Request,
    caller: &Caller,
) -> Result<(), Refusal> {
    hasura::check_again(service, request, caller).map_err(Refusal::Operation)
}

/// Finds the document of a request, checks whether its caller may execute it, and counts it by the rate
/// limits.
pub(super) async fn find_document(
    service: &Service,
    parameters: Parameters,
    caller: &Caller,
    client: ClientAddress,
) -> Result<Found, Refusal> {
    let (mut found, counting) = begin_counting(service, parameters, caller, client)?;
    found.counted = counting.finish().await?;
    Ok(found)
}

/// Finds the document of a request likewise, and begins to count it.
pub(super) fn begin_counting(
    service: &Service,
    parameters: Parameters,
    caller: &Caller,
    client: ClientAddress,
) -> Result<(Found, Counting), Refusal> {
    let found = service.settings.persisted.find(parameters).map_err(Refusal::Document)?;
    hasura::check(service, &found.request, caller, client).map_err(Refusal::Operation)?;
    let counting = count_operation(service, &found.request, caller, client)?;
    Ok((found, counting))
}

/// Counts an operation by the rate limits, unless it exceeds one.
pub(super) fn count_operation(
    service: &Service,
    request: &Request,
    caller: &Caller,
    client: ClientAddress,
) -> Result<Counting, Refusal> {
    let limits = &service.settings.rate_limits;
    let operation = (request, caller, client);
    let process = &service.process;
    let buckets = (&process.rates, process.shared_rates.as_ref());
    Ok(rate_limits::count(limits, buckets, &service.worker, operation)?)
}

/// Executes a request that began at a time, and whose document is known, between the hooks of the
/// server.
pub(super) async fn execute_found(
    service: &Service,
    found: Found,
    execution: Execution<'_>,
    began: Instant,
    report: &mut Report,
) -> Result<Executed, Refusal> {
    match &service.settings.hooks {
        None => execute_in_time(service, found, execution, began, report).await,
        // Boxed: most servers have no hooks, and every request would need the space.
        Some(hooks) => {
            Box::pin(hooks::execute(service, hooks, found, execution, began, report)).await
        }
    }
}

/// Executes a request within the limits of its caller.
pub(super) async fn execute_in_time(
    service: &Service,
    found: Found,
    execution: Execution<'_>,
    began: Instant,
    report: &mut Report,
) -> Result<Executed, Refusal> {
    let limit = hasura::time_limit(service, execution.caller);
    let Some((limit, deadline)) = limit.and_then(|one| Some((one, began.checked_add(one)?))) else {
        return execute_within(service, found, execution, began, report).await;
    };
    // Boxed: few callers have a limit, and every request would need the space.
    let executed = Box::pin(execute_within(service, found, execution, began, report));
    timeout_at(deadline.into(), executed).await.unwrap_or_else(|_| Err(hasura::too_slow(limit)))
}

async fn execute_within(
    service: &Service,
    Found { request, learn, counted }: Found,
    Execution { caller, allowed, delivery, incremental }: Execution<'_>,
    began: Instant,
    report: &mut Report,
) -> Result<Executed, Refusal> {
    let response = {
        let worker = &service.worker;
        match incremental {
            None => {
                // Pinned here: the future is large, and would be moved by every future that awaits
                // it.
                let work =
                    pin!(worker.deliver_reported(&request, caller, allowed, delivery, report));
                run_limited(service, began, work).await?
            }
            Some(format) => {
                let delivery = (delivery, format);
                let work =
                    worker.deliver_incrementally(&request, caller, allowed, delivery, report);
                // Boxed: few clients accept several payloads, and every request would need the space.
                run_limited(service, began, Box::pin(work)).await?
            }
        }
    };
    // What was written of the response is freed now. It may have been hundreds of megabytes.
    if report.codes.contains(&ErrorCode::ResponseTooLarge) {
        memory::give_back();
    }
    for feed in service.worker.cache_feeds() {
        spawn_local(feed.run());
    }
    // The report has a document only if it is valid.
    if let (Some(hash), Some(_)) = (learn, &report.document) {
        service.settings.persisted.learn(hash, &request.query);
    }
    Ok(Executed { response, operation_name: request.operation_name, counted })
}
