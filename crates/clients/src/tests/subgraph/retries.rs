//! Retries: which requests, and how often.

use std::cell::Cell;
use std::time::Duration;

use clients::subgraph::{Settings, SubgraphError};
use tokio::time::Instant;

use super::server::{Server, json, with};
use super::{answer, ask, client, mutate, run_without_time, settings};

/// A server that responds to the first requests with a status, and then with `1`.
async fn failing(times: usize, status: &'static str, headers: &'static str) -> Server {
    let count = Cell::new(0);
    Server::answering(move |_| {
        let number = count.replace(count.get() + 1);
        if number < times { with(status, headers, "") } else { json("1") }
    })
    .await
}

fn retrying(server: &Server, retries: u32) -> Settings {
    let mut settings = settings(&server.url);
    settings.retries = retries;
    settings
}

#[test]
fn a_server_that_cannot_answer_now_is_asked_again() {
    for status in ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"] {
        run_without_time(async {
            let server = failing(2, status, "").await;
            let (client, shared) = client(retrying(&server, 2));
            assert_eq!(ask(&client).await, answer("1"), "{status}");
            assert_eq!(shared.statistics().retries, 2);
            assert_eq!(shared.statistics().requests, 1);
        });
    }
}

#[test]
fn it_is_asked_no_more_often_than_allowed() {
    run_without_time(async {
        let server = failing(3, "503 Oh", "").await;
        let (client, shared) = client(retrying(&server, 2));
        assert_eq!(ask(&client).await, Err(SubgraphError::Status(503)));
        assert_eq!(shared.statistics().retries, 2);
    });
}

#[test]
fn an_answer_that_comes_with_such_a_status_counts_if_nothing_better_comes() {
    run_without_time(async {
        let server = Server::answering(|_| {
            with("503 Oh", "content-type: application/json\r\n", r#"{"errors":[]}"#)
        })
        .await;
        let (client, shared) = client(retrying(&server, 1));
        assert_eq!(ask(&client).await.map(|answer| answer.status), Ok(503));
        assert_eq!(shared.statistics().retries, 1);
    });
}

#[test]
fn mutations_and_other_errors_are_not_sent_again() {
    run_without_time(async {
        let server = failing(10, "503 Oh", "").await;
        let (client, shared) = client(retrying(&server, 5));
        assert_eq!(mutate(&client).await, Err(SubgraphError::Status(503)));
        assert_eq!(shared.statistics().retries, 0);
    });
    run_without_time(async {
        let server = failing(10, "500 Oh", "").await;
        let (client, shared) = client(retrying(&server, 5));
        assert_eq!(ask(&client).await, Err(SubgraphError::Status(500)));
        assert_eq!(shared.statistics().retries, 0);
    });
}

#[test]
fn a_reset_before_an_answer_is_tried_again_and_one_within_is_not() {
    for (text, expected) in [("", 1), ("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{", 0)] {
        run_without_time(async move {
            let server = Server::start(move |number, mut connection| async move {
                connection.request().await;
                if number > 0 {
                    return connection.answer("1").await;
                }
                connection.write(text.as_bytes()).await;
                connection.reset();
            })
            .await;
            let (client, shared) = client(retrying(&server, 3));
            assert_eq!(ask(&client).await.is_ok(), expected == 1);
            assert_eq!(shared.statistics().retries, expected);
        });
    }
}

#[test]
fn the_server_says_when_it_wants_to_be_asked_again() {
    for (after, expected) in [("7", Some(7)), ("600", None)] {
        run_without_time(async move {
            let headers = if after == "7" { "retry-after: 7\r\n" } else { "retry-after: 600\r\n" };
            let server = failing(1, "503 Oh", headers).await;
            let (client, _) = client(retrying(&server, 1));
            let began = Instant::now();
            let result = ask(&client).await;
            let took = began.elapsed().as_secs();
            match expected {
                Some(seconds) => assert_eq!((result, took), (answer("1"), seconds)),
                // The deadline would be exceeded.
                None => assert_eq!((result, took), (Err(SubgraphError::Status(503)), 0)),
            }
        });
    }
}

#[test]
fn all_requests_together_have_a_budget() {
    run_without_time(async {
        let server = failing(usize::MAX, "503 Oh", "").await;
        let (client, shared) = client(retrying(&server, 3));
        let began = Instant::now();
        for _ in 0..100 {
            assert_eq!(ask(&client).await, Err(SubgraphError::Status(503)));
        }
        // The initial budget of ten, a tenth of the requests, and one a second.
        let most = 10 + 10 + began.elapsed().as_secs() + 1;
        let retries = shared.statistics().retries;
        assert!(retries >= 19 && retries <= most, "{retries} of {most}");
    });
}

#[test]
fn pauses_grow_and_are_not_all_the_same() {
    let took = || {
        run_without_time(async {
            let server = failing(3, "503 Oh", "").await;
            let (client, _) = client(retrying(&server, 3));
            let began = Instant::now();
            assert_eq!(ask(&client).await, answer("1"));
            began.elapsed()
        })
    };
    let times: Vec<Duration> = (0..20).map(|_| took()).collect();
    for time in &times {
        // 25, 50 and 100 ms, or half of it; the clock ticks in milliseconds.
        assert!(
            *time >= Duration::from_millis(87) && *time <= Duration::from_millis(180),
            "{time:?}"
        );
    }
    assert!(times.iter().any(|time| *time != times[0]));
}
