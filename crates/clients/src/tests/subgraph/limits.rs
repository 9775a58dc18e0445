//! Limits for the size and the memory of a response.

use std::cell::Cell;

use bytes::Bytes;
use clients::subgraph::{Client, ErrorKind, SubgraphError, SubgraphRequest, SubgraphResponse};
use hyper::HeaderMap;

use super::server::{Server, json, with};
use super::{QUERY, ask, client, run, settings};

const MOST: usize = 100_000;

fn chunked(body: &str) -> String {
    let mut text = String::from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    for chunk in body.as_bytes().chunks(999) {
        text.push_str(&format!("{:x}\r\n{}\r\n", chunk.len(), str::from_utf8(chunk).unwrap()));
    }
    text.push_str("0\r\n\r\n");
    text
}

#[test]
fn an_answer_may_be_as_large_as_the_limit_and_no_larger() {
    for form in [json as fn(&str) -> String, chunked] {
        for (size, fits) in [(MOST, true), (MOST + 1, false), (MOST * 50, false)] {
            run(async move {
                let server = Server::answering(move |_| form(&"1".repeat(size))).await;
                let mut settings = settings(&server.url);
                settings.most_bytes = MOST as u64;
                let (client, shared) = client(settings);
                let result = ask(&client).await;
                let error = SubgraphError::TooLarge { most: MOST as u64 };
                match fits {
                    true => assert_eq!(result.map(|answer| answer.body.len()), Ok(size)),
                    false => assert_eq!(result, Err(error)),
                }
                assert_eq!(shared.statistics().connections, u64::from(fits), "{size}");
            });
        }
    }
}

#[test]
fn a_long_error_is_not_read() {
    run(async {
        let body = "<p>".repeat(100_000);
        let page = with("500 Oh", "content-type: text/html\r\n", &body);
        let server = Server::answering(move |_| page.clone()).await;
        let (client, shared) = client(settings(&server.url));
        assert_eq!(ask(&client).await, Err(SubgraphError::Status(500)));
        assert_eq!(shared.statistics().connections, 0);
    });
}

async fn ask_holding(
    client: &Client,
    reserve: &dyn Fn(usize) -> bool,
) -> Result<SubgraphResponse, SubgraphError> {
    let (body, headers) = (Bytes::from_static(QUERY), &HeaderMap::new());
    client.send(SubgraphRequest { body, headers, is_query: true, deadline: None, reserve }).await
}

#[test]
fn nothing_is_kept_without_asking_for_the_memory() {
    for form in [json as fn(&str) -> String, chunked] {
        run(async move {
            let server = Server::answering(move |_| form(&"1".repeat(MOST))).await;
            let (client, shared) = client(settings(&server.url));
            let held = Cell::new(0);
            let up_to = |most: usize| {
                let held = &held;
                move |more: usize| {
                    held.set(held.get() + more);
                    held.get() <= most
                }
            };
            // While a buffer grows two copies exist.
            let body = ask_holding(&client, &up_to(4 * MOST)).await.unwrap().body;
            assert_eq!(body.len(), MOST);
            assert!((MOST..=4 * MOST).contains(&held.replace(0)));
            let result = ask_holding(&client, &up_to(MOST - 1)).await;
            assert_eq!(result, Err(SubgraphError::MemoryExhausted));
            let statistics = shared.statistics();
            assert_eq!(statistics.errors[ErrorKind::MemoryExhausted as usize], 1);
            assert_eq!(statistics.connections, 0);
        });
    }
}
