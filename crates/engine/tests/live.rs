//! Subscriptions: live queries on SQLite and PostgreSQL.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use engine::live::{Counts, LiveQuery};
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
"#;

/// Longer than any change takes to arrive.
const LONG: Duration = Duration::from_secs(20);

async fn open(address: &SourceAddress) -> Rc<Worker> {
    let options = options(migrate(address, TYPES).await, false);
    Rc::new(Worker::new(Engine::open(address, &options).await.unwrap()))
}

fn request(query: &str) -> Request {
    Request { query: query.to_owned(), ..Request::default() }
}

fn user(name: &str) -> Caller {
    let claims = serde_json_bytes::json!({ "USER": name });
    let session = Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() };
    Caller { session, forwarded: None }
}

fn subscribe(worker: &Rc<Worker>, query: &str, caller: &Caller) -> LiveQuery {
    let begun = worker.subscribe(&request(query), caller).unwrap();
    if let Some(driver) = begun.driver {
        let worker = Rc::clone(worker);
        spawn_local(async move { worker.drive(driver).await });
    }
    begun.query
}

async fn next(query: &mut LiveQuery) -> Value {
    let response = timeout(LONG, query.next()).await.expect("a response in time").unwrap();
    serde_json::from_slice(&response).unwrap()
}

/// No response comes, although changes are read often in this time.
async fn assert_silent(query: &mut LiveQuery) {
    let waited = timeout(Duration::from_millis(300), query.next()).await;
    assert!(waited.is_err(), "{waited:?}");
}

async fn execute(worker: &Worker, query: &str) -> Value {
    let answered = worker.execute(&request(query), Allowed::All).await;
    serde_json::from_slice(&answered.body).unwrap()
}

const SONGS: &str = "subscription { querySong(order: {asc: title}) { title plays } }";

#[test]
fn a_subscription_sends_its_response_again_when_it_has_changed() {
    on_each(|address| async move {
        let worker = open(&address).await;
        assert_eq!(worker.operation_kind(&request(SONGS)).unwrap(), OperationKind::Subscription);
        let mut songs = subscribe(&worker, SONGS, &Caller::default());
        assert_eq!(next(&mut songs).await, json!({ "data": { "querySong": [] } }));
        // A mutation of this process.
        execute(&worker, "mutation { addSong(input: [{title: \"a\", plays: 1}]) { numUids } }")
            .await;
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
            let add =
                format!("mutation {{ addSong(input: [{{title: \"{title}\"}}]) {{ numUids }} }}");
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
    });
}

#[test]
fn equal_subscriptions_are_executed_once() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let count = |worker: &Worker| worker.engine().live_counts();
        let mut all: Vec<LiveQuery> =
            (0..50).map(|_| subscribe(&worker, SONGS, &Caller::default())).collect();
        assert_eq!(count(&worker), Counts { cohorts: 1, subscribers: 50 });
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
        assert_eq!(count(&worker), Counts { cohorts: 1, subscribers: 1 });
        drop(all);
        assert_eq!(count(&worker), Counts::default());
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
        let worker = open(&address).await;
        let [mut ann, mut bob] =
            ["ann", "bob"].map(|name| subscribe(&worker, SINGERS, &user(name)));
        assert_eq!(worker.engine().live_counts(), Counts { cohorts: 2, subscribers: 2 });
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
fn a_subscription_is_checked_before_it_begins() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let refused = |query: &str| {
            let refused = worker.subscribe(&request(query), &Caller::default()).unwrap_err();
            let response: Value = serde_json::from_slice(&refused.body).unwrap();
            response["errors"][0]["extensions"]["code"].clone()
        };
        assert_eq!(refused("subscription { querySong { none } }"), "GRAPHQL_VALIDATION_FAILED");
        // Two root fields.
        let two = "subscription { a: querySong { title } b: querySong { title } }";
        assert_eq!(refused(two), "GRAPHQL_VALIDATION_FAILED");
        assert_eq!(worker.engine().live_counts(), Counts::default());
        let plain = execute(&worker, SONGS).await;
        assert_eq!(plain["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
        assert_eq!(plain.get("data"), None);
    });
}

#[test]
fn subscriptions_end_with_their_driver() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let begun = worker.subscribe(&request(SONGS), &Caller::default()).unwrap();
        let mut query = begun.query;
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
