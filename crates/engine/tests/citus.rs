//! Tables that Citus distributes give the same answers as those of one PostgreSQL, to queries and to
//! changes. Citus is in no package registry: the test runs where `THALWEG_CITUS` has the address of a
//! database with the extension and its workers.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dialects::{Dialect, dgraph, prisma};
use engine::{Allowed, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use serde_json::Value;
use testkit::postgres::{Server, query, required_installations};

use crate::dgraph::migrate;
use crate::dialect;
use crate::shop::block_on;

const VARIABLE: &str = "THALWEG_CITUS";

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/citus").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

async fn worker(url: &str, dialect: Dialect) -> Worker {
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect, PoolLimits::unshared(2))
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
        error["requestId"] = Value::Null;
    }
    answer
}

/// The tables of a comparison.
enum Tables {
    /// Statements of a file, which distribute the tables where there is Citus.
    Statements(&'static str),
    /// Tables of type definitions, which are local tables beside a distributed one on Citus.
    Definitions(&'static str),
}

/// A dialect with its tables, and the requests that are sent to both databases, one a line.
struct Comparison {
    dialect: Dialect,
    tables: Tables,
    requests: &'static str,
}

impl Comparison {
    fn of_tenants(line: &str, requests: &'static str) -> Self {
        let tables = Tables::Statements("tenants.sql");
        Self { dialect: dialect::parse(line).unwrap(), tables, requests }
    }

    /// The tables of a service of Prisma, as they are.
    fn of_service() -> Self {
        let options = prisma::Options {
            model: Arc::new(prisma::definitions::read(&fixture("datamodel.prisma")).unwrap()),
            ..prisma::Options::default()
        };
        let dialect = Dialect::Prisma(options);
        Self { dialect, tables: Tables::Statements("service.sql"), requests: "prisma.graphql" }
    }

    /// The tables of Dgraph's definitions.
    fn of_definitions() -> Self {
        let dialect = Dialect::Dgraph(dgraph::Options::default());
        Self { dialect, tables: Tables::Definitions("schema.graphql"), requests: "dgraph.graphql" }
    }

    /// Asks both databases and compares the answers.
    fn run(self, citus: &str, server: &Server) {
        let database = self.requests.trim_end_matches(".graphql");
        server.create_database(database).unwrap();
        let plain = server.url(database);
        clear(citus);
        block_on(async {
            let plain = self.tables.create(&plain, self.dialect.clone()).await;
            let served = self.tables.create(citus, self.dialect).await;
            let distributed = "SELECT FROM pg_dist_partition WHERE partmethod = 'h'";
            assert!(!query(citus, distributed).unwrap().is_empty(), "nothing is distributed");
            let mut differences = Vec::new();
            for request in fixture(self.requests).lines() {
                let expected = ask(&plain, request).await;
                let is_invalid = expected.to_string().to_lowercase().contains("validation");
                assert!(!is_invalid, "{request}: {expected}");
                let found = ask(&served, request).await;
                if found != expected {
                    differences.push(format!("{request}\nCitus: {found}\nalone: {expected}"));
                }
            }
            assert!(differences.is_empty(), "{}", differences.join("\n\n"));
        });
    }
}

impl Tables {
    /// Makes the tables, and serves them.
    async fn create(&self, url: &str, dialect: Dialect) -> Worker {
        let run = |statement: &str| {
            query(url, statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
        };
        match self {
            Self::Statements(file) => {
                for statement in fixture(file).split("\n\n") {
                    run(statement);
                }
                worker(url, dialect).await
            }
            Self::Definitions(file) => {
                let address = SourceAddress::Postgres(url.into());
                let options = migrate(&address, &fixture(file)).await;
                let is_citus = !run("SELECT FROM pg_extension WHERE extname = 'citus'").is_empty();
                if is_citus {
                    run("CREATE TABLE elsewhere (id int PRIMARY KEY)");
                    run("SELECT create_distributed_table('elsewhere', 'id')");
                }
                worker(url, Dialect::Dgraph(options)).await
            }
        }
    }
}

/// Removes the tables of other comparisons, which the dialects would serve, too.
fn clear(url: &str) {
    let names = "SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables \
        WHERE schemaname = 'public'";
    let rows = query(url, names).unwrap();
    if let Some(names) = rows.first().and_then(|row| row[0].as_deref()) {
        query(url, &format!("DROP TABLE {names} CASCADE")).unwrap();
    }
    query(url, "DROP SCHEMA IF EXISTS thalweg CASCADE").unwrap();
}

/// Compares where there is a Citus.
#[expect(clippy::print_stdout, reason = "a test that does not run says so")]
fn compare(comparison: impl FnOnce() -> Comparison) {
    let Ok(citus) = std::env::var(VARIABLE) else {
        println!("not run: {VARIABLE} names no database with Citus");
        return;
    };
    let installation = required_installations().unwrap().into_iter().next();
    let Some(installation) = installation else { return };
    // The database with Citus is one.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    comparison().run(&citus, &Server::start(&installation).unwrap());
}

#[test]
fn postgraphile_answers_as_on_one_server() {
    let line = "postgraphile simple-collections=both connection-filter connection-filter-relations \
                aggregates many-to-many";
    compare(|| Comparison::of_tenants(line, "postgraphile.graphql"));
}

#[test]
fn hasura_answers_as_on_one_server() {
    let line = "hasura metadata=../citus/metadata.json";
    compare(|| Comparison::of_tenants(line, "hasura.graphql"));
}

#[test]
fn phrag_answers_as_on_one_server() {
    compare(|| Comparison::of_tenants("phrag", "phrag.graphql"));
}

#[test]
fn prisma_answers_as_on_one_server() {
    compare(Comparison::of_service);
}

#[test]
fn dgraph_answers_as_on_one_server() {
    compare(Comparison::of_definitions);
}
