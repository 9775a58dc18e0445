//! Random mutations, one after the other, on copies of the cases' databases: SQLite and PostgreSQL
//! must answer the same, refuse the same, and be left with the same rows.
//!
//! The mutations are the same in each run. `THALWEG_CASES=500` makes so many sequences of them, and
//! others each time.

mod one_by_one;
mod rows;

use std::sync::Arc;

use crate::choices::Choices;
use crate::operation::{Operation, mutation};
use crate::sources::{OwnEngine, Sources, TestSource};
use engine::{Allowed, Worker};
use graphql::Request;
use graphql::schema::Schema;
use libtest_mimic::{Failed, Trial};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use serde_json::Value;

/// Each of them has copies of its own.
const SEQUENCES: u32 = 16;

/// Mutations of a sequence, each with one or several fields.
const MUTATIONS: usize = 6;

/// Enough choices for the largest sequence.
const CHOICES: usize = 600;

const TARGETS: [(&str, &str); 6] = [
    ("blog", "postgraphile simple-collections=both bulk-mutations=20 upsert-mutations"),
    (
        "blog",
        "postgraphile simplified-names mutation-transactions=request bulk-mutations=3 \
         upsert-mutations",
    ),
    ("league", "postgraphile bulk-mutations=20 upsert-mutations"),
    ("kinds", "postgraphile bulk-mutations=20 upsert-mutations"),
    (
        "pets",
        "postgraphile simplified-names classic-ids bulk-mutations=20 upsert-mutations \
         tags-file=pets/tags.json5",
    ),
    ("meetups", "phrag"),
];

/// A test for each database and dialect, and for each further comparison.
pub(crate) fn trials(sources: &Arc<Sources>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (database, dialect) in TARGETS {
        let own = Arc::clone(sources);
        let name = format!("differential_writes::{database}, {dialect}");
        trials.push(Trial::test(name, move || compare(&own, database, dialect)));
    }
    let own = Arc::clone(sources);
    trials.push(Trial::test("differential_writes::bulk beside one by one", move || {
        one_by_one::compare_bulk(&own)
    }));
    trials
}

fn compare(sources: &Sources, database: &str, dialect: &str) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // The versions of PostgreSQL are compared by the cases.
    let both: Vec<TestSource> = sources.all().take(2).collect();
    // The schema that mutations are made of: that of SQLite's API, which is the other's too.
    let schema = sources.engine(&TestSource::Sqlite, database, dialect)?.schema().clone();
    let mut compared = Compared::default();
    each_sequence(|choices| {
        let open = |source| sources.open_copy(source, database, dialect, |_| ());
        let copies: Vec<OwnEngine> = both.iter().map(open).collect::<Result<_, _>>()?;
        runtime.block_on(check(&schema, &copies, choices, &mut compared))
    })?;
    compared.judge()
}

/// How many mutations were tried, and of how many a field at least was done.
#[derive(Default)]
struct Compared {
    tried: u32,
    done: u32,
}

impl Compared {
    fn count(&mut self, is_done: bool) {
        self.tried += 1;
        self.done += u32::from(is_done);
    }

    /// Where nearly all is refused, little is compared.
    fn judge(&self) -> Result<(), Failed> {
        match self.done * 10 >= self.tried && self.done > 0 {
            true => Ok(()),
            false => Err(format!("of {} mutations {} were done", self.tried, self.done).into()),
        }
    }
}

/// Tries the choices of each sequence.
fn each_sequence(
    mut check: impl FnMut(&mut Choices<'_>) -> Result<(), String>,
) -> Result<(), Failed> {
    let check = std::cell::RefCell::new(&mut check);
    let (cases, rng_seed) = match std::env::var("THALWEG_CASES") {
        Ok(cases) => (cases.parse()?, RngSeed::Random),
        Err(_) => (SEQUENCES, RngSeed::Fixed(1)),
    };
    let config = Config { cases, rng_seed, failure_persistence: None, ..Config::default() };
    // Each step makes the copies anew.
    let config = Config { max_shrink_iters: 40, ..config };
    let outcome = TestRunner::new(config).run(&vec(any::<u16>(), 0..CHOICES), |numbers| {
        let choices = &mut Choices::new(&numbers);
        (check.borrow_mut())(choices).map_err(TestCaseError::fail)
    });
    outcome.map_err(|error| match error {
        // The reason holds the mutations; the numbers that they were made of say nothing.
        TestError::Fail(reason, _) => Failed::from(reason.message().to_owned()),
        TestError::Abort(reason) => Failed::from(reason.message().to_owned()),
    })
}

async fn check(
    schema: &Schema,
    copies: &[OwnEngine],
    choices: &mut Choices<'_>,
    compared: &mut Compared,
) -> Result<(), String> {
    let workers: Vec<Worker> =
        copies.iter().map(|copy| Worker::new(Arc::clone(&copy.engine))).collect();
    let mut before = String::new();
    for _ in 0..MUTATIONS {
        let Operation { literals, variables, values } = mutation(schema, choices);
        let (document, values) = match choices.percent(50) {
            true => (literals, "{}".to_owned()),
            false => (variables, values),
        };
        let said = [&*document, "\n", &values, "\n"].concat();
        let is_done = same(&workers, &document, &values, Allowed::All)
            .await
            .map_err(|difference| [&before, "then\n", &said, &difference].concat())?;
        compared.count(is_done);
        before.push_str(&said);
    }
    same(&workers, &rows::all(schema), "{}", Allowed::Queries)
        .await
        .map_err(|difference| [&before, "leaves different rows\n", &difference].concat())?;
    Ok(())
}

/// Asks all, who must answer the same. Gives whether something was done.
async fn same(
    workers: &[Worker],
    document: &str,
    variables: &str,
    allowed: Allowed,
) -> Result<bool, String> {
    let mut answers = Vec::new();
    for worker in workers {
        answers.push(answer(worker, document, variables, allowed).await?);
    }
    match answers.iter().all(|answer| *answer == answers[0]) {
        true => Ok(has_done(&answers[0])),
        false => Err(answers.iter().skip(1).map(|other| difference(&answers[0], other)).collect()),
    }
}

/// Whether a field of the answer is more than its type's name.
fn has_done(answer: &Value) -> bool {
    let fields = answer["data"].as_object().into_iter().flatten();
    fields.into_iter().any(|(name, value)| name != "__typename" && !value.is_null())
}

/// Two answers from where they differ, and a little before it.
fn difference(first: &Value, second: &Value) -> String {
    let (first, second) = (first.to_string(), second.to_string());
    let place = first.bytes().zip(second.bytes()).position(|(one, other)| one != other);
    let place = place.unwrap_or_default().saturating_sub(200);
    let from = |text: &str| String::from_utf8_lossy(text.as_bytes().split_at(place).1).into_owned();
    ["first:  ", &from(&first), "\nsecond: ", &from(&second), "\n"].concat()
}

/// The answer, with of an error what is the same everywhere: its path and its code.
async fn answer(
    worker: &Worker,
    document: &str,
    variables: &str,
    allowed: Allowed,
) -> Result<Value, String> {
    let query = Value::from(document).to_string();
    let body = ["{\"query\":", &query, ",\"variables\":", variables, "}"].concat();
    let request = Request::from_json(body.as_bytes()).map_err(|error| error.message)?;
    let response = worker.execute(&request, allowed).await;
    let mut answer: Value =
        serde_json::from_slice(&response.body).map_err(|error| error.to_string())?;
    for error in answer["errors"].as_array_mut().into_iter().flatten() {
        let code = error["extensions"]["code"].as_str().unwrap_or_default().to_owned();
        if !REFUSALS.contains(&&*code) {
            return Err(error.to_string());
        }
        // Of several constraints that are broken each database names one.
        let code = if code.ends_with("_VIOLATION") { "VIOLATION" } else { &*code };
        *error = Value::Array(vec![error["path"].take(), code.into()]);
    }
    Ok(answer)
}

/// What a valid mutation may be refused for.
const REFUSALS: [&str; 11] = [
    "BAD_USER_INPUT",
    "COST_TOO_HIGH",
    "INVALID_VALUE",
    "NOT_FOUND",
    "TOO_MANY_ROWS",
    "UNIQUE_VIOLATION",
    "FOREIGN_KEY_VIOLATION",
    "NOT_NULL_VIOLATION",
    "CHECK_VIOLATION",
    "EXCLUSION_VIOLATION",
    "TRANSACTION_ABORTED",
];
