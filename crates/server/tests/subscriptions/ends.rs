//! Subscriptions while the server reloads or stops.

use std::fs;
use std::io::BufRead;
use std::time::{Duration, Instant};

use serde_json::json;

use super::site::{NOTES, Site, TRANSPORT, TYPES, next, notes, subscribe};
use super::stream::Stream;
use crate::program::post;

/// Reads the log until a line has the text.
fn wait_for(site: &mut Site, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(site.server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
    }
}

fn reload(site: &mut Site) {
    site.server.signal("HUP");
    wait_for(site, "reloaded; ");
}

fn open(site: &Site, accept: &str) -> Stream {
    let body = json!({ "query": NOTES }).to_string();
    let accept = format!("Accept: {accept}\r\n");
    Stream::open(&site.server, &post("application/json", &accept, &body))
}

fn stream(site: &Site) -> Stream {
    let mut stream = open(site, "text/event-stream");
    assert_eq!(stream.chunk(), ":\n\n");
    stream
}

#[test]
fn a_stop_closes_sockets_with_1001_and_ends_streams_without_their_last_event() {
    let mut site = Site::start(&["--threads", "2"]);
    let mut clients: Vec<_> = (0..4).map(|_| site.connect(TRANSPORT)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        // Each is executed by itself, and one of them follows the changes for all.
        let named = NOTES.replace("subscription", &format!("subscription N{number}"));
        client.send(&subscribe("1", &named));
        assert_eq!(client.receive(), next("1", &notes(&[])));
    }
    let mut stream = stream(&site);
    stream.chunk();
    let mut parts = open(&site, "multipart/mixed;subscriptionSpec=1.0");
    assert_eq!(parts.chunk(), "--graphql");
    parts.chunk();
    let started = Instant::now();
    site.server.signal("TERM");
    for client in clients {
        client.assert_closed(1001, "Going Away");
    }
    // After `complete`, or the last boundary, clients would not subscribe again.
    assert_eq!(stream.chunk(), "");
    assert_eq!(parts.chunk(), "");
    assert!(site.server.child.wait().unwrap().success());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let log = site.server.rest_of_log();
    assert!(!log.contains("closed before") && !log.contains("ERROR"), "{log}");
}

#[test]
fn subscriptions_go_on_after_a_reload() {
    let mut site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("1", NOTES));
    assert_eq!(client.receive(), next("1", &notes(&[])));
    let mut stream = stream(&site);
    let empty = stream.chunk();
    reload(&mut site);
    // The first response is the last one, and is not sent again.
    client.assert_silent();
    site.add("a");
    assert_eq!(client.receive(), next("1", &notes(&["a"])));
    let event = stream.chunk();
    assert!(event != empty && event.starts_with("event: next\n"), "{event}");
}

#[test]
fn a_subscription_that_is_invalid_after_a_reload_ends_with_its_errors() {
    let mut site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("1", NOTES));
    assert_eq!(client.receive(), next("1", &notes(&[])));
    let types = TYPES.replace(" @withSubscription", "");
    fs::write(site.folder.file("schema.graphql"), types).unwrap();
    reload(&mut site);
    let message = client.receive();
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{message}");
    client.assert_silent();
    client.send(&subscribe("1", "{ __typename }"));
    assert_eq!(client.receive(), next("1", &json!({ "data": { "__typename": "Query" } })));
}
