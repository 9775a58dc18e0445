//! Lost connections, refusals, and clients that read too slowly.

use serde_json::json;

use super::feed::Refusal;
use super::site::{Site, TICK, tick};
use crate::gateway::watched::scrape;
use crate::program::PATIENCE;
use crate::served::happens_within;
use crate::subscriptions::site::{Client, TRANSPORT, next, subscribe};

fn interrupted() -> (String, serde_json::Value) {
    ("SUBSCRIPTION_INTERRUPTED".into(), json!(null))
}

#[test]
fn a_lost_subscription_is_begun_again_and_its_client_is_informed() {
    for protocol in ["graphql-transport-ws", "graphql-ws", "sse", "multipart", "callback"] {
        let site = Site::with(protocol);
        let mut events = site.subscribe(TICK, 1);
        site.feed.emit(&tick(1));
        assert_eq!(events.next(), Some(tick(1)));
        site.feed.cut();
        assert_eq!(events.error(), interrupted(), "{protocol}");
        site.feed.wait_for(2);
        site.feed.emit(&tick(2));
        assert_eq!(events.next(), Some(tick(2)), "{protocol}");
    }
}

#[test]
fn messages_that_are_none_and_close_codes_of_a_restart_are_losses() {
    let site = Site::start("", &[]);
    let mut events = site.subscribe(TICK, 1);
    site.feed.send_text("[]");
    assert_eq!(events.error(), interrupted());
    site.feed.wait_for(2);
    site.feed.close(1012, "Service Restart");
    assert_eq!(events.error(), interrupted());
    site.feed.wait_for(3);
    site.feed.emit(&tick(1));
    assert_eq!(events.next(), Some(tick(1)));
}

#[test]
fn a_subgraph_that_stays_away_ends_the_subscription() {
    let site = Site::start("all.subscription.reconnects = 2", &[]);
    let mut events = site.subscribe(TICK, 1);
    site.feed.refuse(Some(Refusal::Cut));
    site.feed.cut();
    assert_eq!(events.error(), interrupted());
    assert_eq!(events.error(), ("SUBGRAPH_UNAVAILABLE".into(), json!(null)));
    assert_eq!(events.next(), None);
    assert_eq!(site.feed.log().opened.len(), 3);
}

#[test]
fn a_subgraph_that_is_away_from_the_beginning_is_an_error() {
    let site = Site::start("all.retries = 0", &[]);
    site.feed.refuse(Some(Refusal::Status(503)));
    let mut events = site.open("", TICK);
    assert_eq!(events.error(), ("SUBGRAPH_UNAVAILABLE".into(), json!(null)));
    assert_eq!(events.next(), None);
    site.feed.refuse(None);
    let mut events = site.subscribe(TICK, 1);
    site.feed.emit(&tick(1));
    assert_eq!(events.next(), Some(tick(1)));
}

#[test]
fn refusals_end_the_subscription_with_an_error_whose_reason_is_in_the_log() {
    let refusals = [
        ("4403", Refusal::Close(4403, "Forbidden")),
        ("4401", Refusal::Close(4401, "Unauthorized")),
        ("401", Refusal::Status(401)),
    ];
    let mut site = Site::start("", &[]);
    for (reason, refusal) in refusals {
        site.feed.refuse(Some(refusal));
        let mut events = site.open("", TICK);
        assert_eq!(events.error(), ("SUBGRAPH_ERROR".into(), json!(null)), "{reason}");
        assert_eq!(events.next(), None);
        let line = site.wait_for_log("an error of a subgraph");
        assert!(line.contains(reason) || line.contains("SUBGRAPH_ERROR"), "{line}");
    }
    // A running subscription is ended as well.
    site.feed.refuse(None);
    let begun = site.feed.log().begun.len();
    let mut events = site.subscribe(TICK, begun + 1);
    site.feed.close(4403, "Forbidden");
    assert_eq!(events.error().0, "SUBGRAPH_ERROR");
    assert_eq!(events.next(), None);
}

#[test]
fn a_client_that_reads_too_slowly_is_ended_and_others_go_on() {
    let site = Site::start("", &["--ping-interval", "1m"]);
    let mut slow = Client::connect(&site.server, TRANSPORT, &json!({}));
    slow.send(&subscribe("1", "subscription { changed { upc } }"));
    site.feed.wait_for(1);
    let mut events = site.open("", "subscription { changed { upc } }");
    let event = |number: usize| {
        let upc = format!("{number} {}", "x".repeat(1 << 20));
        json!({ "data": { "changed": { "upc": upc } } })
    };
    for number in 0..40 {
        site.feed.emit(&event(number));
        assert_eq!(events.next(), Some(event(number)));
    }
    let mut number = 0;
    loop {
        let message = slow.receive();
        let errors = &message["payload"]["errors"];
        if errors.is_array() {
            assert_eq!(errors[0]["extensions"]["code"], "OVERLOADED", "{errors}");
            break;
        }
        assert_eq!(message, next("1", &event(number)));
        number += 1;
    }
    assert!(number < 40, "{number}");
    assert_eq!(slow.receive(), json!({ "type": "complete", "id": "1" }));
    assert_eq!(site.feed.log().begun.len(), 1);
}

#[test]
fn events_that_wait_take_the_memory_of_responses() {
    let options = ["--response-memory", "3MiB", "--metrics-listen", "127.0.0.1:0"];
    let site = Site::start("", &options);
    let mut slow = Client::connect(&site.server, TRANSPORT, &json!({}));
    slow.send(&subscribe("1", "subscription { changed { upc } }"));
    site.feed.wait_for(1);
    let dropped = "thalweg_subgraph_subscribers_dropped_total{subgraph=\"feed\"} 1";
    for number in 0..200 {
        let upc = format!("{number} {}", "x".repeat(256 << 10));
        site.feed.emit(&json!({ "data": { "changed": { "upc": upc } } }));
    }
    let is_dropped = || scrape(&site.server).contains(dropped);
    assert!(happens_within(PATIENCE, is_dropped), "{}", scrape(&site.server));
    let mut last = json!(null);
    loop {
        let message = slow.receive();
        if message["type"] == "complete" {
            break;
        }
        last = message;
    }
    let code = &last["payload"]["errors"][0]["extensions"]["code"];
    assert_eq!(code, "RESPONSE_MEMORY_EXHAUSTED", "{last}");
    let is_free = || scrape(&site.server).contains("thalweg_response_memory_bytes 0");
    assert!(happens_within(PATIENCE, is_free), "{}", scrape(&site.server));
}

#[test]
fn subscriptions_go_on_after_a_reload() {
    let mut site = Site::start("", &[]);
    let mut kept = site.subscribe(TICK, 1);
    let mut other = site.subscribe("subscription { changed { upc } }", 2);
    site.feed.emit(&tick(1));
    assert_eq!(kept.next(), Some(tick(1)));
    // A field of another subgraph is not resolved by the first one any more.
    let text = site.feed.supergraph().replace(
        "changed(upc: ID): Product @join__field(graph: FEED)",
        "changed(upc: ID): Product @join__field(graph: STOCK)",
    );
    std::fs::write(site.folder.file("supergraph.graphql"), text).unwrap();
    site.server.signal("HUP");
    site.wait_for_log("reloaded");
    assert_eq!(other.error().0, "SUBGRAPH_RESPONSE_INVALID", "an event without its field");
    assert_eq!(other.error(), interrupted());
    site.feed.wait_for(3);
    site.feed.emit(&tick(1));
    assert_eq!(kept.next(), Some(tick(1)), "an equal event is sent");
    let log = site.feed.log();
    assert_eq!((log.begun.len(), log.ended), (3, 1), "one was kept");
    // A subscription that is invalid ends with its errors.
    let text = site.feed.supergraph().replace("  tick: Int! @join__field(graph: FEED)\n", "");
    std::fs::write(site.folder.file("supergraph.graphql"), text).unwrap();
    site.server.signal("HUP");
    site.wait_for_log("reloaded");
    assert_eq!(kept.error().0, "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(kept.next(), None);
}

#[test]
fn a_stop_ends_streams_and_the_subscriptions_of_subgraphs() {
    let site = Site::start("", &[]);
    let mut events = site.subscribe(TICK, 1);
    site.server.signal("TERM");
    events.assert_cut();
    site.feed.wait(|log| log.open == 0);
}
