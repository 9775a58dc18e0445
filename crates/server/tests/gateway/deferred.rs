//! Deferred fragments: in several payloads for clients that accept them, else in one response.

use serde_json::{Value, json};

use super::site::Site;
use super::stubs::Fault;
use crate::program::post;
use crate::subscriptions::site::{Client, LEGACY, TRANSPORT, complete, next, subscribe};
use crate::subscriptions::stream::Stream;

const QUERY: &str = "{ product(upc: 1) { upc ... @defer(label: \"stock\") { inStock } } }";
const FRAGMENTS: &str = "Accept: multipart/mixed;deferSpec=20220824, application/json\r\n";
const FIELDS: &str = "Accept: multipart/mixed;incrementalSpec=v0.2, application/json\r\n";
const EVENTS: &str = "Accept: text/event-stream\r\n";

const WHOLE: &str = r#"{"data":{"product":{"upc":"1","inStock":true}}}"#;

/// Payloads of the older form, and of the newer one.
const OF_FRAGMENTS: [&str; 2] = [
    r#"{"data":{"product":{"upc":"1"}},"hasNext":true}"#,
    r#"{"incremental":[{"data":{"inStock":true},"path":["product"],"label":"stock"}],"hasNext":false}"#,
];
const OF_FIELDS: [&str; 2] = [
    r#"{"data":{"product":{"upc":"1"}},"pending":[{"id":"0","path":["product"],"label":"stock"}],"hasNext":true}"#,
    r#"{"incremental":[{"id":"0","data":{"inStock":true}}],"completed":[{"id":"0"}],"hasNext":false}"#,
];

/// Sends a query whose deferred part waits until the initial payload was received; returns the media
/// type, and the chunks of the body.
fn chunks(headers: &str, query: &str) -> (String, Vec<String>) {
    let site = Site::start(&[]);
    site.stubs.fail("stock", Fault::Hangs);
    let body = json!({ "query": query }).to_string();
    let mut stream = Stream::open(&site.server, &post("application/json", headers, &body));
    let mut chunks = vec![stream.chunk()];
    site.stubs.heal();
    while chunks.last().is_some_and(|chunk| !chunk.is_empty()) {
        chunks.push(stream.chunk());
    }
    chunks.pop();
    (stream.header("content-type").unwrap().to_owned(), chunks)
}

fn part(payload: &str) -> String {
    format!("\r\ncontent-type: application/json; charset=utf-8\r\n\r\n{payload}\r\n---")
}

#[test]
fn parts_come_as_soon_as_they_are_complete() {
    for (headers, parameter, [initial, rest]) in [
        (FRAGMENTS, "deferSpec=20220824", OF_FRAGMENTS),
        (FIELDS, "incrementalSpec=v0.2", OF_FIELDS),
        ("Accept: multipart/mixed\r\n", "incrementalSpec=v0.2", OF_FIELDS),
    ] {
        let (media_type, chunks) = chunks(headers, QUERY);
        assert_eq!(media_type, format!("multipart/mixed;boundary=\"-\";{parameter}"));
        let initial = ["\r\n---", &part(initial)].concat();
        assert_eq!(chunks, [&*initial, &*part(rest), "--\r\n"]);
    }
}

#[test]
fn events_come_as_soon_as_they_are_complete() {
    let older = "Accept: text/event-stream;deferSpec=20220824, application/json\r\n";
    for (headers, [initial, rest]) in [(EVENTS, OF_FIELDS), (older, OF_FRAGMENTS)] {
        let (media_type, chunks) = chunks(headers, QUERY);
        assert_eq!(media_type, "text/event-stream; charset=utf-8");
        let event = |payload| format!("event: next\ndata: {payload}\n\n");
        let initial = [":\n\n", &event(initial)].concat();
        assert_eq!(chunks, [&*initial, &*event(rest), "event: complete\ndata:\n\n"]);
    }
}

#[test]
fn a_socket_has_a_message_for_each_payload() {
    let site = Site::start(&[]);
    site.stubs.fail("stock", Fault::Hangs);
    let mut client = Client::connect(&site.server, TRANSPORT, &json!({}));
    client.send(&subscribe("1", QUERY));
    let [initial, rest] = OF_FIELDS.map(|text| serde_json::from_str::<Value>(text).unwrap());
    assert_eq!(client.receive(), next("1", &initial));
    // Other operations go on meanwhile.
    client.send(&subscribe("2", "{ product(upc: 1) { upc } }"));
    assert_eq!(client.receive(), next("2", &json!({ "data": { "product": { "upc": "1" } } })));
    assert_eq!(client.receive(), complete("2"));
    site.stubs.heal();
    assert_eq!(client.receive(), next("1", &rest));
    assert_eq!(client.receive(), complete("1"));
    client.close();
}

#[test]
fn a_client_that_ends_an_operation_receives_no_further_payloads() {
    let site = Site::start(&[]);
    site.stubs.fail("stock", Fault::Hangs);
    let mut client = Client::connect(&site.server, TRANSPORT, &json!({}));
    client.send(&subscribe("1", QUERY));
    assert_eq!(client.receive()["type"], "next");
    client.send(&complete("1"));
    site.stubs.heal();
    client.assert_silent();
    client.close();
}

#[test]
fn other_clients_receive_one_response() {
    let site = Site::start(&["--batching"]);
    for headers in
        ["", "Accept: */*\r\n", "Accept: application/json, multipart/mixed;deferSpec=1\r\n"]
    {
        let answer = site.server.query(headers, QUERY);
        assert_eq!(answer.parts(), (200, "application/json; charset=utf-8", WHOLE), "{headers}");
    }
    let mut client = Client::connect(&site.server, LEGACY, &json!({}));
    assert_eq!(client.receive()["type"], "ka");
    client.send(&json!({ "type": "start", "id": "1", "payload": { "query": QUERY } }));
    let whole: Value = serde_json::from_str(WHOLE).unwrap();
    assert_eq!(client.receive(), json!({ "type": "data", "id": "1", "payload": whole }));
    let batch = format!("[{}]", json!({ "query": QUERY }));
    assert_eq!(site.server.post(FRAGMENTS, &batch).body, format!("[{WHOLE}]"));
}

#[test]
fn a_response_without_deferred_fragments_is_a_single_one() {
    let site = Site::start(&[]);
    let query =
        "query ($no: Boolean! = false) { product(upc: 1) { upc ... @defer(if: $no) { inStock } } }";
    for headers in [FRAGMENTS, FIELDS] {
        let answer = site.server.query(headers, query);
        assert_eq!(answer.parts(), (200, "application/json; charset=utf-8", WHOLE));
    }
    let only = "Accept: multipart/mixed;deferSpec=20220824\r\n";
    let answer = site.server.query(only, query);
    assert_eq!(
        answer.header("content-type"),
        Some("multipart/mixed;boundary=\"-\";deferSpec=20220824")
    );
    assert_eq!(answer.body, ["\r\n---", &part(WHOLE), "--\r\n"].concat());
    // The object of the fragment is null.
    site.stubs.fail("shop", Fault::Says(json!({ "data": { "product": null } })));
    let answer = site.server.query(FIELDS, QUERY);
    assert_eq!(answer.body, r#"{"data":{"product":null}}"#);
    assert_eq!(site.stubs.asked().iter().filter(|asked| asked.path == "/stock").count(), 3);
}

#[test]
fn an_error_of_a_deferred_fragment_is_in_its_payload() {
    let site = Site::start(&[]);
    site.stubs.fail("stock", Fault::Status(500));
    let answer = site.server.query(FRAGMENTS, QUERY);
    let [_, initial, rest, _] = &*answer.body.split("\r\n---").collect::<Vec<_>>() else {
        panic!("{}", answer.body)
    };
    assert!(initial.ends_with(OF_FRAGMENTS[0]), "{initial}");
    let (_, rest) = rest.split_once("\r\n\r\n").unwrap();
    let mut rest: Value = serde_json::from_str(rest).unwrap();
    let errors = rest["incremental"][0]["errors"].take();
    assert_eq!(errors[0]["path"], json!(["product", "inStock"]));
    assert_eq!(errors[0]["extensions"]["code"], "SUBGRAPH_RESPONSE_INVALID");
    let result = json!({
        "data": { "inStock": null }, "path": ["product"], "label": "stock", "errors": null,
    });
    assert_eq!(rest, json!({ "incremental": [result], "hasNext": false }));
}

#[test]
fn the_rules_of_the_directive_hold() {
    let site = Site::start(&[]);
    let check = |query: &str, message: &str| {
        let answer: Value = serde_json::from_str(&site.query(query)).unwrap();
        assert_eq!(answer["errors"][0]["message"], message, "{answer}");
        assert_eq!(answer["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    };
    check(
        "{ product(upc: 1) { ... @defer(label: \"a\") { upc } ... @defer(label: \"a\") { name } } }",
        "Value for arguments \"defer(label:)\" and \"stream(label:)\" must be unique across all \
         Defer/Stream directive usages.",
    );
    check(
        "query ($a: String) { product(upc: 1) { ... @defer(label: $a) { upc } } }",
        "Argument \"@defer(label:)\" must be a static string.",
    );
    check(
        "mutation { ... @defer { rename(upc: 1, name: \"a\") { upc } } }",
        "Defer directive cannot be used on root mutation type.",
    );
    check("{ products @stream { upc } }", "Unknown directive \"@stream\".");
    let query = "mutation { rename(upc: 1, name: \"a\") { upc ... @defer { inStock } } }";
    assert_eq!(site.query(query), r#"{"data":{"rename":{"upc":"1","inStock":true}}}"#);
}

#[test]
fn clients_of_other_projects_receive_deferred_fragments() {
    let site = Site::start(&[]);
    site.stubs.fail("stock", Fault::Sleeps(std::time::Duration::from_millis(200)));
    let address = site.server.address.to_string();
    if let Some(printed) = crate::script::run("deferred.mjs", &[&address]) {
        let clients = [
            "Apollo Client, 20220824",
            "Apollo Client, v0.2",
            "urql",
            "graphql-ws",
            "graphql-sse",
            "graphql-sse, single connection",
        ];
        assert_eq!(printed.lines().collect::<Vec<_>>(), clients);
    }
}
