//! A database with statements that wait for the test, and workers that read it.

use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dialects::{Dialect, postgraphile};
use engine::{Allowed, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Timeouts, Worker};
use graphql::Request;
use serde_json::{Value, json};
use source::statistics::{Statistics, Totals};
use testkit::postgres::{Installation, Server, required_installations, shared};
use tokio::task::LocalSet;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// `gate` waits as long as somebody else holds the lock of the id, and so does `stubborn`, of 7, which
/// cannot be cancelled; `fault` fails for one id.
const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY, name text);
    CREATE TABLE album (id int PRIMARY KEY, artist_id int REFERENCES artist, title text);
    CREATE INDEX ON album (artist_id);
    INSERT INTO artist SELECT id, CASE WHEN id % 5 > 0 THEN 'artist ' || id END
        FROM generate_series(1, 50) AS id;
    INSERT INTO album SELECT id, CASE WHEN id % 7 > 0 THEN 1 + id % 40 END,
        repeat('title ' || id || ' ', id % 30) FROM generate_series(1, 300) AS id;
    CREATE VIEW gate AS SELECT id, pg_advisory_xact_lock_shared(id)::text AS opened FROM artist;
    CREATE FUNCTION stubborn() RETURNS text LANGUAGE plpgsql AS $$
        BEGIN LOOP BEGIN
            PERFORM pg_advisory_lock_shared(7);
            PERFORM pg_advisory_unlock_shared(7);
            RETURN 'done';
        EXCEPTION WHEN query_canceled THEN NULL;
        END; END LOOP; END $$;
    CREATE VIEW stubborn AS SELECT id, stubborn() AS done FROM artist WHERE id = 1;
    CREATE VIEW fault AS SELECT id, 1 / (id - 13) AS share FROM artist;
    COMMENT ON VIEW gate IS E'@primaryKey id';
    ANALYZE;";

/// A database of its own on a server that other tests use, too.
pub(crate) struct Shop {
    server: &'static Server,
    name: String,
}

/// Who answers, and what its connections did.
#[derive(Clone)]
pub(crate) struct Answering {
    pub(crate) worker: Rc<Worker>,
    statistics: Arc<Statistics>,
}

impl Shop {
    /// On each wanted PostgreSQL.
    pub(crate) fn on_each() -> Vec<Self> {
        required_installations().unwrap().iter().map(Self::on).collect()
    }

    /// On one of them, for what does not depend on the version.
    pub(crate) fn on_one() -> Option<Self> {
        required_installations().unwrap().last().map(Self::on)
    }

    fn on(installation: &Installation) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let server = shared(installation).unwrap_or_else(|error| panic!("{error}"));
        let name = format!("sharing{}", COUNT.fetch_add(1, Ordering::Relaxed));
        server.create_database(&name).unwrap();
        server.execute(&name, TABLES).unwrap();
        Self { server, name }
    }

    pub(crate) fn url(&self) -> String {
        self.server.socket_url(&self.name)
    }

    /// Puts a pooler in front of the server, if there is one on this machine.
    pub(crate) fn pooler(
        &self,
        mode: testkit::postgres::PoolMode,
        sessions: usize,
    ) -> Option<testkit::postgres::PgBouncer> {
        use testkit::postgres::PgBouncer;
        let start = || PgBouncer::start(self.server, mode, sessions).unwrap();
        PgBouncer::is_installed().then(start)
    }

    /// The server of the database, and its name there.
    pub(crate) fn database(&self) -> (&'static Server, &str) {
        (self.server, &self.name)
    }

    pub(crate) fn execute(&self, sql: &str) {
        self.server.execute(&self.name, sql).unwrap();
    }

    /// The only value of the only row.
    pub(crate) fn value(&self, sql: &str) -> String {
        let rows = self.server.query(&self.name, sql).unwrap();
        rows[0][0].clone().unwrap()
    }

    /// How many sessions of ours there are, of those that `condition` says.
    pub(crate) fn sessions(&self, condition: &str) -> usize {
        let sql = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'thalweg' AND ({condition})"
        );
        self.server.query(&self.name, &sql).unwrap().len()
    }

    /// Ends the sessions that we have now.
    pub(crate) fn end_sessions(&self) {
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'thalweg'",
        );
    }

    /// Waits for the end of the sessions that executed statements, which count as connections of the
    /// database until then.
    pub(crate) fn settle(&self) {
        let started = Instant::now();
        let others = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND backend_type = 'client backend'",
            self.name
        );
        while !self.server.query("postgres", &others).unwrap().is_empty() {
            assert!(started.elapsed() < PATIENCE, "a session does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) async fn answering(&self, url: &str, most: PoolLimits) -> Answering {
        self.answering_within(url, most, engine::Limits::default()).await
    }

    pub(crate) async fn answering_within(
        &self,
        url: &str,
        most: PoolLimits,
        limits: engine::Limits,
    ) -> Answering {
        let dialect = Dialect::PostGraphile(postgraphile::Options {
            simple_collections: postgraphile::SimpleCollections::Only,
            connection_filter: Some(postgraphile::FilterOptions {
                relations: true,
                ..postgraphile::FilterOptions::default()
            }),
            ..postgraphile::Options::default()
        });
        let options = Options {
            source: OpenOptions {
                namespaces: vec!["public".into()],
                timeouts: Timeouts { acquire: PATIENCE, ..Timeouts::default() },
                ..OpenOptions::default()
            },
            limits,
            has_defer: true,
            ..Options::new(dialect, most)
        };
        let address = SourceAddress::Postgres(url.into());
        let engine = Engine::open(&address, &options).await.unwrap();
        let statistics = Statistics::new(1);
        let worker = Rc::new(Worker::new(engine).counted(statistics.counter()));
        Answering { worker, statistics }
    }

    /// One that shares a single connection, for which no statement is long.
    pub(crate) async fn sharing(&self) -> Answering {
        let most = PoolLimits { patience: 2 * PATIENCE, ..PoolLimits::sharing(8, 1) };
        self.answering(&self.url(), most).await
    }
}

impl Answering {
    pub(crate) fn totals(&self) -> Totals {
        self.statistics.totals()
    }

    /// The answer, without the ids of errors, which are different each time.
    pub(crate) async fn ask(&self, query: &str, variables: &Value) -> Value {
        let Value::Object(variables) = variables.clone() else { panic!("{variables}") };
        let variables = serde_json::from_value(Value::Object(variables)).unwrap();
        let request = Request { query: query.to_owned(), variables, ..Request::default() };
        let answered = self.worker.execute(&request, Allowed::Queries).await;
        let mut answer: Value = serde_json::from_slice(&answered.body).unwrap();
        let errors = answer.get_mut("errors").and_then(Value::as_array_mut);
        for error in errors.into_iter().flatten() {
            error["extensions"]["errorId"] = Value::Null;
        }
        answer
    }

    /// Asks often enough to prove that the statements are short.
    pub(crate) async fn prove_short(&self, query: &str) {
        // Some runs look long on a busy machine.
        for _ in 0..20 {
            let answer = self.ask(query, &json!({ "id": 1 })).await;
            assert_eq!(answer["errors"], Value::Null, "{answer}");
        }
    }
}

/// Runs a test on a runtime of one thread.
pub(crate) fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        tokio::time::timeout(PATIENCE, Box::pin(test)).await.expect("the test hangs");
    });
}

/// Waits until it is so.
pub(crate) async fn happens(mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "it does not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
