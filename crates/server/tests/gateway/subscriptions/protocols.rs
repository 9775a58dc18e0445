//! Each protocol of a subgraph.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use testkit::tokens::Issuer;

use super::feed::Refusal;
use super::site::{Site, TICK, tick};
use crate::subscriptions::site::{Client, TRANSPORT, complete, next, subscribe};

const PROTOCOLS: [&str; 5] = ["graphql-transport-ws", "graphql-ws", "sse", "multipart", "callback"];

#[test]
fn events_pass_through_by_each_protocol() {
    for protocol in PROTOCOLS {
        let site = Site::with(protocol);
        let mut events = site.subscribe(TICK, 1);
        assert_eq!(site.feed.log().begun[0]["query"], "subscription{tick}", "{protocol}");
        for number in 1..4 {
            site.feed.emit(&tick(number));
            assert_eq!(events.next(), Some(tick(number)), "{protocol}");
            site.feed.ping();
        }
        site.feed.complete();
        assert_eq!(events.next(), None, "{protocol}");
        site.feed.wait(|log| log.open == 0);
    }
}

#[test]
fn a_client_that_leaves_ends_the_subscription_of_the_subgraph() {
    for protocol in PROTOCOLS {
        let site = Site::with(protocol);
        let events = site.subscribe(TICK, 1);
        drop(events);
        site.feed.wait(|log| log.ended == 1 && log.open == 0);
    }
}

#[test]
fn errors_of_an_operation_end_the_subscription() {
    for protocol in PROTOCOLS {
        let site = Site::with(protocol);
        site.feed.refuse(Some(Refusal::Errors(json!([{ "message": "no ticks" }]))));
        let mut events = site.subscribe(TICK, 1);
        let (code, data) = events.error();
        assert_eq!((code.as_str(), &data), ("SUBGRAPH_ERROR", &json!(null)), "{protocol}");
        assert_eq!(events.next(), None, "{protocol}");
        site.feed.wait(|log| log.open == 0);
    }
}

#[test]
fn a_socket_of_a_client_has_events_of_a_subgraph() {
    let site = Site::with("sse");
    let mut client = Client::connect(&site.server, TRANSPORT, &json!({}));
    client.send(&subscribe("1", TICK));
    site.feed.wait_for(1);
    site.feed.emit(&tick(1));
    assert_eq!(client.receive(), next("1", &tick(1)));
    site.feed.complete();
    assert_eq!(client.receive(), complete("1"));
}

#[test]
fn a_subscription_may_have_an_address_of_its_own() {
    let file = |address| format!("subgraphs.feed.subscription.url = 'ws://{address}/live'");
    let site = Site::start("", &[]);
    std::fs::write(site.folder.file("subgraphs.toml"), file(site.feed.address)).unwrap();
    site.server.signal("HUP");
    let mut site = site;
    site.wait_for_log("reloaded");
    let _events = site.subscribe(TICK, 1);
    assert_eq!(site.feed.log().opened[0][":path"], "/live");
}

#[test]
fn headers_are_in_the_handshake_and_in_the_initialization() {
    let rules = "[[all.headers]]\nforward = 'x-*'\n[[all.headers]]\nforward = 'authorization'\n";
    let site = Site::start(rules, &[]);
    let _events = site.open("Authorization: Bearer a\r\nX-Tenant: 7\r\nY: 1\r\n", TICK);
    site.feed.wait_for(1);
    let log = site.feed.log();
    let expected = json!({ "authorization": "Bearer a", "x-tenant": "7" });
    assert_eq!(log.inits, [expected]);
    let head = &log.opened[0];
    assert_eq!((&*head["authorization"], &*head["x-tenant"]), ("Bearer a", "7"));
    assert!(!head.contains_key("y") && !head.contains_key("x-request-id"), "{head:?}");
    // A browser cannot set headers of a socket: its token is in the payload.
    let mut client = Client::connect(&site.server, TRANSPORT, &json!({ "Authorization": "b" }));
    client.send(&subscribe("1", TICK));
    site.feed.wait_for(2);
    assert_eq!(site.feed.log().inits[1], json!({ "authorization": "Bearer b" }));
}

#[test]
fn an_expired_token_ends_the_subscription_of_the_subgraph() {
    let secret = "a secret of at least thirty-two bytes";
    let rules = "[[all.headers]]\nforward = 'authorization'\n";
    let site = Site::start(rules, &["--jwt-secret", secret, "--require-token"]);
    let until = SystemTime::now() + Duration::from_millis(2500);
    let until = until.duration_since(UNIX_EPOCH).unwrap().as_secs();
    let token = Issuer::secret(secret).token(&json!({ "exp": until }).to_string());
    let mut events = site.open(&format!("Authorization: Bearer {token}\r\n"), TICK);
    site.feed.wait_for(1);
    assert_eq!(events.error().0, "UNAUTHENTICATED");
    assert_eq!(events.next(), None);
    site.feed.wait(|log| log.ended == 1 && log.open == 0);
}
