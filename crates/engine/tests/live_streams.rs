//! Streams of rows of the dialect hasura: `T_stream`.

use std::rc::Rc;
use std::time::Duration;

use dialects::hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialects::{Dialect, hasura};
use engine::live::{FeedKind, Responses};
use engine::{Caller, SourceAddress, Worker};
use serde_json::{Value, json};

use crate::dgraph::{on_each, run_sql};
use crate::live::{assert_silent, execute, next, request, subscribe};
use crate::live_postgraphile::open_tables;

const TABLES: &str = "
    CREATE TABLE event (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, weight NUMERIC);
    INSERT INTO event VALUES (1, 'a', 1.5), (2, 'b', 2.25), (3, 'a', NULL), (4, 'b', 3), (5, 'a', 0.5);
";

async fn open(address: &SourceAddress) -> Rc<Worker> {
    let dialect = Dialect::Hasura(hasura::Options::default());
    open_tables(address, dialect, FeedKind::Stream, TABLES).await
}

const IN_A_NAMESPACE: &str = "
version: 3
sources:
  - name: default
    kind: postgres
    configuration: {connection_info: {database_url: {from_env: URL}}}
    customization: {root_fields: {namespace: shop}}
    tables: [{table: event}]
";

#[test]
fn a_stream_may_be_within_the_namespace_of_a_source() {
    on_each(|address| async move {
        let served = ServedSource::choose(read_text("metadata.yaml", IN_A_NAMESPACE), None);
        let metadata = MetadataSetting::Read(served.unwrap());
        let options = hasura::Options { metadata, ..hasura::Options::default() };
        let dialect = Dialect::Hasura(options);
        let worker = open_tables(&address, dialect, FeedKind::Stream, TABLES).await;
        let stream = "event_stream(batch_size: 3, cursor: {initial_value: {id: 1}}) { id }";
        let mut events = begin(
            &worker,
            &format!("subscription {{ a: shop {{ __typename b: {stream} c: __typename }} }}"),
        );
        let rows = |ids: &[i64]| {
            let rows: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
            let name = "shop_subscription";
            json!({ "data": { "a": { "__typename": name, "b": rows, "c": name } } })
        };
        assert_eq!(next(&mut events).await, rows(&[2, 3, 4]));
        assert_eq!(next(&mut events).await, rows(&[5]));
        run_sql(&address, "INSERT INTO event VALUES (6, 'c', 1)").await;
        assert_eq!(next(&mut events).await, rows(&[6]));
        // The position of one stream is all that a response has.
        for other in ["event { id }", &format!("two: {stream}")] {
            let both = format!("subscription {{ shop {{ {stream} {other} }} }}");
            let refused = worker.subscribe(&request(&both), &Caller::default()).unwrap_err();
            let body = String::from_utf8(refused.body.into()).unwrap();
            assert!(body.contains("subscriptions must select one top level field"), "{body}");
        }
    });
}

fn begin(worker: &Rc<Worker>, query: &str) -> Responses {
    subscribe(worker, query, &Caller::default())
}

fn ids(ids: &[i64]) -> Value {
    let rows: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    json!({ "data": { "event_stream": rows } })
}

const STREAM: &str = "subscription {
    event_stream(batch_size: 2, cursor: {initial_value: {id: 0}, ordering: ASC}) { id }
}";

#[test]
fn rows_come_in_batches_and_new_ones_when_they_are_inserted() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let mut events = begin(&worker, STREAM);
        for batch in [[1, 2].as_slice(), &[3, 4], &[5]] {
            assert_eq!(next(&mut events).await, ids(batch));
        }
        assert_silent(&mut events).await;
        // By another program, and by a mutation.
        run_sql(&address, "INSERT INTO event VALUES (6, 'c', 1), (7, 'c', 1), (8, 'c', 1)").await;
        assert_eq!(next(&mut events).await, ids(&[6, 7]));
        assert_eq!(next(&mut events).await, ids(&[8]));
        let insert = "mutation { insert_event_one(object: {id: 9, kind: \"d\"}) { id } }";
        execute(&worker, insert).await;
        assert_eq!(next(&mut events).await, ids(&[9]));
        // Neither rows before the position, nor changes of rows that were sent.
        run_sql(&address, "INSERT INTO event VALUES (-1, 'x', 1)").await;
        run_sql(&address, "UPDATE event SET kind = 'z' WHERE id < 9").await;
        assert_silent(&mut events).await;
    });
}

#[test]
fn a_stream_has_conditions_directions_and_columns_that_it_does_not_show() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let mut filtered = begin(
            &worker,
            "subscription { events: event_stream(batch_size: 10, where: {kind: {_eq: \"a\"}}, \
             cursor: [{initial_value: {id: 1}}]) { kind } }",
        );
        let a = json!({ "kind": "a" });
        assert_eq!(next(&mut filtered).await, json!({ "data": { "events": [a, a] } }));
        let mut descending = begin(
            &worker,
            "subscription { event_stream(batch_size: 2, \
             cursor: {initial_value: {weight: \"100\"}, ordering: DESC}) { id } }",
        );
        assert_eq!(next(&mut descending).await, ids(&[4, 2]));
        assert_eq!(next(&mut descending).await, ids(&[1, 5]));
        run_sql(&address, "INSERT INTO event VALUES (10, 'a', 0.25)").await;
        assert_eq!(next(&mut filtered).await, json!({ "data": { "events": [a] } }));
        assert_eq!(next(&mut descending).await, ids(&[10]));
        assert_silent(&mut descending).await;
    });
}

#[test]
fn variables_give_the_position() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let query = "subscription ($size: Int!, $cursor: [event_stream_cursor_input]!) {
            event_stream(batch_size: $size, cursor: $cursor) { id } }";
        let variables = serde_json_bytes::json!({
            "size": 3, "cursor": [{ "initial_value": { "id": 2 }, "ordering": "ASC" }]
        });
        let mut request = request(query);
        request.variables = variables.as_object().unwrap().clone();
        let begun = worker.subscribe(&request, &Caller::default()).unwrap();
        let mut events = begun.responses;
        let driver = begun.driver.unwrap();
        let driven = Rc::clone(&worker);
        tokio::task::spawn_local(async move { driven.drive(driver).await });
        assert_eq!(next(&mut events).await, ids(&[3, 4, 5]));
        // Nothing before the end is sent twice to another one.
        let mut later = begin(
            &worker,
            "subscription { event_stream(batch_size: 3, cursor: {initial_value: {id: 5}}) { id } }",
        );
        assert_eq!(next(&mut later).await, ids(&[]));
        assert_silent(&mut later).await;
        assert_silent(&mut events).await;
    });
}

#[test]
fn a_stream_needs_one_column_with_a_value() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let check = async |cursor: &str, message: &str| {
            let query = format!(
                "subscription {{ event_stream(batch_size: 1, cursor: {cursor}) {{ id }} }}"
            );
            let refused = worker.subscribe(&request(&query), &Caller::default()).unwrap_err();
            let response: Value = serde_json::from_slice(&refused.body).unwrap();
            assert_eq!(response["errors"][0]["message"], message, "{cursor}");
            assert_eq!(response.get("data"), None);
        };
        check("[]", "one streaming column field is expected").await;
        check("{initial_value: {}}", "one streaming column field is expected").await;
        let several = "multiple column cursors are not supported yet";
        check("{initial_value: {id: 1, kind: \"a\"}}", several).await;
        check("[{initial_value: {id: 1}}, {initial_value: {id: 2}}]", several).await;
        let null = "unexpected null value for the initial value of a cursor";
        check("{initial_value: {id: null}}", null).await;
        let two = "subscription { event_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } event { id } }";
        let refused = worker.subscribe(&request(two), &Caller::default()).unwrap_err();
        let body = String::from_utf8(refused.body.into()).unwrap();
        assert!(body.contains("subscriptions must select one top level field"), "{body}");
    });
}

#[test]
fn a_stream_ends_with_the_error_of_a_value_that_no_change_makes_valid() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let mut events = begin(
            &worker,
            "subscription { event_stream(batch_size: -1, cursor: {initial_value: {id: 1}}) { id } }",
        );
        let response = next(&mut events).await;
        assert!(response.get("errors").is_some(), "{response}");
        assert_eq!(events.next().await, None);
    });
}

/// Rows are inserted while they are streamed, by several clients: each row comes once, in order.
#[test]
fn each_row_comes_once_and_in_order_while_others_are_inserted() {
    on_each(|address| async move {
        let worker = open(&address).await;
        let mut streams = [1, 3, 50].map(|size| {
            let query = format!(
                "subscription {{ event_stream(batch_size: {size}, \
                 cursor: {{initial_value: {{id: 5}}}}) {{ id }} }}"
            );
            (begin(&worker, &query), Vec::new())
        });
        const LAST: i64 = 120;
        let writer = async {
            let mut id = 6;
            while id <= LAST {
                // Runs of different lengths, in one transaction each.
                let run = (id * 7) % 5 + 1;
                let rows: Vec<String> =
                    (id..=LAST.min(id + run)).map(|id| format!("({id}, 'r', 1)")).collect();
                let insert = format!("INSERT INTO event VALUES {}", rows.join(", "));
                run_sql(&address, &insert).await;
                id += run + 1;
                tokio::time::sleep(Duration::from_millis(u64::try_from(id % 7).unwrap())).await;
            }
        };
        let readers = async {
            for (stream, found) in &mut streams {
                while found.last() != Some(&LAST) {
                    let response = next(stream).await;
                    let rows = response["data"]["event_stream"].as_array().unwrap();
                    found.extend(rows.iter().map(|row| row["id"].as_i64().unwrap()));
                }
            }
        };
        futures_util::future::join(writer, readers).await;
        for (stream, found) in &mut streams {
            assert_eq!(*found, (6..=LAST).collect::<Vec<_>>());
            assert_silent(stream).await;
        }
    });
}
