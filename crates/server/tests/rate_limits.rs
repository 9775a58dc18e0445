//! Rate limits of clients: by address, claim and operation, of operations and of cost.
//!
//! * `shared`: counts of several servers in Redis

mod shared;

use serde_json::{Value, json};

use crate::program::{Answer, Server};
use crate::subscriptions::site::{Client, next, subscribe};

const QUERY: &str = "{ artistById(id: 127) { id } }";

fn ask(server: &Server, headers: &str) -> Answer {
    server.query(headers, QUERY)
}

fn is_limited(answer: &Answer) -> bool {
    assert!([200, 429].contains(&answer.status), "{} {}", answer.status, answer.body);
    assert_eq!(answer.status == 429, answer.body.contains("\"code\":\"RATE_LIMITED\""));
    answer.status == 429
}

#[test]
fn operations_of_an_address_are_limited() {
    let server = Server::start_sample(&["--rate-limit", "address=3/1h"]);
    let first = ask(&server, "");
    assert!(!is_limited(&first));
    assert_eq!(first.header("ratelimit-policy"), Some("\"address\";q=3;w=3600"));
    assert_eq!(first.header("ratelimit"), Some("\"address\";r=2;t=1200"));
    // Errors of documents count, and what comes without a document does not.
    assert_eq!(server.query("", "{ nothing }").status, 200);
    assert_eq!(server.post("", "{").status, 400);
    assert!(!is_limited(&ask(&server, "")));
    let refused = ask(&server, "");
    assert!(is_limited(&refused));
    let retry: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1_190..=1_200).contains(&retry), "{retry}");
    let body: Value = serde_json::from_str(&refused.body).unwrap();
    let error = &body["errors"][0];
    assert_eq!(error["extensions"]["retryAfter"], retry);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("The rate limit address=3/1h is reached; try again in "),
        "{message}"
    );
    assert_eq!(refused.header("ratelimit").unwrap().split(';').nth(1), Some("r=0"));
    // Probes and pages are no operations.
    assert_eq!(server.get("/health/ready", "").status, 200);
}

#[test]
fn without_rules_nothing_is_told() {
    let server = Server::sample();
    let answer = ask(&server, "");
    assert_eq!((answer.status, answer.header("ratelimit")), (200, None));
}

#[test]
fn each_operation_of_a_batch_counts() {
    let server = Server::start_sample(&["--rate-limit", "address=3/1h", "--batching"]);
    let members = vec![json!({ "query": QUERY }); 5];
    let answer = server.post("", &json!(members).to_string());
    assert_eq!(answer.status, 200);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let limited = |member: &&Value| member["errors"][0]["extensions"]["code"] == "RATE_LIMITED";
    assert_eq!(body.as_array().unwrap().iter().filter(limited).count(), 2, "{body}");
    assert!(is_limited(&ask(&server, "")));
}

#[test]
fn operations_over_a_socket_count() {
    let server = Server::start_sample(&["--rate-limit", "address=2/1h"]);
    let mut client = Client::connect(&server, "graphql-transport-ws", &json!({}));
    client.send(&subscribe("1", QUERY));
    let data = json!({ "data": { "artistById": { "id": 127 } } });
    assert_eq!(client.receive(), next("1", &data));
    assert_eq!(client.receive(), json!({ "type": "complete", "id": "1" }));
    assert!(!is_limited(&ask(&server, "")));
    client.send(&subscribe("2", QUERY));
    let refused = client.receive();
    assert_eq!(refused["type"], "error", "{refused}");
    assert_eq!(refused["payload"][0]["extensions"]["code"], "RATE_LIMITED", "{refused}");
    assert!(is_limited(&ask(&server, "")));
}

#[test]
fn a_socket_counts_by_the_address_of_its_handshake() {
    let options = ["--rate-limit", "address=1/1h", "--trusted-proxies", "127.0.0.0/8"];
    let server = Server::start_sample(&options);
    let of = |address: &str| {
        let headers =
            [("sec-websocket-protocol", "graphql-transport-ws"), ("x-forwarded-for", address)];
        let mut client = Client::open(&server, &headers).unwrap();
        client.send(&json!({ "type": "connection_init" }));
        assert_eq!(client.receive()["type"], "connection_ack");
        client.send(&subscribe("1", QUERY));
        client.receive()["type"].clone()
    };
    assert_eq!(of("203.0.113.1"), "next");
    assert_eq!(of("203.0.113.1"), "error");
    assert_eq!(of("203.0.113.2"), "next");
    assert!(is_limited(&ask(&server, "X-Forwarded-For: 203.0.113.2\r\n")));
    assert!(!is_limited(&ask(&server, "")));
}

#[test]
fn trusted_proxies_tell_the_address() {
    let from = |address: &str| format!("X-Forwarded-For: {address}\r\n");
    let options = ["--rate-limit", "address=1/1h", "--trusted-proxies", "127.0.0.0/8,10.0.0.0/8"];
    let mut server = Server::start_sample(&[&options[..], &["--log-requests", "all"]].concat());
    assert!(!is_limited(&ask(&server, &from("203.0.113.1"))));
    assert!(is_limited(&ask(&server, &from("203.0.113.1, 10.0.0.7"))));
    assert!(is_limited(&ask(&server, &from("1.1.1.1, 203.0.113.1"))));
    assert!(!is_limited(&ask(&server, &from("203.0.113.2"))));
    // A network of a customer is one client.
    assert!(!is_limited(&ask(&server, &from("2001:db8:1:2::1"))));
    assert!(is_limited(&ask(&server, &from("2001:db8:1:2:ffff::2"))));
    assert!(!is_limited(&ask(&server, &from("2001:db8:1:3::1"))));
    server.signal("TERM");
    let log = server.rest_of_log();
    assert!(log.contains(" address=\"203.0.113.1\" "), "{log}");
    let server = Server::start_sample(&options[..2]);
    assert!(!is_limited(&ask(&server, &from("203.0.113.1"))));
    assert!(is_limited(&ask(&server, &from("203.0.113.2"))));
}

#[test]
fn operations_are_limited_by_their_names() {
    let server = Server::start_sample(&["--rate-limit", "address=100/1h;operation=1/1h"]);
    let named = |name: &str| is_limited(&server.query("", &format!("query {name} {QUERY}")));
    assert!(!named("A"));
    assert!(named("A"));
    assert!(!named("B"));
    assert!(!named(""));
    assert!(named(""));
    // What one rule refuses, no rule counts.
    let answer = server.query("", &format!("query C {QUERY}"));
    let left = answer.header("ratelimit").unwrap();
    let left: Vec<&str> = left.split(';').filter(|part| part.starts_with("r=")).collect();
    assert_eq!(left, ["r=96", "r=0"]);
}

#[test]
fn the_cost_is_limited() {
    let server = Server::start_sample(&["--rate-limit", "address=1000/1h of=cost burst=100"]);
    let list = |first: u64| {
        server.query("", &format!("{{ allArtists(first: {first}) {{ nodes {{ id }} }} }}"))
    };
    let answer = list(50);
    assert!(!is_limited(&answer));
    assert_eq!(answer.header("ratelimit-policy"), Some("\"address cost\";q=1000;w=3600"));
    assert!(!is_limited(&list(40)));
    let refused = list(40);
    assert!(is_limited(&refused));
    assert!(refused.header("retry-after").is_some());
    // No time makes room for it.
    let refused = list(500);
    assert!(is_limited(&refused));
    assert_eq!(refused.header("retry-after"), None);
    assert!(refused.body.contains("ever allows at once"), "{}", refused.body);
}

#[test]
fn a_reload_keeps_the_counts() {
    let sample = Server::sample();
    let file = sample.folder.as_ref().unwrap().file("shop.db");
    let words = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let server = Server::start(&[&words[..], &["--rate-limit", "address=1/1h"]].concat());
    assert!(!is_limited(&ask(&server, "")));
    server.signal("HUP");
    for _ in 0..50 {
        assert!(is_limited(&ask(&server, "")));
    }
}
