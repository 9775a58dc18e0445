//! Errors of the configuration, and credentials.

use testkit::broker::Kind;
use testkit::broker::nats::wait_for_subscriptions;
use testkit::broker::redis;

use super::{EVENTS, Site, broker, employee, files, url};
use crate::program::{Folder, outcome, run};

const NATS: &str = "url = \"nats://127.0.0.1:1\"";
const REDIS: &str = "url = \"redis://127.0.0.1:1\"";

/// The error of `thalweg check`.
fn refusal(events: &str, nats: &str, redis: &str) -> String {
    let folder = Folder::new();
    let words = files(&folder, "127.0.0.1:1", events, nats, redis);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, output, error) = outcome(&run(&[&["check"], &words[..]].concat()));
    assert_ne!(code, Some(0), "{output}");
    [output, error].concat()
}

#[test]
fn wrong_schemas_and_providers_are_refused_with_their_places() {
    let wrong = EVENTS.replace("args.prefix", "args.none");
    let error = refusal(&wrong, NATS, REDIS);
    assert!(error.contains("events.graphqls:33: the field has no argument `none`"), "{error}");
    let other = EVENTS
        .replace("subject: \"employees.get", "providerId: \"other\", subject: \"employees.get");
    let error = refusal(&other, NATS, REDIS);
    let expected = "the subgraph `events` needs `nats` in `[providers.other]`";
    assert!(error.contains(expected), "{error}");
    let error = refusal(EVENTS, "url = \"nats://u:hunter2@\"", REDIS);
    assert!(error.contains("subgraphs.toml:5:"), "{error}");
    assert!(error.contains("has no host") && !error.contains("hunter2"), "{error}");
    let error = refusal(EVENTS, NATS, NATS);
    assert!(error.contains("`url`: it is no address of `redis`"), "{error}");
    let error = refusal(EVENTS, NATS, "url = \"rediss://a\", tls = { ca = \"no.pem\" }");
    assert!(error.contains("`tls`: ") && error.contains("no.pem"), "{error}");
}

#[test]
fn a_broker_wants_the_right_token() {
    let Some(nats) = broker(Kind::Nats, &["--auth", "hunter2"]) else { return };
    let wrong = format!("{}, token = \"hunter3\"", url(&nats));
    let mut site = Site::start(&wrong, REDIS, &[]);
    let subscription = "subscription { updated(id: 1) { id name } }";
    let mut events = site.subscribe(subscription);
    assert_eq!(events.error().0, "SUBGRAPH_UNAVAILABLE");
    site.server.signal("TERM");
    let log = site.server.rest_of_log();
    assert!(log.contains("a subscription to events has failed"), "{log}");
    assert!(!log.contains("hunter3"), "{log}");
    let right = format!("{}, token = \"hunter2\"", url(&nats));
    let site = Site::start(&right, REDIS, &[]);
    let _events = site.subscribe(subscription);
    wait_for_subscriptions(&nats, "employees.changed.1", 1).unwrap();
}

#[test]
fn a_broker_wants_the_right_password() {
    let Some(broker) = broker(Kind::Redis, &["--requirepass", "hunter2"]) else { return };
    let subscription = "subscription { updatedRedis(prefix: \"a\") { id name } }";
    let site = Site::start(NATS, &url(&broker), &[]);
    assert_eq!(site.subscribe(subscription).error().0, "SUBGRAPH_UNAVAILABLE");
    let right = format!("{}, password = \"hunter2\"", url(&broker));
    let site = Site::start(NATS, &right, &[]);
    let mut events = site.subscribe(subscription);
    let mut client = redis::Client::connect(&broker).unwrap();
    client.command(&["AUTH", "hunter2"]).unwrap();
    client.wait_for_patterns(1).unwrap();
    client.publish("a:1", r#"{"id":1}"#).unwrap();
    assert_eq!(events.next(), employee("updatedRedis", 1));
}
