//! Several servers of one PostgreSQL database that relay changes over NATS or Redis.

use std::sync::Arc;
use std::time::Duration;

use clients::broker::{Broker, BrokerSettings};
use clients::subgraph::TlsFiles;
use engine::Caller;
use engine::live::{BrokerBus, Relay, Responses};
use testkit::broker::{self, Kind};
use tokio::time::{sleep, timeout};

use crate::dgraph::run_sql;
use crate::live::{next, subscribe};
use crate::live_servers::{
    PLAYERS, connect, executions, on_postgres, open_relaying, players, read_until, settle,
};

/// The means of one server.
fn relay(broker: &broker::Broker) -> Relay {
    Relay::Bus(Arc::new(BrokerBus(Broker::new(BrokerSettings {
        name: "a broker".into(),
        url: broker.url().parse().unwrap(),
        user: None,
        password: None,
        token: None,
        instance: None,
        connect_timeout: Duration::from_secs(2),
        files: TlsFiles::default(),
        tls: None,
    }))))
}

fn on_each_broker(kind: Kind) {
    if !kind.is_installed() {
        return;
    }
    on_postgres(|address, url| async move {
        let mut broker = broker::Broker::start(kind, &[]).unwrap();
        let (client, mut notified) = connect(&url, None).await;
        client.batch_execute("LISTEN thalweg_live_1").await.unwrap();
        let mut opened = Vec::new();
        for _ in 0..3 {
            opened.push(open_relaying(&address, relay(&broker)).await);
        }
        let workers = [&opened[0], &opened[1], &opened[2]];
        let mut all: Vec<Responses> =
            workers.iter().map(|worker| subscribe(worker, PLAYERS, &Caller::default())).collect();
        for responses in &mut all {
            assert_eq!(next(responses).await, players(&[]));
        }
        settle(&client, &workers, 2).await;
        let before = executions(&workers);
        run_sql(&address, "INSERT INTO \"Player\" (id, name) VALUES (900, 'a')").await;
        for responses in &mut all {
            assert_eq!(next(responses).await, players(&["a"]));
        }
        // Several messages, and a change that concerns no subscription.
        run_sql(
            &address,
            "INSERT INTO \"Team\" (id, name) SELECT 1000 + n, repeat('y', 100) FROM generate_series(1, 500) AS n",
        )
        .await;
        run_sql(&address, "UPDATE \"Player\" SET name = 'b'").await;
        for responses in &mut all {
            assert_eq!(next(responses).await, players(&["b"]));
        }
        let after: Vec<u64> = before.iter().map(|before| before + 2).collect();
        assert_eq!(executions(&workers), after);
        // The database has passed on the agreements only.
        let mut welcomes = 0;
        while let Ok(message) = notified.try_recv() {
            assert!(!message.starts_with("changes"), "{message}");
            welcomes += usize::from(message.starts_with("welcome"));
        }
        assert!(welcomes >= 4, "each follower agrees twice: {welcomes}");
        // Without the broker each server reads the state of the database.
        broker.kill();
        run_sql(&address, "UPDATE \"Player\" SET name = 'c'").await;
        for responses in &mut all {
            let expected = players(&["c"]);
            let read = read_until(responses, &expected);
            timeout(Duration::from_secs(60), read).await.unwrap();
        }
        broker.restart().unwrap();
        settle_again(&client, &workers).await;
        run_sql(&address, "UPDATE \"Player\" SET name = 'd'").await;
        for responses in &mut all {
            let expected = players(&["d"]);
            let read = read_until(responses, &expected);
            timeout(Duration::from_secs(60), read).await.unwrap();
        }
    });
}

/// Waits until the servers have parts again: one leads, or all read the changes for themselves, which
/// they do if they have found no broker.
async fn settle_again(client: &tokio_postgres::Client, workers: &[&std::rc::Rc<engine::Worker>]) {
    let query =
        "SELECT count(*) FROM pg_replication_slots WHERE database = current_database() AND active";
    loop {
        let slots: i64 = client.query_one(query, &[]).await.unwrap().get(0);
        let before = executions(workers);
        sleep(Duration::from_millis(1_500)).await;
        if slots > 0 && executions(workers) == before {
            return;
        }
    }
}

#[test]
fn servers_relay_changes_over_nats() {
    on_each_broker(Kind::Nats);
}

#[test]
fn servers_relay_changes_over_redis() {
    on_each_broker(Kind::Redis);
}
