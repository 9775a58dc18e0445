//! Brokers that are stopped and started again.

use serde_json::{Value, json};
use testkit::broker::{Kind, nats, redis};

use super::{EVENTS, Site, broker, employee};

fn interrupted() -> (String, Value) {
    ("SUBSCRIPTION_INTERRUPTED".into(), json!(null))
}

#[test]
fn a_subscription_goes_on_after_a_restart_of_nats() {
    let Some(mut broker) = broker(Kind::Nats, &[]) else { return };
    let site = Site::with_nats(&broker);
    let mut events = site.subscribe("subscription { updated(id: 1) { id name } }");
    nats::wait_for_subscriptions(&broker, "employees.changed.1", 1).unwrap();
    broker.kill();
    assert_eq!(events.error(), interrupted());
    let mutation = "mutation { update(id: 1, change: {}) { success } }";
    let failed = json!({ "data": { "update": { "success": false } } });
    assert_eq!(site.query(mutation), failed);
    broker.restart().unwrap();
    nats::wait_for_subscriptions(&broker, "employees.changed.1", 1).unwrap();
    let mut client = nats::Client::connect(&broker).unwrap();
    client.publish("employees.changed.1", r#"{"id":1}"#).unwrap();
    assert_eq!(events.next(), employee("updated", 1));
}

#[test]
fn a_subscription_goes_on_after_a_restart_of_redis() {
    let Some(mut broker) = broker(Kind::Redis, &[]) else { return };
    let site = Site::with_redis(&broker);
    let mutation = "mutation { updateRedis(id: 1, change: {}) { success } }";
    let result = |success: bool| json!({ "data": { "updateRedis": { "success": success } } });
    assert_eq!(site.query(mutation), result(true));
    let subscription = "subscription { updatedRedis(prefix: \"changed\") { id name } }";
    let mut events = site.subscribe(subscription);
    redis::Client::connect(&broker).unwrap().wait_for_patterns(1).unwrap();
    broker.kill();
    assert_eq!(events.error(), interrupted());
    assert_eq!(site.query(mutation), result(false));
    broker.restart().unwrap();
    redis::Client::connect(&broker).unwrap().wait_for_patterns(1).unwrap();
    assert_eq!(site.query(mutation), result(true));
    assert_eq!(events.next(), employee("updatedRedis", 1));
}

#[test]
fn a_broker_that_is_away_from_the_beginning_is_an_error() {
    let Some(mut broker) = broker(Kind::Redis, &[]) else { return };
    let site = Site::with_redis(&broker);
    broker.kill();
    let subscription = "subscription { updatedRedis(prefix: \"changed\") { id name } }";
    // NATS has no server at all here.
    for subscription in [subscription, "subscription { updated(id: 1) { id name } }"] {
        let mut events = site.subscribe(subscription);
        assert_eq!(events.error(), ("SUBGRAPH_UNAVAILABLE".into(), json!(null)));
        assert_eq!(events.next(), None);
    }
    let answer = site.query("{ found(id: 8) { id name } }");
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!(code, "SUBGRAPH_UNAVAILABLE", "{answer}");
    broker.restart().unwrap();
    let mut events = site.subscribe(subscription);
    let mut client = redis::Client::connect(&broker).unwrap();
    client.wait_for_patterns(1).unwrap();
    client.publish("changed:1", r#"{"id":1}"#).unwrap();
    assert_eq!(events.next(), employee("updatedRedis", 1));
}

#[test]
fn a_subscription_keeps_its_place_after_a_reload() {
    let Some(broker) = broker(Kind::Nats, &[]) else { return };
    let mut site = Site::with_nats(&broker);
    let mut events = site.subscribe("subscription { updated(id: 1) { id name } }");
    nats::wait_for_subscriptions(&broker, "employees.changed.1", 1).unwrap();
    let mut client = nats::Client::connect(&broker).unwrap();
    site.reload();
    client.publish("employees.changed.1", r#"{"id":1}"#).unwrap();
    assert_eq!(events.next(), employee("updated", 1));
    // Another subject.
    let schema = EVENTS.replace("employees.changed.{{", "employees.renamed.{{");
    std::fs::write(site.folder.file("events.graphqls"), schema).unwrap();
    site.reload();
    assert_eq!(events.error(), interrupted());
    nats::wait_for_subscriptions(&broker, "employees.changed.1", 0).unwrap();
    client.publish("employees.renamed.1", r#"{"id":2}"#).unwrap();
    assert_eq!(events.next(), employee("updated", 2));
    // A wrong schema changes nothing.
    std::fs::write(site.folder.file("events.graphqls"), "type Query { a: Int }").unwrap();
    site.server.signal("HUP");
    client.publish("employees.moved.1", r#"{"id":3}"#).unwrap();
    assert_eq!(events.next(), employee("updated", 3));
}
