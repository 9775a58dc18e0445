//! Compressed responses and requests.

use std::io::Write;

use clients::coding::{Coding, Compressor, Decompressor};
use clients::subgraph::{Compression, SubgraphError};

use super::server::{Seen, Server, json};
use super::{QUERY, answer, ask, client, run, settings};

const CODINGS: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

fn compress(coding: Coding, text: &[u8]) -> Vec<u8> {
    let mut compressor = Compressor::new(coding, Some(text.len())).unwrap();
    compressor.write(text).unwrap();
    compressor.finish().unwrap()
}

/// A server that responds with these bytes, chunked or with their length.
async fn sending(coding: Coding, bytes: Vec<u8>, is_chunked: bool) -> Server {
    let mut text =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: {}\r\n", coding.name()).into_bytes();
    match is_chunked {
        true => {
            text.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
            for chunk in bytes.chunks(1000) {
                write!(text, "{:x}\r\n", chunk.len()).unwrap();
                text.extend_from_slice(chunk);
                text.extend_from_slice(b"\r\n");
            }
            text.extend_from_slice(b"0\r\n\r\n");
        }
        false => {
            write!(text, "content-length: {}\r\n\r\n", bytes.len()).unwrap();
            text.extend_from_slice(&bytes);
        }
    }
    let text = std::rc::Rc::new(text);
    Server::start(move |_, mut connection| {
        let text = std::rc::Rc::clone(&text);
        async move {
            while connection.request().await.is_some() {
                connection.write(&text).await;
            }
        }
    })
    .await
}

#[test]
fn answers_are_read_in_each_coding() {
    let body: String = (0..20_000).map(|number: i32| (number * number).to_string()).collect();
    for coding in CODINGS {
        for is_chunked in [true, false] {
            run(async {
                let bytes = compress(coding, body.as_bytes());
                let length = bytes.len() as u64;
                let server = sending(coding, bytes, is_chunked).await;
                let (client, shared) = client(settings(&server.url));
                assert!(ask(&client).await == answer(&body), "{coding:?}");
                assert_eq!(shared.statistics().bytes_in, length);
                assert_eq!(shared.statistics().connections, 1);
            });
        }
    }
}

#[test]
fn a_bomb_is_as_large_as_the_limit_and_no_larger() {
    for coding in CODINGS {
        for (size, fits) in [(1 << 20, true), ((1 << 20) + 1, false), (3 << 20, false)] {
            run(async {
                let server = sending(coding, compress(coding, &vec![b' '; size]), true).await;
                let (client, shared) = client(settings(&server.url));
                let held = std::cell::Cell::new(0);
                let reserve = |more: usize| {
                    held.set(held.get() + more);
                    true
                };
                let headers = &hyper::HeaderMap::new();
                let body = bytes::Bytes::from_static(QUERY);
                let ask = clients::subgraph::SubgraphRequest {
                    body,
                    headers,
                    is_query: true,
                    deadline: None,
                    reserve: &reserve,
                };
                let result = client.send(ask).await.map(|answer| answer.body.len());
                let error = SubgraphError::TooLarge { most: 1 << 20 };
                assert_eq!(result, if fits { Ok(size) } else { Err(error) }, "{coding:?} {size}");
                // While a buffer grows two copies exist.
                assert!(held.get() <= 4 << 20, "{coding:?} {size}: {}", held.get());
                assert_eq!(shared.statistics().connections, u64::from(fits));
            });
        }
    }
}

#[test]
fn half_a_compressed_answer_is_none() {
    for coding in CODINGS {
        run(async {
            let mut bytes = compress(coding, &[b'1'; 3000]);
            bytes.pop();
            let server = sending(coding, bytes, true).await;
            let (client, _) = client(settings(&server.url));
            let expected = SubgraphError::Broken(format!("it is not in {}", coding.name()).into());
            assert_eq!(ask(&client).await, Err(expected));
        });
    }
}

#[test]
fn requests_are_compressed_from_a_size_on() {
    for (min_size, coding) in [(QUERY.len(), Coding::Zstd), (QUERY.len() + 1, Coding::Zstd)] {
        run(async {
            let seen = Seen::new();
            let requests = seen.clone();
            let server = Server::answering(move |request| {
                let header = |name| request.header(name).map(String::from);
                let (accepted, coding) = (header("accept-encoding"), header("content-encoding"));
                requests.add((accepted, coding, request.body.clone()));
                json("1")
            })
            .await;
            let mut settings = settings(&server.url);
            settings.compression = Some(Compression { requests: Some(coding), min_size });
            let (client, _) = client(settings);
            assert_eq!(ask(&client).await, answer("1"));
            let requests = seen.take();
            let (accepted, found, body) = &requests[0];
            assert_eq!(accepted.as_deref(), Some("gzip, deflate, br, zstd"));
            if min_size > QUERY.len() {
                assert_eq!((found, body.as_slice()), (&None, QUERY));
            } else {
                assert_eq!(found.as_deref(), Some("zstd"));
                let mut decompressor = Decompressor::new(coding, 1000).unwrap();
                decompressor.push(body).unwrap();
                assert_eq!(decompressor.finish().unwrap(), QUERY);
            }
        });
    }
}
