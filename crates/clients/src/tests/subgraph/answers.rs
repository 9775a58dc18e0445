//! Requests as sent, and which responses are accepted.

use clients::subgraph::{ResponseCaching, SubgraphError, SubgraphResponse};
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tokio::net::UnixListener;
use tokio::task::spawn_local;

use super::server::{Connection, Seen, Server, json, with};
use super::{QUERY, answer, ask, ask_with, client, run, settings};

#[test]
fn a_request_has_what_graphql_over_http_wants_and_the_headers_that_were_given() {
    run(async {
        let seen = Seen::new();
        let requests = seen.clone();
        let server = Server::answering(move |request| {
            let mut lines: Vec<_> = request.head.lines().map(String::from).collect();
            lines.sort();
            requests.add((lines, request.body.clone()));
            json("{\"data\":{}}")
        })
        .await;
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Bearer a"),
            ("x-many", "one"),
            ("x-many", "two"),
            ("content-type", "text/plain"),
            ("accept", "text/html"),
            ("accept-encoding", "gzip"),
            ("connection", "close"),
            ("content-length", "7"),
            ("transfer-encoding", "chunked"),
        ] {
            let name = HeaderName::from_static(name);
            headers.append(name, HeaderValue::from_static(value));
        }
        let (client, _) = client(settings(&server.url));
        assert_eq!(ask_with(&client, &headers, true).await, answer("{\"data\":{}}"));
        let requests = seen.take();
        let (lines, body) = &requests[0];
        let expected = format!(
            "
POST /graphql HTTP/1.1
accept: application/graphql-response+json, application/json;q=0.9
authorization: Bearer a
content-length: {}
content-type: application/json
host: 127.0.0.1:{}
x-many: one
x-many: two",
            QUERY.len(),
            server.port
        );
        assert_eq!(lines.join("\n"), expected);
        assert_eq!(body, QUERY);
    });
}

#[test]
fn another_host_may_be_named() {
    run(async {
        let server =
            Server::answering(|request| json(&format!("\"{}\"", request.header("host").unwrap())))
                .await;
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("other.example"));
        let (client, _) = client(settings(&server.url));
        assert_eq!(ask_with(&client, &headers, true).await, answer("\"other.example\""));
    });
}

#[test]
fn the_status_and_the_type_say_what_an_answer_is() {
    const GRAPHQL: &str = "content-type: application/graphql-response+json\r\n";
    const JSON: &str = "content-type: application/json; charset=utf-8\r\n";
    let check = |status: &'static str, headers: &'static str, body: &'static str, expected| {
        run(async move {
            let server = Server::answering(move |_| with(status, headers, body)).await;
            let (client, _) = client(settings(&server.url));
            assert_eq!(ask(&client).await, expected, "{status} {headers} {body}");
            // The body was read to its end in any case.
            drop(ask(&client).await);
            assert_eq!(server.accepted.get(), 1, "{status} {headers} {body}");
        });
    };
    let with_status = |status: u16, body: &'static str| {
        let body = bytes::Bytes::from_static(body.as_bytes());
        Ok(SubgraphResponse { status, body, caching: ResponseCaching::default() })
    };
    let errors = r#"{"errors":[]}"#;
    check("200 OK", GRAPHQL, "{}", with_status(200, "{}"));
    check("200 OK", JSON, "{}", with_status(200, "{}"));
    check("200 OK", "", "{}", with_status(200, "{}"));
    check("400 Bad Request", GRAPHQL, errors, with_status(400, errors));
    check("500 Oh", JSON, errors, with_status(500, errors));
    check("500 Oh", JSON, r#"{"message":"oh"}"#, Err(SubgraphError::Status(500)));
    check("500 Oh", "content-type: text/html\r\n", "<p>", Err(SubgraphError::Status(500)));
    check("404 Not Found", "", "", Err(SubgraphError::Status(404)));
    check("302 Found", "location: /elsewhere\r\n", "", Err(SubgraphError::Status(302)));
    let html = SubgraphError::NotGraphQl("its content type is `text/html`".into());
    check("200 OK", "content-type: text/html\r\n", "<p>", Err(html));
}

#[test]
fn a_redirect_is_told() {
    let error = SubgraphError::Status(307);
    assert_eq!(error.to_string(), "it responded with the redirect 307, which is not followed");
}

#[test]
fn an_answer_comes_in_any_pieces() {
    let check = |pieces: &'static [&'static str]| {
        run(async move {
            let server = Server::start(move |_, mut connection| async move {
                while connection.request().await.is_some() {
                    for piece in pieces {
                        connection.write(piece.as_bytes()).await;
                        // Lets the client read it.
                        tokio::task::yield_now().await;
                        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
                    }
                    if !pieces[0].contains("ngth") && !pieces[0].contains("chunked") {
                        return;
                    }
                }
            })
            .await;
            let (client, shared) = client(settings(&server.url));
            for _ in 0..2 {
                assert_eq!(ask(&client).await, answer("{\"data\":1}"), "{pieces:?}");
            }
            assert_eq!(shared.statistics().bytes_in, 20, "{pieces:?}");
        });
    };
    check(&["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"data\":1}"]);
    check(&["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n", "\r\n{\"da", "ta\":", "1}"]);
    check(&["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n{\"data\":1}\r\n0\r\n\r\n"]);
    check(&[
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{\"da\r\n",
        "6;a=b\r\nta\":1}\r\n",
        "0\r\nx-trailer: a\r\n\r\n",
    ]);
    check(&[
        "HTTP/1.1 103 Early Hints\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"data\":1}",
    ]);
    check(&["HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"data\"", ":1}"]);
    check(&["HTTP/1.0 200 OK\r\n\r\n{\"data\":1}"]);
}

#[test]
fn a_subgraph_may_be_behind_a_socket_file() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sock");
        let listener = UnixListener::bind(&path).unwrap();
        spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut connection = Connection::new(stream);
                while let Some(request) = connection.request().await {
                    let line = request.head.lines().next().unwrap();
                    let host = request.header("host").unwrap();
                    connection.answer(&format!("{line}, {host}")).await;
                }
            }
        });
        let (client, _) = client(settings(&format!("unix:{}:/graphql", path.display())));
        for _ in 0..2 {
            assert_eq!(ask(&client).await, answer("POST /graphql HTTP/1.1, localhost"));
        }
        drop(folder);
    });
}

#[test]
fn names_are_looked_up_and_each_address_is_tried() {
    run(async {
        // `localhost` may resolve to ::1 first, where no server listens.
        let server = Server::answering(|_| json("1")).await;
        let (client, _) = client(settings(&format!("http://localhost:{}/", server.port)));
        assert_eq!(ask(&client).await, answer("1"));
    });
}
