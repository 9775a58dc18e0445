//! Timeouts.

use std::time::Duration;

use clients::subgraph::{ErrorKind, SubgraphError, Unavailable};
use tokio::time::{Instant, sleep};

use super::server::Server;
use super::{ask, client, run_without_time, settings};

const LONG: Duration = Duration::from_secs(1000);

/// A server that sends this text and then nothing more.
async fn stalled(text: &'static str) -> Server {
    Server::start(move |_, mut connection| async move {
        connection.request().await;
        connection.write(text.as_bytes()).await;
        sleep(LONG).await;
    })
    .await
}

#[test]
fn an_answer_that_does_not_come_or_stops_is_given_up() {
    for text in [
        "",
        "HTTP/1.1 200 ",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"da",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{",
    ] {
        run_without_time(async {
            let server = stalled(text).await;
            let (client, shared) = client(settings(&server.url));
            let began = Instant::now();
            assert_eq!(ask(&client).await, Err(SubgraphError::Timeout), "{text}");
            let took = began.elapsed();
            assert!(took >= Duration::from_secs(20) && took < Duration::from_secs(21), "{took:?}");
            let statistics = shared.statistics();
            assert_eq!(statistics.errors[ErrorKind::Timeout as usize], 1);
            assert_eq!(statistics.connections, 0);
        });
    }
}

#[test]
fn a_trickle_does_not_prolong_the_time() {
    run_without_time(async {
        let server = Server::start(|_, mut connection| async move {
            connection.request().await;
            connection.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n").await;
            for _ in 0..1000 {
                connection.write(b" ").await;
                sleep(Duration::from_secs(1)).await;
            }
        })
        .await;
        let (client, _) = client(settings(&server.url));
        let began = Instant::now();
        assert_eq!(ask(&client).await, Err(SubgraphError::Timeout));
        assert!(began.elapsed() < Duration::from_secs(21));
    });
}

#[test]
fn a_handshake_belongs_to_the_time_of_connecting() {
    run_without_time(async {
        let server = Server::start(|_, connection| async move {
            sleep(LONG).await;
            drop(connection);
        })
        .await;
        let mut settings = settings(&format!("https://127.0.0.1:{}/", server.port));
        settings.tls = Some(super::encrypted::trusting_nobody());
        let most = settings.connect_timeout;
        let (client, _) = client(settings);
        let began = Instant::now();
        let expected = SubgraphError::Unavailable(Unavailable::ConnectTimeout(most));
        assert_eq!(ask(&client).await, Err(expected));
        assert!(began.elapsed() < Duration::from_secs(11));
    });
}
