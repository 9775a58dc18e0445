//! Tables that Citus distributes give the same answers as those of one PostgreSQL, to queries and to
//! changes. Citus is in no package registry: the test runs where `THALWEG_CITUS` has the address of a
//! database with the extension and its workers.

use std::path::Path;

use engine::{Allowed, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use serde_json::Value;
use testkit::postgres::{Server, query, required_installations};

use crate::dialect;
use crate::shop::block_on;

const VARIABLE: &str = "THALWEG_CITUS";

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/citus").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

async fn worker(url: &str, dialect: &str) -> Worker {
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect::parse(dialect).unwrap(), PoolLimits::unshared(2))
    };
    Worker::new(Engine::open(&SourceAddress::Postgres(url.into()), &options).await.unwrap())
}

/// The answer, without the ids of errors, which are different each time.
async fn ask(worker: &Worker, query: &str) -> Value {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let answered = worker.execute(&request, Allowed::All).await;
    let mut answer: Value = serde_json::from_slice(&answered.body).unwrap();
    let errors = answer.get_mut("errors").and_then(Value::as_array_mut);
    for error in errors.into_iter().flatten() {
        error["extensions"]["errorId"] = Value::Null;
    }
    answer
}

/// Asks both databases all requests of a file, one a line, and compares the answers.
fn compare(citus: &str, dialect: &str, requests: &str) {
    let installation = required_installations().unwrap().into_iter().next();
    let Some(installation) = installation else { return };
    let server = Server::start(&installation).unwrap();
    server.create_database("tenants").unwrap();
    let plain = server.url("tenants");
    for url in [citus, &plain] {
        for statement in fixture("tenants.sql").split("\n\n") {
            query(url, statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }
    let distributed = query(citus, "SELECT FROM pg_dist_partition WHERE partmethod = 'h'").unwrap();
    assert!(!distributed.is_empty(), "nothing is distributed");
    block_on(async {
        let (plain, citus) = (worker(&plain, dialect).await, worker(citus, dialect).await);
        for request in fixture(requests).lines() {
            let expected = ask(&plain, request).await;
            let is_invalid = expected.to_string().to_lowercase().contains("validation");
            assert!(!is_invalid, "{request}: {expected}");
            assert_eq!(ask(&citus, request).await, expected, "{request}");
        }
    });
}

/// The dialects, each with its requests.
const DIALECTS: [(&str, &str); 3] = [
    (
        "postgraphile simple-collections=both connection-filter connection-filter-relations \
         aggregates many-to-many",
        "postgraphile.graphql",
    ),
    ("hasura metadata=../citus/metadata.json", "hasura.graphql"),
    ("phrag", "phrag.graphql"),
];

#[test]
fn distributed_tables_answer_as_those_of_one_server() {
    let Ok(citus) = std::env::var(VARIABLE) else {
        println!("not run: {VARIABLE} names no database with Citus");
        return;
    };
    for (dialect, requests) in DIALECTS {
        compare(&citus, dialect, requests);
    }
}
