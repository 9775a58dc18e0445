//! The rules of GraphQL over HTTP, on raw sockets against the built program.

use std::io::{BufReader, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};

use crate::program::{Answer, Folder, PATIENCE, Server, post, read_answer};

const JSON: &str = "application/json; charset=utf-8";
const GRAPHQL: &str = "application/graphql-response+json; charset=utf-8";
const ACCEPT_GRAPHQL: &str = "Accept: application/graphql-response+json\r\n";
const ACCEPT_JSON: &str = "Accept: application/json\r\n";

fn check(answer: &Answer, status: u16, media_type: &str, body: &Expect) {
    let (actual_status, actual_type, actual_body) = answer.parts();
    body.assert_eq(actual_body);
    assert_eq!((actual_status, actual_type), (status, media_type));
}

const ARTIST: &str = "{ artistById(id: 127) { id } }";

fn artist() -> Expect {
    expect![[r#"{"data":{"artistById":{"id":127}}}"#]]
}

#[test]
fn a_query_is_answered_by_post_and_by_get() {
    let server = Server::sample();
    check(&server.query("", ARTIST), 200, JSON, &artist());
    let target = "/graphql?query=%7B%20artistById(id:%20127)%20%7B%20id%20%7D%20%7D";
    check(&server.get(target, ""), 200, JSON, &artist());
}

#[test]
fn variables_and_an_operation_name_come_by_post_and_by_get() {
    let server = Server::sample();
    let body = r#"{"query":"query a { __typename } query b($id: Int!) { artistById(id: $id) { id } }",
        "operationName":"b","variables":{"id":127},"extensions":{}}"#;
    check(&server.post("", body), 200, JSON, &artist());
    let target = "/graphql?query=query%20a%20%7B__typename%7D%20\
        query%20b(%24id:Int!)%7BartistById(id:%24id)%7Bid%7D%7D\
        &operationName=b&variables=%7B%22id%22:127%7D";
    check(&server.get(target, ""), 200, JSON, &artist());
}

#[test]
fn the_media_type_follows_accept() {
    let server = Server::sample();
    for accept in ["", "Accept: */*\r\n", ACCEPT_JSON] {
        check(&server.query(accept, ARTIST), 200, JSON, &artist());
    }
    let both = "Accept: application/graphql-response+json, application/json;q=0.9\r\n";
    for accept in [ACCEPT_GRAPHQL, both] {
        check(&server.query(accept, ARTIST), 200, GRAPHQL, &artist());
    }
    let neither = "Accept: text/html\r\n";
    check(
        &server.query(neither, ARTIST),
        406,
        JSON,
        &expect![[
            r#"{"errors":[{"message":"The \"Accept\" header allows neither \"application/graphql-response+json\" nor \"application/json\".","extensions":{"code":"BAD_USER_INPUT"}}]}"#
        ]],
    );
}

#[test]
fn a_document_that_fails_is_200_in_json_and_400_in_the_newer_type() {
    let server = Server::sample();
    for document in ["{", "{ noSuchField }", "query a { __typename } query b { __typename }"] {
        let older = server.query(ACCEPT_JSON, document);
        let newer = server.query(ACCEPT_GRAPHQL, document);
        assert_eq!((older.status, older.header("content-type")), (200, Some(JSON)));
        assert_eq!((newer.status, newer.header("content-type")), (400, Some(GRAPHQL)));
        assert_eq!(older.body, newer.body);
        assert!(older.body.starts_with(r#"{"errors":[{"message":"#), "{}", older.body);
    }
}

#[test]
fn what_is_no_graphql_request_is_400_in_both_types() {
    let server = Server::sample();
    let malformed = [
        (
            "{",
            "The request body is not valid JSON: EOF while parsing an object at line 1 column 1.",
        ),
        ("{}", r#"Must provide \"query\"."#),
        (r#"{"query":7}"#, r#"\"query\" must be a string."#),
        (r#"{"query":"{a}","variables":[]}"#, r#"\"variables\" must be an object or null."#),
        (r#"{"query":"{a}","operationName":7}"#, r#"\"operationName\" must be a string or null."#),
        (r#"{"query":"{a}","extensions":"x"}"#, r#"\"extensions\" must be an object or null."#),
    ];
    for (body, message) in malformed {
        let expected = [
            r#"{"errors":[{"message":""#,
            message,
            r#"","extensions":{"code":"BAD_USER_INPUT"}}]}"#,
        ];
        let expected = expected.concat();
        let older = server.post(ACCEPT_JSON, body);
        assert_eq!(older.parts(), (400, JSON, expected.as_str()), "{body}");
        let newer = server.post(ACCEPT_GRAPHQL, body);
        assert_eq!(newer.parts(), (400, GRAPHQL, expected.as_str()), "{body}");
    }
    let get = server.get("/graphql", "");
    let expected = r#"{"errors":[{"message":"Must provide \"query\".","extensions":{"code":"BAD_USER_INPUT"}}]}"#;
    assert_eq!(get.parts(), (400, JSON, expected));
}

#[test]
fn other_content_types_are_415() {
    let server = Server::sample();
    let body = r#"{"query":"{ __typename }"}"#;
    for content_type in ["text/plain", "application/json; charset=utf-16", "application/graphql"] {
        let answer = server.send(post(content_type, "", body).as_bytes());
        check(
            &answer,
            415,
            JSON,
            &expect![[
                r#"{"errors":[{"message":"The \"Content-Type\" of the request must be \"application/json\", in UTF-8.","extensions":{"code":"BAD_USER_INPUT"}}]}"#
            ]],
        );
    }
    let none = b"POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(server.send(none).status, 415);
    for content_type in ["application/json;charset=UTF-8", "Application/Json"] {
        let body = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
        let answer = server.send(post(content_type, "", body).as_bytes());
        check(&answer, 200, JSON, &artist());
    }
}

#[test]
fn other_methods_are_405_and_say_which_are_allowed() {
    let server = Server::sample();
    for (method, target, allow) in [
        ("PATCH", "/graphql", "GET, HEAD, POST, PUT, DELETE"),
        ("OPTIONS", "/graphql", "GET, HEAD, POST, PUT, DELETE"),
        ("POST", "/health/live", "GET, HEAD"),
    ] {
        let request =
            format!("{method} {target} HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
        let answer = server.send(request.as_bytes());
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{method}");
    }
}

#[test]
fn other_paths_are_404() {
    let server = Server::sample();
    for target in ["/nothing", "/graphql/", "/health"] {
        check(
            &server.get(target, ""),
            404,
            JSON,
            &expect![[
                r#"{"errors":[{"message":"There is nothing at this path; the API is at /graphql.","extensions":{"code":"NOT_FOUND"}}]}"#
            ]],
        );
    }
}

#[test]
fn the_process_says_that_it_lives() {
    let server = Server::sample();
    check(&server.get("/health/live", ""), 200, JSON, &expect![[r#"{"status":"live"}"#]]);
    let head = server.send(b"HEAD /health/live HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!((head.status, head.header("content-length")), (200, Some("17")));
}

/// A JSON body with a request, padded by spaces to so many bytes.
fn padded(length: usize) -> String {
    let mut body = r#"{"query":"{ artistById(id: 127) { id } }"}"#.to_owned();
    body.push_str(&" ".repeat(length - body.len()));
    body
}

#[test]
fn a_body_of_one_mebibyte_is_read_and_a_byte_more_is_413() {
    let server = Server::sample();
    check(&server.post("", &padded(1024 * 1024)), 200, JSON, &artist());
    let refusal = expect![[
        r#"{"errors":[{"message":"The request body has more than 1048576 bytes, decompressed if it is compressed; --max-body-size allows more.","extensions":{"code":"BODY_TOO_LARGE"}}]}"#
    ]];
    check(&server.post("", &padded(1024 * 1024 + 1)), 413, JSON, &refusal);
    // The same without a length said beforehand.
    let mut request = b"POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
        Transfer-Encoding: chunked\r\n\r\n"
        .to_vec();
    for _ in 0..17 {
        request.extend_from_slice(b"10000\r\n");
        request.extend_from_slice(&[b' '; 0x10000]);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    check(&server.send(&request), 413, JSON, &refusal);
}

#[test]
fn a_client_that_asks_first_is_refused_before_it_sends() {
    let server = Server::sample();
    let head = "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
        Content-Length: 2000000\r\nExpect: 100-continue\r\n\r\n";
    assert_eq!(server.send(head.as_bytes()).status, 413);
}

#[test]
fn a_connection_is_kept_and_requests_can_be_pipelined() {
    let server = Server::sample();
    let mut stream = server.connect();
    let body = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
    let request = post("application/json", "", body);
    let mut both = request.clone();
    both.push_str("GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n");
    stream.write_all(both.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    check(&read_answer(&mut reader, true), 200, JSON, &artist());
    check(&read_answer(&mut reader, true), 200, JSON, &expect![[r#"{"status":"live"}"#]]);
    stream.write_all(request.as_bytes()).unwrap();
    check(&read_answer(&mut reader, true), 200, JSON, &artist());
}

#[test]
fn half_requests_and_noise_disturb_nobody() {
    let server = Server::sample();
    let mut half = server.connect();
    half.write_all(b"POST /graphql HTTP/1.1\r\nHost: te").unwrap();
    let mut noise = server.connect();
    noise.write_all(b"\x16\x03\x01\x00\xa5\r\n\r\n").unwrap();
    let mut gone = server.connect();
    gone.write_all(post("application/json", "", "{}").as_bytes()).unwrap();
    gone.shutdown(Shutdown::Both).unwrap();
    check(&server.query("", ARTIST), 200, JSON, &artist());
    let mut answer = String::new();
    // The connection may also be reset, which says the same.
    drop(noise.read_to_string(&mut answer));
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[test]
fn a_signal_ends_the_server_and_what_was_begun_is_answered() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::sample();
        let mut idle = server.connect();
        let mut begun = server.connect();
        let body = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
        let request = post("application/json", "", body);
        let (first, second) = request.split_at(request.len() - 5);
        begun.write_all(first.as_bytes()).unwrap();
        // The server has to have seen the first part.
        std::thread::sleep(Duration::from_millis(200));
        server.signal(signal);
        let mut rest = Vec::new();
        idle.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"", "an idle connection is closed");
        begun.write_all(second.as_bytes()).unwrap();
        check(&read_answer(&mut BufReader::new(begun), true), 200, JSON, &artist());
        assert!(server.child.wait().unwrap().success());
        assert!(server.rest_of_log().contains("stopping"));
    }
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let mut server = Server::sample();
    let mut begun = server.connect();
    begun.write_all(post("application/json", "", "{}").split_at(60).0.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
    assert!(started.elapsed() < PATIENCE / 4, "it took {:?}", started.elapsed());
}

#[test]
fn refused_requests_are_in_the_log_by_a_line_each() {
    let mut server = Server::sample();
    assert_eq!(server.post("", "{}").status, 400);
    assert_eq!(server.query("", "{ noSuchField }").status, 200);
    assert_eq!(server.query("", ARTIST).status, 200);
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
    let log = server.rest_of_log();
    let refused: Vec<&str> = log.lines().filter(|line| line.contains("request refused")).collect();
    assert_eq!(refused.len(), 2, "{log}");
    assert!(refused[0].contains("status=400"), "{log}");
    assert!(refused[1].contains("noSuchField"), "{log}");
}

#[test]
fn questions_about_the_schema_are_refused_where_others_reach_the_server() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let demo = |options: &[&str]| {
        let demo = ["demo", "--file", file.to_str().unwrap()];
        Server::start(&[&demo, options].concat())
    };
    let documents = [
        "{ __schema { queryType { name } } }",
        "query a($no: Boolean = false) { ...F @include(if: $no) artistById(id: 127) { id } } \
         fragment F on Query { __type(name: \"Artist\") { name } }",
    ];
    let message = "This server does not answer questions about its schema: `__schema` and \
        `__type` are disabled, `__typename` is not.";
    for options in
        [&["--listen", "0.0.0.0:0"][..], &["--listen", "127.0.0.1:0", "--introspection", "off"]]
    {
        let server = demo(options);
        for (document, column) in documents.into_iter().zip([3, 107]) {
            let expected = format!(
                r#"{{"errors":[{{"message":"{message}","locations":[{{"line":1,"column":{column}}}],"extensions":{{"code":"INTROSPECTION_DISABLED"}}}}]}}"#
            );
            for _ in 0..2 {
                let newer = server.query(ACCEPT_GRAPHQL, document);
                assert_eq!(newer.parts(), (400, GRAPHQL, &*expected), "{document}");
            }
            assert_eq!(server.query(ACCEPT_JSON, document).parts(), (200, JSON, &*expected));
        }
        let typename = server.query("", "{ __typename }");
        assert_eq!(typename.body, r#"{"data":{"__typename":"Query"}}"#);
    }
    let outside = ["--listen", "0.0.0.0:0"];
    for option in [&["--dev"][..], &["--introspection", "on"]] {
        let server = demo(&[&outside, option].concat());
        let answer = server.query("", documents[0]);
        assert_eq!(answer.body, r#"{"data":{"__schema":{"queryType":{"name":"Query"}}}}"#);
    }
}
