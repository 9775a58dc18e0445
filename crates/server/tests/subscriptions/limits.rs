//! Limits of sockets, and their metrics.

use serde_json::json;
use tokio_tungstenite::tungstenite::Error;

use super::site::{NOTES, Site, TRANSPORT, complete, next, notes, subscribe};
use crate::gateway::watched::scrape;
use crate::program::PATIENCE;
use crate::served::happens_within;

#[test]
fn operations_beyond_the_limit_are_refused() {
    let site = Site::start(&["--max-socket-operations", "2"]);
    let mut client = site.connect(TRANSPORT);
    for id in ["1", "2"] {
        client.send(&subscribe(id, NOTES));
        assert_eq!(client.receive(), next(id, &notes(&[])));
    }
    client.send(&subscribe("3", NOTES));
    let message = client.receive();
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("3")), "{message}");
    let error = &message["payload"][0];
    assert_eq!(error["extensions"]["code"], "TOO_MANY_OPERATIONS", "{message}");
    client.send(&complete("1"));
    client.send(&subscribe("3", NOTES));
    assert_eq!(client.receive(), next("3", &notes(&[])));
}

#[test]
fn a_client_that_answers_no_pings_is_disconnected() {
    let site = Site::start(&["--ping-interval", "200ms"]);
    let client = site.connect(TRANSPORT);
    let mut reader = site.connect(TRANSPORT);
    // Pings are answered by reading.
    for _ in 0..3 {
        reader.assert_silent();
    }
    reader.send(&json!({ "type": "ping" }));
    assert_eq!(reader.receive(), json!({ "type": "pong" }));
    match client.wait_for_end() {
        Error::Io(_) | Error::Protocol(_) => {}
        other => panic!("{other}"),
    }
}

#[test]
fn a_slow_reader_gets_the_newest_response() {
    const CHANGES: usize = 60;
    let site = Site::start(&["--max-body-size", "2MiB", "--ping-interval", "1m"]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("1", NOTES));
    assert_eq!(client.receive(), next("1", &notes(&[])));
    // More than the system's buffers take, again and again.
    let long = "x".repeat(1 << 20);
    site.add(&long);
    for change in 0..CHANGES {
        site.add(&format!("{change:03}"));
    }
    let mut received = 0;
    loop {
        let message = client.receive();
        received += 1;
        let all = message["payload"]["data"]["queryNote"].as_array().unwrap();
        if all.len() == CHANGES + 1 {
            break;
        }
    }
    assert!(received < CHANGES / 2, "{received}");
    client.assert_silent();
}

#[test]
fn sockets_and_subscriptions_are_counted() {
    let site = Site::start(&["--metrics-listen", "127.0.0.1:0"]);
    let value = |name: &str| {
        let text = scrape(&site.server);
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse::<f64>().unwrap()
    };
    let values = || {
        ["thalweg_sockets", "thalweg_subscriptions", "thalweg_subscription_events_total"].map(value)
    };
    assert_eq!(values(), [0.0, 0.0, 0.0]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("1", NOTES));
    assert_eq!(client.receive(), next("1", &notes(&[])));
    assert_eq!(values(), [1.0, 1.0, 1.0]);
    site.add("a");
    client.receive();
    assert_eq!(values(), [1.0, 1.0, 2.0]);
    client.send(&complete("1"));
    client.close();
    assert!(happens_within(PATIENCE, || values() == [0.0, 0.0, 2.0]), "{:?}", values());
}

#[test]
fn live_queries_are_counted_and_named() {
    let site = Site::start(&["--metrics-listen", "127.0.0.1:0"]);
    let has = |lines: &[&str]| {
        let text = scrape(&site.server);
        lines.iter().all(|line| text.lines().any(|known| known == *line))
    };
    let none = [
        "thalweg_live_feed{kind=\"stream\"} 0",
        "thalweg_live_feed{kind=\"relayed\"} 0",
        "thalweg_live_feed{kind=\"triggers\"} 0",
        "thalweg_live_feed{kind=\"state\"} 0",
        "thalweg_live_feed{kind=\"interval\"} 0",
        "thalweg_live_cohorts 0.0",
        "thalweg_live_subscribers 0.0",
        "thalweg_live_executions_total 0",
        "thalweg_event_listeners 0.0",
        "thalweg_event_listeners_dropped_total 0",
    ];
    assert!(has(&none), "{}", scrape(&site.server));
    let named = NOTES.replace("subscription", "subscription Notes");
    let mut clients = [site.connect(TRANSPORT), site.connect(TRANSPORT)];
    for client in &mut clients {
        client.send(&subscribe("1", &named));
        assert_eq!(client.receive(), next("1", &notes(&[])));
    }
    let some = [
        "thalweg_live_feed{kind=\"stream\"} 1",
        "thalweg_live_cohorts 1.0",
        "thalweg_live_subscribers 2.0",
        "thalweg_request_duration_seconds_count{operation=\"Notes\"} 2",
    ];
    assert!(happens_within(PATIENCE, || has(&some)), "{}", scrape(&site.server));
    drop(clients);
    assert!(happens_within(PATIENCE, || has(&none[..7])), "{}", scrape(&site.server));
}
