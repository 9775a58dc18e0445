//! Random nested changes of the dialect `prisma`, beside a plain evaluation of their meaning in
//! memory: each change must leave equal data, or fail with an equal error and leave the data.
//!
//! The changes are made up, the same in each run; `THALWEG_CASES=500` makes more, and a failure
//! prints the changes of its case.
//!
//! * `model`: the datamodel and its relations
//! * `generated`: random changes, and their text
//! * `evaluated`: data in memory, and the meaning of changes

mod evaluated;
mod generated;
mod model;

use std::path::PathBuf;
use std::sync::Arc;
use std::{env, fs, process};

use dialects::{Dialect, DialectName, prisma};
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{Allowed, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use proptest::collection::vec;
use proptest::num::u8::ANY;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde_json::Value;
use testkit::fuzz::Choices;
use testkit::postgres::{required_installations, shared};

use crate::dgraph_rules::Local;
use evaluated::State;
use model::{DATAMODEL, TYPES};

/// Changes of each case.
const CHANGES: usize = 7;

/// An SQLite file that is removed with its logs.
struct File(PathBuf);

impl Drop for File {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(ending);
            fs::remove_file(name).ok();
        }
    }
}

async fn open(address: &SourceAddress) -> Worker {
    let Dialect::Prisma(mut dialect) = DialectName::Prisma.dialect() else {
        panic!("another dialect");
    };
    dialect.model = Arc::new(prisma::definitions::read(DATAMODEL).unwrap());
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        schema_first: Some(SchemaFirst {
            definitions: DATAMODEL.into(),
            apply: ApplyMigrations::First,
        }),
        ..Options::new(Dialect::Prisma(dialect), PoolLimits::unshared(1))
    };
    Worker::new(Engine::open(address, &options).await.unwrap())
}

async fn ask(worker: &Worker, query: &str) -> Value {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let answer = worker.execute(&request, Allowed::All).await;
    serde_json::from_slice(&answer.body).unwrap()
}

/// Deletes all rows: those that require others first.
async fn clear(worker: &Worker) {
    let fields = ["Profiles", "Notes", "Posts", "Topics", "Seats", "Users"];
    let fields = fields.map(|name| format!("deleteMany{name} {{ count }} "));
    let deleted = ask(worker, &format!("mutation {{ {} }}", fields.concat())).await;
    assert_eq!(deleted["errors"], Value::Null, "{deleted}");
}

/// The changes of a case on one source, each compared with its evaluation.
async fn compare(worker: &Worker, tape: &[u8]) -> Result<(), String> {
    clear(worker).await;
    let mut choices = Choices::new(tape);
    let (mut state, mut before) = (State::default(), Vec::new());
    for _ in 0..CHANGES {
        let change = generated::change(&mut choices);
        let text = format!("mutation {{ changed: {} }}", generated::text(&change));
        let mut next = state.clone();
        let expected = next.apply(&change);
        let answer = ask(worker, &text).await;
        before.push(text);
        let code = answer["errors"][0]["code"].as_u64();
        let found = match answer["errors"].is_null() {
            true => Ok(answer["data"]["changed"]["count"].as_u64()),
            false => Err(code),
        };
        let expected = expected.map_err(|code| Some(u64::from(code)));
        if expected.is_ok() {
            state = next;
        }
        let shown = before.join("\n");
        if found != expected {
            return Err(format!("{shown}\nexpected {expected:?}\nanswered {answer}"));
        }
        let data = ask(worker, &generated::all()).await;
        let (found, expected) = (&data["data"], state.json());
        if *found != expected {
            return Err(format!("{shown}\nexpected {expected}\nfound    {found}"));
        }
    }
    Ok(())
}

#[test]
fn nested_changes_have_the_meaning_of_their_evaluation() {
    let file = format!("thalweg-prisma-changes-{}.db", process::id());
    let file = File(env::temp_dir().join(file));
    let mut addresses = vec![SourceAddress::Sqlite(file.0.clone())];
    if let Some(installation) = required_installations().unwrap().first() {
        let server = shared(installation).unwrap();
        let name = format!("prisma_changes_{}", process::id());
        server.create_database(&name).unwrap();
        addresses.push(SourceAddress::Postgres(server.socket_url(&name)));
    }
    let cases = env::var("THALWEG_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    assert_eq!(TYPES.len(), 6);
    for address in addresses {
        let local = Local::new();
        let worker = local.block_on(open(&address));
        let config = Config {
            cases,
            rng_seed: RngSeed::Fixed(28),
            failure_persistence: None,
            ..Config::default()
        };
        let outcome = TestRunner::new(config).run(&vec(ANY, 60..400), |tape| {
            local.block_on(compare(&worker, &tape)).map_err(TestCaseError::fail)
        });
        outcome.unwrap_or_else(|error| panic!("{address:?}, seed 28: {error}"));
    }
}
