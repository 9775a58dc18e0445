//! Batches: live queries of one plan that are executed by the same statements.

use std::rc::Rc;
use std::sync::Arc;

use engine::live::{FeedKind, Responses};
use engine::{Allowed, Caller, Delivery, Engine, Report, Session, SourceAddress, Worker};
use graphql::Request;
use serde_json::{Value, json};
use source::Claims;
use tokio::task::spawn_local;

use crate::dgraph::{migrate, on_each, options, run_sql};
use crate::live::{next, wait_for_stream};
use crate::live_postgraphile::is_postgres;

const TYPES: &str = r#"
    type Member @withSubscription {
        id: ID!
        name: String! @search(by: [hash])
        age: Int @search
        rounds: [Round] @hasInverse(field: member)
    }
    type Round @withSubscription { id: ID!  member: Member  score: Int @search }
    type Diary @withSubscription
        @auth(query: { rule: "query($USER: String!) { queryDiary(filter: {owner: {eq: $USER}}) { id } }" }) {
        id: ID!
        owner: String! @search(by: [hash])
        size: Int @search
    }
"#;

const MEMBERS: usize = 500;

/// A database of PostgreSQL that logs the statements of new sessions.
async fn open(address: &SourceAddress) -> Option<Rc<Worker>> {
    if !is_postgres(address) {
        return None;
    }
    let mut options = options(migrate(address, TYPES).await, false);
    options.live.kind = FeedKind::Stream;
    let rows = r#"
        INSERT INTO "Member" (id, name, age) SELECT i, 'm' || i % 50, i % 7 FROM generate_series(1, 500) AS i;
        INSERT INTO "Round" (id, member, score) SELECT 1000 + i, 1 + i % 400, i FROM generate_series(1, 900) AS i;
        INSERT INTO "Diary" (id, owner, size) SELECT 5000 + i, 'u' || i % 20, i FROM generate_series(1, 100) AS i;
        ANALYZE;"#;
    run_sql(address, rows).await;
    log_statements(address).await;
    Some(Rc::new(Worker::new(Engine::open(address, &options).await.unwrap())))
}

async fn log_statements(address: &SourceAddress) {
    let log = "DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET log_statement = ''all''', current_database());
    END $$";
    run_sql(address, log).await;
}

/// The number of logged executions of statements that begin so.
async fn logged(address: &SourceAddress, beginning: &str) -> usize {
    let SourceAddress::Postgres(url) = address else { return 0 };
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let running = spawn_local(connection);
    let read = "SELECT line FROM regexp_split_to_table(
            pg_read_file(current_setting('data_directory') || '/../log'), '\n') AS line
        WHERE line LIKE '%LOG:  execute t%'";
    let lines = client.query(read, &[]).await.unwrap();
    drop(client);
    running.await.unwrap().unwrap();
    let text = |line: &str| line.split(": ").skip(2).collect::<Vec<_>>().join(": ");
    let lines = lines.iter().map(|row| row.get::<_, String>(0));
    lines.filter(|line| text(line).starts_with(beginning)).count()
}

fn with(query: &str, variables: Value) -> Request {
    let variables = serde_json::to_vec(&variables).unwrap();
    let variables = serde_json::from_slice(&variables).unwrap();
    Request { query: query.to_owned(), variables, ..Request::default() }
}

fn user(name: &str) -> Caller {
    let claims = Claims::new(serde_json_bytes::json!({ "USER": name }));
    Caller { session: Session { claims: Some(Arc::new(claims)), settings: None }, forwarded: None }
}

/// A subscription, with the query that has the same response.
struct Subscriber {
    query: Request,
    caller: Caller,
    responses: Responses,
}

impl Subscriber {
    fn new(worker: &Rc<Worker>, query: Request, caller: &Caller) -> Self {
        let subscription =
            Request { query: ["subscription", &query.query].concat(), ..query.clone() };
        let query = Request { query: ["query", &query.query].concat(), ..query };
        let begun = worker.subscribe(&subscription, caller).unwrap();
        if let Some(driver) = begun.driver {
            let worker = Rc::clone(worker);
            spawn_local(async move { worker.drive(driver).await });
        }
        Self { query, caller: caller.clone(), responses: begun.responses }
    }

    async fn next(&mut self) -> Value {
        next(&mut self.responses).await
    }

    /// The response of the query when it is executed by itself.
    async fn alone(&self, worker: &Worker) -> Value {
        let report = &mut Report::default();
        let (session, delivery) = (&self.caller.session, Delivery::Whole);
        let response =
            worker.deliver_reported(&self.query, session, Allowed::Queries, delivery, report).await;
        serde_json::from_slice(&response.body).unwrap()
    }

    /// Waits for the response that the query has now.
    async fn settle(&mut self, worker: &Worker) {
        let expected = self.alone(worker).await;
        while self.next().await != expected {}
    }
}

const BATCH: &str = "SELECT page.*";

#[test]
fn subscriptions_that_differ_in_variables_are_executed_by_one_statement() {
    on_each(|address| async move {
        let Some(worker) = open(&address).await else { return };
        let query = "($id: ID!) { getMember(id: $id) { name age } }";
        let member = |number: usize| with(query, json!({ "id": format!("{:#x}", number + 1) }));
        let caller = Caller::default();
        let mut all: Vec<Subscriber> =
            (0..MEMBERS).map(|number| Subscriber::new(&worker, member(number), &caller)).collect();
        for subscriber in &mut all {
            let response = subscriber.next().await;
            assert_eq!(response, subscriber.alone(&worker).await);
        }
        wait_for_stream(&worker, &address).await;
        // All were executed again when the stream began.
        let (first, executed) = (logged(&address, BATCH).await, worker.engine().live_counts());
        assert!(first as u64 <= executed.executions / 100 + 4, "{first} {executed:?}");
        let before = (logged(&address, BATCH).await, logged(&address, "SELECT").await);
        let executed = worker.engine().live_counts().executions;
        run_sql(&address, r#"UPDATE "Member" SET age = age + 10"#).await;
        for subscriber in &mut all {
            assert!(subscriber.next().await["data"]["getMember"]["age"].as_i64().unwrap() >= 10);
        }
        assert_eq!(worker.engine().live_counts().executions, executed + MEMBERS as u64);
        let after = (logged(&address, BATCH).await, logged(&address, "SELECT").await);
        assert!((5..=8).contains(&(after.0 - before.0)), "{before:?} {after:?}");
        // Beside these, the stream reads snapshots.
        assert!(after.1 - before.1 < 40, "{before:?} {after:?}");
        // One that changes by itself is executed by itself.
        run_sql(&address, r#"UPDATE "Member" SET age = 5 WHERE id = 7"#).await;
        assert_eq!(all[6].next().await["data"]["getMember"]["age"], 5);
        assert_eq!(logged(&address, BATCH).await, after.0);
    });
}
