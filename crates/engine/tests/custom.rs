//! Fields of Dgraph's API whose values other servers give, over HTTP.

mod concurrent;
mod failures;
mod open;
mod remote;

use std::fs;
use std::path::PathBuf;
use std::process;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clients::egress::EgressSettings;
use dialects::{Dialect, dgraph};
use engine::gateway::Caller;
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{
    Allowed, Delivery, Engine, OpenError, Options, PolicyFile, PoolLimits, Report, ResolverOptions,
    SourceAddress, Worker,
};
use expect_test::Expect;
use graphql::Request;
use http::HeaderMap;
use testkit::http::{HttpServer, Received, Reply};

static DATABASES: AtomicUsize = AtomicUsize::new(0);

/// Runs a future to its end on this thread.
fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test)
}

/// A file that is removed in the end.
struct Database(PathBuf);

impl Database {
    fn new() -> Self {
        let number = DATABASES.fetch_add(1, Ordering::Relaxed);
        let name = format!("thalweg-custom-{}-{number}.db", process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(ending);
            fs::remove_file(name).ok();
        }
    }
}

/// Options that allow requests to this machine.
fn local() -> ResolverOptions {
    let egress = EgressSettings {
        hosts: vec!["127.0.0.1".parse().unwrap(), "localhost".parse().unwrap()],
        networks: vec!["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()],
        timeout: std::time::Duration::from_millis(500),
        most_bytes: 1 << 20,
        ..EgressSettings::default()
    };
    ResolverOptions { egress, ..ResolverOptions::default() }
}

async fn open(
    database: &Database,
    definitions: &str,
    resolvers: ResolverOptions,
) -> Result<Rc<Worker>, OpenError> {
    let (address, mut options) = options(database, definitions);
    options.resolvers = Some(resolvers);
    Ok(Rc::new(Worker::new(Engine::open(&address, &options).await?)))
}

/// Options for a database whose tables are there.
fn options(database: &Database, definitions: &str) -> (SourceAddress, Options) {
    let model = dgraph::definitions::read(definitions).unwrap();
    let dialect = dgraph::Options { model: Arc::new(model), ..dgraph::Options::default() };
    let options = Options {
        schema_first: Some(SchemaFirst {
            definitions: definitions.into(),
            apply: ApplyMigrations::First,
        }),
        resolvers: Some(local()),
        ..Options::new(Dialect::Dgraph(dialect), PoolLimits::unshared(1))
    };
    (SourceAddress::Sqlite(database.0.clone()), options)
}

/// The engine with a limit of an answer's bytes.
async fn reopened(database: &Database, definitions: &str, most: u64) -> Arc<Engine> {
    let (address, mut options) = options(database, definitions);
    options.limits.response_bytes = most;
    Engine::open(&address, &options).await.unwrap()
}

/// The engine with policies that hide the row `bob`, and the column `age`.
async fn restricted(database: &Database, definitions: &str) -> Arc<Engine> {
    const POLICIES: &str = r#"
        default_role = "anonymous"
        [rules.people]
        entity = "Person"
        read = { rows = { name = { ne = "bob" } }, columns = ["id", "name"] }
        [roles.anonymous]
        rules = ["people"]
    "#;
    let (address, mut options) = options(database, definitions);
    options.policies = Some(Arc::new(PolicyFile::parse(POLICIES).unwrap()));
    Engine::open(&address, &options).await.unwrap()
}

async fn ask(worker: &Worker, text: &str, variables: &str, headers: &[(&str, &str)]) -> String {
    let body =
        format!(r#"{{"query": {}, "variables": {variables}}}"#, serde_json::Value::from(text));
    let request = Request::from_json(body.as_bytes()).unwrap();
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().unwrap();
        map.insert(name, value.parse().unwrap());
    }
    let forwarded = worker.engine().read_headers().map(|wanted| Box::new(wanted.collect(&map)));
    let caller = Caller { forwarded, ..Caller::default() };
    let mut report = Report::default();
    let answer =
        worker.deliver_for(&request, &caller, Allowed::All, Delivery::Streamed, &mut report).await;
    String::from_utf8(answer.body.into()).unwrap()
}

/// Adds rows by a mutation, sends requests, and compares the answers with the requests that the other
/// server received.
fn check(
    reply: fn(&Received) -> Reply,
    definitions: &str,
    rows: &str,
    requests: &[&str],
    expect: &Expect,
) {
    check_with(local(), reply, definitions, rows, requests, expect);
}

/// Checks with options of requests to other servers.
fn check_with(
    resolvers: ResolverOptions,
    reply: fn(&Received) -> Reply,
    definitions: &str,
    rows: &str,
    requests: &[&str],
    expect: &Expect,
) {
    let server = HttpServer::start(reply);
    let definitions = definitions.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let text = block_on(async {
        let worker = open(&database, &definitions, resolvers).await.unwrap();
        if !rows.is_empty() {
            let answer = ask(&worker, rows, "{}", &[]).await;
            assert!(!answer.contains("errors"), "{answer}");
        }
        drop(server.received());
        let mut text = String::new();
        for request in requests {
            text.push_str(&ask(&worker, request, "{}", &[]).await);
            text.push('\n');
            let mut received: Vec<String> = server.received().iter().map(shown).collect();
            received.sort();
            text.extend(received);
        }
        text
    });
    expect.assert_eq(&text);
}

fn shown(received: &Received) -> String {
    let Received { method, target, body, .. } = received;
    format!("  {method} {target} {body}\n")
}
