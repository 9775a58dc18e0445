//! Subscriptions and publications of Redis.

use serde_json::json;
use testkit::broker::Kind;
use testkit::broker::redis::Client;

use super::{Site, broker, employee, url};

#[test]
fn events_of_patterns_are_joined_and_arguments_are_no_patterns() {
    let Some(redis) = broker(Kind::Redis, &[]) else { return };
    let (site, mut client) = (Site::with_redis(&redis), Client::connect(&redis).unwrap());
    let mut events = site.subscribe("subscription { updatedRedis(prefix: \"a\") { id name } }");
    let mut starred = site.subscribe("subscription { updatedRedis(prefix: \"*\") { id name } }");
    client.wait_for_patterns(2).unwrap();
    assert_eq!(client.publish("a:1", r#"{"id":1}"#).unwrap(), 1);
    assert_eq!(events.next(), employee("updatedRedis", 1));
    assert_eq!(client.publish("*:1", r#"{"id":2}"#).unwrap(), 1);
    assert_eq!(starred.next(), employee("updatedRedis", 2));
    client.publish("a:", "no").unwrap();
    assert_eq!(events.error(), ("SUBGRAPH_RESPONSE_INVALID".into(), json!(null)));
    client.publish("a:x", r#"{"id":3}"#).unwrap();
    assert_eq!(events.next(), employee("updatedRedis", 3));
    drop((events, starred));
    client.wait_for_patterns(0).unwrap();
}

#[test]
fn a_filter_selects_events() {
    let Some(redis) = broker(Kind::Redis, &[]) else { return };
    let (site, mut client) = (Site::with_redis(&redis), Client::connect(&redis).unwrap());
    let mut some = site.subscribe("subscription { filtered(ids: [2, 4]) { id name } }");
    let mut others = site.subscribe("subscription { filtered(ids: [3]) { id name } }");
    client.wait_for_patterns(1).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    for id in 1..=4 {
        client.publish("all", &format!("{{\"id\":{id}}}")).unwrap();
    }
    assert_eq!(some.next(), employee("filtered", 2));
    assert_eq!(some.next(), employee("filtered", 4));
    assert_eq!(others.next(), employee("filtered", 3));
    // An event that is not JSON is reported to all.
    client.publish("all", "{").unwrap();
    assert_eq!(some.error().0, "SUBGRAPH_RESPONSE_INVALID");
    assert_eq!(others.error().0, "SUBGRAPH_RESPONSE_INVALID");
}

/// An event tells that something has changed: its fields are not those that a query has left in the
/// cache, and a query after it has what was kept.
#[test]
fn events_are_not_completed_from_the_cache() {
    let Some(redis) = broker(Kind::Redis, &[]) else { return };
    let cached = ["--subgraph-cache", "memory", "--subgraph-cache-ttl", "10m"];
    let site = Site::start("url = \"nats://127.0.0.1:1\"", &url(&redis), &cached);
    let mut client = Client::connect(&redis).unwrap();
    let mut events = site.subscribe("subscription { updatedRedis(prefix: \"a\") { id name } }");
    client.wait_for_patterns(1).unwrap();
    for _ in 0..3 {
        site.stubs.asked();
        client.publish("a:1", r#"{"id":1}"#).unwrap();
        assert_eq!(events.next(), employee("updatedRedis", 1));
        assert_eq!(site.stubs.asked().len(), 1);
    }
}

#[test]
fn a_mutation_publishes_its_arguments() {
    let Some(redis) = broker(Kind::Redis, &[]) else { return };
    let (site, mut client) = (Site::with_redis(&redis), Client::connect(&redis).unwrap());
    client.command(&["PSUBSCRIBE", "changed:*"]).unwrap();
    let mutation = "mutation { updateRedis(id: 1, change: { name: \"A\" }) { success } }";
    let expected = json!({ "data": { "updateRedis": { "success": true } } });
    assert_eq!(site.query(mutation), expected);
    let message = client.receive().unwrap();
    let payload = r#"{"id":1,"change":{"name":"A"}}"#;
    assert_eq!(message, ["pmessage", "changed:*", "changed:1", payload]);
}
