//! Requests that are unusual or of which two readers could make two things, on raw sockets against
//! the built program.

use std::io::{Read, Write};

use crate::program::{Answer, Server};

const BODY: &str = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;
const TARGET: &str = "/graphql?query=%7BartistById(id:127)%7Bid%7D%7D";
const LARGE: &str = "/graphql?query=%7BallTracksList%7BtrackId%20name%20composer%7D%7D";

/// A POST with all its headers but `Host`, and what follows them.
fn post(server: &Server, headers: &str, body: &str) -> Answer {
    server.send(format!("POST /graphql HTTP/1.1\r\nHost: test\r\n{headers}\r\n{body}").as_bytes())
}

fn check_error(answer: &Answer, status: u16, code: &str) {
    let code = format!(r#""extensions":{{"code":"{code}"}}"#);
    assert!(answer.status == status && answer.body.contains(&code), "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
}

#[test]
fn a_body_has_one_length() {
    let server = Server::sample();
    let json = "Content-Type: application/json\r\n";
    let length = BODY.len();
    let once = format!("{json}Content-Length: {length}\r\n");
    assert_eq!(post(&server, &once, BODY).body, ANSWER);
    for other in [length - 1, length + 1] {
        let twice = format!("{once}Content-Length: {other}\r\n");
        assert_eq!(post(&server, &twice, BODY).status, 400);
    }
    // Chunks decide, and nothing is read after them.
    let chunks = format!("{length:x}\r\n{BODY}\r\n0\r\n\r\n");
    let both = format!("{json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
    let answer = post(&server, &both, &chunks);
    assert_eq!((answer.body.as_str(), answer.header("connection")), (ANSWER, Some("close")));
    for transfer in ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked"] {
        let headers = format!("{json}Transfer-Encoding: {transfer}\r\n");
        check_error(&post(&server, &headers, &chunks), 501, "NOT_SUPPORTED");
    }
    let broken = format!("{json}Transfer-Encoding: chunked\r\n");
    check_error(&post(&server, &broken, "zz\r\n"), 400, "BAD_USER_INPUT");
}

#[test]
fn forms_and_two_content_types_are_415() {
    let server = Server::sample();
    let length = format!("Content-Length: {}\r\n", BODY.len());
    for content_type in [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain;charset=UTF-8",
        "application/json\r\nContent-Type: text/plain",
        "text/plain\r\nContent-Type: application/json",
    ] {
        let headers = format!("{length}Content-Type: {content_type}\r\n");
        check_error(&post(&server, &headers, BODY), 415, "BAD_USER_INPUT");
    }
}

#[test]
fn a_request_is_for_one_host() {
    let server = Server::sample();
    for hosts in ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n"] {
        for target in [TARGET, "/health/live"] {
            let request = format!("GET {target} HTTP/1.1\r\n{hosts}\r\n");
            check_error(&server.send(request.as_bytes()), 400, "BAD_USER_INPUT");
        }
    }
    let older = format!("GET {TARGET} HTTP/1.0\r\n\r\n");
    assert_eq!(server.send(older.as_bytes()).body, ANSWER);
    let absolute = format!("GET http://test{TARGET} HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!(server.send(absolute.as_bytes()).body, ANSWER);
}

#[test]
fn a_head_has_the_headers_of_the_get() {
    let server = Server::sample();
    let told = |answer: &Answer| {
        ["content-type", "content-length", "content-encoding", "vary", "cache-control"]
            .map(|name| answer.header(name).map(str::to_owned))
    };
    for (target, accept_encoding) in [(TARGET, "br"), (LARGE, "identity")] {
        let rest = format!(
            "{target} HTTP/1.1\r\nHost: test\r\nAccept-Encoding: {accept_encoding}\r\n\r\n"
        );
        let get = server.send(format!("GET {rest}").as_bytes());
        let head = server.send(format!("HEAD {rest}").as_bytes());
        assert_eq!((get.status, head.status), (200, 200));
        assert_eq!(told(&head), told(&get));
    }
}

#[test]
fn a_large_answer_reaches_an_old_client_compressed() {
    let server = Server::sample();
    let mut stream = server.connect();
    let request = format!("GET {LARGE} HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    // It knows no chunks: the end of the connection is the end of the answer.
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    assert!(head.contains("content-encoding: gzip"), "{head}");
    assert!(!head.contains("transfer-encoding"), "{head}");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&answer[end..]).read_to_string(&mut text).unwrap();
    assert!(text.starts_with(r#"{"data":{"allTracksList":["#) && text.ends_with("]}}"));
}

#[test]
fn other_methods_are_405_with_those_that_there_are() {
    let server = Server::sample();
    for method in ["OPTIONS", "PATCH", "TRACE", "QUERY"] {
        let request = format!("{method} /graphql HTTP/1.1\r\nHost: test\r\n\r\n");
        let answer = server.send(request.as_bytes());
        check_error(&answer, 405, "METHOD_NOT_ALLOWED");
        assert_eq!(answer.header("allow"), Some("GET, HEAD, POST, PUT, DELETE"));
    }
}
