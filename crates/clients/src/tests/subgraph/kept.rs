//! Kept-alive connections.

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{SubgraphError, SubgraphRequest};
use hyper::HeaderMap;
use tokio::time::{sleep, timeout};

use super::server::{Seen, Server, json};
use super::{QUERY, answer, ask, client, mutate, run, run_without_time, settings};

#[test]
fn one_connection_is_enough_for_one_request_after_the_other() {
    run(async {
        let server = Server::answering(|_| json("1")).await;
        let (client, shared) = client(settings(&server.url));
        for _ in 0..5 {
            assert_eq!(ask(&client).await, answer("1"));
            assert_eq!(mutate(&client).await, answer("1"));
        }
        assert_eq!(server.accepted.get(), 1);
        let statistics = shared.statistics();
        assert_eq!((statistics.requests, statistics.connections), (10, 1));
        assert_eq!((statistics.bytes_out, statistics.bytes_in), (10 * QUERY.len() as u64, 10));
        assert_eq!(statistics.durations.count(), 10);
        drop(client);
        assert_eq!(shared.statistics().connections, 0);
    });
}

#[test]
fn no_more_connections_are_made_than_allowed_and_all_get_their_turn() {
    run(async {
        let server = Server::answering(|_| json("1")).await;
        let mut settings = settings(&server.url);
        settings.connections = 2;
        let (client, shared) = client(settings);
        let all = [ask(&client), ask(&client), ask(&client), ask(&client), ask(&client)];
        let [a, b, c, d, e] = all;
        let (a, b, c, d, e) = tokio::join!(a, b, c, d, e);
        for result in [a, b, c, d, e] {
            assert_eq!(result, answer("1"));
        }
        assert_eq!(server.accepted.get(), 2);
        assert_eq!(shared.statistics().connections, 2);
    });
}

#[test]
fn a_task_with_hundreds_of_requests_at_once_gets_all_answers() {
    run(async {
        let server = Server::answering(|_| json("1")).await;
        let mut settings = settings(&server.url);
        settings.connections = 400;
        let (client, _) = client(settings);
        for _ in 0..3 {
            let mut all: Vec<_> = (0..400).map(|_| Box::pin(ask(&client))).collect();
            // Each is polled whenever one of them is woken, which is more often than in tasks.
            poll_fn(|cx| {
                all.retain_mut(|asked| match asked.as_mut().poll(cx) {
                    Poll::Ready(result) => {
                        assert_eq!(result, answer("1"));
                        false
                    }
                    Poll::Pending => true,
                });
                if all.is_empty() { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    });
}

#[test]
fn whoever_waits_for_a_connection_waits_no_longer_than_its_time() {
    run_without_time(async {
        let server = Server::start(|_, mut connection| async move {
            connection.request().await;
            sleep(Duration::from_secs(1000)).await;
        })
        .await;
        let mut settings = settings(&server.url);
        settings.connections = 1;
        let (client, _) = client(settings);
        let (one, other) = tokio::join!(ask(&client), ask(&client));
        assert_eq!((one, other), (Err(SubgraphError::Timeout), Err(SubgraphError::Timeout)));
        assert_eq!(server.accepted.get(), 1);
    });
}

#[test]
fn a_connection_that_nobody_uses_is_closed() {
    run_without_time(async {
        let server = Server::answering(|_| json("1")).await;
        let (client, shared) = client(settings(&server.url));
        assert_eq!(ask(&client).await, answer("1"));
        let connections_after = async |seconds| {
            sleep(Duration::from_secs(seconds)).await;
            client.close_idle();
            shared.statistics().connections
        };
        assert_eq!(connections_after(40).await, 1);
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(connections_after(40).await, 1);
        assert_eq!(connections_after(30).await, 0);
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(server.accepted.get(), 2);
    });
}

/// A server that closes each connection after one response, or after the next request.
async fn closing(after_next: bool) -> Server {
    Server::start(move |_, mut connection| async move {
        connection.request().await;
        connection.answer("1").await;
        if after_next {
            connection.request().await;
        }
    })
    .await
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_not_used() {
    run(async {
        let server = closing(false).await;
        let (client, shared) = client(settings(&server.url));
        for expected in 1..4 {
            assert_eq!(mutate(&client).await, answer("1"));
            assert_eq!(server.accepted.get(), expected);
            sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(shared.statistics().retries, 0);
    });
}

#[test]
fn a_query_that_meets_the_end_of_its_connection_is_sent_again() {
    run(async {
        let server = closing(true).await;
        let (client, shared) = client(settings(&server.url));
        for expected in 1..4 {
            assert_eq!(ask(&client).await, answer("1"));
            assert_eq!(server.accepted.get(), expected);
        }
        assert_eq!(shared.statistics().retries, 2);
    });
}

#[test]
fn a_mutation_that_meets_the_end_of_its_connection_may_have_been_done() {
    run(async {
        let server = closing(true).await;
        let (client, _) = client(settings(&server.url));
        assert_eq!(mutate(&client).await, answer("1"));
        let error = mutate(&client).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "its response was truncated: connection closed before message completed"
        );
        assert_eq!(server.accepted.get(), 1);
        assert_eq!(mutate(&client).await, answer("1"), "the next one has a new connection");
    });
}

#[test]
fn whoever_does_not_wait_any_more_closes_the_connection() {
    run(async {
        let seen = Seen::new();
        let ends = seen.clone();
        let server = Server::start(move |_, mut connection| {
            let ends = ends.clone();
            async move {
                let first = connection.request().await;
                ends.add(first.is_some());
                ends.add(connection.request().await.is_some());
            }
        })
        .await;
        let (client, shared) = client(settings(&server.url));
        let given_up = timeout(Duration::from_millis(100), ask(&client)).await;
        assert!(given_up.is_err());
        assert_eq!(shared.statistics().connections, 0);
        sleep(Duration::from_millis(20)).await;
        assert_eq!(seen.take(), [true, false], "the server has seen the request, and its end");
    });
}

#[test]
fn what_the_server_has_closed_is_not_kept_either() {
    run(async {
        let server = closing(false).await;
        let (client, shared) = client(settings(&server.url));
        assert_eq!(ask(&client).await, answer("1"));
        sleep(Duration::from_millis(20)).await;
        client.close_idle();
        assert_eq!(shared.statistics().connections, 0);
    });
}

#[test]
fn the_deadline_of_a_request_may_be_sooner() {
    run_without_time(async {
        let server = Server::start(|_, mut connection| async move {
            connection.request().await;
            sleep(Duration::from_secs(1000)).await;
        })
        .await;
        let (client, _) = client(settings(&server.url));
        let began = tokio::time::Instant::now();
        let deadline = Some((began + Duration::from_secs(2)).into_std());
        let (body, headers) = (Bytes::from_static(QUERY), &HeaderMap::new());
        let asked = client.send(SubgraphRequest {
            body,
            headers,
            is_query: true,
            deadline,
            reserve: &|_| true,
        });
        assert_eq!(asked.await, Err(SubgraphError::Timeout));
        assert!(began.elapsed() < Duration::from_secs(3));
    });
}
