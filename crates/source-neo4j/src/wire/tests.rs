//! Tests of exchanges with a scripted server.

use std::time::Duration;

use super::bookmarks::Bookmarks;
use super::error::WireError;
use super::records::Records;
use super::script::{Peer, Port};
use super::transaction::{Scope, Transaction};
use super::{Connection, Pack};
use crate::program::Access;

mod encrypted;
mod routing;
mod sessions;
mod unusual;

/// Adds a statement without parameters.
fn run(batch: &mut super::Batch<'_>, scope: Scope<'_>, text: &str) {
    batch.run(scope, text, 0, |_| Ok::<_, WireError>(())).unwrap();
}

fn none() -> Bookmarks {
    Bookmarks::default()
}

/// The code of a failure, and which result it is of.
fn code(error: &WireError) -> (&str, Option<usize>) {
    match error {
        WireError::Database { error, result } => (error.title(), *result),
        other => panic!("{other:?}"),
    }
}

/// Runs a read by itself, and returns its first record.
async fn read_one(connection: &mut Connection, results: &mut Vec<Records>) -> Vec<u8> {
    let (seen, mut batch) = (none(), connection.batch());
    run(&mut batch, Scope::Alone(&Transaction::new(Access::Read, &seen)), "RETURN 1");
    batch.exchange(results).await.unwrap();
    results[0].record(0).to_vec()
}

/// Answers one such read.
async fn answer_one(peer: &mut Peer) {
    peer.expect(&[r#"RUN("RETURN 1", {}, {mode: "r"})"#, "PULL({n: -1})"]).await;
    let end = r#"SUCCESS({type: "r", bookmark: "FB:r"})"#;
    peer.send(&[r#"SUCCESS({fields: ["1"]})"#, "RECORD([1])", end]).await;
}

#[tokio::test]
async fn a_read_is_one_write_and_its_records_stay_where_they_are() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let transaction = Transaction {
        timeout: Some(Duration::from_secs(2)),
        ..Transaction::new(Access::Read, &seen)
    };
    let mut batch = connection.batch();
    let parameters = |pack: &mut Pack| {
        pack.text("p0");
        pack.integer(7);
        Ok::<_, WireError>(())
    };
    batch.run(Scope::Alone(&transaction), "RETURN $p0", 1, parameters).unwrap();
    let serve = async {
        peer.expect(&[
            r#"RUN("RETURN $p0", {p0: 7}, {mode: "r", tx_timeout: 2000})"#,
            "PULL({n: -1})",
        ])
        .await;
        peer.send(&[
            r#"SUCCESS({fields: ["a", "b"], t_first: 1})"#,
            "RECORD([7, null])",
            "RECORD([8, [true]])",
            r#"SUCCESS({type: "r", bookmark: "FB:r", db: "neo4j"})"#,
        ])
        .await;
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    exchanged.unwrap();
    let [records] = &results[..] else { panic!() };
    assert_eq!(records.fields().unwrap(), ["a", "b"]);
    assert_eq!(records.iter().collect::<Vec<_>>(), [&b"\x92\x07\xc0"[..], b"\x92\x08\x91\xc3"]);
    assert_eq!(records.summary().unwrap().database.as_deref(), Some("neo4j"));
    assert!(connection.is_clean() && connection.is_open());
    // A read has no bookmark.
    assert_eq!(connection.take_bookmark(), None);
}

#[tokio::test]
async fn a_transaction_with_all_its_statements_is_one_write() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (["FB:1"].into_iter().collect(), Vec::new());
    let mut batch = connection.batch();
    batch.begin(&Transaction::new(Access::Write, &seen)).unwrap();
    run(&mut batch, Scope::InTransaction, "CREATE ()");
    run(&mut batch, Scope::InTransaction, "RETURN 1");
    batch.commit().unwrap();
    let serve = async {
        peer.expect(&[
            r#"BEGIN({bookmarks: ["FB:1"]})"#,
            r#"RUN("CREATE ()", {}, {})"#,
            "PULL({n: -1})",
            r#"RUN("RETURN 1", {}, {})"#,
            "PULL({n: -1})",
            "COMMIT()",
        ])
        .await;
        peer.send(&[
            "SUCCESS({})",
            "SUCCESS({fields: []})",
            r#"SUCCESS({stats: {nodes-created: 1, contains-updates: true}})"#,
            r#"SUCCESS({fields: ["1"]})"#,
            "RECORD([1])",
            "SUCCESS({})",
            r#"SUCCESS({bookmark: "FB:2"})"#,
        ])
        .await;
    };
    let (exchanged, ()) = tokio::join!(batch.exchange(&mut results), serve);
    exchanged.unwrap();
    assert_eq!(results[0].summary().unwrap().counters.nodes_created, 1);
    assert_eq!((results[0].len(), results[1].len()), (0, 1));
    assert_eq!(connection.take_bookmark().as_deref(), Some("FB:2"));
    assert_eq!(connection.take_bookmark(), None);
    assert!(connection.is_clean());
}

#[tokio::test]
async fn a_transaction_may_take_several_exchanges() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut first, mut second) = (none(), Vec::new(), Vec::new());
    let serve = async {
        peer.expect(&["BEGIN({})", r#"RUN("RETURN 1", {}, {})"#, "PULL({n: -1})"]).await;
        peer.send(&["SUCCESS({})", "SUCCESS({fields: []})", "RECORD([1])", "SUCCESS({})"]).await;
        peer.expect(&[r#"RUN("RETURN 2", {}, {})"#, "PULL({n: -1})", "ROLLBACK()"]).await;
        peer.send(&["SUCCESS({fields: []})", "RECORD([2])", "SUCCESS({})", "SUCCESS({})"]).await;
    };
    let ask = async {
        let mut batch = connection.batch();
        batch.begin(&Transaction::new(Access::Write, &seen)).unwrap();
        run(&mut batch, Scope::InTransaction, "RETURN 1");
        batch.exchange(&mut first).await.unwrap();
        assert!(!connection.is_clean());
        let mut batch = connection.batch();
        run(&mut batch, Scope::InTransaction, "RETURN 2");
        batch.rollback().unwrap();
        batch.exchange(&mut second).await.unwrap();
    };
    tokio::join!(ask, serve);
    assert_eq!((first[0].record(0), second[0].record(0)), (&b"\x91\x01"[..], &b"\x91\x02"[..]));
    assert!(connection.is_clean());
}

#[tokio::test]
async fn records_can_be_pulled_in_portions_and_left() {
    let port = Port::open().await;
    let (mut connection, mut peer) = port.connect().await;
    let (seen, mut results) = (none(), Vec::new());
    let transaction = Transaction::new(Access::Write, &seen);
    let serve = async {
        peer.expect(&[r#"RUN("x", {}, {})"#, "PULL({n: 2})"]).await;
        peer.send(&[
            "SUCCESS({fields: []})",
            "RECORD([1])",
            "RECORD([2])",
            "SUCCESS({has_more: true})",
        ])
        .await;
        peer.expect(&["PULL({n: 1})"]).await;
        peer.send(&["RECORD([3])", "SUCCESS({has_more: true})"]).await;
        peer.expect(&["DISCARD({n: -1})"]).await;
        peer.send(&[r#"SUCCESS({bookmark: "FB:9", stats: {labels-added: 4}})"#]).await;
    };
    let ask = async {
        let mut batch = connection.batch();
        let nothing = |_: &mut Pack| Ok::<_, WireError>(());
        batch.run_at_most(Scope::Alone(&transaction), "x", 0, 2, nothing).unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert_eq!((results[0].len(), results[0].has_more()), (2, true));
        batch.pull(Some(1)).unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert_eq!((results[0].record(0), results[0].has_more()), (&b"\x91\x03"[..], true));
        assert!(!connection.is_clean());
        // A later batch knows the open state.
        let mut batch = connection.batch();
        batch.discard().unwrap();
        batch.exchange(&mut results).await.unwrap();
    };
    tokio::join!(ask, serve);
    assert_eq!((results[0].len(), results[0].has_more()), (0, false));
    assert_eq!(results[0].summary().unwrap().counters.labels_added, 4);
    assert_eq!(connection.take_bookmark().as_deref(), Some("FB:9"));
    assert!(connection.is_clean());
}

#[test]
fn a_connection_can_be_sent_to_another_thread() {
    fn is_send<T: Send>(_: impl FnOnce() -> T) {}
    is_send(|| async {
        let port = Port::open().await;
        let (mut connection, _) = port.connect().await;
        connection.reset().await.unwrap();
        connection
    });
}
