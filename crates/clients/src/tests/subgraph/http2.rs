//! Subgraphs with HTTP/2.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{ErrorKind, Http2, Settings, SubgraphError};
use h2::Reason;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use super::encrypted::Authority;
use super::server::{Connection, Seen, Server};
use super::{QUERY, answer, ask, client, mutate, run, run_without_time, settings};

fn known(server: &Server) -> Settings {
    let mut settings = settings(&server.url);
    settings.http2 = Http2::PriorKnowledge;
    settings
}

fn response(text: String) -> Response<Full<Bytes>> {
    let builder = Response::builder().header("content-type", "application/json");
    builder.body(Full::new(text.into())).unwrap()
}

/// Responds with parts of the request; the first response is delayed.
async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let head = format!("{:?} {} {}", request.version(), request.method(), request.uri());
    let names: Vec<_> = request.headers().keys().map(|name| name.as_str().to_owned()).collect();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, QUERY);
    Ok(response(format!("{head} {}", names.join(","))))
}

async fn serve_http2(stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static) {
    let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    drop(builder.serve_connection(TokioIo::new(stream), service_fn(echo)).await);
}

#[test]
fn all_requests_share_one_connection() {
    run(async {
        let server = Server::start(|_, connection| serve_http2(connection.stream)).await;
        let (client, shared) = client(known(&server));
        let head =
            format!("{:?} POST {} content-type,accept,content-length", Version::HTTP_2, server.url);
        let (a, b, c) = tokio::join!(ask(&client), mutate(&client), ask(&client));
        for result in [a, b, c, ask(&client).await] {
            assert_eq!(result, answer(&head));
        }
        assert_eq!(server.accepted.get(), 1);
        assert_eq!(shared.statistics().connections, 1);
        drop(client);
        sleep(Duration::from_millis(50)).await;
        assert_eq!(shared.statistics().connections, 0);
    });
}

#[test]
fn the_protocol_is_negotiated_behind_tls() {
    for (protocols, version, connections) in
        [(&[b"h2".as_slice(), b"http/1.1"][..], "HTTP/2.0", 1), (&[b"http/1.1"], "HTTP/1.1", 2)]
    {
        run(async move {
            let authority = Authority::new();
            let acceptor = authority.server("127.0.0.1", false, protocols);
            let server = Server::start(move |_, connection| {
                let acceptor = acceptor.clone();
                async move {
                    let stream = acceptor.accept(connection.stream).await.unwrap();
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        return serve_http2(stream).await;
                    }
                    let mut connection = Connection::new(stream);
                    while let Some(request) = connection.request().await {
                        connection.answer(request.head.lines().next().unwrap()).await;
                    }
                }
            })
            .await;
            let mut settings = settings(&format!("https://127.0.0.1:{}/graphql", server.port));
            settings.tls = Some(authority.trusted(None));
            settings.http2 = Http2::Negotiated;
            let (client, _) = client(settings);
            for _ in 0..2 {
                let (one, other) = tokio::join!(ask(&client), ask(&client));
                for result in [one, other] {
                    let body = result.unwrap().body;
                    let text = str::from_utf8(&body).unwrap();
                    assert!(text.contains(version), "{text}");
                }
            }
            assert_eq!(server.accepted.get(), connections);
        });
    }
}

#[test]
fn without_tls_nothing_is_negotiated() {
    run(async {
        let server =
            Server::answering(|request| super::server::json(request.head.lines().next().unwrap()))
                .await;
        let mut settings = settings(&server.url);
        settings.http2 = Http2::Negotiated;
        let (client, _) = client(settings);
        assert_eq!(ask(&client).await, answer("POST /graphql HTTP/1.1"));
    });
}

type Streams = h2::server::Connection<tokio::net::TcpStream, Bytes>;

/// A server that runs a script for each stream, with the numbers of the connection and of the
/// stream.
async fn streams<F, R>(script: F) -> Server
where
    F: Fn(usize, usize, h2::server::SendResponse<Bytes>, Rc<RefCell<Streams>>) -> R + 'static,
    R: Future<Output = ()> + 'static,
{
    let script = Rc::new(script);
    Server::start(move |number, connection| {
        let script = Rc::clone(&script);
        async move {
            let streams = h2::server::handshake(connection.stream).await.unwrap();
            let streams = Rc::new(RefCell::new(streams));
            let count = Cell::new(0);
            loop {
                let next = std::future::poll_fn(|cx| streams.borrow_mut().poll_accept(cx)).await;
                let Some(Ok((_request, respond))) = next else { return };
                let stream = count.replace(count.get() + 1);
                spawn_local(script(number, stream, respond, Rc::clone(&streams)));
            }
        }
    })
    .await
}

fn give(mut respond: h2::server::SendResponse<Bytes>, text: &'static str) {
    let head = Response::builder().header("content-type", "application/json").body(()).unwrap();
    let mut stream = respond.send_response(head, false).unwrap();
    stream.send_data(Bytes::from_static(text.as_bytes()), true).unwrap();
}

#[test]
fn after_a_goodbye_there_is_a_new_connection_and_what_is_under_way_is_answered() {
    run(async {
        let server = streams(|number, stream, respond, connection| async move {
            match (number, stream) {
                (0, 0) => {
                    connection.borrow_mut().graceful_shutdown();
                    sleep(Duration::from_millis(100)).await;
                    give(respond, "0");
                }
                (0, _) => give(respond, "late"),
                _ => give(respond, "1"),
            }
        })
        .await;
        let (client, shared) = client(known(&server));
        let later = async {
            sleep(Duration::from_millis(50)).await;
            mutate(&client).await
        };
        let (first, second) = tokio::join!(mutate(&client), later);
        assert_eq!((first, second), (answer("0"), answer("1")));
        assert_eq!(server.accepted.get(), 2);
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(server.accepted.get(), 2);
        // A request that was not sent on the old connection does not count as a second mutation.
        assert!(shared.statistics().retries <= 1);
    });
}

#[test]
fn a_refused_stream_is_sent_again_even_if_it_is_a_mutation() {
    run(async {
        let server = streams(|number, stream, mut respond, _| async move {
            match (number, stream) {
                (0, 1) => respond.send_reset(Reason::REFUSED_STREAM),
                _ => give(respond, "1"),
            }
        })
        .await;
        let (client, shared) = client(known(&server));
        assert_eq!(mutate(&client).await, answer("1"));
        assert_eq!(mutate(&client).await, answer("1"));
        assert_eq!(shared.statistics().retries, 1);
        assert_eq!(server.accepted.get(), 1, "the connection is as good as before");
    });
}

#[test]
fn another_reset_is_for_queries_alone() {
    run(async {
        let server = streams(|_, stream, mut respond, _| async move {
            match stream {
                1 | 3 => respond.send_reset(Reason::INTERNAL_ERROR),
                _ => give(respond, "1"),
            }
        })
        .await;
        let (client, _) = client(known(&server));
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(ask(&client).await, answer("1"));
        assert_eq!(mutate(&client).await.unwrap_err().kind(), ErrorKind::Broken);
        assert_eq!(mutate(&client).await, answer("1"));
    });
}

#[test]
fn half_an_answer_is_none() {
    run(async {
        let server = streams(|_, _, mut respond, _| async move {
            let head = Response::builder().header("content-length", "10").body(()).unwrap();
            let mut stream = respond.send_response(head, false).unwrap();
            stream.send_data(Bytes::from_static(b"{\"da"), false).unwrap();
            sleep(Duration::from_millis(10)).await;
            stream.send_reset(Reason::CANCEL);
        })
        .await;
        let (client, _) = client(known(&server));
        assert_eq!(ask(&client).await.unwrap_err().kind(), ErrorKind::Broken);
        assert_eq!(server.accepted.get(), 1);
    });
}

#[test]
fn whoever_does_not_wait_any_more_ends_its_stream_alone() {
    run(async {
        let seen = Seen::new();
        let resets = seen.clone();
        let server = streams(move |_, stream, mut respond, _| {
            let resets = resets.clone();
            async move {
                if stream > 0 {
                    return give(respond, "1");
                }
                let reset = std::future::poll_fn(|cx| respond.poll_reset(cx)).await;
                resets.add(reset.unwrap());
            }
        })
        .await;
        let (client, _) = client(known(&server));
        assert!(timeout(Duration::from_millis(100), ask(&client)).await.is_err());
        assert_eq!(ask(&client).await, answer("1"));
        sleep(Duration::from_millis(20)).await;
        assert_eq!(seen.take(), [Reason::CANCEL]);
        assert_eq!(server.accepted.get(), 1);
    });
}

#[test]
fn an_answer_may_be_as_large_as_the_limit_and_no_larger() {
    for (size, fits) in [(1 << 20, true), ((1 << 20) + 1, false)] {
        run(async move {
            let server = Server::start(move |_, connection| async move {
                let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let service = service_fn(move |_: Request<Incoming>| async move {
                    Ok::<_, Infallible>(response("1".repeat(size)))
                });
                drop(builder.serve_connection(TokioIo::new(connection.stream), service).await);
            })
            .await;
            let (client, _) = client(known(&server));
            let result = ask(&client).await.map(|answer| answer.body.len());
            let error = SubgraphError::TooLarge { most: 1 << 20 };
            assert_eq!(result, if fits { Ok(size) } else { Err(error) });
        });
    }
}

#[test]
fn a_server_that_vanished_is_noticed_and_a_connection_that_nobody_uses_is_closed() {
    run_without_time(async {
        // It accepts a connection and never responds, not even to pings.
        let server = Server::start(|_, mut connection| async move {
            connection.write(b"\0\0\0\x04\0\0\0\0\0").await;
            sleep(Duration::from_secs(1000)).await;
            drop(connection);
        })
        .await;
        let mut settings = known(&server);
        settings.timeout = Duration::from_secs(100);
        let (first, shared) = client(settings);
        let began = tokio::time::Instant::now();
        assert_eq!(ask(&first).await.unwrap_err().kind(), ErrorKind::Broken);
        assert!(began.elapsed() < Duration::from_secs(30));
        drop(first);
        assert_eq!(shared.statistics().connections, 0);

        let server = Server::start(|_, connection| serve_http2(connection.stream)).await;
        let (second, shared) = client(known(&server));
        assert!(ask(&second).await.is_ok());
        for (seconds, expected) in [(30, 1), (31, 0)] {
            sleep(Duration::from_secs(seconds)).await;
            second.close_idle();
            tokio::task::yield_now().await;
            sleep(Duration::from_millis(1)).await;
            assert_eq!(shared.statistics().connections, expected, "{seconds}");
        }
    });
}
