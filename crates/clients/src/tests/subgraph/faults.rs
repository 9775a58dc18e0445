//! Servers with invalid responses.

use clients::subgraph::{ErrorKind, SubgraphError, Unavailable};
use tokio::net::TcpListener;

use super::server::Server;
use super::{ask, client, mutate, run, settings};

#[test]
fn nobody_listens() {
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let (client, shared) = client(settings(&format!("http://127.0.0.1:{port}/")));
        let error = ask(&client).await.unwrap_err();
        assert_eq!(error.to_string(), "it cannot be reached: Connection refused (os error 111)");
        assert_eq!(shared.statistics().errors[ErrorKind::Unavailable as usize], 1);
        assert_eq!(shared.statistics().connections, 0);
    });
}

#[test]
fn a_name_or_a_file_that_is_not_there() {
    run(async {
        let (nowhere, _) = client(settings("http://nowhere.invalid/graphql"));
        let error = ask(&nowhere).await.unwrap_err();
        assert!(matches!(error, SubgraphError::Unavailable(Unavailable::Name(_))), "{error}");
        let (no_file, _) = client(settings("unix:/nowhere/a.sock:/graphql"));
        let error = ask(&no_file).await.unwrap_err();
        let expected = "it cannot be reached: No such file or directory (os error 2)";
        assert_eq!(error.to_string(), expected);
    });
}

/// Sends a text and closes the connection, whatever the request is.
fn check(text: &'static str, expected: &str) {
    run(async {
        let server = Server::start(move |_, mut connection| async move {
            connection.request().await;
            connection.write(text.as_bytes()).await;
        })
        .await;
        let (client, shared) = client(settings(&server.url));
        assert_eq!(ask(&client).await.unwrap_err().to_string(), expected, "{text}");
        assert_eq!(mutate(&client).await.unwrap_err().to_string(), expected, "{text}");
        assert_eq!(server.accepted.get(), 2, "{text}");
        assert_eq!(shared.statistics().connections, 0, "{text}");
    });
}

#[test]
fn half_an_answer_is_none() {
    let broke_off = "its response was truncated: connection closed before message completed";
    check("", broke_off);
    check("HTTP/1.1 200 OK\r\ncontent-", broke_off);
    let body = "its response was truncated: error reading a body from connection: ";
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"data";
    check(half, &format!("{body}end of file before message length reached"));
    let chunk = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"dat\r\n";
    check(chunk, &format!("{body}unexpected EOF during chunk size line"));
}

#[test]
fn what_is_no_http_is_no_answer() {
    check("SSH-2.0-OpenSSH_9.6\r\n\r\n", "its response was truncated: invalid HTTP version parsed");
    check(
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "its response was truncated: invalid content-length parsed",
    );
    let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n{}";
    check(text, "its response is not GraphQL over HTTP: its transfer coding is `gzip`");
}

#[test]
fn a_reset_is_no_answer() {
    for text in ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"da"] {
        run(async move {
            let server = Server::start(move |_, mut connection| async move {
                connection.request().await;
                connection.write(text.as_bytes()).await;
                connection.reset();
            })
            .await;
            let (client, _) = client(settings(&server.url));
            let error = ask(&client).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Broken, "{error}");
            assert_eq!(server.accepted.get(), 1);
        });
    }
}

#[test]
fn an_answer_before_the_end_of_the_request_is_one_and_ends_the_connection() {
    run(async {
        let server = Server::start(|_, mut connection| async move {
            // Only the head is read.
            use tokio::io::AsyncReadExt;
            let mut few = [0; 100];
            connection.stream.read_exact(&mut few).await.unwrap();
            connection.answer("1").await;
            tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        })
        .await;
        let (client, shared) = client(settings(&server.url));
        let body = bytes::Bytes::from(vec![b' '; 32 << 20]);
        let headers = &hyper::HeaderMap::new();
        let ask = clients::subgraph::SubgraphRequest {
            body,
            headers,
            is_query: true,
            deadline: None,
            reserve: &|_| true,
        };
        assert_eq!(client.send(ask).await, super::answer("1"));
        assert_eq!(shared.statistics().connections, 0);
    });
}
