//! Deduplication of identical queries in flight.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{
    Client, Settings, Shared, SubgraphError, SubgraphRequest, SubgraphResponse,
};
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tokio::time::{Instant, sleep, timeout};

use super::server::{Seen, Server};
use super::{QUERY, answer, ask, ask_with, client, mutate, run, run_without_time, settings};

/// Longer than clients wait on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A slow server that responds with the number of requests so far.
async fn slow(seen: &Seen<()>) -> Server {
    let seen = seen.clone();
    Server::start(move |_, mut connection| {
        let seen = seen.clone();
        async move {
            while connection.request().await.is_some() {
                seen.add(());
                sleep(Duration::from_millis(100)).await;
                connection.answer("1").await;
            }
        }
    })
    .await
}

fn together(server: &Server) -> Settings {
    let mut settings = settings(&server.url);
    settings.deduplicate = true;
    settings
}

fn headers(name: &'static str, value: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    headers
}

/// The same, whoever has sent for it.
fn plain(
    result: Result<SubgraphResponse, SubgraphError>,
) -> Result<SubgraphResponse, SubgraphError> {
    result.map(|mut response| {
        response.caching.is_shared = false;
        response
    })
}

#[test]
fn equal_queries_are_one_request() {
    run(async {
        let seen = Seen::new();
        let server = slow(&seen).await;
        let (client, shared) = client(together(&server));
        let (a, b, c) = tokio::join!(ask(&client), ask(&client), ask(&client));
        let results = [a, b, c].map(Result::unwrap);
        for result in &results {
            assert_eq!(&*result.body, b"1");
        }
        // The two that have not sent it may have begun later.
        let shared_ones = results.iter().filter(|result| result.caching.is_shared);
        assert_eq!(shared_ones.count(), 2);
        assert_eq!(seen.take().len(), 1);
        let statistics = shared.statistics();
        assert_eq!((statistics.requests, statistics.deduplicated), (3, 2));
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(seen.take().len(), 1, "what is done is not kept");
    });
}

#[test]
fn headers_and_kinds_are_compared_and_traces_are_not() {
    let check = |one: HeaderMap, other: HeaderMap, expected: usize| {
        run(async {
            let seen = Seen::new();
            let server = slow(&seen).await;
            let (client, _) = client(together(&server));
            let (a, b) =
                tokio::join!(ask_with(&client, &one, true), ask_with(&client, &other, true));
            assert_eq!((plain(a), plain(b)), (answer("1"), answer("1")));
            assert_eq!(seen.take().len(), expected, "{one:?} {other:?}");
        });
    };
    check(headers("authorization", "a"), headers("authorization", "a"), 1);
    check(headers("authorization", "a"), headers("authorization", "b"), 2);
    check(headers("authorization", "a"), HeaderMap::new(), 2);
    check(headers("traceparent", "a"), headers("traceparent", "b"), 1);
    check(headers("x-request-id", "a"), headers("tracestate", "b"), 1);
}

#[test]
fn mutations_are_each_sent() {
    run(async {
        let seen = Seen::new();
        let server = slow(&seen).await;
        let (client, _) = client(together(&server));
        let (a, b) = tokio::join!(mutate(&client), mutate(&client));
        assert_eq!((plain(a), plain(b)), (answer("1"), answer("1")));
        assert_eq!(seen.take().len(), 2);
    });
}

#[test]
fn without_the_option_each_is_sent() {
    run(async {
        let seen = Seen::new();
        let server = slow(&seen).await;
        let (client, _) = client(settings(&server.url));
        let (a, b) = tokio::join!(ask(&client), ask(&client));
        assert_eq!((plain(a), plain(b)), (answer("1"), answer("1")));
        assert_eq!(seen.take().len(), 2);
    });
}

#[test]
fn if_the_first_gives_up_the_next_sends_it() {
    run(async {
        let seen = Seen::new();
        let server = slow(&seen).await;
        let (client, shared) = client(together(&server));
        let first = timeout(Duration::from_millis(50), ask(&client));
        let (first, second, third) = tokio::join!(first, ask(&client), ask(&client));
        assert!(first.is_err());
        assert_eq!((plain(second), plain(third)), (answer("1"), answer("1")));
        assert_eq!(seen.take().len(), 2);
        assert_eq!(shared.statistics().deduplicated, 1);
    });
}

async fn ask_within(
    client: &Client,
    seconds: u64,
    reserve: &dyn Fn(usize) -> bool,
) -> Result<SubgraphResponse, SubgraphError> {
    let deadline = Some((Instant::now() + Duration::from_secs(seconds)).into_std());
    let (body, headers) = (Bytes::from_static(QUERY), &HeaderMap::new());
    client.send(SubgraphRequest { body, headers, is_query: true, deadline, reserve }).await
}

#[test]
fn the_time_of_the_first_is_not_that_of_the_others() {
    run_without_time(async {
        let server = Server::start(|number, mut connection| async move {
            connection.request().await;
            if number == 0 {
                sleep(Duration::from_secs(1000)).await;
            }
            connection.answer("1").await;
        })
        .await;
        let (client, _) = client(together(&server));
        let (first, second) =
            tokio::join!(ask_within(&client, 1, &|_| true), ask_within(&client, 5, &|_| true));
        assert_eq!((plain(first), plain(second)), (Err(SubgraphError::Timeout), answer("1")));
    });
}

#[test]
fn the_memory_of_one_is_not_that_of_the_others() {
    run(async {
        let seen = Seen::new();
        let server = slow(&seen).await;
        let (client, _) = client(together(&server));
        let (none, some) = (|_| false, |_| true);
        let (first, second, third) = tokio::join!(
            ask_within(&client, 5, &none),
            ask_within(&client, 5, &some),
            ask_within(&client, 5, &none),
        );
        assert_eq!(first, Err(SubgraphError::MemoryExhausted));
        assert_eq!(
            (plain(second), plain(third)),
            (answer("1"), Err(SubgraphError::MemoryExhausted))
        );
        assert_eq!(seen.take().len(), 2);
    });
}

#[test]
fn an_error_is_told_to_all() {
    run(async {
        let server = Server::start(|_, mut connection| async move {
            connection.request().await;
            sleep(Duration::from_millis(50)).await;
        })
        .await;
        let (client, _) = client(together(&server));
        let (one, other) = tokio::join!(ask(&client), ask(&client));
        assert!(one.is_err());
        assert_eq!(one, other);
        assert_eq!(server.accepted.get(), 1);
    });
}

#[test]
fn equal_queries_of_several_threads_are_one_request() {
    const THREADS: usize = 8;
    const CLIENTS: usize = 8;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/graphql", listener.local_addr().unwrap());
    let mut settings = settings(&url);
    settings.deduplicate = true;
    let (settings, shared) = (Arc::new(settings.clone()), Arc::new(Shared::new(&settings)));
    let (joined, has_answered) = (Barrier::new(THREADS + 1), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let client = Client::new(Arc::clone(&settings), Arc::clone(&shared));
                run(async {
                    let asks = (0..CLIENTS).map(|_| Box::pin(ask(&client)));
                    let mut asks: Vec<_> = asks.collect();
                    // After one poll each has sent its query or waits for another.
                    for ask in &mut asks {
                        let pending = poll_fn(|context| Poll::Ready(ask.as_mut().poll(context)));
                        assert!(pending.await.is_pending());
                    }
                    joined.wait();
                    for ask in asks {
                        assert_eq!(plain(ask.await), answer("1"));
                        has_answered.fetch_add(1, Ordering::Relaxed);
                    }
                });
            });
        }
        joined.wait();
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(QUERY) {
            let mut bytes = [0; 1024];
            let length = stream.read(&mut bytes).unwrap();
            seen.extend_from_slice(&bytes[..length]);
        }
        stream.write_all(super::server::json("1").as_bytes()).unwrap();
        // A client without deduplication would connect as well.
        let end = std::time::Instant::now() + PATIENCE;
        while has_answered.load(Ordering::Relaxed) < THREADS * CLIENTS {
            assert!(std::time::Instant::now() < end, "not all clients were answered");
            std::thread::yield_now();
        }
    });
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "there is one request");
    let statistics = shared.statistics();
    let all = (THREADS * CLIENTS) as u64;
    assert_eq!((statistics.requests, statistics.deduplicated), (all, all - 1));
}
