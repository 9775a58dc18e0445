//! Equal subscriptions, and WebSockets of several subscriptions.

use serde_json::json;

use super::site::{Site, TICK, changed, tick};
use crate::gateway::watched::scrape;

const RULES: &str = "[[all.headers]]\nforward = 'x-user'\n";

fn as_user(site: &Site, user: &str, query: &str) -> super::site::Events {
    site.open(&format!("X-User: {user}\r\n"), query)
}

#[test]
fn equal_subscriptions_of_equal_headers_are_one() {
    let site = Site::start(RULES, &["--threads", "2"]);
    let mut all: Vec<_> = (0..8).map(|_| as_user(&site, "ada", TICK)).collect();
    site.feed.wait_for(1);
    let mut other = as_user(&site, "bob", TICK);
    site.feed.wait_for(2);
    site.feed.emit(&tick(1));
    for events in &mut all {
        assert_eq!(events.next(), Some(tick(1)));
    }
    assert_eq!(other.next(), Some(tick(1)));
    assert_eq!(site.feed.log().opened.len(), 2, "a connection for each user");
    let mut last = all.pop().unwrap();
    drop(all);
    site.feed.emit(&tick(2));
    assert_eq!(last.next(), Some(tick(2)));
    assert_eq!((site.feed.log().begun.len(), site.feed.log().ended), (2, 0));
    drop(last);
    site.feed.wait(|log| log.ended == 1 && log.open == 1);
    site.feed.emit(&tick(3));
    assert_eq!([other.next(), other.next()], [Some(tick(2)), Some(tick(3))]);
}

#[test]
fn the_fields_of_other_subgraphs_are_requested_once_for_equal_subscriptions() {
    let site = Site::start(RULES, &["--threads", "2"]);
    let query = "subscription { changed { upc inStock } }";
    let mut all: Vec<_> = (0..6).map(|_| as_user(&site, "ada", query)).collect();
    site.feed.wait_for(1);
    // Its other fields are executed separately.
    let mut other = as_user(&site, "ada", "subscription { changed { upc inStock shipping } }");
    site.feed.wait_for(2);
    site.feed.emit(&changed("1", 5));
    let expected = json!({ "data": { "changed": { "upc": "1", "inStock": true } } });
    for events in &mut all {
        assert_eq!(events.next(), Some(expected.clone()));
    }
    let more = json!({ "data": { "changed": { "upc": "1", "inStock": true, "shipping": 10 } } });
    assert_eq!(other.next(), Some(more));
    assert_eq!(site.feed.log().queries.len(), 2);
}

#[test]
fn deduplication_can_be_turned_off() {
    let site = Site::start("all.subscription.deduplicate = false", &[]);
    let mut all: Vec<_> = (0..3).map(|number| site.subscribe(TICK, number + 1)).collect();
    site.feed.emit(&tick(1));
    for events in &mut all {
        assert_eq!(events.next(), Some(tick(1)));
    }
    assert_eq!(site.feed.log().opened.len(), 1, "over one connection");
}

#[test]
fn different_subscriptions_share_a_socket_up_to_a_limit() {
    let options = ["--metrics-listen", "127.0.0.1:0"];
    let site = Site::start("all.subscription.max-operations = 2", &options);
    let query = |upc: usize| format!("subscription {{ changed(upc: \"{upc}\") {{ upc }} }}");
    let mut all: Vec<_> = (0..5).map(|number| site.subscribe(&query(number), number + 1)).collect();
    assert_eq!(site.feed.log().opened.len(), 3);
    site.feed.emit(&json!({ "data": { "changed": { "upc": "7" } } }));
    for events in &mut all {
        assert_eq!(events.next(), Some(json!({ "data": { "changed": { "upc": "7" } } })));
    }
    let text = scrape(&site.server);
    let counts = ["subscriptions", "subscribers", "sockets"].map(|name| {
        let start = format!("thalweg_subgraph_{name}{{subgraph=\"feed\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse::<f64>().unwrap()
    });
    assert_eq!(counts, [5.0, 5.0, 3.0]);
    let events = "thalweg_subgraph_subscription_events_total{subgraph=\"feed\"} 5";
    assert!(text.contains(events), "{text}");
    drop(all);
    site.feed.wait(|log| log.ended == 5 && log.open == 0);
}

#[test]
fn a_client_that_joins_a_live_query_begins_with_its_newest_response() {
    let site = Site::start("all.subscription.live = true", &[]);
    let mut first = site.subscribe(TICK, 1);
    site.feed.emit(&tick(1));
    assert_eq!(first.next(), Some(tick(1)));
    let mut second = site.open("", TICK);
    assert_eq!(second.next(), Some(tick(1)));
    assert_eq!(site.feed.log().begun.len(), 1);
}
