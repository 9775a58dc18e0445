//! Circuit breaker.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use clients::subgraph::{BreakerSettings, BreakerState, ErrorKind, Settings, SubgraphError};
use tokio::time::{sleep, timeout};

use super::server::{Server, json, with};
use super::{answer, ask, client, run_without_time, settings};

const PAUSE: Duration = Duration::from_secs(5);

fn breaking(server: &Server) -> Settings {
    let mut settings = settings(&server.url);
    settings.breaker = Some(BreakerSettings {
        percent: 50,
        min_requests: 4,
        window: Duration::from_secs(60),
        pause: PAUSE,
    });
    settings
}

/// A server that fails while the flag is set, with the number of requests it received.
async fn breakable() -> (Server, Rc<Cell<bool>>, Rc<Cell<usize>>) {
    let (is_broken, count) = (Rc::new(Cell::new(true)), Rc::new(Cell::new(0)));
    let (broken, seen) = (Rc::clone(&is_broken), Rc::clone(&count));
    let server = Server::answering(move |_| {
        seen.set(seen.get() + 1);
        if broken.get() { with("500 Oh", "", "") } else { json("1") }
    })
    .await;
    (server, is_broken, count)
}

#[test]
fn it_opens_and_closes_again() {
    run_without_time(async {
        let (server, is_broken, count) = breakable().await;
        let (client, shared) = client(breaking(&server));
        for _ in 0..4 {
            assert_eq!(shared.breaker(), Some(BreakerState::Closed));
            assert_eq!(ask(&client).await, Err(SubgraphError::Status(500)));
        }
        assert_eq!(shared.breaker(), Some(BreakerState::Open));
        let error = ask(&client).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BreakerOpen);
        assert_eq!(count.get(), 4, "it is left alone");

        sleep(PAUSE).await;
        assert_eq!(shared.breaker(), Some(BreakerState::HalfOpen));
        assert_eq!(ask(&client).await, Err(SubgraphError::Status(500)));
        assert_eq!(shared.breaker(), Some(BreakerState::Open));
        assert_eq!(count.get(), 5);

        sleep(PAUSE).await;
        is_broken.set(false);
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(shared.breaker(), Some(BreakerState::Closed));
        assert_eq!(ask(&client).await, answer("1"));
        let errors = shared.statistics().errors;
        assert_eq!(errors[ErrorKind::BreakerOpen as usize], 1);
        assert_eq!(errors[ErrorKind::Status as usize], 5);
    });
}

#[test]
fn whoever_gives_up_the_try_leaves_it_to_the_next() {
    run_without_time(async {
        let (server, is_broken, _) = breakable().await;
        let (client, shared) = client(breaking(&server));
        for _ in 0..4 {
            drop(ask(&client).await);
        }
        sleep(PAUSE).await;
        is_broken.set(false);
        // Polled once, and dropped before a response can have arrived.
        assert!(timeout(Duration::ZERO, ask(&client)).await.is_err());
        assert_eq!(shared.breaker(), Some(BreakerState::HalfOpen));
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(shared.breaker(), Some(BreakerState::Closed));
    });
}

#[test]
fn time_that_others_have_used_up_does_not_count() {
    run_without_time(async {
        let server = Server::start(|_, mut connection| async move {
            connection.request().await;
            sleep(Duration::from_secs(1000)).await;
        })
        .await;
        let (client, shared) = client(breaking(&server));
        for (seconds, state) in [(9, BreakerState::Closed), (11, BreakerState::Open)] {
            for _ in 0..4 {
                let began = tokio::time::Instant::now();
                let headers = &hyper::HeaderMap::new();
                let asked = client.send(clients::subgraph::SubgraphRequest {
                    body: bytes::Bytes::from_static(super::QUERY),
                    headers,
                    is_query: true,
                    deadline: Some((began + Duration::from_secs(seconds)).into_std()),
                    reserve: &|_| true,
                });
                assert_eq!(asked.await, Err(SubgraphError::Timeout));
            }
            assert_eq!(shared.breaker(), Some(state), "{seconds}");
        }
    });
}

#[test]
fn without_a_breaker_everything_is_asked() {
    run_without_time(async {
        let (server, _, count) = breakable().await;
        let (client, shared) = client(settings(&server.url));
        for _ in 0..100 {
            assert_eq!(ask(&client).await, Err(SubgraphError::Status(500)));
        }
        assert_eq!((count.get(), shared.breaker()), (100, None));
    });
}
