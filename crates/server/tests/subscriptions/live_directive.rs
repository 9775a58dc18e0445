//! The directive `@live`, which makes a query a live query.

use serde_json::{Value, json};

use super::site::{Site, TRANSPORT, complete, next, notes, subscribe};
use super::stream::Stream;
use crate::program::post;

const QUERY: &str = "query ($live: Boolean = true) @live(if: $live) {
    queryNote(order: { asc: text }) { text }
}";

/// The response of a live query with these notes.
fn live_notes(texts: &[&str]) -> Value {
    let mut response = notes(texts);
    response["isLive"] = json!(true);
    response
}

fn send(site: &Site, headers: &str, body: &Value) -> Value {
    let answer = site.server.send(post("application/json", headers, &body.to_string()).as_bytes());
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn a_query_with_the_directive_is_a_live_query_over_sockets() {
    let site = Site::start(&["--live-directive"]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("1", QUERY));
    client.send(&subscribe("2", "query @live { queryNote(order: { asc: text }) { text } }"));
    let none = [next("1", &live_notes(&[])), next("2", &live_notes(&[]))];
    assert_eq!(client.receive_sorted(2), none);
    site.add("a");
    let one = [next("1", &live_notes(&["a"])), next("2", &live_notes(&["a"]))];
    assert_eq!(client.receive_sorted(2), one);
    client.send(&complete("1"));
    client.send(&complete("2"));
    // With a false condition it is a query.
    let payload = json!({ "query": QUERY, "variables": { "live": false } });
    client.send(&json!({ "type": "subscribe", "id": "3", "payload": payload }));
    assert_eq!(client.receive(), next("3", &notes(&["a"])));
    assert_eq!(client.receive(), complete("3"));
    let negative = "query @live(throttle: -1) { queryNote { text } }";
    client.send(&subscribe("4", negative));
    let refused = client.receive();
    let message = "The \"throttle\" of \"@live\" must not be negative.";
    assert_eq!(refused["payload"][0]["message"], message, "{refused}");
}

#[test]
fn a_live_query_needs_a_stream() {
    let site = Site::start(&["--live-directive"]);
    let body = json!({ "query": QUERY }).to_string();
    let both = "Accept: application/json, text/event-stream\r\n";
    let mut events = Stream::open(&site.server, &post("application/json", both, &body));
    assert_eq!(events.chunk(), ":\n\n");
    let event = |texts: &[&str]| {
        let data = notes(texts)["data"].to_string();
        format!("event: next\ndata: {{\"data\":{data},\"isLive\":true}}\n\n")
    };
    assert_eq!(events.chunk(), event(&[]));
    let multipart = "Accept: multipart/mixed;subscriptionSpec=\"1.0\", application/json\r\n";
    let mut parts = Stream::open(&site.server, &post("application/json", multipart, &body));
    assert_eq!(parts.chunk(), "--graphql");
    assert!(parts.chunk().contains("\"isLive\":true}}"));
    site.add("a");
    assert_eq!(events.chunk(), event(&["a"]));
    let refused = send(&site, "", &json!({ "query": QUERY }));
    assert_eq!(refused["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("A query with \"@live\" has many responses"), "{message}");
    let plain = send(&site, "", &json!({ "query": QUERY, "variables": { "live": false } }));
    assert_eq!(plain, notes(&["a"]));
}

#[test]
fn a_throttle_limits_the_responses() {
    let site = Site::start(&["--live-directive"]);
    let mut client = site.connect(TRANSPORT);
    let query = "query ($t: Int) @live(throttle: $t) { queryNote(order: { asc: text }) { text } }";
    let payload = json!({ "query": query, "variables": { "t": 600 } });
    client.send(&json!({ "type": "subscribe", "id": "1", "payload": payload }));
    assert_eq!(client.receive(), next("1", &live_notes(&[])));
    for text in ["a", "b", "c"] {
        site.add(text);
    }
    // All changes of the pause are in one response.
    assert_eq!(client.receive(), next("1", &live_notes(&["a", "b", "c"])));
    client.assert_silent();
}

#[test]
fn the_directive_is_unknown_without_the_option() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("1", QUERY));
    let refused = client.receive();
    assert_eq!(refused["payload"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
}
