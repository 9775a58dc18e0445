//! Live queries of the dialects postgraphile and phrag, by option, and of the dialect hasura.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use dialects::{Dialect, dgraph, hasura, phrag, postgraphile};
use engine::live::{FeedKind, FeedOptions, Responses};
use engine::{Caller, Engine, Options, Session, SourceAddress, Worker};
use serde_json::{Value, json};
use source::Settings;

use crate::dgraph::{on_each, options, run_sql};
use crate::live::{assert_silent, execute, next, request, subscribe};

pub(crate) const TABLES: &str = "
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, owner TEXT);
    CREATE VIEW loud AS SELECT id, title FROM song WHERE title = 'LOUD';
    INSERT INTO song (id, title, owner) VALUES (1, 'a', 'ann'), (2, 'b', 'bob');
";

/// A view whose rows change without a change of any table.
const CLOCK_OF_SQLITE: &str =
    "CREATE VIEW clock AS SELECT 1 AS id, strftime('%Y-%m-%d %H:%M:%f', 'now') AS shown";
const CLOCK_OF_POSTGRES: &str = "
    CREATE VIEW clock AS SELECT 1 AS id, clock_timestamp()::text AS shown;
    CREATE FUNCTION what_time() RETURNS text LANGUAGE sql STABLE AS 'SELECT clock_timestamp()::text';
";

/// Each singer with a pass reads the own songs.
pub(crate) const RULES: &str = "
    DO $$ BEGIN CREATE ROLE live_singer; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
    CREATE TABLE pass (name TEXT PRIMARY KEY);
    INSERT INTO pass VALUES ('ann'), ('bob');
    GRANT SELECT ON song, pass TO live_singer;
    ALTER TABLE song ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON song TO live_singer
        USING (owner = current_setting('jwt.claims.name', true)
            AND EXISTS (SELECT FROM pass WHERE name = owner));
";

const SONGS: &str = "subscription { allSongs(orderBy: ID_ASC) { totalCount nodes { title } } }";

pub(crate) fn live() -> Dialect {
    Dialect::PostGraphile(postgraphile::Options { live: true, ..postgraphile::Options::default() })
}

async fn open(address: &SourceAddress, dialect: Dialect) -> Rc<Worker> {
    open_following(address, dialect, FeedKind::Stream).await
}

async fn open_following(address: &SourceAddress, dialect: Dialect, kind: FeedKind) -> Rc<Worker> {
    let clock = if is_postgres(address) { CLOCK_OF_POSTGRES } else { CLOCK_OF_SQLITE };
    open_tables(address, dialect, kind, &[TABLES, clock].join(";")).await
}

pub(crate) async fn open_tables(
    address: &SourceAddress,
    dialect: Dialect,
    kind: FeedKind,
    tables: &str,
) -> Rc<Worker> {
    run_sql(address, tables).await;
    let interval = Duration::from_millis(50);
    let usual = options(dgraph::Options::default(), false);
    let live = FeedOptions { interval, kind, ..FeedOptions::default() };
    let options = Options { dialect, live, ..usual };
    Rc::new(Worker::new(Engine::open(address, &options).await.unwrap()))
}

pub(crate) fn is_postgres(address: &SourceAddress) -> bool {
    matches!(address, SourceAddress::Postgres(_))
}

fn begin(worker: &Rc<Worker>, query: &str) -> Responses {
    subscribe(worker, query, &Caller::default())
}

pub(crate) fn singer(name: &str) -> Caller {
    let pair = |name: &str, value: &str| (name.into(), value.into());
    let settings = vec![pair("role", "live_singer"), pair("jwt.claims.name", name)];
    let session = Session { settings: Some(Arc::new(Settings::new(settings))), claims: None };
    Caller { session, ..Caller::default() }
}

fn titles(titles: &[&str]) -> Value {
    let nodes: Vec<Value> = titles.iter().map(|title| json!({ "title": title })).collect();
    json!({ "data": { "allSongs": { "totalCount": titles.len(), "nodes": nodes } } })
}

#[test]
fn an_error_that_lasts_is_sent_once() {
    on_each(|address| async move {
        if !is_postgres(&address) {
            return;
        }
        let tables =
            "CREATE FUNCTION total() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 7::bigint'";
        let worker = open_tables(&address, live(), FeedKind::Stream, tables).await;
        run_sql(
            &address,
            "DO $$ BEGIN CREATE ROLE live_singer; EXCEPTION WHEN duplicate_object OR unique_violation \
             THEN NULL; END $$;",
        )
        .await;
        let mut total = subscribe(&worker, "subscription { total }", &singer("ann"));
        let explained = worker.prepare(&request("subscription { total }")).unwrap().request;
        assert!(
            explained.contains("executed again in each interval: it calls a function"),
            "{explained}"
        );
        assert_eq!(next(&mut total).await, json!({ "data": { "total": "7" } }));
        for _ in 0..2 {
            run_sql(&address, "REVOKE EXECUTE ON FUNCTION total() FROM PUBLIC").await;
            let refused = next(&mut total).await;
            assert_eq!(refused["errors"][0]["extensions"]["code"], "PERMISSION_DENIED");
            // It is executed in each interval, whose response is the same.
            assert_silent(&mut total).await;
            run_sql(&address, "GRANT EXECUTE ON FUNCTION total() TO PUBLIC").await;
            assert_eq!(next(&mut total).await, json!({ "data": { "total": "7" } }));
        }
    });
}

#[test]
fn each_query_is_also_a_subscription() {
    on_each(|address| async move {
        let worker = open(&address, live()).await;
        let mut songs = begin(&worker, SONGS);
        let mut one = begin(&worker, "subscription { song: songById(id: 1) { nodeId title } }");
        let nested = "subscription { query { song: songById(id: 1) { title } } }";
        let mut nested = begin(&worker, nested);
        let mut root = begin(&worker, "subscription { nodeId }");
        assert_eq!(next(&mut songs).await, titles(&["a", "b"]));
        let first = next(&mut one).await;
        let id = first["data"]["song"]["nodeId"].as_str().unwrap();
        assert_eq!(first["data"]["song"]["title"], "a");
        let by_id =
            format!("subscription {{ node(nodeId: \"{id}\") {{ ... on Song {{ title id }} }} }}");
        let mut by_id = begin(&worker, &by_id);
        let node = |title: &str| json!({ "data": { "node": { "title": title, "id": 1 } } });
        assert_eq!(next(&mut by_id).await, node("a"));
        let inner = |title: &str| json!({ "data": { "query": { "song": { "title": title } } } });
        assert_eq!(next(&mut nested).await, inner("a"));
        assert_eq!(next(&mut root).await, json!({ "data": { "nodeId": "query" } }));
        let update = "mutation { updateSongById(input: {id: 1, songPatch: {title: \"c\"}}) \
                      { clientMutationId } }";
        execute(&worker, update).await;
        assert_eq!(next(&mut songs).await, titles(&["c", "b"]));
        assert_eq!(next(&mut one).await["data"]["song"]["title"], "c");
        assert_eq!(next(&mut by_id).await, node("c"));
        assert_eq!(next(&mut nested).await, inner("c"));
        assert_silent(&mut root).await;
        run_sql(&address, "DELETE FROM song WHERE id = 2").await;
        assert_eq!(next(&mut songs).await, titles(&["c"]));
        assert_silent(&mut one).await;
    });
}

#[test]
fn a_row_that_leaves_the_permission_of_a_role_is_sent_no_more() {
    for kind in [FeedKind::Stream, FeedKind::Probe] {
        on_each(|address| async move {
            if is_postgres(&address) {
                check_permissions(&address, kind).await;
            }
        });
    }
}

async fn check_permissions(address: &SourceAddress, kind: FeedKind) {
    let worker = open_following(address, live(), kind).await;
    run_sql(address, RULES).await;
    let [mut ann, mut bob] = ["ann", "bob"].map(|name| subscribe(&worker, SONGS, &singer(name)));
    let mut all = begin(&worker, SONGS);
    assert_eq!(next(&mut ann).await, titles(&["a"]));
    assert_eq!(next(&mut bob).await, titles(&["b"]));
    assert_eq!(next(&mut all).await, titles(&["a", "b"]));
    // A row that ann may not read.
    run_sql(address, "UPDATE song SET title = 'B' WHERE id = 2").await;
    assert_eq!(next(&mut bob).await, titles(&["B"]));
    assert_eq!(next(&mut all).await, titles(&["a", "B"]));
    assert_silent(&mut ann).await;
    // A row that moves from ann to bob, with a new value in the same statement.
    run_sql(address, "UPDATE song SET owner = 'bob', title = 'secret' WHERE id = 1").await;
    assert_eq!(next(&mut ann).await, titles(&[]));
    assert_eq!(next(&mut bob).await, titles(&["secret", "B"]));
    // A row of another table, which the policy reads.
    run_sql(address, "DELETE FROM pass WHERE name = 'bob'").await;
    assert_eq!(next(&mut bob).await, titles(&[]));
    // A permission that ends.
    run_sql(address, "REVOKE SELECT ON song FROM live_singer").await;
    let refused = next(&mut bob).await;
    assert_eq!(refused["data"], json!({ "allSongs": null }));
    assert_eq!(refused["errors"][0]["extensions"]["code"], "PERMISSION_DENIED");
}

#[test]
fn views_and_functions_are_executed_in_intervals() {
    on_each(|address| async move {
        let worker = open(&address, live()).await;
        let mut loud = begin(&worker, "subscription { allLouds { nodes { title } } }");
        let louds = |nodes: Value| json!({ "data": { "allLouds": { "nodes": nodes } } });
        assert_eq!(next(&mut loud).await, louds(json!([])));
        run_sql(&address, "UPDATE song SET title = 'LOUD' WHERE id = 2").await;
        assert_eq!(next(&mut loud).await, louds(json!([{ "title": "LOUD" }])));
        // Equal responses are not sent again.
        assert_silent(&mut loud).await;
        let mut clocks = vec![begin(&worker, "subscription { allClocks { nodes { shown } } }")];
        if is_postgres(&address) {
            clocks.push(begin(&worker, "subscription { whatTime }"));
        }
        for clock in &mut clocks {
            let mut last = next(clock).await;
            assert_eq!(last.get("errors"), None, "{last}");
            for _ in 0..3 {
                let newer = next(clock).await;
                assert_ne!(newer, last);
                last = newer;
            }
        }
    });
}

#[test]
fn subscriptions_are_an_option() {
    on_each(|address| async move {
        let worker = open(&address, Dialect::PostGraphile(postgraphile::Options::default())).await;
        let refused = worker.subscribe(&request(SONGS), &Caller::default()).unwrap_err();
        let refused: Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!(refused["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    });
}

#[test]
fn phrag_has_live_queries_by_option() {
    on_each(|address| async move {
        let dialect = Dialect::Phrag(phrag::Options { live: true, ..phrag::Options::default() });
        let worker = open(&address, dialect).await;
        let mut songs = begin(&worker, "subscription { songs(sort: {id: asc}) { title } }");
        let song = |title: &str| json!({ "title": title });
        let songs_of = |songs: Value| json!({ "data": { "songs": songs } });
        assert_eq!(next(&mut songs).await, songs_of(json!([song("a"), song("b")])));
        execute(&worker, "mutation { deleteSong(pk_columns: {id: 1}) { result } }").await;
        assert_eq!(next(&mut songs).await, songs_of(json!([song("b")])));
    });
}

#[test]
fn each_query_of_hasura_is_a_live_query() {
    on_each(|address| async move {
        let worker = open(&address, Dialect::Hasura(hasura::Options::default())).await;
        let mut songs = begin(&worker, "subscription { song(order_by: {id: asc}) { title } }");
        let mut number = begin(&worker, "subscription { song_aggregate { aggregate { count } } }");
        let song = |title: &str| json!({ "title": title });
        let songs_of = |songs: Value| json!({ "data": { "song": songs } });
        let count_of = |count: u64| json!({ "data": { "song_aggregate": { "aggregate": { "count": count } } } });
        assert_eq!(next(&mut songs).await, songs_of(json!([song("a"), song("b")])));
        assert_eq!(next(&mut number).await, count_of(2));
        execute(&worker, "mutation { delete_song(where: {id: {_eq: 1}}) { affected_rows } }").await;
        assert_eq!(next(&mut songs).await, songs_of(json!([song("b")])));
        assert_eq!(next(&mut number).await, count_of(1));
        execute(&worker, "mutation { update_song_many(updates: [{where: {}, _set: {title: \"c\"}}]) { affected_rows } }").await;
        assert_eq!(next(&mut songs).await, songs_of(json!([song("c")])));
        execute(&worker, "mutation { insert_song_one(object: {id: 3, title: \"d\"}) { id } }")
            .await;
        assert_eq!(next(&mut songs).await, songs_of(json!([song("c"), song("d")])));
        assert_eq!(next(&mut number).await, count_of(2));
    });
}

#[test]
fn a_directive_makes_a_query_of_each_dialect_a_live_query() {
    on_each(|address| async move {
        run_sql(&address, TABLES).await;
        let phrag = Dialect::Phrag(phrag::Options::default());
        let postgraphile = Dialect::PostGraphile(postgraphile::Options::default());
        for (dialect, selection) in [
            (postgraphile, "allSongs(orderBy: ID_ASC) { nodes { title } }"),
            (phrag, "songs(sort: {id: asc}) { title }"),
        ] {
            let open = async |has_directive: bool| {
                let live = FeedOptions { has_directive, ..FeedOptions::default() };
                let usual = options(dgraph::Options::default(), false);
                let options = Options { dialect: dialect.clone(), live, ..usual };
                Rc::new(Worker::new(Engine::open(&address, &options).await.unwrap()))
            };
            let worker = open(true).await;
            let query = format!("query @live {{ {selection} }}");
            let mut songs = begin(&worker, &query);
            let first = next(&mut songs).await;
            assert_eq!(first["isLive"], true, "{first}");
            assert!(first.to_string().contains("\"a\""), "{first}");
            run_sql(&address, "UPDATE song SET title = 'z' WHERE id = 1").await;
            let second = next(&mut songs).await;
            assert!(second.to_string().contains("\"z\""), "{second}");
            run_sql(&address, "UPDATE song SET title = 'a' WHERE id = 1").await;
            // The directive is all that differs in the schema.
            let (with, without) = (worker.engine().sdl(), open(false).await.engine().sdl());
            let lines = with.lines().filter(|line| !without.contains(line));
            let added = lines.filter(|line| line.starts_with("directive"));
            assert_eq!(added.collect::<Vec<_>>().len(), 1, "{with}");
            assert!(!without.contains("@live"));
        }
    });
}
