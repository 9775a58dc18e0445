//! Subscriptions to notifications of PostgreSQL.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::{Dialect, dgraph, postgraphile};
use engine::live::Responses;
use engine::{Caller, Engine, FunctionName, OpenError, Options, SourceAddress, Worker};
use futures_util::future::join;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::dgraph::{on_each, options, run_sql};
use crate::live::{assert_silent, next, request, subscribe};
use crate::live_postgraphile::{RULES, TABLES, is_postgres, singer};

const LISTEN: &str = "subscription {
    listen(topic: \"songs\", initialEvent: true) {
        relatedNodeId
        relatedNode { nodeId ... on Song { title } }
        query { allSongs { totalCount } }
    }
}";

async fn open(address: &SourceAddress) -> Rc<Worker> {
    run_sql(address, TABLES).await;
    open_with(address, None).await.unwrap()
}

/// A worker whose subscriptions a function authorizes, if it is given.
async fn open_with(
    address: &SourceAddress,
    called: Option<(&str, &str)>,
) -> Result<Rc<Worker>, OpenError> {
    let postgraphile =
        postgraphile::Options { simple_subscriptions: true, ..postgraphile::Options::default() };
    open_as(address, postgraphile, called).await
}

async fn open_as(
    address: &SourceAddress,
    postgraphile: postgraphile::Options,
    called: Option<(&str, &str)>,
) -> Result<Rc<Worker>, OpenError> {
    let dialect = Dialect::PostGraphile(postgraphile);
    let mut options = Options { dialect, ..options(dgraph::Options::default(), false) };
    options.source.called = called
        .map(|(namespace, name)| FunctionName { namespace: namespace.into(), name: name.into() });
    Ok(Rc::new(Worker::new(Engine::open(address, &options).await?)))
}

async fn on_postgres<F: Future<Output = ()>>(
    address: SourceAddress,
    test: impl FnOnce(SourceAddress) -> F,
) {
    if is_postgres(&address) {
        test(address).await;
    }
}

/// A subscription that has begun to listen.
async fn listen(worker: &Rc<Worker>, caller: &Caller, songs: u32) -> Responses {
    let mut responses = subscribe(worker, LISTEN, caller);
    assert_eq!(next(&mut responses).await, event(None, None, songs));
    responses
}

fn event(id: Option<&str>, title: Option<&str>, songs: u32) -> Value {
    let node = title.map(|title| json!({ "nodeId": id, "title": title }));
    json!({ "data": { "listen": {
        "relatedNodeId": id,
        "relatedNode": node,
        "query": { "allSongs": { "totalCount": songs } },
    } } })
}

fn node_id(id: u32) -> String {
    STANDARD.encode(format!("[\"songs\",{id}]"))
}

async fn notify(address: &SourceAddress, payload: &str) {
    run_sql(address, &format!("NOTIFY \"postgraphile:songs\", '{payload}'")).await;
}

#[test]
fn a_subscription_is_executed_for_each_notification() {
    on_each(|address| {
        on_postgres(address, |address| async move {
            let worker = open(&address).await;
            let mut first = listen(&worker, &Caller::default(), 2).await;
            let mut second = listen(&worker, &Caller::default(), 2).await;
            let (a, b) = (node_id(1), node_id(2));
            // The change is committed when its notification is sent.
            let change = "BEGIN; NOTIFY \"postgraphile:songs\", '{\"__node__\": [\"songs\", 1]}'; \
                      UPDATE song SET title = 'c' WHERE id = 1; COMMIT";
            run_sql(&address, change).await;
            notify(&address, "{\"__node__\": [\"songs\", 2]}").await;
            for responses in [&mut first, &mut second] {
                assert_eq!(next(responses).await, event(Some(&a), Some("c"), 2));
                // Two equal events are two responses.
                assert_eq!(next(responses).await, event(Some(&b), Some("b"), 2));
            }
            notify(&address, "{\"__node__\": [\"songs\", 2]}").await;
            assert_eq!(next(&mut first).await, event(Some(&b), Some("b"), 2));
            assert_eq!(next(&mut second).await, event(Some(&b), Some("b"), 2));
            // The row is gone, and its id is not.
            run_sql(&address, "DELETE FROM song WHERE id = 2").await;
            notify(&address, "{\"__node__\": [\"songs\", 2]}").await;
            assert_eq!(next(&mut first).await, event(Some(&b), None, 1));
            // Without a row.
            for payload in ["", "{}", "no JSON", "{\"__node__\": [\"none\", 1]}"] {
                notify(&address, payload).await;
                let id = payload.contains("none").then(|| STANDARD.encode("[\"none\",1]"));
                assert_eq!(next(&mut first).await, event(id.as_deref(), None, 1));
            }
            // Another channel.
            run_sql(&address, "NOTIFY \"postgraphile:other\", 'x'").await;
            assert_silent(&mut first).await;
        })
    });
}

#[test]
fn the_row_of_an_event_is_read_as_the_session() {
    on_each(|address| {
        on_postgres(address, |address| async move {
            let worker = open(&address).await;
            run_sql(&address, RULES).await;
            let mut ann = listen(&worker, &singer("ann"), 1).await;
            notify(&address, "{\"__node__\": [\"songs\", 1]}").await;
            assert_eq!(next(&mut ann).await, event(Some(&node_id(1)), Some("a"), 1));
            notify(&address, "{\"__node__\": [\"songs\", 2]}").await;
            assert_eq!(next(&mut ann).await, event(Some(&node_id(2)), None, 1));
        })
    });
}

#[test]
fn topics_come_from_variables_and_are_no_statements() {
    on_each(|address| {
        on_postgres(address, |address| async move {
            let worker = open(&address).await;
            let topic = "a\"; DROP TABLE song; --";
            let query = "subscription ($t: String!, $e: Boolean!) {
            listen(topic: $t, initialEvent: $e) { relatedNodeId }
        }";
            let mut asked = request(query);
            asked.variables.insert("t", topic.into());
            asked.variables.insert("e", true.into());
            // A variable that clients cannot declare is not read from them.
            asked.variables.insert("value of the event", "x".into());
            let begun = worker.subscribe(&asked, &Caller::default()).unwrap();
            let mut responses = begun.responses;
            let driver = begun.driver.unwrap();
            let driving = tokio::task::spawn_local({
                let worker = Rc::clone(&worker);
                async move { worker.drive(driver).await }
            });
            let none = json!({ "data": { "listen": { "relatedNodeId": null } } });
            assert_eq!(next(&mut responses).await, none);
            let channel = format!("postgraphile:{topic}").replace('"', "\"\"");
            run_sql(&address, &format!("NOTIFY \"{channel}\"")).await;
            assert_eq!(next(&mut responses).await, none);
            // The driver ends with its subscriber.
            drop(responses);
            driving.await.unwrap();
            asked.variables.insert("t", "x".repeat(51).into());
            let refused = worker.subscribe(&asked, &Caller::default()).unwrap_err();
            let refused: Value = serde_json::from_slice(&refused.body).unwrap();
            assert_eq!(refused["errors"][0]["message"], "A topic has 50 bytes at most.");
        })
    });
}

#[test]
fn a_subscription_that_may_miss_events_ends_with_an_error() {
    const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND query ILIKE 'listen %'";
    on_each(|address| {
        on_postgres(address, |address| async move {
            let worker = open(&address).await;
            let mut lost = listen(&worker, &Caller::default(), 2).await;
            run_sql(&address, CUT).await;
            let last = next(&mut lost).await;
            assert_eq!(last["errors"][0]["extensions"]["code"], "UNAVAILABLE");
            assert_eq!(lost.next().await, None);
            // The next one listens again.
            let mut slow = listen(&worker, &Caller::default(), 2).await;
            let many =
                "SELECT pg_notify('postgraphile:songs', n::text) FROM generate_series(1, 200) AS n";
            run_sql(&address, many).await;
            sleep(Duration::from_millis(500)).await;
            let mut received = 0;
            let last = loop {
                let response = next(&mut slow).await;
                if response.get("errors").is_some() {
                    break response;
                }
                received += 1;
            };
            assert!((128..200).contains(&received), "{received}");
            assert_eq!(last["errors"][0]["extensions"]["code"], "OVERLOADED");
            assert_eq!(slow.next().await, None);
        })
    });
}

/// While a program sends numbered notifications, the session that listens is ended again and again. A
/// model checks that a subscription misses and repeats none between its first event and its error.
#[test]
fn no_notification_is_missed_or_repeated_between_losses_of_the_session() {
    const LOSSES: usize = 10;
    const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND query ILIKE 'listen %'";
    const NUMBERS: &str =
        "subscription { listen(topic: \"songs\", initialEvent: true) { relatedNodeId } }";
    on_each(|address| {
        on_postgres(address, |address| async move {
            let worker = open(&address).await;
            let (sent, has_ended) = (Cell::new(0), Cell::new(false));
            let writer = async {
                while !has_ended.get() {
                    // Counted before: it may arrive before the statement has ended.
                    sent.set(sent.get() + 1);
                    notify(&address, &format!("{{\"__node__\": [\"songs\", {}]}}", sent.get()))
                        .await;
                }
            };
            let reader = async {
                for loss in 0..=LOSSES {
                    let mut responses = subscribe(&worker, NUMBERS, &Caller::default());
                    let first = next(&mut responses).await;
                    assert_eq!(first, json!({ "data": { "listen": { "relatedNodeId": null } } }));
                    // Those until now may have been sent before the session listened.
                    let mut last = None;
                    let before = sent.get();
                    let mut seen = 0;
                    while loss == LOSSES || seen < 5 + loss {
                        let number = number(&next(&mut responses).await).expect("no error");
                        match last {
                            None => assert!(number <= before + 1, "{number} is after {before}"),
                            Some(last) => assert_eq!(number, last + 1),
                        }
                        (last, seen) = (Some(number), seen + 1);
                        if loss == LOSSES && seen == 20 {
                            has_ended.set(true);
                        }
                        if has_ended.get() && number == sent.get() {
                            return;
                        }
                    }
                    run_sql(&address, CUT).await;
                    loop {
                        let response = next(&mut responses).await;
                        match (number(&response), last) {
                            (Some(number), Some(before)) => assert_eq!(number, before + 1),
                            _ => {
                                let code = &response["errors"][0]["extensions"]["code"];
                                assert_eq!(code, "UNAVAILABLE");
                                break;
                            }
                        }
                        last = last.map(|last| last + 1);
                    }
                    assert_eq!(responses.next().await, None);
                }
            };
            join(writer, reader).await;
        })
    });
}

/// The number of a notification; `None` for an error.
fn number(response: &Value) -> Option<u32> {
    let id = response["data"]["listen"]["relatedNodeId"].as_str()?;
    let id = STANDARD.decode(id).unwrap();
    let id: (String, u32) = serde_json::from_slice(&id).unwrap();
    Some(id.1)
}

#[test]
fn equal_subscriptions_are_executed_once_for_a_notification() {
    on_each(|address| {
        on_postgres(address, |address| async move {
            let worker = open(&address).await;
            let executions = || worker.engine().listener_counts().executions;
            let mut equal = Vec::new();
            for _ in 0..5 {
                equal.push(listen(&worker, &Caller::default(), 2).await);
            }
            // The beginning of each.
            assert_eq!(executions(), 5);
            for _ in 0..3 {
                notify(&address, "{\"__node__\": [\"songs\", 2]}").await;
            }
            for responses in &mut equal {
                for _ in 0..3 {
                    assert_eq!(next(responses).await, event(Some(&node_id(2)), Some("b"), 2));
                }
            }
            assert_eq!(executions(), 8);
            // Another session has a response of its own.
            run_sql(&address, RULES).await;
            let mut ann = listen(&worker, &singer("ann"), 1).await;
            notify(&address, "{\"__node__\": [\"songs\", 2]}").await;
            assert_eq!(next(&mut ann).await, event(Some(&node_id(2)), None, 1));
            for responses in &mut equal {
                assert_eq!(next(responses).await, event(Some(&node_id(2)), Some("b"), 2));
            }
            assert_eq!(executions(), 8 + 3);
        })
    });
}

/// Permits the topics of the table, to singers only.
const PERMITTED: &str = "
    CREATE SCHEMA hidden;
    CREATE TABLE hidden.permitted (channel text PRIMARY KEY);
    INSERT INTO hidden.permitted VALUES ('postgraphile:songs');
    CREATE FUNCTION hidden.permits(topic text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
        IF current_setting('jwt.claims.name', true) IS NULL THEN
            RAISE EXCEPTION 'Subscription denied' USING errcode = 'ABCDE';
        END IF;
        RETURN (SELECT 'end of ' || current_setting('jwt.claims.name') FROM hidden.permitted
                WHERE channel = topic);
    END $$;
    GRANT USAGE ON SCHEMA hidden TO PUBLIC;
    CREATE FUNCTION hidden.other(topic int) RETURNS text LANGUAGE sql AS 'SELECT null';
";

#[test]
fn a_function_authorizes_subscriptions_and_names_the_channel_that_ends_them() {
    on_each(|address| {
        on_postgres(address, |address| async move {
            run_sql(&address, &format!("{TABLES} {RULES} {PERMITTED}")).await;
            let worker = open_with(&address, Some(("hidden", "permits"))).await.unwrap();
            // It is no part of the API.
            assert!(!worker.engine().sdl().contains("permits"));
            let mut ann = listen(&worker, &singer("ann"), 1).await;
            let mut bob = listen(&worker, &singer("bob"), 1).await;
            let refused = async |caller: &Caller, query: &str| {
                let mut responses = subscribe(&worker, query, caller);
                let last = next(&mut responses).await;
                assert_eq!(responses.next().await, None);
                let [message, code] = ["/errors/0/message", "/errors/0/extensions/code"]
                    .map(|path| last.pointer(path).unwrap().as_str().unwrap().to_owned());
                (message, code)
            };
            let denied = ("Subscription denied".to_owned(), "RAISED".to_owned());
            assert_eq!(refused(&Caller::default(), LISTEN).await, denied);
            let other = LISTEN.replace("songs", "others");
            let unknown =
                ("You may not subscribe to this topic".to_owned(), "PERMISSION_DENIED".to_owned());
            assert_eq!(refused(&singer("ann"), &other).await, unknown);
            notify(&address, "{}").await;
            for responses in [&mut ann, &mut bob] {
                assert_eq!(next(responses).await, event(None, None, 1));
            }
            run_sql(&address, "NOTIFY \"end of ann\"").await;
            assert_eq!(ann.next().await, None);
            notify(&address, "{}").await;
            assert_eq!(next(&mut bob).await, event(None, None, 1));
            run_sql(&address, "DELETE FROM hidden.permitted").await;
            assert_eq!(refused(&singer("ann"), LISTEN).await, unknown);
            for (namespace, name) in [("hidden", "none"), ("none", "permits"), ("hidden", "other")]
            {
                let error = open_with(&address, Some((namespace, name))).await.unwrap_err();
                let function = format!("no function `{namespace}.{name}(text) returns text`");
                assert!(error.to_string().contains(&function), "{error}");
            }
        })
    });
}

const FIELDS: &str = "
    \"An event of a song.\"
    type SongEvent { event: String, plays: Int, song: Song, node: Node, query: Query, nothing: Song }
    type OwnEvent { event: String, more: None }
    extend type Subscription {
        \"Events of one song.\"
        songChanged(id: Int!, kind: String): SongEvent! @pgSubscription(topic: \"song:{id}:{kind}\")
        ownChanged: OwnEvent @pgSubscription(topic: \"own:{jwt.name}\")
        allSongs: OwnEvent @pgSubscription(topic: \"all\")
    }
";

#[test]
fn a_file_adds_subscription_fields_with_topics() {
    on_each(|address| {
        on_postgres(address, |address| async move {
            run_sql(&address, &format!("{TABLES} CREATE TABLE other (id INT PRIMARY KEY)")).await;
            let options = postgraphile::Options {
                subscriptions_file: postgraphile::SubscriptionsFile::parse(FIELDS).unwrap(),
                ..postgraphile::Options::default()
            };
            let worker = open_as(&address, options, None).await.unwrap();
            let sdl = worker.engine().sdl();
            for line in [
                "  songChanged(id: Int!, kind: String): SongEvent!\n",
                "  ownChanged: OwnEvent\n",
                "type OwnEvent {\n  event: String\n}\n",
            ] {
                assert!(sdl.contains(line), "no {line} in {sdl}");
            }
            let notes: Vec<_> = worker.engine().notes().map(|note| note.to_string()).collect();
            assert!(notes.iter().any(|note| note.contains("OwnEvent.more")), "{notes:?}");
            let query = "subscription ($id: Int!) { songChanged(id: $id, kind: \"all\") {
                event plays song { title } node { ... on Song { title } }
                query { allSongs { totalCount } }
            } }";
            let mut asked = request(query);
            asked.variables.insert("id", 1.into());
            let begun = worker.subscribe(&asked, &Caller::default()).unwrap();
            let mut songs = begun.responses;
            let driver = begun.driver.unwrap();
            tokio::task::spawn_local({
                let worker = Rc::clone(&worker);
                async move { worker.drive(driver).await }
            });
            wait_for_listener(&address, "song:1:all").await;
            let own = json!({ "title": "a" });
            let event = |event: Value, plays: Value, song: Value| {
                json!({ "data": { "songChanged": {
                    "event": event, "plays": plays, "song": song, "node": song,
                    "query": { "allSongs": { "totalCount": 2 } },
                } } })
            };
            let send = async |payload: &str| {
                run_sql(&address, &format!("NOTIFY \"song:1:all\", '{payload}'")).await;
            };
            send(r#"{"event": "play", "plays": 7, "__node__": ["songs", 1]}"#).await;
            assert_eq!(next(&mut songs).await, event(json!("play"), json!(7), own));
            send(r#"{"event": 1, "plays": "x", "__node__": ["others", 1]}"#).await;
            assert_eq!(next(&mut songs).await, event(json!("1"), Value::Null, Value::Null));
            send("").await;
            assert_eq!(next(&mut songs).await, event(Value::Null, Value::Null, Value::Null));
            // The argument and the claim are parts of the topics.
            let absent = "subscription { songChanged(id: 1) { event } }";
            let refused = worker.subscribe(&request(absent), &Caller::default()).unwrap_err();
            let refused: Value = serde_json::from_slice(&refused.body).unwrap();
            assert_eq!(refused["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
            let own = "subscription { ownChanged { event } }";
            let refused = worker.subscribe(&request(own), &Caller::default()).unwrap_err();
            let refused: Value = serde_json::from_slice(&refused.body).unwrap();
            assert_eq!(refused["errors"][0]["extensions"]["code"], "PERMISSION_DENIED");
        })
    });
}

/// Waits until the server listens to a channel.
async fn wait_for_listener(address: &SourceAddress, channel: &str) {
    let statement = format!(
        "DO $$ BEGIN FOR n IN 1..500 LOOP
            EXIT WHEN EXISTS (SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE 'LISTEN%{channel}%');
            PERFORM pg_sleep(0.01);
            PERFORM pg_stat_clear_snapshot();
        END LOOP; END $$"
    );
    run_sql(address, &statement).await;
}
