//! Server-sent events, and multipart responses.

use std::time::Duration;

use serde_json::{Value, json};

use super::credentials::token;
use super::site::{NOTES, SECRET, Site, add, notes};
use super::stream::Stream;
use crate::program::post;

const EVENTS: &str = "Accept: text/event-stream\r\n";
const COMPLETE: &str = "event: complete\ndata:\n\n";
const MULTIPART: &str = "Accept: multipart/mixed;subscriptionSpec=\"1.0\", application/json\r\n";

/// The text of an event with a response.
fn next(payload: &Value) -> String {
    format!("event: next\ndata: {payload}\n\n")
}

fn request(headers: &str, query: &str) -> String {
    post("application/json", headers, &json!({ "query": query }).to_string())
}

fn open(site: &Site, headers: &str, query: &str) -> Stream {
    Stream::open(&site.server, &request(headers, query))
}

#[test]
fn a_subscription_is_a_stream_of_events() {
    let site = Site::start(&[]);
    let mut stream = open(&site, EVENTS, NOTES);
    assert_eq!(stream.header("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(stream.header("cache-control"), Some("no-store"));
    assert_eq!(stream.header("x-accel-buffering"), Some("no"));
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), next(&notes(&[])));
    site.add("a");
    assert_eq!(stream.chunk(), next(&notes(&["a"])));
    drop(stream);
    // By GET, as browsers do it.
    let target = "/graphql?query=subscription%7BqueryNote%7Btext%7D%7D";
    let get = format!("GET {target} HTTP/1.1\r\nHost: test\r\n{EVENTS}\r\n");
    let mut stream = Stream::open(&site.server, &get);
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), next(&notes(&["a"])));
}

#[test]
fn other_operations_and_errors_are_streams_that_end() {
    let site = Site::start(&[]);
    let body = |query: &str| {
        let answer = site.server.send(request(EVENTS, query).as_bytes());
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("text/event-stream; charset=utf-8"));
        answer.body
    };
    let ended = |payload: &Value| format!(":\n\n{}{COMPLETE}", next(payload));
    let added = json!({ "data": { "addNote": { "numUids": 1 } } });
    assert_eq!(body(&add("a")), ended(&added));
    assert_eq!(body("{ queryNote { text } }"), ended(&notes(&["a"])));
    for query in ["{ nothing }", "subscription { nothing }"] {
        let body = body(query);
        assert!(body.starts_with(":\n\nevent: next\ndata: {\"errors\":[{"), "{body}");
        assert!(body.ends_with(COMPLETE), "{body}");
    }
    // GET changes nothing.
    let target = "/graphql?query=mutation%7BdeleteNote(filter:%7B%7D)%7BnumUids%7D%7D";
    let answer = site.server.get(target, EVENTS);
    assert!(answer.body.contains("METHOD_NOT_ALLOWED"), "{}", answer.body);
}

#[test]
fn clients_of_json_get_streams_for_subscriptions_only() {
    let site = Site::start(&[]);
    let both = "Accept: application/graphql-response+json, text/event-stream\r\n";
    let answer = site.server.send(request(both, "{ queryNote { text } }").as_bytes());
    let media_type = "application/graphql-response+json; charset=utf-8";
    assert_eq!(answer.header("content-type"), Some(media_type));
    let mut stream = open(&site, both, NOTES);
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), next(&notes(&[])));
    let answer = site.server.send(request("", NOTES).as_bytes());
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["errors"][0]["extensions"]["code"], "BAD_USER_INPUT", "{body}");
    let message = body["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("Accept: text/event-stream"), "{message}");
}

#[test]
fn streams_have_signs_of_life() {
    let site = Site::start(&["--ping-interval", "100ms"]);
    let mut stream = open(&site, EVENTS, NOTES);
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), next(&notes(&[])));
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), ":\n\n");
}

#[test]
fn a_subscription_may_have_parts() {
    let site = Site::start(&["--ping-interval", "200ms"]);
    let part =
        |json: &str| format!("\r\ncontent-type: application/json\r\n\r\n{json}\r\n--graphql");
    let mut stream = open(&site, MULTIPART, NOTES);
    let media_type = "multipart/mixed;boundary=\"graphql\";subscriptionSpec=\"1.0\"";
    assert_eq!(stream.header("content-type"), Some(media_type));
    assert_eq!(stream.chunk(), "--graphql");
    assert_eq!(stream.chunk(), part(&json!({ "payload": notes(&[]) }).to_string()));
    assert_eq!(stream.chunk(), part("{}"));
    let answer = site.server.send(request(MULTIPART, "{ __typename }").as_bytes());
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
}

#[test]
fn an_expired_token_ends_the_stream() {
    let site = Site::start(&["--jwt-secret", SECRET, "--require-token"]);
    let token = token(Duration::from_millis(1500));
    let mut stream = open(&site, &format!("{EVENTS}Authorization: Bearer {token}\r\n"), NOTES);
    assert_eq!(stream.chunk(), ":\n\n");
    assert_eq!(stream.chunk(), next(&notes(&[])));
    let expired =
        r#"{"errors":[{"message":"jwt expired","extensions":{"code":"UNAUTHENTICATED"}}]}"#;
    assert_eq!(stream.chunk(), format!("event: next\ndata: {expired}\n\n{COMPLETE}"));
    assert_eq!(stream.chunk(), "");
}
