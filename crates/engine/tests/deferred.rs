//! Deferred fragments of databases: payloads in both formats, one snapshot for all parts, errors,
//! clients that leave.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use dialects::{Dialect, dgraph, neo4j, postgraphile};
use engine::gateway::{IncrementalFormat, Payloads};
use engine::{
    Allowed, Caller, Delivery, Engine, Options, PoolLimits, Report, SourceAddress, Worker,
};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::dgraph::{on_each, options, run_sql};
use crate::live::request;
use crate::shop::{Shop, block_on, happens};

const TABLES: &str = "
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE album (
        id INTEGER PRIMARY KEY,
        artist_id INTEGER NOT NULL REFERENCES artist (id),
        title TEXT,
        price INTEGER
    );
    CREATE VIEW tune AS SELECT id, title FROM album;
    INSERT INTO artist (id, name) VALUES (1, 'ann'), (2, 'bob');
    INSERT INTO album (id, artist_id, title, price) VALUES (1, 1, 'a', 10), (2, 1, 'b', 20), (3, 2, NULL, 5);
";

const FORMATS: [IncrementalFormat; 2] = [IncrementalFormat::Fragments, IncrementalFormat::Fields];

async fn open(address: &SourceAddress, tables: &str) -> Worker {
    run_sql(address, tables).await;
    let dialect = Dialect::PostGraphile(postgraphile::Options {
        simple_collections: postgraphile::SimpleCollections::Both,
        ..postgraphile::Options::default()
    });
    let usual = options(dgraph::Options::default(), false);
    let options = Options { dialect, has_defer: true, ..usual };
    Worker::new(Engine::open(address, &options).await.unwrap())
}

/// The initial payload, and those that follow.
async fn begin(
    worker: &Worker,
    query: &str,
    format: IncrementalFormat,
) -> (String, Option<Payloads>) {
    let form = (Delivery::Whole, format);
    let (request, caller) = (request(query), Caller::default());
    let mut report = Report::default();
    let response =
        worker.deliver_incrementally(&request, &caller, Allowed::All, form, &mut report).await;
    (String::from_utf8(response.body.into()).unwrap(), response.payloads)
}

async fn next(payloads: &mut Payloads) -> Value {
    let payload = tokio::time::timeout(Duration::from_secs(30), payloads.next()).await;
    serde_json::from_slice(&payload.unwrap().unwrap()).unwrap()
}

async fn all(worker: &Worker, query: &str, format: IncrementalFormat) -> Vec<String> {
    let (initial, payloads) = begin(worker, query, format).await;
    let mut all = vec![initial];
    if let Some(mut payloads) = payloads {
        while let Some(payload) = payloads.next().await {
            all.push(String::from_utf8(payload.to_vec()).unwrap());
        }
    }
    all
}

/// Compares the payloads of queries in both formats, on each source.
fn check(queries: &[&str], expect: &Expect) {
    let printed: RefCell<Vec<String>> = RefCell::default();
    on_each(|address| {
        let printed = &printed;
        async move {
            let worker = open(&address, TABLES).await;
            let mut text = String::new();
            for query in queries {
                text.push_str(&format!("{query}\n"));
                for format in FORMATS {
                    text.push_str(&all(&worker, query, format).await.join("\n"));
                    text.push_str("\n\n");
                }
            }
            printed.borrow_mut().push(text);
        }
    });
    let printed = printed.into_inner();
    let (first, others) = printed.split_first().unwrap();
    expect.assert_eq(first);
    for other in others {
        assert_eq!(other, first);
    }
}

#[test]
fn fragments_are_sent_after_the_parts_around_them() {
    check(
        &[
            "{ allArtistsList { id ... @defer(label: \"a\") { name albumsByArtistIdList { id ... @defer(label: \"b\") { title } } } } }",
            "{ artistById(id: 1) { name albumsByArtistIdList { id } ... @defer { name albumsByArtistIdList { id title } } } }",
            "{ allArtists(first: 1) { nodes { id } ... @defer { totalCount } } ... @defer(label: \"root\") { first: allAlbumsList(first: 1) { id } } }",
        ],
        &expect![[r#"
            { allArtistsList { id ... @defer(label: "a") { name albumsByArtistIdList { id ... @defer(label: "b") { title } } } } }
            {"data":{"allArtistsList":[{"id":1},{"id":2}]},"hasNext":true}
            {"incremental":[{"data":{"name":"ann","albumsByArtistIdList":[{"id":1},{"id":2}]},"path":["allArtistsList",0],"label":"a"},{"data":{"name":"bob","albumsByArtistIdList":[{"id":3}]},"path":["allArtistsList",1],"label":"a"}],"hasNext":true}
            {"incremental":[{"data":{"title":"a"},"path":["allArtistsList",0,"albumsByArtistIdList",0],"label":"b"},{"data":{"title":"b"},"path":["allArtistsList",0,"albumsByArtistIdList",1],"label":"b"},{"data":{"title":null},"path":["allArtistsList",1,"albumsByArtistIdList",0],"label":"b"}],"hasNext":false}

            {"data":{"allArtistsList":[{"id":1},{"id":2}]},"pending":[{"id":"0","path":["allArtistsList",0],"label":"a"},{"id":"1","path":["allArtistsList",1],"label":"a"}],"hasNext":true}
            {"incremental":[{"id":"0","data":{"name":"ann","albumsByArtistIdList":[{"id":1},{"id":2}]}},{"id":"1","data":{"name":"bob","albumsByArtistIdList":[{"id":3}]}}],"completed":[{"id":"0"},{"id":"1"}],"pending":[{"id":"2","path":["allArtistsList",0,"albumsByArtistIdList",0],"label":"b"},{"id":"3","path":["allArtistsList",0,"albumsByArtistIdList",1],"label":"b"},{"id":"4","path":["allArtistsList",1,"albumsByArtistIdList",0],"label":"b"}],"hasNext":true}
            {"incremental":[{"id":"2","data":{"title":"a"}},{"id":"3","data":{"title":"b"}},{"id":"4","data":{"title":null}}],"completed":[{"id":"2"},{"id":"3"},{"id":"4"}],"hasNext":false}

            { artistById(id: 1) { name albumsByArtistIdList { id } ... @defer { name albumsByArtistIdList { id title } } } }
            {"data":{"artistById":{"name":"ann","albumsByArtistIdList":[{"id":1},{"id":2}]}},"hasNext":true}
            {"incremental":[{"data":{"name":"ann","albumsByArtistIdList":[{"id":1,"title":"a"},{"id":2,"title":"b"}]},"path":["artistById"]}],"hasNext":false}

            {"data":{"artistById":{"name":"ann","albumsByArtistIdList":[{"id":1},{"id":2}]}},"pending":[{"id":"0","path":["artistById"]}],"hasNext":true}
            {"incremental":[{"id":"0","subPath":["albumsByArtistIdList",0],"data":{"title":"a"}},{"id":"0","subPath":["albumsByArtistIdList",1],"data":{"title":"b"}}],"completed":[{"id":"0"}],"hasNext":false}

            { allArtists(first: 1) { nodes { id } ... @defer { totalCount } } ... @defer(label: "root") { first: allAlbumsList(first: 1) { id } } }
            {"data":{"allArtists":{"nodes":[{"id":1}]}},"hasNext":true}
            {"incremental":[{"data":{"totalCount":2},"path":["allArtists"]}],"hasNext":true}
            {"incremental":[{"data":{"first":[{"id":1}]},"path":[],"label":"root"}],"hasNext":false}

            {"data":{"allArtists":{"nodes":[{"id":1}]}},"pending":[{"id":"0","path":[],"label":"root"},{"id":"1","path":["allArtists"]}],"hasNext":true}
            {"incremental":[{"id":"1","data":{"totalCount":2}}],"completed":[{"id":"1"}],"hasNext":true}
            {"incremental":[{"id":"0","data":{"first":[{"id":1}]}}],"completed":[{"id":"0"}],"hasNext":false}

        "#]],
    );
}

#[test]
fn fragments_are_sent_to_the_objects_that_have_them() {
    check(
        &[
            "{ node(nodeId: \"WyJhcnRpc3RzIiwxXQ==\") { nodeId ... on Artist @defer { name } ... on Album @defer(label: \"none\") { title } } }",
            "{ a: artistById(id: 1) { ...F } b: artistById(id: 2) { ...F } c: artistById(id: 9) { ...F } } fragment F on Artist { ... @defer { name } }",
            "{ allArtistsList(condition: {id: 9}) { id ... @defer { name } } }",
        ],
        &expect![[r#"
            { node(nodeId: "WyJhcnRpc3RzIiwxXQ==") { nodeId ... on Artist @defer { name } ... on Album @defer(label: "none") { title } } }
            {"data":{"node":{"nodeId":"WyJhcnRpc3RzIiwxXQ=="}},"hasNext":true}
            {"incremental":[{"data":{"name":"ann"},"path":["node"]}],"hasNext":false}

            {"data":{"node":{"nodeId":"WyJhcnRpc3RzIiwxXQ=="}},"pending":[{"id":"0","path":["node"]}],"hasNext":true}
            {"incremental":[{"id":"0","data":{"name":"ann"}}],"completed":[{"id":"0"}],"hasNext":false}

            { a: artistById(id: 1) { ...F } b: artistById(id: 2) { ...F } c: artistById(id: 9) { ...F } } fragment F on Artist { ... @defer { name } }
            {"data":{"a":{},"b":{},"c":null},"hasNext":true}
            {"incremental":[{"data":{"name":"ann"},"path":["a"]},{"data":{"name":"bob"},"path":["b"]}],"hasNext":false}

            {"data":{"a":{},"b":{},"c":null},"pending":[{"id":"0","path":["a"]},{"id":"1","path":["b"]}],"hasNext":true}
            {"incremental":[{"id":"0","data":{"name":"ann"}},{"id":"1","data":{"name":"bob"}}],"completed":[{"id":"0"},{"id":"1"}],"hasNext":false}

            { allArtistsList(condition: {id: 9}) { id ... @defer { name } } }
            {"data":{"allArtistsList":[]}}

            {"data":{"allArtistsList":[]}}

        "#]],
    );
}

#[test]
fn some_fragments_are_not_sent_later() {
    check(
        &[
            "{ artistById(id: 1) { name ... @defer { name } } }",
            "query ($no: Boolean = false) { artistById(id: 1) { id ... @defer(if: $no) { name } } }",
            "{ artistById(id: 1) { id ... @defer @skip(if: true) { name } } }",
            // A view has no unique order.
            "{ allTunesList { id ... @defer { title } } }",
            "mutation { updateArtistById(input: {id: 2, artistPatch: {name: \"eve\"}}) { artist { id ... @defer { name } } } }",
        ],
        &expect![[r#"
            { artistById(id: 1) { name ... @defer { name } } }
            {"data":{"artistById":{"name":"ann"}}}

            {"data":{"artistById":{"name":"ann"}}}

            query ($no: Boolean = false) { artistById(id: 1) { id ... @defer(if: $no) { name } } }
            {"data":{"artistById":{"id":1,"name":"ann"}}}

            {"data":{"artistById":{"id":1,"name":"ann"}}}

            { artistById(id: 1) { id ... @defer @skip(if: true) { name } } }
            {"data":{"artistById":{"id":1}}}

            {"data":{"artistById":{"id":1}}}

            { allTunesList { id ... @defer { title } } }
            {"data":{"allTunesList":[{"id":1,"title":"a"},{"id":2,"title":"b"},{"id":3,"title":null}]}}

            {"data":{"allTunesList":[{"id":1,"title":"a"},{"id":2,"title":"b"},{"id":3,"title":null}]}}

            mutation { updateArtistById(input: {id: 2, artistPatch: {name: "eve"}}) { artist { id ... @defer { name } } } }
            {"data":{"updateArtistById":{"artist":{"id":2,"name":"eve"}}}}

            {"data":{"updateArtistById":{"artist":{"id":2,"name":"eve"}}}}

        "#]],
    );
}

#[test]
fn plans_say_which_fragments_are_sent_later() {
    on_each(|address| async move {
        let worker = open(&address, TABLES).await;
        let check = |query: &str, expected: &str| {
            let explained = worker.prepare(&request(query)).unwrap().request;
            let lines = explained.lines().filter(|line| line.starts_with("deferred"));
            assert_eq!(lines.collect::<Vec<_>>().join("\n"), expected);
        };
        check(
            "{ allArtistsList { id ... @defer(label: \"a\") { name } ... @defer { id } } }",
            "deferred fragment \"a\" at 1:48: sent later, after 1 statements of its own\n\
             deferred fragment at 1:68: not sent later, since the part around it has all of its fields",
        );
        check(
            "{ allTunesList { id ... @defer { title } } }",
            "deferred fragment at 1:34: not sent later, since a list that another part selects, too, has \
             no unique order, or the source no snapshots",
        );
    });
}

#[test]
fn a_null_reaches_no_further_than_its_fragment() {
    on_each(|address| async move {
        let SourceAddress::Sqlite(_) = &address else { return };
        let wrong = "CREATE TABLE mark (id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
            INSERT INTO mark VALUES (1, 10), (2, 'x'), (3, 30);";
        let worker = open(&address, wrong).await;
        let query = "{ allMarksList { id ... @defer(label: \"v\") { value } } }";
        let code = "INVALID_VALUE";
        let [fragments, fields] = FORMATS;
        let payloads = all(&worker, query, fragments).await;
        let later: Value = serde_json::from_str(&payloads[1]).unwrap();
        assert_eq!(payloads.len(), 2);
        let results = later["incremental"].as_array().unwrap();
        let data: Vec<_> = results.iter().map(|result| &result["data"]).collect();
        assert_eq!(data, [&json!({ "value": 10 }), &Value::Null, &json!({ "value": 30 })]);
        assert_eq!(results[1]["errors"][0]["extensions"]["code"], code);
        assert_eq!(results[1]["errors"][0]["path"], json!(["allMarksList", 1, "value"]));
        assert!(results[0].get("errors").is_none() && results[2].get("errors").is_none());
        let payloads = all(&worker, query, fields).await;
        let later: Value = serde_json::from_str(&payloads[1]).unwrap();
        let completed = later["completed"].as_array().unwrap();
        assert_eq!(completed[0], json!({ "id": "0" }));
        assert_eq!(completed[1]["errors"][0]["extensions"]["code"], code);
        assert_eq!(later["incremental"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn all_parts_see_the_state_of_the_first() {
    on_each(|address| async move {
        if let SourceAddress::Sqlite(_) = &address {
            run_sql(&address, "PRAGMA journal_mode = WAL").await;
        }
        let worker = open(&address, TABLES).await;
        let query = "{ allArtistsList { id ... @defer { name ... @defer { albumsByArtistIdList { id } } } } }";
        let (initial, payloads) = begin(&worker, query, IncrementalFormat::Fragments).await;
        assert!(initial.contains("\"hasNext\":true"), "{initial}");
        // The task goes on when this one waits: on SQLite nothing was read of the fragments yet.
        let change = "UPDATE artist SET name = 'new'; DELETE FROM album; INSERT INTO artist VALUES (0, 'x');";
        run_sql(&address, change).await;
        let mut payloads = payloads.unwrap();
        let names = next(&mut payloads).await;
        let name = |place: usize| names["incremental"][place]["data"]["name"].clone();
        assert_eq!([name(0), name(1)], [json!("ann"), json!("bob")]);
        let albums = next(&mut payloads).await;
        let of_first = json!([{ "id": 1 }, { "id": 2 }]);
        assert_eq!(albums["incremental"][0]["data"]["albumsByArtistIdList"], of_first);
        assert_eq!(albums["hasNext"], false);
        assert!(payloads.next().await.is_none());
        let after = all(&worker, "{ allArtistsList { id } }", IncrementalFormat::Fragments).await;
        assert_eq!(after, [r#"{"data":{"allArtistsList":[{"id":0},{"id":1},{"id":2}]}}"#]);
    });
}

/// A function that waits while somebody holds a lock, and one that fails.
const FUNCTIONS: &str = "
    CREATE FUNCTION artist_slow(artist) RETURNS text LANGUAGE sql STABLE
        AS 'SELECT ''done'' || pg_advisory_xact_lock_shared(2)::text';
    CREATE FUNCTION artist_share(artist) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1 / ($1.id - $1.id)';";

const SLOW: &str = "{ allArtistsList(first: 2) { id ... @defer(label: \"slow\") { slow } } }";

/// Holds the lock of the function until it is dropped.
async fn lock(shop: &Shop) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(&shop.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::task::spawn_local(connection);
    client.batch_execute("SELECT pg_advisory_lock(2)").await.unwrap();
    client
}

#[test]
fn the_first_payload_does_not_wait_for_deferred_statements() {
    let Some(shop) = Shop::on_one() else { return };
    shop.execute(FUNCTIONS);
    block_on(async {
        let answering = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
        let locked = lock(&shop).await;
        let (initial, payloads) = begin(&answering.worker, SLOW, IncrementalFormat::Fields).await;
        let initial: Value = serde_json::from_str(&initial).unwrap();
        assert_eq!(initial["data"], json!({ "allArtistsList": [{ "id": 1 }, { "id": 2 }] }));
        assert_eq!(initial["pending"].as_array().unwrap().len(), 2);
        happens(|| shop.sessions("wait_event_type = 'Lock'") == 1).await;
        let mut payloads = payloads.unwrap();
        drop(locked);
        let later = next(&mut payloads).await;
        let result = json!({ "id": "1", "data": { "slow": "done" } });
        assert_eq!(later["incremental"][1], result, "{later}");
        assert_eq!(later["hasNext"], false);
        assert!(payloads.next().await.is_none());
        // The only connection is back.
        let one = all(&answering.worker, "{ artistById(id: 1) { id } }", FORMATS[0]).await;
        assert_eq!(one, [r#"{"data":{"artistById":{"id":1}}}"#]);
        assert_eq!(answering.totals().opened, 1);
    });
}

#[test]
fn changes_during_a_response_are_not_part_of_it() {
    for shop in Shop::on_each() {
        shop.execute(FUNCTIONS);
        block_on(async {
            let answering = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
            let locked = lock(&shop).await;
            let query =
                "{ allArtistsList(first: 2) { id ... @defer { slow } ... @defer { name } } }";
            let (_, payloads) = begin(&answering.worker, query, IncrementalFormat::Fragments).await;
            happens(|| shop.sessions("wait_event_type = 'Lock'") == 1).await;
            shop.execute("UPDATE artist SET name = 'new'; INSERT INTO artist VALUES (0, 'zero')");
            drop(locked);
            let mut payloads = payloads.unwrap();
            let slow = next(&mut payloads).await;
            assert_eq!(slow["incremental"][0]["data"], json!({ "slow": "done" }));
            let names = next(&mut payloads).await;
            let result = json!({ "data": { "name": "artist 1" }, "path": ["allArtistsList", 0] });
            assert_eq!(names["incremental"][0], result);
        });
    }
}

#[test]
fn an_error_of_a_fragment_does_not_end_the_snapshot() {
    let Some(shop) = Shop::on_one() else { return };
    shop.execute(FUNCTIONS);
    block_on(async {
        let answering = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
        let query = "{ allArtistsList(first: 1) { id ... @defer(label: \"a\") { share }
            ... @defer(label: \"b\") { name } }
            ... @defer(label: \"c\") { allFaultsList(condition: {id: 13}) { share } albumById(id: 1) { id } } }";
        let (_, payloads) = begin(&answering.worker, query, IncrementalFormat::Fragments).await;
        let mut payloads = payloads.unwrap();
        let mut by_label = std::collections::BTreeMap::new();
        while let Some(payload) = payloads.next().await {
            let payload: Value = serde_json::from_slice(&payload).unwrap();
            let result = payload["incremental"][0].clone();
            by_label.insert(result["label"].as_str().unwrap().to_owned(), result);
        }
        assert_eq!(by_label["a"]["data"], Value::Null);
        assert!(by_label["a"]["errors"][0]["message"].is_string());
        assert_eq!(by_label["b"]["data"], json!({ "name": "artist 1" }));
        // One of its root fields has failed.
        assert_eq!(
            by_label["c"]["data"],
            json!({ "allFaultsList": null, "albumById": { "id": 1 } })
        );
        assert_eq!(by_label["c"]["errors"].as_array().unwrap().len(), 1);
        let one = all(&answering.worker, "{ artistById(id: 1) { id } }", FORMATS[0]).await;
        assert_eq!(one, [r#"{"data":{"artistById":{"id":1}}}"#]);
        assert_eq!(answering.totals().opened, 1);
    });
}

#[test]
fn a_client_that_leaves_cancels_the_statement() {
    let Some(shop) = Shop::on_one() else { return };
    shop.execute(FUNCTIONS);
    block_on(async {
        let answering = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
        let locked = lock(&shop).await;
        let (_, payloads) = begin(&answering.worker, SLOW, IncrementalFormat::Fields).await;
        happens(|| shop.sessions("wait_event_type = 'Lock'") == 1).await;
        drop(payloads);
        happens(|| shop.sessions("wait_event_type = 'Lock'") == 0).await;
        happens(|| answering.totals().used == 0).await;
        let one = all(&answering.worker, "{ artistById(id: 1) { id } }", FORMATS[0]).await;
        assert_eq!(one, [r#"{"data":{"artistById":{"id":1}}}"#]);
        drop(locked);
        // One that leaves before the first fragment is executed.
        let (_, payloads) = begin(&answering.worker, SLOW, IncrementalFormat::Fields).await;
        drop(payloads);
        happens(|| shop.sessions("state LIKE 'idle in%'") == 0).await;
        happens(|| answering.totals().used == 0).await;
    });
}

#[test]
fn fragments_share_the_time_of_the_request() {
    let Some(shop) = Shop::on_one() else { return };
    shop.execute(FUNCTIONS);
    block_on(async {
        let answering = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
        let worker = Rc::try_unwrap(answering.worker).unwrap().within(Duration::from_millis(500));
        let locked = lock(&shop).await;
        for format in FORMATS {
            let (_, payloads) = begin(&worker, SLOW, format).await;
            let mut payloads = payloads.unwrap();
            let last = next(&mut payloads).await;
            assert_eq!(last["hasNext"], false);
            let lists = [&last["incremental"], &last["completed"]];
            let failed = lists.into_iter().find_map(Value::as_array).unwrap();
            assert_eq!(failed.len(), 2);
            assert_eq!(failed[0]["errors"][0]["extensions"]["code"], "TIMEOUT");
            assert!(payloads.next().await.is_none());
            happens(|| shop.sessions("wait_event_type = 'Lock'") == 0).await;
        }
        drop(locked);
    });
}

#[tokio::test]
async fn a_graph_defers_what_no_list_contains() {
    // A missing Neo4j is reported.
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.clear().unwrap();
    graph.run("CREATE (:Film {title: 'a'})<-[:PLAYED_IN]-(:Person {name: 'ann'})").unwrap();
    let types = r#"
        type Film @node {
          title: String!
          people: [Person!]! @relationship(type: "PLAYED_IN", direction: IN)
        }
        type Person @node { name: String! }"#;
    let version = neo4j::model::ApiVersion::V7;
    let model = neo4j::definitions::read(types, version).unwrap();
    let neo4j = neo4j::Options { model: model.into(), version, ..Default::default() };
    let usual = options(dgraph::Options::default(), false);
    let options = Options { dialect: Dialect::Neo4j(neo4j), has_defer: true, ..usual };
    let address = SourceAddress::Neo4j(graph.address("bolt"));
    let local = tokio::task::LocalSet::new();
    local.run_until(async {
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        let query = "{ films { title ... @defer { people { name } } }
            ... @defer(label: \"root\") { people { name } }
            filmsConnection { ... @defer(label: \"count\") { totalCount } edges { node { title } } } }";
        let payloads = all(&worker, query, IncrementalFormat::Fragments).await;
        let expected = [
            r#"{"data":{"films":[{"title":"a","people":[{"name":"ann"}]}],"filmsConnection":{"edges":[{"node":{"title":"a"}}]}},"hasNext":true}"#,
            r#"{"incremental":[{"data":{"people":[{"name":"ann"}]},"path":[],"label":"root"}],"hasNext":true}"#,
            r#"{"incremental":[{"data":{"totalCount":1},"path":["filmsConnection"],"label":"count"}],"hasNext":false}"#,
        ];
        assert_eq!(payloads, expected);
    })
    .await;
}
