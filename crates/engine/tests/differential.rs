//! Random operations over the cases' databases: SQLite and PostgreSQL must give the same bytes,
//! with the values in the document and in variables, and nothing must fail but the request.
//!
//! The operations are the same in each run. `THALWEG_CASES=5000` makes so many, and others each
//! time.

mod aggregates;
mod counts;
mod deferred;
mod filters;
mod walks;

use std::sync::Arc;

use crate::choices::Choices;
use crate::operation::{Operation, query};
use crate::sources::{Sources, TestSource};
use engine::Worker;
use graphql::Request;
use graphql::schema::Schema;
use libtest_mimic::{Failed, Trial};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

const CASES: u32 = 64;

/// Enough choices for the largest operation.
const CHOICES: usize = 300;

const TARGETS: [(&str, &str); 7] = [
    (
        "league",
        "postgraphile simple-collections=both connection-filter connection-filter-relations \
         connection-filter-allow-null-input connection-filter-allow-empty-object-input",
    ),
    ("kinds", "postgraphile simple-collections=both"),
    ("kinds", "phrag"),
    ("meetups", "phrag default-limit=3"),
    (
        "pets",
        "postgraphile simple-collections=both simplified-names classic-ids connection-filter \
         connection-filter-relations tags-file=pets/tags.json5",
    ),
    ("shop", "postgraphile simple-collections=both"),
    ("shop", "phrag default-limit=4"),
];

/// What an operation may be refused for: its values, and values that do not fit their type.
const REFUSALS: [&str; 3] = ["BAD_USER_INPUT", "INVALID_VALUE", "RESPONSE_TOO_LARGE"];

/// A test for each database and dialect, and for each further comparison.
pub(crate) fn trials(sources: &Arc<Sources>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (database, dialect) in TARGETS {
        let own = Arc::clone(sources);
        let name = format!("differential::{database}, {dialect}");
        trials.push(Trial::test(name, move || compare(&own, database, dialect)));
    }
    for (database, dialect) in TARGETS {
        let own = Arc::clone(sources);
        let name = format!("differential::deferred fragments, {database}, {dialect}");
        trials.push(Trial::test(name, move || deferred::compare_deferred(&own, database, dialect)));
    }
    let own = Arc::clone(sources);
    trials.push(Trial::test("differential::aggregates by SQL", move || {
        aggregates::compare_aggregates(&own)
    }));
    let own = Arc::clone(sources);
    trials.push(Trial::test("differential::counts by SQL", move || counts::compare_counts(&own)));
    let own = Arc::clone(sources);
    trials.push(Trial::test("differential::filters by an evaluation of their own", move || {
        filters::compare_filters(&own)
    }));
    let own = Arc::clone(sources);
    trials.push(Trial::test("differential::walks from page to page", move || {
        walks::compare_walks(&own)
    }));
    trials
}

fn compare(sources: &Sources, database: &str, dialect: &str) -> Result<(), Failed> {
    let schema = schema(sources, database, dialect)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // The versions of PostgreSQL are compared by the cases.
    let both: Vec<TestSource> = sources.all().take(2).collect();
    let mut workers = Vec::new();
    for source in &both {
        workers.push(Worker::new(sources.engine(source, database, dialect)?));
    }
    let (cases, rng_seed) = cases()?;
    let config = Config { cases, rng_seed, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&vec(any::<u16>(), 0..CHOICES), |numbers| {
        let operation = query(&schema, &mut Choices::new(&numbers));
        runtime.block_on(check(&workers, &operation)).map_err(TestCaseError::fail)
    });
    outcome.map_err(|error| match error {
        // The reason holds the operation; the numbers that it was made of say nothing.
        TestError::Fail(reason, _) => Failed::from(reason.message().to_owned()),
        TestError::Abort(reason) => Failed::from(reason.message().to_owned()),
    })
}

/// The number of cases, and how they are chosen.
fn cases() -> Result<(u32, RngSeed), Failed> {
    Ok(match std::env::var("THALWEG_CASES") {
        Ok(cases) => (cases.parse()?, RngSeed::Random),
        Err(_) => (CASES, RngSeed::Fixed(1)),
    })
}

/// The schema that operations are made of: that of SQLite's API, which is the other's too.
fn schema(sources: &Sources, database: &str, dialect: &str) -> Result<Schema, Failed> {
    Ok(sources.engine(&TestSource::Sqlite, database, dialect)?.schema().clone())
}

async fn check(workers: &[Worker], operation: &Operation) -> Result<(), String> {
    let forms = [(&operation.literals, "{}"), (&operation.variables, &*operation.values)];
    let mut answers: Vec<String> = Vec::new();
    for worker in workers {
        for (document, variables) in forms {
            let answer = answer(worker, document, variables).await?;
            if let Some(code) = fault(&answer)? {
                return Err(format!("{code}\n{document}\n{variables}\n{answer}"));
            }
            answers.push(answer);
        }
    }
    // Where an error is in the document differs between the forms.
    let without: Vec<String> = answers.iter().map(|answer| without_locations(answer)).collect();
    match without.iter().position(|answer| *answer != without[0]) {
        None => Ok(()),
        Some(other) => Err(format!(
            "two answers (0, 1: SQLite; 2, 3: PostgreSQL; 1, 3: with variables)\n{}\n{}\n{}\n0: {}\n{other}: {}",
            operation.literals, operation.variables, operation.values, answers[0], answers[other],
        )),
    }
}

async fn answer(worker: &Worker, document: &str, variables: &str) -> Result<String, String> {
    let query = serde_json::Value::from(document).to_string();
    let body = ["{\"query\":", &query, ",\"variables\":", variables, "}"].concat();
    let request = Request::from_json(body.as_bytes()).map_err(|error| error.message)?;
    let response = worker.execute(&request, engine::Allowed::Queries).await;
    String::from_utf8(response.body.into()).map_err(|error| error.to_string())
}

/// The code of an error that no valid operation may have.
fn fault(answer: &str) -> Result<Option<String>, String> {
    let json: serde_json::Value =
        serde_json::from_str(answer).map_err(|error| format!("{error}: {answer}"))?;
    let errors = json["errors"].as_array().into_iter().flatten();
    let codes = errors.map(|error| error["extensions"]["code"].as_str().unwrap_or_default());
    Ok(codes.map(str::to_owned).find(|code| !REFUSALS.contains(&code.as_str())))
}

fn without_locations(answer: &str) -> String {
    const KEY: &str = "\"locations\":[";
    let mut parts = answer.split(KEY);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.find(']').map_or("", |end| &part[end..]));
    }
    out
}
