//! Instructions of the server for each request.

use super::failure::SizeError;
use super::instructions::{Counter, Counting};
use super::operations::{Dialect, Operation, ask};
use super::report::{Cost, Kind};
use super::{Options, Subject, progress};
use crate::http::Connection;

/// Requests before the first that is counted: caches and prepared statements are then as they stay.
const WARM_UP: usize = 30;

/// The least of so many counts is taken: what a server does by the clock, as looking whether a
/// file is still there, is no part of a request.
const ROUNDS: usize = 3;

/// Documents that no server has seen.
const COLD: usize = 20;

/// The costs of every operation on every database, which are all of one family.
pub(super) fn measure(
    subject: &Subject<'_>,
    counter: Counter,
    options: &Options,
    databases: &[(usize, String)],
) -> Result<Vec<Cost>, SizeError> {
    let operations = subject.dialect.warm();
    let cost = |operation, kind| Cost {
        source: subject.family.name(),
        dialect: subject.dialect.name(),
        operation,
        kind,
        instructions: Vec::new(),
    };
    let mut costs: Vec<Cost> =
        operations.iter().map(|operation| cost(operation.name, Kind::Warm)).collect();
    let mut cold = cost("a document never seen before", Kind::Cold);
    let mut answers: Vec<Vec<u8>> = Vec::new();
    for (tables, address) in databases {
        progress(&format!("{}: counting on {tables} tables", subject.name()));
        let folder = tempfile::tempdir()?;
        let server = subject.start(&counter.under(folder.path()), address, folder.path())?;
        let mut counting = Counting::of(counter, server.process(), folder.path())?;
        let mut connection = Connection::open(server.port)?;
        for (idx, (operation, cost)) in operations.iter().zip(&mut costs).enumerate() {
            let body = operation.body();
            let mut answer = Vec::new();
            for _ in 0..WARM_UP {
                answer = ask(&mut connection, &body)?;
            }
            check_answer(operation, idx, answer, &mut answers)?;
            let requests = options.requests.get();
            let mut least = u64::MAX;
            for _ in 0..ROUNDS {
                let count = counting.count(|| send(&mut connection, requests, |_| body.clone()))?;
                least = least.min(count);
            }
            cost.instructions.push(least / requests as u64);
        }
        cold.instructions.push(count_cold(&mut connection, &mut counting, subject.dialect)?);
    }
    costs.push(cold);
    Ok(costs)
}

fn count_cold(
    connection: &mut Connection,
    counting: &mut Counting,
    dialect: Dialect,
) -> Result<u64, SizeError> {
    send(connection, 2, |number| dialect.cold(number))?;
    let count = counting.count(|| send(connection, COLD, |number| dialect.cold(100 + number)))?;
    Ok(count / COLD as u64)
}

fn send(
    connection: &mut Connection,
    requests: usize,
    body: impl Fn(usize) -> String,
) -> Result<(), SizeError> {
    for number in 0..requests {
        ask(connection, &body(number))?;
    }
    Ok(())
}

/// Costs can be compared only if the work was the same.
fn check_answer(
    operation: &Operation,
    idx: usize,
    answer: Vec<u8>,
    answers: &mut Vec<Vec<u8>>,
) -> Result<(), SizeError> {
    match answers.get(idx) {
        None => answers.push(answer),
        Some(first) if *first == answer => {}
        Some(_) => {
            let answer = String::from_utf8_lossy(&answer).into_owned();
            return Err(SizeError::AnswersDiffer { operation: operation.name, answer });
        }
    }
    Ok(())
}
