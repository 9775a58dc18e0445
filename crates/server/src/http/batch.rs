//! Batches: several requests in one body, answered in their order.
//!
//! They run concurrently on the thread. Limits of one request also hold for the sum of the batch, so
//! that a batch cannot circumvent them.

use std::time::Instant;

use engine::{Allowed, Caller, Delivery, MemoryReservation, Report};
use futures_util::future::join_all;
use graphql::{ErrorCode, GraphQLError, Parameters};
use hyper::StatusCode;

use super::exchange::Exchange;
use super::execute::{Executed, Execution, execute};
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::respond::{Response, respond_held};
use super::service::Service;

type Member = Result<Parameters, GraphQLError>;

/// Executes a batch; its status is 200, whatever the results of its requests are.
pub(super) async fn answer(
    service: &Service,
    media_type: MediaType,
    members: Vec<Member>,
    mut caller: Caller,
    delivery: Delivery,
    exchange: &mut Exchange,
) -> Result<Response, Refusal> {
    check_number(service.settings.most_batch, members.len())?;
    check_batch(service, &members, &caller)?;
    if let Some(forwarded) = &mut caller.forwarded {
        // The spans of their requests to subgraphs would have equal ids.
        forwarded.trace = None;
    }
    let answers = {
        let began = exchange.started;
        let answer = |member| answer_member(service, member, &caller, delivery, began);
        join_all(members.into_iter().map(answer)).await
    };
    let most_bytes = service.worker.limits().response_bytes;
    let mut body = vec![b'['];
    let mut held = MemoryReservation::default();
    for (idx, (answer, of_answer, report)) in answers.into_iter().enumerate() {
        if idx > 0 {
            body.push(b',');
        }
        record(exchange, report);
        held.join(of_answer);
        match (body.len() + answer.len()) as u64 <= most_bytes {
            true => body.extend_from_slice(&answer),
            false => {
                let error = GraphQLError::new(
                    ErrorCode::ResponseTooLarge,
                    format!(
                        "The answers of the batch have more than {most_bytes} bytes together \
                         (--max-response-size)."
                    ),
                );
                body.extend_from_slice(&engine::Response::request_error(&[error]).body);
                exchange.report.codes.push(ErrorCode::ResponseTooLarge);
            }
        }
    }
    body.push(b']');
    Ok(respond_held(StatusCode::OK, media_type, body, held))
}

fn check_number(most: Option<usize>, found: usize) -> Result<(), Refusal> {
    match most {
        None => Err(Refusal::BatchingDisabled),
        Some(_) if found == 0 => Err(Refusal::EmptyBatch),
        Some(most) if found > most => Err(Refusal::BatchTooLarge { found, most }),
        Some(_) => Ok(()),
    }
}

/// Checks the summed limits. Malformed requests do not count: they are not executed.
fn check_batch(service: &Service, members: &[Member], caller: &Caller) -> Result<(), Refusal> {
    let requests = members.iter().filter_map(|member| {
        let parameters = member.as_ref().ok()?.clone();
        Some(service.settings.persisted.find(parameters).ok()?.request)
    });
    let requests: Vec<_> = requests.collect();
    service.worker.check_batch(&requests, caller).map_err(Refusal::Malformed)
}

async fn answer_member(
    service: &Service,
    member: Member,
    caller: &Caller,
    delivery: Delivery,
    began: Instant,
) -> (Vec<u8>, MemoryReservation, Report) {
    let mut report = Report::default();
    let executed = match member {
        Ok(parameters) => {
            let execution = Execution { caller, allowed: Allowed::All, delivery };
            execute(service, parameters, execution, began, &mut report).await
        }
        Err(error) => Err(Refusal::Malformed(error)),
    };
    let (body, held) = match executed {
        Ok(Executed { response, .. }) => (response.body, response.held),
        Err(refusal) => {
            report.codes.push(refusal.error().code);
            (refusal.body(), MemoryReservation::default())
        }
    };
    (body, held, report)
}

/// Records the stages of the slowest request of the batch, and the error codes of all.
fn record(exchange: &mut Exchange, mut report: Report) {
    let mut codes = std::mem::take(&mut exchange.report.codes);
    codes.append(&mut report.codes);
    if report.stages.execute >= exchange.report.stages.execute {
        std::mem::swap(&mut exchange.report, &mut report);
    }
    // After the fetches of the slowest request: they are only counted.
    exchange.report.fetches.fetches.append(&mut report.fetches.fetches);
    exchange.report.codes = codes;
}
