//! Batches: several requests in one body, answered in their order.
//!
//! They run concurrently on the thread, in the dialect hasura one after the other if one of them is a
//! mutation: its clients expect that a query reads what the requests before it have written. Limits of one request also hold for the sum of the batch, so
//! that a batch cannot circumvent them.

use std::sync::Arc;
use std::time::Instant;

use engine::{
    Allowed, CacheUse, Caller, ChangePosition, Delivery, Freshness, MemoryBudget,
    MemoryReservation, Report,
};
use futures_util::future::join_all;
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Parameters};
use hyper::StatusCode;

use super::client_address::ClientAddress;
use super::exchange::Exchange;
use super::execute::{Executed, Execution, check_batch_limit, execute};
use super::log_position;
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
    check_batch_limit(service, members.len(), &caller)?;
    check_batch(service, &members, &caller)?;
    if let Some(forwarded) = &mut caller.forwarded {
        // The spans of requests to other servers would have equal ids.
        forwarded.trace = None;
    }
    let writes = members.iter().any(may_write);
    if writes {
        // A query reads what the mutations of its batch have written before it.
        caller.freshness = Freshness::Newest;
        caller.cache = CacheUse::Bypass;
    }
    let answers = {
        let start = (exchange.client_address, exchange.started);
        let is_ordered = service.settings.is_of_hasura() && writes;
        let answer = |member| answer_member(service, member, &caller, delivery, start);
        match is_ordered {
            false => join_all(members.into_iter().map(answer)).await,
            true => {
                let mut answers = Vec::with_capacity(members.len());
                for member in members {
                    answers.push(answer(member).await);
                }
                answers
            }
        }
    };
    exchange.record_batch(answers.iter().map(|(_, _, report)| report));
    let mut texts = Vec::with_capacity(answers.len());
    for (text, held, report) in answers {
        record(exchange, report);
        texts.push((text, held));
    }
    let most_bytes = service.worker.limits().response_bytes;
    let joined = join_answers(texts, most_bytes, &service.process.memory);
    exchange.report.codes.extend(joined.codes);
    Ok(respond_held(StatusCode::OK, media_type, joined.body, joined.held))
}

fn may_write(member: &Member) -> bool {
    member.as_ref().is_ok_and(log_position::may_write)
}

/// The answers of a batch as one text.
#[derive(Debug)]
struct Joined {
    body: Vec<u8>,
    held: MemoryReservation,
    /// Errors of answers that are left out.
    codes: Vec<ErrorCode>,
}

/// Room for the error in place of an answer.
const ERROR_BYTES: usize = 512;

/// Joins answers to a list. The text of all exists beside those of the answers, so that its memory
/// is reserved, too; each answer is freed when it is copied.
fn join_answers(
    answers: Vec<(Vec<u8>, MemoryReservation)>,
    most_bytes: u64,
    memory: &Arc<MemoryBudget>,
) -> Joined {
    let (mut body, mut held) = (Vec::new(), MemoryReservation::of(memory));
    let mut codes = Vec::new();
    let texts: usize = answers.iter().map(|(text, _)| text.len() + 1).sum();
    let errors = (answers.len() + 1) * ERROR_BYTES;
    // Where there is no room for all, there may be for some.
    let _ = held.make_room_for(&mut body, texts + errors);
    for (place, (text, _held)) in answers.into_iter().enumerate() {
        body.push(if place == 0 { b'[' } else { b',' });
        let code = match (body.len() + text.len()) as u64 <= most_bytes {
            false => Some(ErrorCode::ResponseTooLarge),
            true => {
                let room = held.make_room_for(&mut body, text.len() + errors);
                room.err().map(|_| ErrorCode::ResponseMemoryExhausted)
            }
        };
        match code {
            None => body.extend_from_slice(&text),
            Some(code) => {
                let error = GraphQLError::new(code, left_out(code, most_bytes));
                body.extend_from_slice(&engine::Response::request_error(&[error]).body);
                codes.push(code);
            }
        }
    }
    body.push(b']');
    Joined { body, held, codes }
}

/// The message in place of an answer.
fn left_out(code: ErrorCode, most_bytes: u64) -> String {
    match code {
        ErrorCode::ResponseTooLarge => format!(
            "The answers of the batch have more than {most_bytes} bytes together \
             (--max-response-size)."
        ),
        _ => "There is no memory for this answer beside the others of the batch \
              (--response-memory). If the request made changes, they are made."
            .to_owned(),
    }
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
    start: (ClientAddress, Instant),
) -> (Vec<u8>, MemoryReservation, Report) {
    let mut report = Report::default();
    let executed = match member {
        Ok(parameters) => {
            let execution =
                Execution { caller, allowed: Allowed::All, delivery, incremental: None };
            execute(service, parameters, execution, start, &mut report).await
        }
        Err(error) => Err(Refusal::Malformed(error)),
    };
    let (body, held) = match executed {
        Ok(Executed { response, .. }) => (response.body.into(), response.held),
        Err(refusal) => {
            if report.operation == Some(OperationKind::Mutation) {
                // Its changes may have been made.
                report.observed.changed_at = Some(ChangePosition::Unknown);
            }
            report.codes.push(refusal.error().code);
            (refusal.body_in(service.worker.error_form()), MemoryReservation::default())
        }
    };
    (body, held, report)
}

/// Records the stages of the slowest request of the batch, and the error codes of all.
fn record(exchange: &mut Exchange, mut report: Report) {
    let mut codes = std::mem::take(&mut exchange.report.codes);
    codes.append(&mut report.codes);
    let changed = [exchange.report.observed.changed_at, report.observed.changed_at];
    let changed_at = changed.into_iter().flatten().reduce(ChangePosition::later);
    if report.stages.execute >= exchange.report.stages.execute {
        std::mem::swap(&mut exchange.report, &mut report);
    }
    // After the fetches of the slowest request: they are only counted.
    exchange.report.fetches.fetches.append(&mut report.fetches.fetches);
    exchange.report.codes = codes;
    exchange.report.observed.changed_at = changed_at;
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEBIBYTE: usize = 1 << 20;

    /// Joins three answers of a mebibyte each; the length of the text, the codes of its errors, and
    /// the most memory that was reserved beside that of the answers.
    fn joined(most_bytes: u64, most: u64) -> (usize, Vec<ErrorCode>, u64) {
        let memory = MemoryBudget::new(u64::MAX);
        let answers = (0..3).map(|_| {
            let mut held = MemoryReservation::of(&memory);
            held.grow_to(MEBIBYTE as u64).unwrap();
            (vec![b' '; MEBIBYTE], held)
        });
        let answers: Vec<_> = answers.collect();
        let before = memory.held();
        memory.set_most(before.saturating_add(most));
        let joined = join_answers(answers, most_bytes, &memory);
        assert!(joined.held.bytes() >= joined.body.len() as u64);
        assert_eq!(memory.held(), joined.held.bytes());
        (joined.body.len(), joined.codes, memory.most_held() - before)
    }

    #[test]
    fn the_text_of_a_batch_is_reserved_beside_its_answers() {
        let (length, codes, reserved) = joined(u64::MAX, u64::MAX);
        assert_eq!((length, codes), (3 * MEBIBYTE + 4, Vec::new()));
        assert!(reserved >= length as u64);
    }

    #[test]
    fn answers_without_room_beside_the_others_are_errors() {
        let exhausted = ErrorCode::ResponseMemoryExhausted;
        let (length, codes, reserved) = joined(u64::MAX, 1 << 20);
        assert!(codes == [exhausted] || codes == [exhausted, exhausted], "{codes:?}");
        assert!(length < 3 * MEBIBYTE && reserved <= 1 << 20, "{length} {reserved}");
        let (length, codes, _) = joined(2 * MEBIBYTE as u64 + 100, u64::MAX);
        assert_eq!(codes, [ErrorCode::ResponseTooLarge]);
        assert!((2 * MEBIBYTE..2 * MEBIBYTE + 600).contains(&length), "{length}");
    }
}
