//! Subscriptions: live queries on SQLite and PostgreSQL.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::live::{Counts, FeedKind, Responses};
use engine::{Allowed, Caller, Engine, Session, SourceAddress, Worker};
use graphql::Request;
use graphql::operation::OperationKind;
use serde_json::{Value, json};
use source::Claims;
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use crate::dgraph::{migrate, on_each, options, run_sql};

const TYPES: &str = r#"
    type Song @withSubscription { title: String! @id  plays: Int @search }
    type Singer @withSubscription
        @auth(query: { rule: "query($USER: String!) { querySinger(filter: {name: {eq: $USER}}) { name } }" }) {
        name: String! @id
        songs: [Song]
    }
    type Label { name: String! @id }
    type Player @withSubscription {
        id: ID!
        name: String! @search(by: [hash])
        age: Int
        games: [Game] @hasInverse(field: player)
    }
    type Game { id: ID!  player: Player  score: Int }
"#;

/// Longer than any change takes to arrive.
const LONG: Duration = Duration::from_secs(20);

pub(crate) async fn open(address: &SourceAddress, kind: FeedKind) -> Rc<Worker> {
    open_within(address, kind, LONG).await
}

/// Opens a database with a time limit of each execution.
async fn open_within(address: &SourceAddress, kind: FeedKind, limit: Duration) -> Rc<Worker> {
    let mut options = options(migrate(address, TYPES).await, false);
    options.live.kind = kind;
    let engine = Engine::open(address, &options).await.unwrap();
    Rc::new(Worker::new(engine).within(limit))
}

pub(crate) fn request(query: &str) -> Request {
    Request { query: query.to_owned(), ..Request::default() }
}

fn user(name: &str) -> Caller {
    let claims = serde_json_bytes::json!({ "USER": name });
    let session = Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() };
    Caller { session, ..Caller::default() }
}

pub(crate) fn subscribe(worker: &Rc<Worker>, query: &str, caller: &Caller) -> Responses {
    let begun = worker.subscribe(&request(query), caller).unwrap();
    if let Some(driver) = begun.driver {
        let worker = Rc::clone(worker);
        spawn_local(async move { worker.drive(driver).await });
    }
    begun.responses
}

pub(crate) async fn next(query: &mut Responses) -> Value {
    let response = timeout(LONG, query.next()).await.expect("a response in time").unwrap();
    serde_json::from_slice(&response).unwrap()
}

/// No response comes, although changes are read often in this time.
pub(crate) async fn assert_silent(query: &mut Responses) {
    let waited = timeout(Duration::from_millis(300), query.next()).await;
    assert!(waited.is_err(), "{waited:?}");
}

/// Numbers of cohorts and subscribers.
fn running(worker: &Worker) -> (u64, u64) {
    let Counts { cohorts, subscribers, .. } = worker.engine().live_counts();
    (cohorts, subscribers)
}

pub(crate) async fn execute(worker: &Worker, query: &str) -> Value {
    let answered = worker.execute(&request(query), Allowed::All).await;
    serde_json::from_slice(&answered.body).unwrap()
}

const SONGS: &str = "subscription { querySong(order: {asc: title}) { title plays } }";

#[test]
fn a_subscription_sends_its_response_again_when_it_has_changed() {
    for kind in [FeedKind::Stream, FeedKind::Probe] {
        on_each(|address| check_changes(address, kind));
    }
}

async fn check_changes(address: SourceAddress, kind: FeedKind) {
    let worker = open(&address, kind).await;
    let document = worker.document(&request(SONGS), &Session::default()).unwrap();
    assert_eq!(document.operation.kind, OperationKind::Subscription);
    let mut songs = subscribe(&worker, SONGS, &Caller::default());
    assert_eq!(next(&mut songs).await, json!({ "data": { "querySong": [] } }));
    // A mutation of this process.
    execute(&worker, "mutation { addSong(input: [{title: \"a\", plays: 1}]) { numUids } }").await;
    let first = json!({ "title": "a", "plays": 1 });
    assert_eq!(next(&mut songs).await, json!({ "data": { "querySong": [first] } }));
    // A change by another program.
    run_sql(&address, "UPDATE \"Song\" SET plays = 2").await;
    let second = json!({ "title": "a", "plays": 2 });
    assert_eq!(next(&mut songs).await, json!({ "data": { "querySong": [second] } }));
    // A change that the response does not show.
    execute(&worker, "mutation { addLabel(input: [{name: \"l\"}]) { numUids } }").await;
    assert_silent(&mut songs).await;
    // The newest response alone: those between were not read.
    for title in ["b", "c", "d"] {
        let add = format!("mutation {{ addSong(input: [{{title: \"{title}\"}}]) {{ numUids }} }}");
        execute(&worker, &add).await;
    }
    let query = "{ querySong(order: {asc: title}) { title plays } }";
    let newest = execute(&worker, query).await;
    loop {
        let response = next(&mut songs).await;
        if response == newest {
            break;
        }
    }
    assert_silent(&mut songs).await;
}

#[test]
fn changes_of_other_tables_execute_nothing() {
    on_each(|address| async move {
        if !matches!(address, SourceAddress::Postgres(_)) {
            // `live_file` has the changes of a file.
            return;
        }
        let worker = open(&address, FeedKind::Stream).await;
        let mut songs = subscribe(&worker, SONGS, &Caller::default());
        next(&mut songs).await;
        wait_for_stream(&worker, &address).await;
        let before = worker.engine().live_counts().executions;
        for number in 0..20 {
            let add =
                format!("mutation {{ addLabel(input: [{{name: \"{number}\"}}]) {{ numUids }} }}");
            execute(&worker, &add).await;
        }
        sleep(Duration::from_millis(1_500)).await;
        assert_eq!(worker.engine().live_counts().executions, before);
        execute(&worker, "mutation { addSong(input: [{title: \"a\"}]) { numUids } }").await;
        let songs_now = json!([{ "title": "a", "plays": null }]);
        assert_eq!(next(&mut songs).await, json!({ "data": { "querySong": songs_now } }));
        assert_eq!(worker.engine().live_counts().executions, before + 1);
    });
}

/// Waits until the database streams its changes, and until the executions with which that begins are
/// done. It begins after the end of all transactions of the server that run then.
pub(crate) async fn wait_for_stream(worker: &Worker, address: &SourceAddress) {
    let SourceAddress::Postgres(url) = address else { return };
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let running = spawn_local(connection);
    let streams = "SELECT FROM pg_stat_replication AS sender JOIN pg_replication_slots AS slot
        ON slot.active_pid = sender.pid AND slot.database = current_database()
        WHERE sender.state = 'streaming'";
    while client.query(streams, &[]).await.unwrap().is_empty() {
        sleep(Duration::from_millis(20)).await;
    }
    drop(client);
    running.await.unwrap().unwrap();
    loop {
        let before = worker.engine().live_counts().executions;
        sleep(Duration::from_millis(500)).await;
        if worker.engine().live_counts().executions == before {
            break;
        }
    }
}

/// The number of executions of a change, once it is certain that there are no more.
pub(crate) async fn executions(worker: &Worker, address: &SourceAddress, change: &str) -> u64 {
    let before = worker.engine().live_counts().executions;
    run_sql(address, change).await;
    sleep(Duration::from_millis(700)).await;
    worker.engine().live_counts().executions - before
}

#[test]
fn changes_of_other_rows_execute_nothing() {
    on_each(|address| async move {
        if !matches!(address, SourceAddress::Postgres(_)) {
            return;
        }
        let worker = open(&address, FeedKind::Stream).await;
        run_sql(
            &address,
            r#"INSERT INTO "Player" (id, name, age) VALUES (1, 'ann', 1), (2, 'bob', 2);
            INSERT INTO "Game" (id, player, score) VALUES (3, 1, 10), (4, 2, 20);"#,
        )
        .await;
        let ann =
            "subscription { getPlayer(id: \"0x1\") { name games(order: {asc: score}) { score } } }";
        let mut ann = subscribe(&worker, ann, &Caller::default());
        let by_name = "subscription { queryPlayer(filter: {name: {eq: \"bob\"}}) { name } }";
        let mut bob = subscribe(&worker, by_name, &Caller::default());
        let player = |name: &str, games: &[i32]| {
            let games: Vec<Value> = games.iter().map(|score| json!({ "score": score })).collect();
            json!({ "data": { "getPlayer": { "name": name, "games": games } } })
        };
        assert_eq!(next(&mut ann).await, player("ann", &[10]));
        assert_eq!(next(&mut bob).await, json!({ "data": { "queryPlayer": [{ "name": "bob" }] } }));
        wait_for_stream(&worker, &address).await;
        let executions = |change: &'static str| executions(&worker, &address, change);
        // The row of another key; the game of another player.
        let add = r#"INSERT INTO "Player" (id, name) VALUES (9, 'eve')"#;
        assert_eq!(executions(add).await, 0);
        let add = r#"INSERT INTO "Game" (id, player, score) VALUES (10, 2, 5)"#;
        assert_eq!(executions(add).await, 0);
        let add = r#"INSERT INTO "Game" (id, player, score) VALUES (11, 1, 7)"#;
        assert_eq!(executions(add).await, 1);
        assert_eq!(next(&mut ann).await, player("ann", &[7, 10]));
        // A row leaves: its former player is not in the change, so all are executed.
        run_sql(&address, r#"UPDATE "Game" SET player = 2 WHERE id = 3"#).await;
        assert_eq!(next(&mut ann).await, player("ann", &[7]));
        run_sql(&address, r#"DELETE FROM "Game" WHERE id = 11"#).await;
        assert_eq!(next(&mut ann).await, player("ann", &[]));
        run_sql(&address, r#"UPDATE "Player" SET name = 'bo' WHERE id = 2"#).await;
        assert_eq!(next(&mut bob).await, json!({ "data": { "queryPlayer": [] } }));
        // With the values before a change, others are not executed.
        run_sql(
            &address,
            r#"ALTER TABLE "Player" REPLICA IDENTITY FULL; ALTER TABLE "Game" REPLICA IDENTITY FULL;"#,
        )
        .await;
        sleep(Duration::from_millis(1_500)).await;
        let change = r#"UPDATE "Game" SET score = 6 WHERE player = 2"#;
        assert_eq!(executions(change).await, 0);
        let change = r#"UPDATE "Player" SET name = 'ev' WHERE name = 'eve'"#;
        assert_eq!(executions(change).await, 0);
        // A field that nobody reads.
        let change = r#"UPDATE "Player" SET age = 3 WHERE id = 1"#;
        assert_eq!(executions(change).await, 0);
        run_sql(&address, r#"UPDATE "Player" SET name = 'bob' WHERE id = 9"#).await;
        assert_eq!(next(&mut bob).await, json!({ "data": { "queryPlayer": [{ "name": "bob" }] } }));
        run_sql(&address, r#"TRUNCATE "Player" CASCADE"#).await;
        assert_eq!(next(&mut ann).await, json!({ "data": { "getPlayer": null } }));
        assert_eq!(next(&mut bob).await, json!({ "data": { "queryPlayer": [] } }));
    });
}

#[test]
fn equal_subscriptions_are_executed_once() {
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let mut all: Vec<Responses> =
            (0..50).map(|_| subscribe(&worker, SONGS, &Caller::default())).collect();
        assert_eq!(running(&worker), (1, 50));
        for query in &mut all {
            assert_eq!(next(query).await, json!({ "data": { "querySong": [] } }));
        }
        // One that joins later receives the response that there is.
        let mut late = subscribe(&worker, SONGS, &Caller::default());
        assert_eq!(next(&mut late).await, json!({ "data": { "querySong": [] } }));
        let add = "mutation { addSong(input: [{title: \"a\"}]) { numUids } }";
        execute(&worker, add).await;
        all.push(late);
        for query in &mut all {
            let songs = json!([{ "title": "a", "plays": null }]);
            assert_eq!(next(query).await, json!({ "data": { "querySong": songs } }));
        }
        all.truncate(1);
        assert_eq!(running(&worker), (1, 1));
        drop(all);
        assert_eq!(running(&worker), (0, 0));
        // The next one begins anew.
        let mut again = subscribe(&worker, SONGS, &Caller::default());
        let songs = json!([{ "title": "a", "plays": null }]);
        assert_eq!(next(&mut again).await, json!({ "data": { "querySong": songs } }));
    });
}

#[test]
fn each_session_receives_the_rows_that_it_may_read() {
    const SINGERS: &str = "subscription { querySinger { name songs { title } } }";
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let [mut ann, mut bob] =
            ["ann", "bob"].map(|name| subscribe(&worker, SINGERS, &user(name)));
        assert_eq!(running(&worker), (2, 2));
        for query in [&mut ann, &mut bob] {
            assert_eq!(next(query).await, json!({ "data": { "querySinger": [] } }));
        }
        let add =
            "mutation { addSinger(input: [{name: \"ann\", songs: [{title: \"a\"}]}]) { numUids } }";
        execute(&worker, add).await;
        let own =
            json!({ "data": { "querySinger": [{ "name": "ann", "songs": [{ "title": "a" }] }] } });
        assert_eq!(next(&mut ann).await, own);
        assert_silent(&mut bob).await;
        // A row that leaves the permission of a session is in no later response.
        run_sql(&address, "UPDATE \"Singer\" SET name = 'bob'").await;
        assert_eq!(next(&mut ann).await, json!({ "data": { "querySinger": [] } }));
        let own =
            json!({ "data": { "querySinger": [{ "name": "bob", "songs": [{ "title": "a" }] }] } });
        assert_eq!(next(&mut bob).await, own);
    });
}

#[test]
fn an_explanation_tells_the_changes_that_execute_a_subscription_again() {
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let ann = "subscription { getPlayer(id: \"0x1\") { name games { score } } }";
        let explained = worker.prepare(&request(ann)).unwrap().request;
        let (_, changes) = explained.split_once("executed again").unwrap();
        let expected = " after a change of\n  Game (id, score, player): rows with one value of player\n  \
                        Player (id, name): rows with one value of id\n";
        let of_policies = "and of what their row level security reads; after any change where a table is \
                           unlogged, or has no primary key and no other replica identity\n";
        match &address {
            SourceAddress::Postgres(_) => {
                assert_eq!(changes, [expected, of_policies].concat());
            }
            _ => assert_eq!(changes, expected),
        }
    });
}

#[test]
fn a_subscription_is_checked_before_it_begins() {
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let refused = |query: &str| {
            let refused = worker.subscribe(&request(query), &Caller::default()).unwrap_err();
            let response: Value = serde_json::from_slice(&refused.body).unwrap();
            response["errors"][0]["extensions"]["code"].clone()
        };
        assert_eq!(refused("subscription { querySong { none } }"), "GRAPHQL_VALIDATION_FAILED");
        // Two root fields.
        let two = "subscription { a: querySong { title } b: querySong { title } }";
        assert_eq!(refused(two), "GRAPHQL_VALIDATION_FAILED");
        assert_eq!(running(&worker), (0, 0));
        let plain = execute(&worker, SONGS).await;
        assert_eq!(plain["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
        assert_eq!(plain.get("data"), None);
    });
}

#[test]
fn subscriptions_end_with_their_driver() {
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let begun = worker.subscribe(&request(SONGS), &Caller::default()).unwrap();
        let mut query = begun.responses;
        let driving = spawn_local({
            let (worker, driver) = (Rc::clone(&worker), begun.driver.unwrap());
            async move { worker.drive(driver).await }
        });
        assert_eq!(next(&mut query).await, json!({ "data": { "querySong": [] } }));
        driving.abort();
        assert_eq!(timeout(LONG, query.next()).await.unwrap(), None);
        // The next subscription has a driver and a feed of its own.
        let mut again = subscribe(&worker, SONGS, &Caller::default());
        assert_eq!(next(&mut again).await, json!({ "data": { "querySong": [] } }));
        execute(&worker, "mutation { addSong(input: [{title: \"x\"}]) { numUids } }").await;
        let songs = json!([{ "title": "x", "plays": null }]);
        assert_eq!(next(&mut again).await, json!({ "data": { "querySong": songs } }));
        drop(again);
        // The driver and the feed end.
        while Rc::strong_count(&worker) > 1 {
            sleep(Duration::from_millis(20)).await;
        }
    });
}

/// The first subscription follows the changes for all of them.
#[test]
fn the_other_subscriptions_continue_without_the_task_of_the_first() {
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let begun = worker.subscribe(&request(SONGS), &Caller::default()).unwrap();
        let mut first = begun.responses;
        let driving = spawn_local({
            let (worker, driver) = (Rc::clone(&worker), begun.driver.unwrap());
            async move { worker.drive(driver).await }
        });
        next(&mut first).await;
        let titles = "subscription { querySong(order: {asc: title}) { title } }";
        let counts = "subscription { aggregateSong { count } }";
        let [mut titles, mut counts] =
            [titles, counts].map(|query| subscribe(&worker, query, &Caller::default()));
        assert_eq!(next(&mut titles).await, json!({ "data": { "querySong": [] } }));
        assert_eq!(next(&mut counts).await, json!({ "data": { "aggregateSong": { "count": 0 } } }));
        driving.abort();
        assert_eq!(timeout(LONG, first.next()).await.unwrap(), None);
        for (number, title) in (1..).zip(["a", "b"]) {
            let add =
                format!("mutation {{ addSong(input: [{{title: \"{title}\"}}]) {{ numUids }} }}");
            execute(&worker, &add).await;
            let songs = json!([{ "title": "a" }, { "title": "b" }]);
            let songs = songs.as_array().unwrap().get(..number).unwrap();
            assert_eq!(next(&mut titles).await, json!({ "data": { "querySong": songs } }));
            let count = json!({ "data": { "aggregateSong": { "count": number } } });
            assert_eq!(next(&mut counts).await, count);
        }
        drop((titles, counts));
        while Rc::strong_count(&worker) > 1 {
            sleep(Duration::from_millis(20)).await;
        }
    });
}

/// Thousands of subscriptions wait at a time.
#[test]
fn the_task_of_a_subscription_is_small() {
    on_each(|address| async move {
        let worker = open(&address, FeedKind::Stream).await;
        let begun = worker.subscribe(&request(SONGS), &Caller::default()).unwrap();
        let task = size_of_val(&worker.drive(begun.driver.unwrap()));
        assert!(task <= 1_024, "{task} bytes");
    });
}

/// Nothing but the time tells that a lock is gone: no row has changed.
#[test]
fn a_failed_execution_is_repeated() {
    on_each(|address| async move {
        let SourceAddress::Postgres(url) = &address else { return };
        let worker = open_within(&address, FeedKind::Stream, Duration::from_millis(300)).await;
        let add =
            "mutation { addPlayer(input: [{name: \"ann\", games: [{score: 1}]}]) { numUids } }";
        execute(&worker, add).await;
        let query = "subscription { queryPlayer { name games { score } } }";
        let mut players = subscribe(&worker, query, &Caller::default());
        let response = |name: &str| {
            let player = json!({ "name": name, "games": [{ "score": 1 }] });
            json!({ "data": { "queryPlayer": [player] } })
        };
        assert_eq!(next(&mut players).await, response("ann"));
        wait_for_stream(&worker, &address).await;
        let (client, connection) =
            tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        let running = spawn_local(connection);
        client.batch_execute("BEGIN; LOCK TABLE \"Game\"").await.unwrap();
        run_sql(&address, "UPDATE \"Player\" SET name = 'eve'").await;
        let failed = next(&mut players).await;
        assert_eq!(failed["errors"][0]["extensions"]["code"], "TIMEOUT", "{failed}");
        client.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(next(&mut players).await, response("eve"));
        drop(client);
        running.await.unwrap().unwrap();
    });
}

/// The server ends a stream whose client sends nothing for `wal_sender_timeout`.
#[test]
fn an_idle_stream_is_kept() {
    on_each(|address| async move {
        if !matches!(address, SourceAddress::Postgres(_)) {
            return;
        }
        run_sql(
            &address,
            "DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET wal_sender_timeout = 1000', current_database());
            END $$",
        )
        .await;
        let worker = open(&address, FeedKind::Stream).await;
        let mut songs = subscribe(&worker, SONGS, &Caller::default());
        next(&mut songs).await;
        wait_for_stream(&worker, &address).await;
        let before = worker.engine().live_counts().executions;
        sleep(Duration::from_millis(3_500)).await;
        // A stream that begins again executes all subscriptions.
        assert_eq!(worker.engine().live_counts().executions, before);
        execute(&worker, "mutation { addSong(input: [{title: \"a\"}]) { numUids } }").await;
        let songs_now = json!([{ "title": "a", "plays": null }]);
        assert_eq!(next(&mut songs).await, json!({ "data": { "querySong": songs_now } }));
        assert_eq!(worker.engine().live_counts().executions, before + 1);
    });
}
