//! The single connection mode of server-sent events.

use std::time::Duration;

use serde_json::{Value, json};

use super::credentials::token;
use super::site::{NOTES, SECRET, Site, add, notes};
use super::stream::Stream;
use crate::program::{Answer, post};

const EVENTS: &str = "Accept: text/event-stream\r\n";

/// A reserved stream, with the headers of its requests.
struct Reserved<'s> {
    site: &'s Site,
    token: String,
    headers: String,
}

fn request(method: &str, target: &str, headers: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n")
}

fn send(site: &Site, method: &str, target: &str, headers: &str) -> Answer {
    site.server.send(request(method, target, headers).as_bytes())
}

fn reserve<'s>(site: &'s Site, credentials: &str) -> Reserved<'s> {
    let answer = send(site, "PUT", "/graphql", credentials);
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    let token = answer.body;
    let headers = format!("X-GraphQL-Event-Stream-Token: {token}\r\n{credentials}");
    Reserved { site, token, headers }
}

impl Reserved<'_> {
    fn open(&self) -> Stream {
        let headers = format!("{EVENTS}{}", self.headers);
        let mut stream = Stream::open(&self.site.server, &request("GET", "/graphql", &headers));
        assert_eq!(stream.header("content-type"), Some("text/event-stream; charset=utf-8"));
        assert_eq!(stream.chunk(), ":\n\n");
        stream
    }

    fn send(&self, id: &str, query: &str) -> Answer {
        let body = json!({ "query": query, "extensions": { "operationId": id } }).to_string();
        self.site.server.send(post("application/json", &self.headers, &body).as_bytes())
    }

    /// Sends an operation that is accepted.
    fn begin(&self, id: &str, query: &str) {
        let answer = self.send(id, query);
        assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    }

    fn end(&self, id: &str) -> Answer {
        send(self.site, "DELETE", &format!("/graphql?operationId={id}"), &self.headers)
    }
}

fn next(id: &str, payload: &Value) -> String {
    format!("event: next\ndata: {{\"id\":\"{id}\",\"payload\":{payload}}}\n\n")
}

fn complete(id: &str) -> String {
    format!("event: complete\ndata: {{\"id\":\"{id}\"}}\n\n")
}

fn check_error(answer: &Answer, status: u16, code: &str) {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((answer.status, &body["errors"][0]["extensions"]["code"]), (status, &json!(code)));
}

#[test]
fn operations_share_a_stream() {
    // Requests of the stream arrive at several threads.
    let site = Site::start(&["--threads", "3"]);
    let reserved = reserve(&site, "");
    let mut stream = reserved.open();
    reserved.begin("a", NOTES);
    assert_eq!(stream.chunk(), next("a", &notes(&[])));
    reserved.begin("b", &add("1"));
    let mut events = [(); 3].map(|()| stream.chunk());
    events.sort();
    let added = json!({ "data": { "addNote": { "numUids": 1 } } });
    assert_eq!(events, [complete("b"), next("a", &notes(&["1"])), next("b", &added)]);
    let answer = reserved.end("a");
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    // Its id is free again.
    reserved.begin("a", "{ queryNote { text } }");
    assert_eq!(stream.chunk(), next("a", &notes(&["1"])));
    assert_eq!(stream.chunk(), complete("a"));
    assert_eq!(reserved.end("unknown").status, 200);
}

#[test]
fn a_token_in_the_url_opens_a_stream_as_browsers_do() {
    let site = Site::start(&[]);
    let Reserved { token, .. } = reserve(&site, "");
    let target = format!("/graphql?token={token}");
    // An operation may precede the stream.
    let body = json!({ "query": NOTES, "extensions": { "operationId": "1" } }).to_string();
    let early = format!(
        "POST {target} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(site.server.send(early.as_bytes()).status, 202);
    let mut stream = Stream::open(&site.server, &request("GET", &target, EVENTS));
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), next("1", &notes(&[])));
    let answer = send(&site, "DELETE", &format!("{target}&operationId=1"), "");
    assert_eq!(answer.status, 200);
    site.add("unseen");
    // Other requests may have a parameter of this name.
    let query = "/graphql?token=other&query=%7B__typename%7D";
    let answer = send(&site, "GET", query, "");
    assert_eq!(answer.body, r#"{"data":{"__typename":"Query"}}"#);
}

#[test]
fn errors_of_requests_are_in_their_responses() {
    let site = Site::start(&["--max-socket-operations", "2"]);
    let reserved = reserve(&site, "");
    let mut stream = reserved.open();
    let again = send(&site, "GET", "/graphql", &format!("{EVENTS}{}", reserved.headers));
    check_error(&again, 409, "BAD_USER_INPUT");
    check_error(&reserved.send("a", "{ nothing }"), 400, "GRAPHQL_VALIDATION_FAILED");
    check_error(&reserved.send("", NOTES), 400, "BAD_USER_INPUT");
    reserved.begin("a", NOTES);
    check_error(&reserved.send("a", NOTES), 409, "BAD_USER_INPUT");
    reserved.begin("b", NOTES);
    check_error(&reserved.send("c", NOTES), 503, "TOO_MANY_OPERATIONS");
    check_error(&send(&site, "DELETE", "/graphql", &reserved.headers), 400, "BAD_USER_INPUT");
    // Variables are checked when the operation begins.
    assert_eq!(reserved.end("b").status, 200);
    let mut events = [stream.chunk(), stream.chunk()];
    events.sort();
    assert_eq!(events, [next("a", &notes(&[])), next("b", &notes(&[]))]);
    reserved.begin("d", "query ($id: ID!) { getNote(id: $id) { text } }");
    let event = stream.chunk();
    assert!(
        event.starts_with("event: next\ndata: {\"id\":\"d\",\"payload\":{\"errors\":"),
        "{event}"
    );
    assert_eq!(stream.chunk(), complete("d"));
    // A stream ends with its connection, and its reservation with it.
    drop(stream);
    let gone = || reserved.send("e", NOTES).status == 404;
    assert!((0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        gone()
    }));
    let other = "X-GraphQL-Event-Stream-Token: 0123\r\n";
    check_error(&send(&site, "GET", "/graphql", &format!("{EVENTS}{other}")), 404, "NOT_FOUND");
    check_error(&send(&site, "DELETE", "/graphql?operationId=1", other), 404, "NOT_FOUND");
    let foreign = "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n";
    for method in ["PUT", "DELETE"] {
        check_error(&send(&site, method, "/graphql", foreign), 403, "CSRF_REFUSED");
    }
}

#[test]
fn a_reservation_is_limited_in_time_and_number() {
    let site = Site::start(&["--socket-init-timeout", "300ms", "--max-clients", "10"]);
    let reserved = reserve(&site, "");
    for _ in 0..9 {
        reserve(&site, "");
    }
    check_error(&send(&site, "PUT", "/graphql", ""), 503, "TOO_MANY_CONNECTIONS");
    std::thread::sleep(Duration::from_millis(400));
    let late = send(&site, "GET", "/graphql", &format!("{EVENTS}{}", reserved.headers));
    check_error(&late, 404, "NOT_FOUND");
    // Housekeeping removes the others.
    assert!((0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        send(&site, "PUT", "/graphql", "").status == 201
    }));
}

#[test]
fn a_stream_belongs_to_the_credentials_that_reserved_it() {
    let site = Site::start(&["--jwt-secret", SECRET, "--require-token"]);
    assert_eq!(send(&site, "PUT", "/graphql", "").status, 401);
    let own = format!("Authorization: Bearer {}\r\n", token(Duration::from_millis(2500)));
    let other = format!("Authorization: Bearer {}\r\n", token(Duration::from_secs(60)));
    let reserved = reserve(&site, &own);
    let with = |credentials: &str| {
        format!("X-GraphQL-Event-Stream-Token: {}\r\n{credentials}", reserved.token)
    };
    let stolen = Reserved { site: &site, token: reserved.token.clone(), headers: with(&other) };
    check_error(&stolen.send("1", NOTES), 404, "NOT_FOUND");
    check_error(&stolen.end("1"), 404, "NOT_FOUND");
    let foreign = send(&site, "GET", "/graphql", &format!("{EVENTS}{}", stolen.headers));
    check_error(&foreign, 404, "NOT_FOUND");
    // The token of the reservation suffices to open the stream, but not to add an operation.
    let ticket = Reserved { site: &site, token: reserved.token.clone(), headers: with("") };
    let mut stream = ticket.open();
    assert_eq!(ticket.send("1", NOTES).status, 401);
    reserved.begin("1", NOTES);
    assert_eq!(stream.chunk(), next("1", &notes(&[])));
    let expired =
        r#"{"errors":[{"message":"jwt expired","extensions":{"code":"UNAUTHENTICATED"}}]}"#;
    let event = format!("event: next\ndata: {{\"id\":\"1\",\"payload\":{expired}}}\n\n");
    assert_eq!(stream.chunk(), event);
    assert_eq!(stream.chunk(), complete("1"));
    assert_eq!(stream.chunk(), "");
}

#[test]
fn a_stream_has_signs_of_life_and_ends_when_the_server_stops() {
    let mut site = Site::start(&["--ping-interval", "100ms"]);
    let reserved = reserve(&site, "");
    let mut stream = reserved.open();
    reserved.begin("1", NOTES);
    assert_eq!(stream.chunk(), next("1", &notes(&[])));
    assert_eq!(stream.chunk(), ":\n\n");
    site.server.signal("TERM");
    // Without `complete`, the client subscribes again elsewhere.
    let end = (0..100).map(|_| stream.chunk()).find(|chunk| chunk != ":\n\n");
    assert_eq!(end.as_deref(), Some(""));
    assert!(site.server.child.wait().unwrap().success());
}
