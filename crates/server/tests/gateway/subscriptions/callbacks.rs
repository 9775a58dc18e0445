//! Subgraphs that send their events to the callback endpoint.

use std::fs;

use serde_json::json;

use super::feed::{Callback, Refusal};
use super::site::{Site, TICK, free_address, tick};
use crate::program::{Folder, Server, outcome, run};

fn callback(site: &Site) -> Callback {
    Callback::of(site.feed.log().begun.last().unwrap())
}

#[test]
fn a_subscription_has_the_callback_and_its_messages_are_verified() {
    let secret = ["--jwt-secret", "a secret of at least thirty-two bytes"];
    let site = Site::with_callbacks("all.max-answer = '1KiB'", &secret);
    let mut events = site.subscribe(TICK, 1);
    let log = site.feed.log();
    assert_eq!(log.opened[0]["accept"], "application/json;callbackSpec=1.0");
    assert_eq!(log.begun[0]["query"], "subscription{tick}");
    let callback = callback(&site);
    let expected = json!({ "subscription": {
        "callbackUrl": format!("http://{}/callback/{}", site.server.address, callback.id),
        "subscriptionId": callback.id,
        "verifier": callback.verifier,
        "heartbeatIntervalMs": 200
    } });
    assert_eq!(log.begun[0]["extensions"], expected);
    assert_eq!(callback.send("check", &json!({})), Some(204));
    let other = |id: &str, verifier: &str| Callback {
        url: callback.url.replace(&callback.id, id),
        id: id.to_owned(),
        verifier: verifier.to_owned(),
    };
    let payload = json!({ "payload": tick(7) });
    let unverified = other(&callback.id, "x");
    for action in ["check", "next", "complete"] {
        assert_eq!(unverified.send(action, &payload), Some(401), "{action}");
    }
    let unknown = other("00000000-0000-4000-8000-000000000000", &callback.verifier);
    assert_eq!(unknown.send("check", &json!({})), Some(404));
    assert_eq!(unknown.send("next", &json!({ "payload": "x".repeat(100_000) })), Some(404));
    let mixed = Callback { url: callback.url.clone(), ..unknown };
    assert_eq!(mixed.send("check", &json!({})), Some(400));
    assert_eq!(callback.send("heartbeat", &json!({})), Some(400));
    assert_eq!(callback.send("next", &json!({})), Some(400));
    assert_eq!(callback.send("next", &json!({ "payload": "x".repeat(1024) })), Some(413));
    let path = callback.url.strip_prefix(&format!("http://{}", site.server.address)).unwrap();
    let answer = site.server.get(path, "");
    assert_eq!((answer.parts().0, answer.header("allow")), (405, Some("POST")));
    assert_eq!(callback.send("next", &payload), Some(204));
    assert_eq!(events.next(), Some(tick(7)));
}

#[test]
fn a_subscription_ends_with_the_errors_of_its_subgraph() {
    let site = Site::with_callbacks("", &[]);
    let mut events = site.subscribe(TICK, 1);
    site.feed.emit(&tick(1));
    assert_eq!(events.next(), Some(tick(1)));
    let callback = callback(&site);
    site.feed.close(0, "no more ticks");
    assert_eq!(events.error(), ("SUBGRAPH_ERROR".into(), json!(null)));
    assert_eq!(events.next(), None);
    site.feed.wait(|log| log.open == 0);
    assert_eq!(callback.send("check", &json!({})), Some(404));
}

#[test]
fn a_subgraph_has_to_confirm_the_callback() {
    let mut site = Site::with_callbacks("", &["--subgraph-errors", "shown"]);
    site.feed.refuse(Some(Refusal::Unconfirmed));
    let mut events = site.open("", TICK);
    let response = events.next().unwrap();
    let error = &response["errors"][0];
    assert_eq!(error["extensions"]["code"], "SUBGRAPH_ERROR", "{error}");
    assert!(error["message"].as_str().unwrap().contains("did not confirm"), "{error}");
    assert_eq!(events.next(), None);
    // It refuses the subscription itself.
    site.feed.refuse(Some(Refusal::Status(403)));
    let mut events = site.open("", TICK);
    assert_eq!(events.error().0, "SUBGRAPH_ERROR");
    site.wait_for_log("403");
}

#[test]
fn a_silent_subgraph_is_lost() {
    let options = ["--log", "debug"];
    let mut site = Site::with_callbacks("[all.breaker]\nerrors = '100%'", &options);
    let mut events = site.subscribe(TICK, 1);
    let before = callback(&site);
    site.feed.cut();
    assert_eq!(events.error().0, "SUBSCRIPTION_INTERRUPTED");
    site.wait_for_log("it sent no heartbeat for 400ms");
    site.feed.wait_for(2);
    let after = callback(&site);
    assert_ne!((&before.id, &before.verifier), (&after.id, &after.verifier));
    assert_eq!(before.send("next", &json!({ "payload": tick(1) })), Some(404));
    site.feed.emit(&tick(2));
    assert_eq!(events.next(), Some(tick(2)));
}

#[test]
fn heartbeats_can_be_turned_off() {
    let address = free_address();
    let file = "all.subscription = { protocol = 'callback', heartbeat = false }";
    let url = format!("http://{address}/events/");
    let options = ["--listen", &address, "--callback-url", &url, "--callback-path", "/events"];
    let site = Site::start(file, &options);
    // The test subgraph sends messages at every opportunity then.
    let _events = site.open("", TICK);
    site.feed.wait_for(1);
    let log = site.feed.log();
    assert_eq!(log.begun[0]["extensions"]["subscription"]["heartbeatIntervalMs"], 0);
    assert_eq!(callback(&site).url, format!("{url}{}", callback(&site).id));
}

#[test]
fn equal_subscriptions_share_a_callback() {
    let site = Site::with_callbacks("", &["--threads", "2"]);
    let mut all: Vec<_> = (0..6).map(|_| site.open("", TICK)).collect();
    site.feed.wait_for(1);
    for number in 1..20 {
        site.feed.emit(&tick(number));
    }
    for events in &mut all {
        for number in 1..20 {
            assert_eq!(events.next(), Some(tick(number)));
        }
    }
    assert_eq!(site.feed.log().begun.len(), 1);
    drop(all);
    site.feed.wait(|log| log.ended == 1 && log.open == 0);
}

#[test]
fn subscriptions_by_callback_go_on_after_a_reload_and_end_at_a_stop() {
    // Longer than the stop takes: no heartbeats arrive meanwhile.
    let file = "subgraphs.feed.subscription.heartbeat = '2s'";
    let mut site = Site::with_callbacks(file, &["--threads", "2"]);
    let mut events = site.subscribe(TICK, 1);
    site.server.signal("HUP");
    site.wait_for_log("reloaded");
    site.feed.emit(&tick(1));
    assert_eq!(events.next(), Some(tick(1)));
    assert_eq!((site.feed.log().begun.len(), site.feed.log().ended), (1, 0));
    site.server.signal("TERM");
    events.assert_cut();
    site.feed.wait(|log| log.open == 0);
}

#[test]
fn the_endpoint_may_have_an_address_of_its_own() {
    let address = free_address();
    let url = format!("http://{address}/callback");
    let options = ["--callback-url", &url, "--callback-listen", &address];
    let file = "all.subscription = { protocol = 'callback', heartbeat = '200ms' }";
    let site = Site::start(file, &options);
    assert!(site.server.said.contains(&format!("callbacks of subgraphs at http://{address}")));
    let mut events = site.subscribe(TICK, 1);
    site.feed.emit(&tick(1));
    assert_eq!(events.next(), Some(tick(1)));
    // Neither address serves what the other one does.
    let callback = callback(&site);
    let beside = Callback {
        url: callback.url.replace(&address, &site.server.address.to_string()),
        ..callback
    };
    assert_eq!(beside.send("check", &json!({})), Some(404));
    let api = Callback { url: format!("http://{address}/graphql"), ..beside };
    assert_eq!(api.send("check", &json!({})), Some(404));
}

#[test]
fn the_endpoint_exists_only_for_subgraphs_that_use_it() {
    let site = Site::start("", &[]);
    let callback = Callback {
        url: format!("http://{}/callback/7", site.server.address),
        id: "7".into(),
        verifier: "x".into(),
    };
    assert_eq!(callback.send("check", &json!({})), Some(404));
    let check = |file: &str, options: &[&str], expected: &str| {
        let folder = Folder::new();
        let (supergraph, subgraphs) = (folder.file("s.graphql"), folder.file("s.toml"));
        fs::write(&supergraph, site.feed.supergraph()).unwrap();
        fs::write(&subgraphs, file).unwrap();
        let usual = ["gateway", supergraph.to_str().unwrap(), "--listen", "127.0.0.1:0"];
        let own = ["--subgraphs", subgraphs.to_str().unwrap()];
        let (code, _, error) = outcome(&run(&[&usual, &own[..], options].concat()));
        assert!(code != Some(0) && error.contains(expected), "{error}");
    };
    let file = "all.subscription.protocol = 'callback'";
    check(file, &[], "needs `--callback-url`");
    check("", &["--callback-url", "http://a/b"], "`--callback-url` is for subgraphs with");
    check(file, &["--callback-url", "a/b"], "a URL is wanted");
    let wrong = "subgraphs.feed.subscription = { protocol = 'sse', heartbeat = '1s' }";
    check(wrong, &[], "`heartbeat` is for the protocol `callback`");
    let wrong = "subgraphs.feed.subscription = { protocol = 'callback', url = 'ws://a' }";
    check(wrong, &["--callback-url", "http://a/b"], "are for WebSockets");
}

/// A supergraph of one subgraph, which is at this port.
fn supergraph(port: &str) -> String {
    let text = r#"
schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) {
  query: Query
  subscription: Subscription
}

enum join__Graph {
  COUNTS @join__graph(name: "counts", url: "http://127.0.0.1:PORT/")
}

type Query @join__type(graph: COUNTS) {
  now: Int
}

type Subscription @join__type(graph: COUNTS) {
  count(to: Int): Int!
  refused: Int
}
"#;
    text.replace("PORT", port)
}

#[test]
fn a_subgraph_of_apollo_server_sends_its_events() {
    let folder = Folder::new();
    let (file, subgraphs) = (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let [listen, subgraph] = [free_address(), free_address()];
    let port = subgraph.rsplit_once(':').unwrap().1;
    fs::write(&file, supergraph(port)).unwrap();
    let text = "all.subscription = { protocol = 'callback', heartbeat = '300ms' }";
    fs::write(&subgraphs, text).unwrap();
    let url = format!("http://{listen}/callback");
    let server = Server::start(&[
        "gateway",
        file.to_str().unwrap(),
        "--listen",
        &listen,
        "--subgraphs",
        subgraphs.to_str().unwrap(),
        "--callback-url",
        &url,
    ]);
    let address = server.address.to_string();
    if let Some(printed) = crate::script::run("callback_subgraph.mjs", &[&address, port]) {
        let steps = [
            "events and the end",
            "an end with errors",
            "a refusal",
            "heartbeats",
            "a client that leaves",
        ];
        assert_eq!(printed.lines().collect::<Vec<_>>(), steps);
    }
}
