//! Random operations with random deferred fragments: their payloads, merged as clients merge them, are
//! the whole response.

use std::sync::Arc;

use engine::gateway::IncrementalFormat;
use engine::{Allowed, Caller, Delivery, Report, Response, Worker};
use graphql::Request;
use libtest_mimic::Failed;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::Value as Json;
use testkit::federation::deferred::{defer, merge};
use testkit::fuzz::Choices as Bytes;
use tokio::task::LocalSet;

use super::CHOICES;
use crate::choices::Choices;
use crate::operation::query;
use crate::sources::{Sources, TestSource};

/// Numbers for the choice of the fragments.
const FRAGMENTS: usize = 200;

/// Compares on SQLite and on a PostgreSQL.
pub(super) fn compare_deferred(
    sources: &Sources,
    database: &str,
    dialect: &str,
) -> Result<(), Failed> {
    let both: Vec<TestSource> = sources.all().take(2).collect();
    let mut copies = Vec::new();
    for source in &both {
        copies.push(
            sources.open_copy(source, database, dialect, |options| options.has_defer = true)?,
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let workers: Vec<_> = copies.iter().map(|copy| Worker::new(Arc::clone(&copy.engine))).collect();
    let schema = copies[0].engine.schema();
    let (cases, rng_seed) = super::cases()?;
    let config =
        Config { cases: cases / 2, rng_seed, failure_persistence: None, ..Config::default() };
    let random = (vec(any::<u16>(), 0..CHOICES), vec(any::<u8>(), 0..FRAGMENTS));
    let later = std::cell::Cell::new(0);
    let outcome = TestRunner::new(config).run(&random, |(numbers, bytes)| {
        let operation = query(schema, &mut Choices::new(&numbers));
        // The selection set follows the keyword.
        let text = operation.literals.replacen("query {", "query{", 1);
        let deferred = defer(&text, &mut Bytes::new(&bytes));
        let compared =
            LocalSet::new().block_on(&runtime, check(&workers, &operation.literals, &deferred));
        later.set(later.get() + compared.map_err(TestCaseError::fail)?);
        Ok(())
    });
    match outcome {
        Ok(()) if later.get() == 0 => Err("no fragment was sent later".into()),
        Ok(()) => Ok(()),
        Err(TestError::Fail(reason, _)) => Err(Failed::from(reason.message().to_owned())),
        Err(TestError::Abort(reason)) => Err(Failed::from(reason.message().to_owned())),
    }
}

/// Returns the number of payloads after initial ones.
async fn check(workers: &[Worker], text: &str, deferred: &str) -> Result<usize, String> {
    let mut later = 0;
    for worker in workers {
        let whole = super::answer(worker, text, "{}").await?;
        let whole: Json = serde_json::from_str(&whole).map_err(|error| error.to_string())?;
        for format in [IncrementalFormat::Fragments, IncrementalFormat::Fields] {
            let payloads = payloads(worker, deferred, format).await?;
            let fail = |why: &str| {
                let payloads = payloads.iter().map(|(_, text)| text.as_str());
                let payloads = payloads.collect::<Vec<_>>().join("\n");
                Err(format!("{format:?}: {why}\n{text}\n{deferred}\n{payloads}\n{whole}"))
            };
            later += payloads.len() - 1;
            // What the request is refused for is told at once.
            if payloads.len() == 1 && whole.get("data").is_none() {
                continue;
            }
            let merged = match merge(format, &payloads) {
                Ok(merged) => merged,
                Err(why) => return fail(&why),
            };
            let errors: Vec<_> = whole["errors"].as_array().into_iter().flatten().collect();
            let has_errors = !errors.is_empty();
            // Values of a fragment that is on no object are not looked at.
            let is_of_input = |error: &&Json| error["extensions"]["code"] == "BAD_USER_INPUT";
            if merged.has_errors != has_errors
                && (merged.has_errors || !errors.iter().all(is_of_input))
            {
                return fail("errors");
            }
            // Where there are errors, nulls reach less far.
            let is_equal = match has_errors {
                true => testkit::federation::deferred::agree(&merged.data, &whole["data"]),
                false => merged.data == whole["data"],
            };
            if !is_equal {
                return fail("data");
            }
        }
    }
    Ok(later)
}

/// The payloads of an operation.
pub(crate) async fn payloads(
    worker: &Worker,
    text: &str,
    format: IncrementalFormat,
) -> Result<Vec<(u64, String)>, String> {
    let query = Json::from(text).to_string();
    let body = ["{\"query\":", &query, "}"].concat();
    let request = Request::from_json(body.as_bytes()).map_err(|error| error.message)?;
    let caller = Caller { session: engine::Session::default(), ..Caller::default() };
    let form = (Delivery::Whole, format);
    let mut report = Report::default();
    let Response { body, payloads, .. } =
        worker.deliver_incrementally(&request, &caller, Allowed::Queries, form, &mut report).await;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|error| error.to_string());
    let mut all = vec![(0, text(body.into())?)];
    if let Some(mut payloads) = payloads {
        while let Some(payload) = payloads.next().await {
            all.push((all.len() as u64, text(payload.to_vec())?));
        }
    }
    Ok(all)
}
