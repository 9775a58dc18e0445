//! Settings of requests, and the connections that remember their names.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use source::NameSet;
use source_postgres::pool::{Pool, PoolError, PoolOptions, Pooled};
use source_postgres::wire::{Connection, Transaction, WireError};

use super::wire_server;
use super::wire_server::client::{config, connect, print, query, statement};
use super::{code, text};

const SET: &str = "SELECT set_config(n, v, true) FROM unnest($1::text[], $2::text[]) AS s (n, v)";

fn names(names: &[&str]) -> NameSet {
    NameSet::new(names.iter().copied())
}

fn list(items: &[&str]) -> String {
    format!("{{{}}}", items.join(","))
}

/// Sets the names to their own texts and gives what a statement says.
async fn ask(
    connection: &mut Connection,
    transaction: Option<Transaction>,
    set: &[&str],
    asked: &str,
) -> Result<String, WireError> {
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    if let Some(transaction) = transaction {
        pipeline.begin(transaction)?;
    }
    let values = list(set);
    pipeline.set(&statement(SET), [text(&values), text(&values)], &names(set))?;
    pipeline.execute(&statement(asked), [])?;
    if transaction.is_some() {
        pipeline.commit()?;
    }
    pipeline.sync_and_read(&mut results).await?;
    assert_eq!(results.len(), 1, "what was set gives no rows to the caller");
    Ok(print(&results[0]))
}

fn pool(url: &str, max_connections: usize) -> Rc<Pool> {
    let options = PoolOptions {
        max_connections,
        acquire_timeout: Duration::from_secs(3),
        ..PoolOptions::default()
    };
    Pool::new(config(url), options, Arc::default())
}

/// A connection that was told these names.
async fn told(pool: &Rc<Pool>, set: &[&str]) -> Pooled {
    let mut connection = pool.acquire_for(&names(set)).await.unwrap();
    ask(&mut connection, None, set, "SELECT 1").await.unwrap();
    connection
}

#[tokio::test]
async fn what_is_set_ends_with_the_transaction_and_its_name_does_not() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    let asked = "SELECT current_setting('x.a', true), current_setting('x.b', true)";
    for transaction in [None, Some(Transaction::Snapshot), Some(Transaction::ReadCommitted)] {
        let found = ask(&mut connection, transaction, &["x.a"], asked).await.unwrap();
        assert_eq!(found, "x.a|-");
        // This is why connections remember.
        assert_eq!(query(&mut connection, asked).await, "|-");
    }
    assert_eq!(*connection.names(), names(&["x.a"]));
    // A role ends with the transaction, too, and is forgotten.
    let user = query(&mut connection, "SELECT current_user").await;
    let set = statement("SELECT set_config('role', 'pg_monitor', true)");
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    pipeline.set(&set, [], &names(&[])).unwrap();
    pipeline.execute(&statement("SELECT current_user"), []).unwrap();
    pipeline.sync_and_read(&mut results).await.unwrap();
    assert_eq!(print(&results[0]), "pg_monitor");
    assert_eq!(query(&mut connection, "SELECT current_user").await, user);
}

#[tokio::test]
async fn what_cannot_be_set_is_nobodys_execution() {
    let Some(server) = wire_server::shared() else { return };
    let mut connection = connect(&server.socket_url()).await;
    for transaction in [None, Some(Transaction::Snapshot)] {
        let failed = ask(&mut connection, transaction, &["role"], "SELECT 1").await.unwrap_err();
        let WireError::Database { error, .. } = &failed else { panic!("{failed:?}") };
        assert!(error.is_of_settings);
        assert_eq!(code(failed), ("22023".to_owned(), None));
        let failed = ask(&mut connection, transaction, &["x.a"], "SELECT 1/0").await.unwrap_err();
        let WireError::Database { error, .. } = &failed else { panic!("{failed:?}") };
        assert!(!error.is_of_settings);
        assert_eq!(code(failed), ("22012".to_owned(), Some(0)));
        assert_eq!(query(&mut connection, "SELECT 1").await, "1");
    }
}

#[tokio::test]
async fn a_connection_serves_those_who_set_all_that_it_was_told() {
    let Some(server) = wire_server::shared() else { return };
    let pool = pool(&server.socket_url(), 4);
    // All four at once, so that each is another.
    let lent = [
        told(&pool, &[]).await,
        told(&pool, &["x.a"]).await,
        told(&pool, &["x.a", "x.b"]).await,
        told(&pool, &["x.c"]).await,
    ];
    let processes = lent.each_ref().map(|connection| connection.process_id());
    drop(lent);
    assert_eq!(pool.idle_connections(), 4);
    let got = async |set: &[&str]| pool.acquire_for(&names(set)).await.unwrap().process_id();
    assert_eq!(got(&[]).await, processes[0]);
    assert_eq!(got(&["x.a"]).await, processes[1]);
    // The one that was told most of it.
    assert_eq!(got(&["x.a", "x.b", "x.c"]).await, processes[2]);
    assert_eq!(got(&["x.b", "x.c"]).await, processes[3]);
    assert_eq!(got(&["x.b"]).await, processes[0]);
    assert_eq!(pool.idle_connections(), 4);
}

#[tokio::test]
async fn one_that_fits_nobody_makes_room() {
    let Some(server) = wire_server::shared() else { return };
    let pool = pool(&server.socket_url(), 2);
    let lent = [told(&pool, &["x.a"]).await, told(&pool, &["x.b"]).await];
    let processes = lent.each_ref().map(|connection| connection.process_id());
    drop(lent);
    // The one that has rested longest goes.
    let fresh = pool.acquire().await.unwrap();
    assert!(!processes.contains(&fresh.process_id()));
    assert_eq!((pool.used_connections(), pool.idle_connections()), (1, 1));
    let second = pool.acquire_for(&names(&["x.b"])).await.unwrap();
    assert_eq!(second.process_id(), processes[1]);
    drop(second);
    // Now there are two that were told nothing, and none that was told something.
    let other = pool.acquire().await.unwrap();
    assert!(other.names().is_empty() && !processes.contains(&other.process_id()));
    assert_eq!((pool.used_connections(), pool.idle_connections()), (2, 0));
    assert!(matches!(pool.acquire().await, Err(PoolError::Timeout(_))));
}

#[tokio::test]
async fn who_waits_is_served_whatever_comes_back() {
    let Some(server) = wire_server::shared() else { return };
    let pool = pool(&server.socket_url(), 1);
    let mut last = told(&pool, &["x.a"]).await;
    for set in [&["x.b"][..], &[], &["x.a", "x.b"], &["x.b"], &["x.a"]] {
        let wanted = names(set);
        let waiting = pool.acquire_for(&wanted);
        let give_back = async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            drop(last);
        };
        let (served, ()) = tokio::join!(waiting, give_back);
        let mut served = served.unwrap();
        assert!(served.names().is_subset(&wanted));
        ask(&mut served, None, set, "SELECT 1").await.unwrap();
        assert_eq!(*served.names(), wanted);
        last = served;
    }
}

#[tokio::test]
async fn a_server_without_room_gets_it_back() {
    let Some(server) = wire_server::shared() else { return };
    let mut administrator = connect(&server.socket_url()).await;
    query(&mut administrator, "CREATE ROLE crowded LOGIN CONNECTION LIMIT 1").await;
    let url = server.socket_url().replacen("postgres@", "crowded@", 1);
    // The pool may have more than the server gives.
    let pool = pool(&url, 3);
    drop(told(&pool, &["x.a"]).await);
    for set in [&["x.b"][..], &[], &["x.c"]] {
        drop(told(&pool, set).await);
    }
    // The same while somebody has the only one.
    let last = told(&pool, &["x.a"]).await;
    let wanted = names(&["x.b"]);
    let waiting = pool.acquire_for(&wanted);
    let give_back = async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(last);
    };
    let (served, ()) = tokio::join!(waiting, give_back);
    assert!(served.unwrap().names().is_empty());
}
