//! The pool of connections on a real server.

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use source_postgres::pool::{Pool, PoolError, PoolOptions};
use tokio::time::{sleep, timeout};

use super::wire_server;
use super::wire_server::client::{config, connect, query, run};

/// Long enough for whatever does happen to have happened.
const MOMENT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn a_server_that_goes_away_is_told_of() {
    let Some(mut server) = wire_server::Server::start() else { return };
    let pool = Pool::new(config(&server.socket_url()), PoolOptions::default(), Arc::default());
    drop(pool.acquire().await.unwrap());
    assert_eq!(pool.idle_connections(), 1);
    server.stop();
    // So that the end of the connection is noticed.
    sleep(MOMENT).await;
    assert!(matches!(pool.acquire().await, Err(PoolError::Unreached(_))));
}

#[tokio::test]
async fn a_pool_keeps_clean_connections_and_no_others() {
    let Some(server) = wire_server::shared() else { return };
    let options = PoolOptions {
        max_connections: 2,
        acquire_timeout: Duration::from_millis(300),
        ..PoolOptions::default()
    };
    let pool = Pool::new(config(&server.socket_url()), options, Arc::default());
    let first = pool.acquire().await.unwrap();
    let mut second = pool.acquire().await.unwrap();
    assert!(matches!(pool.acquire().await, Err(PoolError::Timeout(_))));
    assert_eq!((pool.used_connections(), pool.idle_connections()), (2, 0));

    // One that waits gets the one that comes back.
    let process = first.process_id();
    let give_back = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(first);
    };
    let (waited, ()) = tokio::join!(pool.acquire(), give_back);
    assert_eq!(waited.unwrap().process_id(), process);

    let sleep = run(&mut second, &["SELECT pg_sleep(1)"]);
    assert!(tokio::time::timeout(Duration::from_millis(50), sleep).await.is_err());
    drop(second);
    // It keeps its place until the server has ended it.
    assert_eq!((pool.used_connections(), pool.idle_connections()), (1, 1));
    while pool.used_connections() > 0 {
        sleep_for_a_moment().await;
    }
    assert_eq!(pool.idle_connections(), 1);

    // One that the server has closed while it was idle is not handed out.
    let mut other = connect(&server.socket_url()).await;
    query(&mut other, &format!("SELECT pg_terminate_backend({process})")).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut third = pool.acquire().await.unwrap();
    assert_ne!(third.process_id(), process);
    assert_eq!(query(&mut third, "SELECT 1").await, "1");
}

async fn sleep_for_a_moment() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

#[tokio::test]
async fn a_pool_closes_old_connections() {
    let Some(server) = wire_server::shared() else { return };
    let short = Duration::from_millis(50);
    let rested = PoolOptions { idle_timeout: short, ..PoolOptions::default() };
    let aged = PoolOptions { max_lifetime: short, ..PoolOptions::default() };
    for options in [rested, aged] {
        let pool: Rc<Pool> = Pool::new(config(&server.socket_url()), options, Arc::default());
        let process = pool.acquire().await.unwrap().process_id();
        assert_eq!(pool.acquire().await.unwrap().process_id(), process);
        tokio::time::sleep(short).await;
        assert_ne!(pool.acquire().await.unwrap().process_id(), process);
        pool.close_old();
        tokio::time::sleep(short).await;
        pool.close_old();
        assert_eq!(pool.idle_connections(), 0);
    }
}

#[tokio::test]
async fn a_connection_that_rested_is_checked_before_use() {
    let Some(server) = wire_server::shared() else { return };
    let options = PoolOptions { check_after: Duration::ZERO, ..PoolOptions::default() };
    let pool = Pool::new(config(&server.socket_url()), options, Arc::default());
    let process = pool.acquire().await.unwrap().process_id();
    assert_eq!(pool.acquire().await.unwrap().process_id(), process);
    // A server that is silent without having closed the connection.
    wire_server::signal("STOP", process);
    let mut other = pool.acquire().await.unwrap();
    wire_server::signal("CONT", process);
    assert_ne!(other.process_id(), process);
    assert_eq!(query(&mut other, "SELECT 1").await, "1");
}

/// The process that accepts clients is stopped, so that connecting takes as long as the test likes.
#[tokio::test]
async fn whoever_waits_takes_the_first_connection_there_is() {
    let Some(server) = wire_server::Server::start() else { return };
    let options = PoolOptions { max_connections: 2, ..PoolOptions::default() };
    let pool = Pool::new(config(&server.socket_url()), options, Arc::default());
    let mut other = connect(&server.socket_url()).await;
    let first = pool.acquire().await.unwrap();
    let process = first.process_id();

    wire_server::signal("STOP", server.process_id());
    let mut second = pin!(pool.acquire());
    assert!(timeout(MOMENT, &mut second).await.is_err());
    drop(first);
    let second = second.await.unwrap();
    assert_eq!(second.process_id(), process);
    assert!(second.is_reused());

    // What was begun for that one is for the next, and no other is begun beside it.
    let mut third = pin!(pool.acquire());
    assert!(timeout(MOMENT, &mut third).await.is_err());
    wire_server::signal("CONT", server.process_id());
    let third = third.await.unwrap();
    assert_ne!(third.process_id(), process);
    assert!(!third.is_reused());
    sleep(MOMENT).await;
    let clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
    assert_eq!(query(&mut other, clients).await, "3");

    drop((second, third));
    assert_eq!((pool.used_connections(), pool.idle_connections()), (0, 2));
}

#[tokio::test]
async fn what_comes_to_a_wait_that_was_given_up_is_kept() {
    let Some(server) = wire_server::Server::start() else { return };
    let options = PoolOptions { max_connections: 2, ..PoolOptions::default() };
    let pool = Pool::new(config(&server.socket_url()), options, Arc::default());
    let first = pool.acquire().await.unwrap();
    let process = first.process_id();
    wire_server::signal("STOP", server.process_id());
    {
        let mut given_up = pin!(pool.acquire());
        assert!(timeout(MOMENT, &mut given_up).await.is_err());
        drop(first);
        assert_eq!(pool.idle_connections(), 0);
    }
    assert_eq!((pool.used_connections(), pool.idle_connections()), (0, 1));
    assert_eq!(pool.acquire().await.unwrap().process_id(), process);

    // So is the connection that was begun for it.
    wire_server::signal("CONT", server.process_id());
    let (first, second) = (pool.acquire().await.unwrap(), pool.acquire().await.unwrap());
    assert_eq!(first.process_id(), process);
    assert_ne!(second.process_id(), process);
}
