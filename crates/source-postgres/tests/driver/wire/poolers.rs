//! PgBouncer between the client and a real server.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use source_postgres::pool::{Pool, PoolOptions};
use source_postgres::wire::{Batches, Connection, WireError};
use testkit::postgres::{PgBouncer, PoolMode, Server, required_installations, shared};

use super::wire_server::client::{config, print, query, statement};

fn server() -> Option<&'static Server> {
    let installations = required_installations().unwrap();
    let server = installations.first().map(|installation| shared(installation).unwrap());
    server.filter(|_| PgBouncer::is_installed())
}

/// The only session of the pooler goes to the next client while answers of the one before are
/// outstanding, unless these are read first.
#[tokio::test]
async fn answers_of_a_connection_that_is_given_up_reach_nobody_else() {
    let Some(server) = server() else { return };
    let pooler = PgBouncer::start(server, PoolMode::Session, 1).unwrap();
    let config = config(&pooler.url("postgres"));
    for round in 0..5 {
        let pool = Pool::new(config.clone(), PoolOptions::default(), Arc::default());
        let mut connection = pool.acquire().await.unwrap();
        let mut batches = Batches::begin(&mut connection);
        let texts = ["SELECT 'foreign'", "SELECT pg_sleep(0.05)", "SELECT 'foreign'"];
        for text in texts.repeat(3) {
            let text = statement(text);
            batches.push(&mut connection, (), |pipeline| pipeline.execute(&text, [])).unwrap();
        }
        // One answer, or two, and the others come later.
        let mut answered = Vec::new();
        poll_fn(|context| match batches.poll(&mut connection, context, &mut answered) {
            Poll::Pending if answered.is_empty() => Poll::Pending,
            _ => Poll::Ready(()),
        })
        .await;
        assert!(answered.len() < 9);
        drop(connection);
        let mut next = Connection::connect(&config).await.unwrap();
        for number in 0..20 {
            let number = (round * 100 + number).to_string();
            assert_eq!(query(&mut next, &["SELECT ", &number].concat()).await, number);
        }
    }
}

/// Where prepared statements are left behind on sessions that others get, a statement of another
/// client is never taken for one's own: it is told that the name is not known, or is taken.
#[tokio::test]
async fn a_statement_of_another_client_never_runs_instead() {
    let Some(server) = server() else { return };
    let pooler = PgBouncer::start(server, PoolMode::Transaction, 3).unwrap();
    let config = config(&pooler.url("postgres"));
    let (mut right, mut refused) = (0, 0);
    let asked = (0..4).map(|client| {
        let config = config.clone();
        async move {
            let mut connection = Connection::connect(&config).await.unwrap();
            let mut outcomes = (0, 0);
            for number in 0..100 {
                let text = (client * 10 + number % 10).to_string();
                let asked = statement(&["SELECT ", &text, ", pg_sleep(0.001)"].concat());
                let mut results = Vec::new();
                let mut pipeline = connection.pipeline();
                pipeline.execute(&asked, []).unwrap();
                match pipeline.sync_and_read(&mut results).await {
                    Ok(()) => {
                        assert_eq!(print(&results[0]), [&text, "|"].concat());
                        outcomes.0 += 1;
                    }
                    Err(WireError::StalePlan(error)) => {
                        assert!(["26000", "42P05"].contains(&error.code.as_str()), "{error}");
                        outcomes.1 += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            outcomes
        }
    });
    let local = tokio::task::LocalSet::new();
    let asked: Vec<_> = asked.map(|client| local.spawn_local(client)).collect();
    local.await;
    for client in asked {
        let outcomes = client.await.unwrap();
        right += outcomes.0;
        refused += outcomes.1;
    }
    assert!(right > 0 && refused > 0, "{right} right, {refused} refused");
}
