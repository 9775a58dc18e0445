//! The Bolt client against a real server.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the lints' exception for tests does not reach their helping functions"
)]

use std::time::{Duration, Instant};

use response::packed::{Packed, begin};
use source_neo4j::program::Access;
use source_neo4j::wire::{
    Batch, Bookmarks, Cluster, Config, Connection, Pack, Records, Scope, Transaction, WireError,
};
use testkit::neo4j::Graph;

mod failures;
mod sessions;

/// Runs a test with an empty graph; none where there is no Neo4j.
fn with_graph<F: Future<Output = ()>>(test: impl FnOnce(Graph) -> F) {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(test(graph));
}

fn config(graph: &Graph, scheme: &str) -> Config {
    Config::resolve(&graph.address(scheme), |_| None).unwrap()
}

async fn connect(graph: &Graph) -> Connection {
    let config = config(graph, "bolt");
    Connection::connect(&config, config.endpoint()).await.unwrap()
}

/// Adds a statement without parameters, which is its own transaction.
fn add(batch: &mut Batch<'_>, access: Access, text: &str) {
    let none = Bookmarks::default();
    let scope = Scope::Alone(&Transaction::new(access, &none));
    batch.run(scope, text, 0, |_| Ok::<_, WireError>(())).unwrap();
}

/// Runs one.
async fn run(connection: &mut Connection, text: &str) -> Result<Records, WireError> {
    let mut results = Vec::new();
    let mut batch = connection.batch();
    add(&mut batch, Access::Write, text);
    batch.exchange(&mut results).await?;
    Ok(results.remove(0))
}

/// The integer that is the only value.
fn integer(records: &Records) -> i64 {
    let Ok(Packed::List(mut fields)) = begin(records.record(0)) else { panic!() };
    match fields.next() {
        Some(Ok(Packed::Integer(integer))) => integer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_come_back_as_they_were_sent() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        let write = |pack: &mut Pack| {
            pack.list(17);
            pack.null();
            pack.boolean(true);
            for integer in [0, -16, -17, 127, 128, -32_769, i64::from(i32::MAX) + 1, i64::MIN] {
                pack.integer(integer);
            }
            pack.float(0.1);
            pack.text("a 'b' \\ é \u{1f600}");
            pack.text(&"long ".repeat(50_000));
            pack.bytes(&[0, 255]);
            pack.map(1);
            pack.text("k");
            pack.list(0);
            // A date, by its days.
            pack.structure(b'D', 1);
            pack.integer(-20_000);
            // A moment in a zone, by the seconds in UTC.
            pack.structure(b'i', 3);
            pack.integer(1_600_000_000);
            pack.integer(5);
            pack.text("Europe/Paris");
        };
        let mut expected = Pack::new();
        expected.list(1);
        write(&mut expected);
        let mut results = Vec::new();
        let none = Bookmarks::default();
        let transaction = Transaction::new(Access::Read, &none);
        let mut batch = connection.batch();
        batch
            .run(Scope::Alone(&transaction), "RETURN $p0 AS `a``b`", 1, |pack| {
                pack.text("p0");
                write(pack);
                Ok::<_, WireError>(())
            })
            .unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert_eq!(results[0].fields().unwrap(), ["a`b"]);
        assert!(results[0].record(0) == expected.as_bytes());
    });
}

#[test]
fn what_a_statement_did_is_counted() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        let records = run(&mut connection, "CREATE (:A {x: 1})-[:R]->(:B)").await.unwrap();
        let summary = records.summary().unwrap();
        let counters = summary.counters;
        assert_eq!((counters.nodes_created, counters.relationships_created), (2, 1));
        assert_eq!((counters.labels_added, counters.properties_set), (2, 1));
        assert_eq!(summary.database.as_deref(), Some("neo4j"));
        assert!(connection.take_bookmark().is_some());
        let records = run(&mut connection, "MATCH (n) DETACH DELETE n").await.unwrap();
        let counters = records.summary().unwrap().counters;
        assert_eq!((counters.nodes_deleted, counters.relationships_deleted), (2, 1));
    });
}

#[test]
fn statements_of_a_transaction_see_each_other_and_nobody_else_does_before_its_end() {
    with_graph(|graph| async move {
        let (mut one, mut other) = (connect(&graph).await, connect(&graph).await);
        let (none, mut results) = (Bookmarks::default(), Vec::new());
        let nothing = |_: &mut Pack| Ok::<_, WireError>(());
        for (is_committed, left) in [(false, 0), (true, 1)] {
            let mut batch = one.batch();
            batch.begin(&Transaction::new(Access::Write, &none)).unwrap();
            batch.run(Scope::InTransaction, "CREATE (:A)", 0, nothing).unwrap();
            batch.run(Scope::InTransaction, "MATCH (n) RETURN count(n)", 0, nothing).unwrap();
            batch.exchange(&mut results).await.unwrap();
            assert_eq!(integer(&results[1]), 1);
            let seen = run(&mut other, "MATCH (n) RETURN count(n)").await.unwrap();
            assert_eq!(integer(&seen), 0);
            let mut batch = one.batch();
            match is_committed {
                true => batch.commit().unwrap(),
                false => batch.rollback().unwrap(),
            }
            batch.exchange(&mut results).await.unwrap();
            assert!(one.is_clean());
            let seen = run(&mut other, "MATCH (n) RETURN count(n)").await.unwrap();
            assert_eq!(integer(&seen), left);
        }
    });
}

#[test]
fn records_are_pulled_in_portions() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        let (none, mut results) = (Bookmarks::default(), Vec::new());
        let transaction = Transaction::new(Access::Read, &none);
        let mut batch = connection.batch();
        let text = "UNWIND range(1, 100000) AS x RETURN x";
        let nothing = |_: &mut Pack| Ok::<_, WireError>(());
        batch.run_at_most(Scope::Alone(&transaction), text, 0, 1000, nothing).unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert_eq!((results[0].len(), results[0].has_more()), (1000, true));
        batch.pull(Some(10)).unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert_eq!((results[0].len(), integer(&results[0])), (10, 1001));
        batch.discard().unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert!(!results[0].has_more() && connection.is_clean());
        let records = run(&mut connection, text).await.unwrap();
        assert_eq!(records.len(), 100_000);
    });
}
