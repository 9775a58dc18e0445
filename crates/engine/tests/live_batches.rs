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
use crate::live::{next, request, wait_for_stream};
use crate::live_exact::SONGS;
use crate::live_postgraphile::{TABLES as TABLES_OF_SONGS, is_postgres, live, open_tables, singer};

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

/// Logs the statements of new sessions of the database.
const LOG: &str = "DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET log_statement TO %L', current_database(), 'all');
    END $$;";

const ROWS: &str = r#"
    INSERT INTO "Member" (id, name, age) SELECT i, 'm' || i % 50, i % 7 FROM generate_series(1, 500) AS i;
    INSERT INTO "Member" (id, name, age) VALUES (501, 'NULL', NULL), (502, '"\ {,}''', 3), (503, '', 3);
    INSERT INTO "Round" (id, member, score)
        SELECT 1000 + i, 1 + i % 400, i % 90 FROM generate_series(1, 900) AS i;
    INSERT INTO "Diary" (id, owner, size)
        SELECT 5000 + i, 'u' || i % 20, i FROM generate_series(1, 100) AS i;
    ANALYZE;"#;

/// A database of PostgreSQL that logs its statements.
async fn open(address: &SourceAddress) -> Option<Rc<Worker>> {
    if !is_postgres(address) {
        return None;
    }
    let mut options = options(migrate(address, TYPES).await, false);
    options.live.kind = FeedKind::Stream;
    run_sql(address, ROWS).await;
    run_sql(address, LOG).await;
    Some(Rc::new(Worker::new(Engine::open(address, &options).await.unwrap())))
}

/// The number of logged executions of statements that begin so.
async fn logged(address: &SourceAddress, beginning: &str) -> usize {
    let SourceAddress::Postgres(url) = address else { return 0 };
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let running = spawn_local(connection);
    // The server logs the statements of other tests, too.
    let read = "SELECT line FROM regexp_split_to_table(
            pg_read_file(current_setting('data_directory') || '/../log'), '\n') AS line
        JOIN pg_stat_activity ON datname = current_database() AND strpos(line, format('[%s]', pid)) > 0
        WHERE line LIKE '%LOG:  execute t%'";
    let lines = client.query(read, &[]).await.unwrap();
    drop(client);
    running.await.unwrap().unwrap();
    let text = |line: &str| line.split(": ").skip(2).collect::<Vec<_>>().join(": ");
    let lines = lines.iter().map(|row| row.get::<_, String>(0));
    lines.filter(|line| text(line).starts_with(beginning)).count()
}

/// A request of a query that contains a number as `%`: as a variable.
pub(crate) fn with_number(query: &str, number: usize) -> Request {
    let (query, of_type, value) = match query.contains("\"0x%\"") {
        true => (query.replace("\"0x%\"", "$n"), "ID!", json!(format!("{number:#x}"))),
        false => (query.replace('%', "$n"), "Int!", json!(number)),
    };
    let declared = if query.contains("$n") { format!("($n: {of_type})") } else { String::new() };
    with(&format!("subscription {declared} {{ {query} }}"), &json!({ "n": value }))
}

/// Begins a subscription.
pub(crate) fn begin(worker: &Rc<Worker>, request: &Request, caller: &Caller) -> Responses {
    let begun = worker.subscribe(request, caller).unwrap();
    if let Some(driver) = begun.driver {
        let worker = Rc::clone(worker);
        spawn_local(async move { worker.drive(driver).await });
    }
    begun.responses
}

fn with(query: &str, variables: &Value) -> Request {
    let variables = serde_json::to_vec(variables).unwrap();
    let variables = serde_json::from_slice(&variables).unwrap();
    Request { query: query.to_owned(), variables, ..Request::default() }
}

fn user(name: &str) -> Caller {
    let claims = Claims::new(serde_json_bytes::json!({ "USER": name }));
    Caller {
        session: Session { claims: Some(Arc::new(claims)), settings: None },
        ..Caller::default()
    }
}

/// A subscription, with the query that has the same response.
struct Subscriber {
    query: Request,
    caller: Caller,
    responses: Responses,
    last: Value,
}

impl Subscriber {
    fn new(worker: &Rc<Worker>, query: Request, caller: &Caller) -> Self {
        let subscription =
            Request { query: ["subscription", &query.query].concat(), ..query.clone() };
        let query = Request { query: ["query", &query.query].concat(), ..query };
        let responses = begin(worker, &subscription, caller);
        Self { query, caller: caller.clone(), responses, last: Value::Null }
    }

    async fn next(&mut self) -> Value {
        self.last = next(&mut self.responses).await;
        self.last.clone()
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
        while self.last != expected {
            self.next().await;
        }
    }
}

const BATCH: &str = "SELECT page.*";

#[test]
fn subscriptions_that_differ_in_variables_are_executed_by_one_statement() {
    on_each(|address| async move {
        let Some(worker) = open(&address).await else { return };
        let query = "($id: ID!) { getMember(id: $id) { name age } }";
        let member = |number: usize| with(query, &json!({ "id": format!("{:#x}", number + 1) }));
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

/// Subscriptions with several sets of variables.
fn shapes() -> Vec<(&'static str, Vec<Value>)> {
    let numbers = || (0..8).map(|number| json!({ "n": number })).collect();
    let ids = || (0..8).map(|number| json!({ "id": format!("{number:#x}") })).collect();
    let names = ["m1", "NULL", "\"\\ {,}'", "", "nobody", "null"];
    let names = || names.map(|name| json!({ "name": name })).into();
    let null = || [json!(null), json!(2), json!(3)].map(|number| json!({ "n": number })).into();
    let lists = [json!([]), json!(["m1", "\"\\ {,}'", "m1"]), json!(["NULL", ""]), json!(["m2"])];
    let lists = || lists.iter().map(|names| json!({ "names": names })).collect();
    vec![
        (
            "($n: Int) { queryMember(filter: {age: {eq: $n}}, order: {asc: name})
                { id name } }",
            numbers(),
        ),
        ("($n: Int) { queryRound(filter: {not: {score: {gt: $n}}}) { id } }", null()),
        (
            "($name: String!) { queryMember(filter: {name: {eq: $name}}, order: {asc: name})
                { id age rounds(order: {desc: score}) { score } } }",
            names(),
        ),
        (
            "($names: [String]) { queryMember(filter: {name: {in: $names}}, order: {asc: name}, first: 5)
                { id name } }",
            lists(),
        ),
        (
            "($id: ID!) { getMember(id: $id) { name roundsAggregate { count scoreMax }
                rounds(order: {desc: score}, first: 1) { score member { age } } } }",
            ids(),
        ),
        (
            // Found by the keys of rows that no index finds.
            "($n: Int) { queryMember(filter: {age: {ge: $n}}, order: {asc: name}) { id name
                roundsAggregate { count } rounds(order: {desc: score}) { id member { rounds { id } } } } }",
            numbers(),
        ),
        (
            "($n: Int) { aggregateRound(filter: {score: {le: $n}}) { count scoreSum scoreAvg } }",
            numbers(),
        ),
    ]
}

fn subscribers(
    worker: &Rc<Worker>,
    query: &str,
    variables: impl IntoIterator<Item = Value>,
) -> Vec<Subscriber> {
    let request = |variables| with(query, &variables);
    let subscriber = |request| Subscriber::new(worker, request, &Caller::default());
    variables.into_iter().map(request).map(subscriber).collect()
}

#[test]
fn responses_of_a_batch_are_those_of_single_executions() {
    on_each(|address| async move {
        let Some(worker) = open(&address).await else { return };
        for (query, variables) in shapes() {
            let before = logged(&address, BATCH).await;
            let mut all = subscribers(&worker, query, variables);
            for subscriber in &mut all {
                assert_eq!(subscriber.next().await, subscriber.alone(&worker).await, "{query}");
            }
            assert!(logged(&address, BATCH).await > before, "{query}");
            let change = r#"UPDATE "Member" SET age = (age + 1) % 7;
                UPDATE "Round" SET score = score + 1 WHERE score < 80"#;
            run_sql(&address, change).await;
            for subscriber in &mut all {
                subscriber.settle(&worker).await;
            }
        }
    });
}

#[test]
fn sizes_of_pages_are_equal_in_a_batch() {
    on_each(|address| async move {
        let Some(worker) = open(&address).await else { return };
        let query = "($n: Int, $size: Int, $from: Int) { queryMember(filter: {age: {ge: $n}},
            order: {asc: name}, first: $size, offset: $from) { id } }";
        let variables = (0..40).map(|number| {
            let (size, from) = ([1, 20][number % 2], [0, 100][number / 2 % 2]);
            json!({ "n": number / 4, "size": size, "from": from })
        });
        let mut all = subscribers(&worker, query, variables);
        for subscriber in &mut all {
            assert_eq!(subscriber.next().await, subscriber.alone(&worker).await);
        }
        // Four sizes; all are executed again when the stream begins.
        let executed = logged(&address, BATCH).await;
        assert!((4..=12).contains(&executed), "{executed}");
    });
}

#[test]
fn a_batch_has_several_root_fields() {
    on_each(|address| async move {
        if !is_postgres(&address) {
            return;
        }
        let tables = [TABLES_OF_SONGS, LOG].join(";");
        let worker = open_tables(&address, live(), FeedKind::Stream, &tables).await;
        let query =
            "($id: Int!, $size: Int) { query { all: allSongs(first: $size) { nodes { title } }
            song: songById(id: $id) { title } loud: allLouds { totalCount nodes { id } } } }";
        let variables = (0..4).map(|id| json!({ "id": id, "size": 1 }));
        let mut all = subscribers(&worker, query, variables);
        for subscriber in &mut all {
            assert_eq!(subscriber.next().await, subscriber.alone(&worker).await);
        }
        assert!(logged(&address, BATCH).await > 0);
        run_sql(&address, "UPDATE song SET title = 'LOUD' WHERE id = 1").await;
        for subscriber in &mut all {
            subscriber.settle(&worker).await;
            assert_eq!(subscriber.last["data"]["query"]["loud"]["totalCount"], 1);
        }
    });
}

#[test]
fn a_bad_variable_fails_its_own_subscription() {
    const TABLES: &str = "
        CREATE TABLE host (id INT PRIMARY KEY, address INET NOT NULL, hits INT);
        INSERT INTO host SELECT i, ('10.0.0.' || i)::inet, 0 FROM generate_series(1, 60) AS i;";
    const BAD: usize = 30;
    on_each(|address| async move {
        if !is_postgres(&address) {
            return;
        }
        let tables = [TABLES, LOG].concat();
        let worker = open_tables(&address, live(), FeedKind::Stream, &tables).await;
        let query =
            "($a: InternetAddress) { allHosts(condition: {address: $a}) { nodes { id hits } } }";
        let variables = (1..=60).map(|number| match number {
            BAD => json!({ "a": "no address" }),
            number => json!({ "a": format!("10.0.0.{number}") }),
        });
        let mut all: Vec<_> = (1..).zip(subscribers(&worker, query, variables)).collect();
        let hits = |number: usize, hits: i32| json!({ "data": { "allHosts": { "nodes": [{ "id": number, "hits": hits }] } } });
        for (number, subscriber) in &mut all {
            let response = subscriber.next().await;
            match *number {
                BAD => assert!(response["errors"][0]["message"].is_string(), "{response}"),
                number => assert_eq!(response, hits(number, 0)),
            }
        }
        all.retain(|(number, _)| *number != BAD);
        let (mut batches, mut round) = (0, 0);
        // The others are executed in batches again, after some executions by themselves.
        while batches != 1 {
            round += 1;
            assert!(round < 40, "{batches}");
            let before = logged(&address, BATCH).await;
            run_sql(&address, "UPDATE host SET hits = hits + 1").await;
            for (number, subscriber) in &mut all {
                while subscriber.next().await != hits(*number, round) {}
            }
            batches = logged(&address, BATCH).await - before;
        }
    });
}

#[test]
fn a_batch_has_one_session() {
    on_each(|address| async move {
        if !is_postgres(&address) {
            return;
        }
        let tables = [SONGS, LOG].concat();
        let worker = open_tables(&address, live(), FeedKind::Stream, &tables).await;
        let query = "($id: Int!) { songById(id: $id) { title owner } }";
        let mut all = Vec::new();
        for id in 1..=10 {
            for name in ["ann", "bob"] {
                let request = with(query, &json!({ "id": id }));
                all.push(Subscriber::new(&worker, request, &singer(name)));
            }
        }
        let song = |id: usize, name: &str| match (id, name) {
            (1, "ann") => json!({ "title": "a", "owner": "ann" }),
            (2, "bob") => json!({ "title": "b", "owner": "bob" }),
            _ => Value::Null,
        };
        for (subscriber, place) in all.iter_mut().zip(0..) {
            let expected = song(1 + place / 2, ["ann", "bob"][place % 2]);
            assert_eq!(subscriber.next().await, json!({ "data": { "songById": expected } }));
        }
        assert!(logged(&address, BATCH).await >= 2);
        run_sql(&address, "UPDATE song SET owner = 'bob'").await;
        assert_eq!(all[0].next().await, json!({ "data": { "songById": null } }));
        let song = json!({ "title": "a", "owner": "bob" });
        assert_eq!(all[1].next().await, json!({ "data": { "songById": song } }));
    });
}

#[test]
fn claims_of_policies_may_differ_in_a_batch() {
    on_each(|address| async move {
        let Some(worker) = open(&address).await else { return };
        let query = with("{ queryDiary(order: {asc: size}) { owner size } }", &json!({}));
        let subscriber =
            |number| Subscriber::new(&worker, query.clone(), &user(&format!("u{number}")));
        let mut all: Vec<Subscriber> = (0..20).map(subscriber).collect();
        for (subscriber, number) in all.iter_mut().zip(0..) {
            let response = subscriber.next().await;
            assert_eq!(response, subscriber.alone(&worker).await);
            let diaries = response["data"]["queryDiary"].as_array().unwrap();
            assert_eq!(diaries.len(), 5);
            assert!(diaries.iter().all(|diary| diary["owner"] == format!("u{number}")));
        }
        wait_for_stream(&worker, &address).await;
        let before = logged(&address, BATCH).await;
        run_sql(&address, r#"UPDATE "Diary" SET owner = 'u0'"#).await;
        for subscriber in &mut all {
            subscriber.settle(&worker).await;
        }
        assert_eq!(logged(&address, BATCH).await, before + 1);
    });
}

#[test]
fn an_explanation_tells_what_is_executed_in_batches() {
    on_each(|address| async move {
        let worker = open_tables(&address, live(), FeedKind::Stream, TABLES_OF_SONGS).await;
        let explained = |query: &str| {
            let explained = worker.prepare(&request(query)).unwrap().request;
            explained.lines().find(|line| line.starts_with("executed ")).map(str::to_owned).unwrap()
        };
        let by_id = explained("subscription { songById(id: 1) { title } }");
        let all = explained("subscription { allSongs { nodes { title } } }");
        let [together, alone] = match is_postgres(&address) {
            true => [
                "executed together with subscriptions of this document that have other values",
                "executed by itself: it has no values in which subscriptions could differ",
            ],
            false => ["executed by itself: only PostgreSQL has batches"; 2],
        };
        assert_eq!([by_id, all], [together, alone]);
    });
}
