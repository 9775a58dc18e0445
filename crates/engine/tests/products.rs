//! Databases that speak PostgreSQL's protocol and are none: a PostgreSQL that tells the version of
//! another product is served as that one.

use engine::{Allowed, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use serde_json::{Value, json};
use testkit::postgres::{Server, required_installations};

use crate::dialect;
use crate::shop::block_on;

const COCKROACHDB: &str =
    "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/12 14:33:57, go1.22.8)";
const YUGABYTEDB: &str =
    "PostgreSQL 15.12-YB-2025.1.0.0-b168 on x86_64-pc-linux-gnu, compiled by clang, 64-bit";

/// A table whose changes fail with a conflict as often as `conflicts` says, and a view whose reads do: a
/// sequence keeps counting where a transaction is rolled back.
const TABLES: &str = "
    CREATE TABLE note (id int PRIMARY KEY, text text);
    CREATE TABLE conflicts (number int);
    INSERT INTO conflicts VALUES (0);
    CREATE SEQUENCE attempts MINVALUE 0 START 0;
    CREATE FUNCTION fail() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') < (SELECT number FROM conflicts) THEN
            RAISE SQLSTATE '40001' USING MESSAGE = 'restart transaction: TransactionRetryError';
        END IF;
        RETURN 7;
    END $$;
    CREATE FUNCTION fail_of_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM fail();
        RETURN new;
    END $$;
    CREATE TRIGGER fail BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION fail_of_row();
    CREATE VIEW reading AS SELECT fail() AS number;
";

struct Served {
    server: Server,
    worker: Worker,
}

impl Served {
    /// A server that tells a version, with an engine for its tables.
    async fn start(version: Option<&str>) -> Option<Self> {
        let server = server(version)?;
        let options = options("postgraphile");
        let address = SourceAddress::Postgres(server.url("notes"));
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        Some(Self { server, worker })
    }

    /// Sends a request whose transactions fail so often; its answer, and the number of attempts.
    async fn ask(&self, conflicts: u32, query: &str) -> (Value, u32) {
        let set = format!(
            "UPDATE conflicts SET number = {conflicts}; SELECT setval('attempts', 0, false)"
        );
        self.server.query("notes", &set).unwrap();
        let request = Request { query: query.to_owned(), ..Request::default() };
        let answered = self.worker.execute(&request, Allowed::All).await;
        let answer: Value = serde_json::from_slice(&answered.body).unwrap();
        let rows = self.server.query("notes", "SELECT last_value FROM attempts").unwrap();
        let last: u32 = rows[0][0].as_deref().unwrap().parse().unwrap();
        (answer, last + 1)
    }
}

fn server(version: Option<&str>) -> Option<Server> {
    let installation = required_installations().unwrap().into_iter().next()?;
    let server = Server::start(&installation).unwrap();
    if let Some(version) = version {
        server.tell_version(version).unwrap();
    }
    server.create_database("notes").unwrap();
    server.execute("notes", TABLES).unwrap();
    Some(server)
}

fn options(dialect: &str) -> Options {
    Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect::parse(dialect).unwrap(), PoolLimits::unshared(1))
    }
}

const INSERT: &str = "mutation { createNote(input: {note: {id: 1}}) { note { id } } }";
const READ: &str = "{ allReadings { nodes { number } } }";

/// The code of the only error.
fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
}

#[test]
fn transactions_are_repeated_where_the_database_expects_it() {
    for version in [COCKROACHDB, YUGABYTEDB] {
        block_on(async {
            let Some(served) = Served::start(Some(version)).await else { return };
            let inserted = json!({ "data": { "createNote": { "note": { "id": 1 } } } });
            assert_eq!(served.ask(5, INSERT).await, (inserted, 6), "{version}");
            let read = json!({ "data": { "allReadings": { "nodes": [{ "number": 7 }] } } });
            assert_eq!(served.ask(5, READ).await, (read, 6), "{version}");
            // A conflict that does not pass is reported, as an error that a function has raised.
            let (answer, attempts) = served.ask(1_000, INSERT).await;
            assert_eq!((code(&answer), attempts), ("RAISED", 9), "{answer}");
            let (answer, attempts) = served.ask(1_000, READ).await;
            assert_eq!((code(&answer), attempts), ("RAISED", 9), "{answer}");
        });
    }
}

#[test]
fn a_change_in_postgresql_is_not_repeated() {
    block_on(async {
        let Some(served) = Served::start(None).await else { return };
        let (answer, attempts) = served.ask(5, INSERT).await;
        assert_eq!((code(&answer), attempts), ("RAISED", 1), "{answer}");
    });
}

/// The reason why a server that tells a version is not served.
async fn refusal(version: &str) -> Option<String> {
    let server = server(Some(version))?;
    let address = SourceAddress::Postgres(server.url("notes"));
    let opened = Engine::open(&address, &options("postgraphile")).await;
    Some(opened.err().map(|error| error.to_string()).unwrap_or_default())
}

#[test]
fn old_versions_are_refused() {
    block_on(async {
        let old =
            "CockroachDB CCL v22.1.2 (x86_64-pc-linux-gnu, built 2022/06/22 15:54:12, go1.17)";
        let Some(refused) = refusal(old).await else { return };
        let expected = "CockroachDB 22.1.2 is too old; CockroachDB 23.2 or newer is needed";
        assert!(refused.ends_with(expected), "{refused}");
        let older =
            "PostgreSQL 11.2-YB-2024.2.2.4-b0 on aarch64-unknown-linux-gnu, compiled by clang";
        let refused = refusal(older).await.unwrap_or_default();
        assert!(
            refused.ends_with("YugabyteDB 2025.1 (of PostgreSQL 15) or newer is needed"),
            "{refused}"
        );
    });
}
