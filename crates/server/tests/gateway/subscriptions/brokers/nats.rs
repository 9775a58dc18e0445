//! Subscriptions, publications and requests of NATS.

use serde_json::json;
use testkit::broker::Kind;
use testkit::broker::nats::{Client, wait_for_subscriptions};

use super::{Site, broker, employee};
use crate::program::post;

const UPDATED: &str = "subscription { updated(id: 1) { id name } }";

#[test]
fn fields_of_other_subgraphs_are_joined_to_events() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let (site, mut client) = (Site::with_nats(&nats), Client::connect(&nats).unwrap());
    let mut events = site.subscribe(UPDATED);
    wait_for_subscriptions(&nats, "employees.moved.1", 1).unwrap();
    for (subject, event) in [
        ("employees.changed.1", r#"{"__typename":"Employee","id":1}"#),
        ("employees.moved.1", r#"{"id":7,"more":[{}]}"#),
    ] {
        // Another subject than that of the argument.
        client.publish("employees.changed.2", r#"{"id":2}"#).unwrap();
        client.publish(subject, event).unwrap();
        let id = if subject.contains("moved") { 7 } else { 1 };
        assert_eq!(events.next(), employee("updated", id));
    }
    assert_eq!(site.stubs.asked().len(), 2);
}

#[test]
fn a_subscription_goes_on_after_an_event_that_is_wrong() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let (site, mut client) = (Site::with_nats(&nats), Client::connect(&nats).unwrap());
    let mut events = site.subscribe(UPDATED);
    wait_for_subscriptions(&nats, "employees.changed.1", 1).unwrap();
    for (event, code) in [
        ("{\"id\":", "SUBGRAPH_RESPONSE_INVALID"),
        ("", "SUBGRAPH_RESPONSE_INVALID"),
        (r#"{"__typename":"Employee"}"#, "SUBGRAPH_RESPONSE_INVALID"),
        (r#"{"__typename":"Change","id":1}"#, "SUBGRAPH_RESPONSE_INVALID"),
        (r#"{"id":"one"}"#, "INVALID_VALUE"),
        (r#"{"id":null}"#, "INVALID_VALUE"),
        ("7", "INVALID_VALUE"),
    ] {
        client.publish("employees.changed.1", event).unwrap();
        assert_eq!(events.error(), (code.to_owned(), json!(null)), "{event}");
    }
    client.publish("employees.changed.1", r#"{"id":3}"#).unwrap();
    assert_eq!(events.next(), employee("updated", 3));
}

#[test]
fn an_argument_cannot_choose_other_subjects() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let site = Site::with_nats(&nats);
    for id in ["*", ">", "1.2", "", "1 2"] {
        let subscription = format!("subscription {{ updated(id: \"{id}\") {{ id }} }}");
        let body = json!({ "query": subscription }).to_string();
        let request = post("application/json", "Accept: text/event-stream\r\n", &body);
        let answer = site.server.send(request.as_bytes()).body;
        assert!(answer.contains("BAD_USER_INPUT"), "{id}: {answer}");
        let answer = site.query(&format!("{{ found(id: \"{id}\") {{ id }} }}"));
        assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_USER_INPUT", "{answer}");
    }
}

#[test]
fn a_mutation_publishes_its_arguments() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let (site, mut client) = (Site::with_nats(&nats), Client::connect(&nats).unwrap());
    client.subscribe("employees.changed.*").unwrap();
    let mut events = site.subscribe(UPDATED);
    wait_for_subscriptions(&nats, "employees.changed.1", 1).unwrap();
    let mutation = "mutation { a: update(id: 1, change: { name: \"A\" }) { ok: success } \
                    update(id: 2, change: {}) { __typename success } }";
    let expected = json!({ "data": {
        "a": { "ok": true }, "update": { "__typename": "edfs__PublishResult", "success": true }
    } });
    assert_eq!(site.query(mutation), expected);
    let message = client.receive().unwrap();
    assert_eq!(message.subject, "employees.changed.1");
    assert_eq!(message.payload, r#"{"id":1,"change":{"name":"A"}}"#);
    assert_eq!(client.receive().unwrap().payload, r#"{"id":2,"change":{}}"#);
    assert_eq!(events.next(), employee("updated", 1));
}

#[test]
fn a_query_is_a_request() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let site = Site::with_nats(&nats);
    let service = Client::connect(&nats).unwrap();
    service.respond("employees.get.7", r#"{"__typename":"Employee","id":7}"#).unwrap();
    let answer = site.query("{ found(id: 7) { id name } }");
    assert_eq!(Some(answer), employee("found", 7));
    let answer = site.query("{ found(id: 8) { id name } }");
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!(code, "SUBGRAPH_UNAVAILABLE", "{answer}");
    let answer = site.query("{ a: found(id: 7) { id } b: found(id: 7) { name } }");
    assert_eq!(answer, json!({ "data": { "a": { "id": 7 }, "b": { "name": "E7" } } }));
}

#[test]
fn equal_subscriptions_share_one_of_the_broker() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let (site, mut client) = (Site::with_nats(&nats), Client::connect(&nats).unwrap());
    let mut events: Vec<_> = (0..3).map(|_| site.subscribe(UPDATED)).collect();
    // Another selection of the same events.
    let mut other = site.subscribe("subscription { e: updated(id: 1) { id } }");
    wait_for_subscriptions(&nats, "employees.changed.1", 1).unwrap();
    // All clients have joined when each has an event.
    std::thread::sleep(std::time::Duration::from_millis(300));
    client.publish("employees.changed.1", r#"{"id":1}"#).unwrap();
    for events in &mut events {
        assert_eq!(events.next(), employee("updated", 1));
    }
    assert_eq!(other.next(), Some(json!({ "data": { "e": { "id": 1 } } })));
    wait_for_subscriptions(&nats, "employees.changed.1", 1).unwrap();
    assert_eq!(site.stubs.asked().len(), 1, "equal subscriptions share an execution");
    drop((events, other));
    wait_for_subscriptions(&nats, "employees.changed.1", 0).unwrap();
}

#[test]
fn a_durable_consumer_stores_events_between_subscriptions() {
    let Some(nats) = broker(Kind::Nats, &[]) else { return };
    let (site, mut client) = (Site::with_nats(&nats), Client::connect(&nats).unwrap());
    // Without the stream.
    let stored = "subscription { stored(id: 1) { id name } }";
    let mut events = site.subscribe(stored);
    assert_eq!(events.error().0, "SUBGRAPH_UNAVAILABLE");
    let stream = r#"{"name":"STORED","subjects":["stored.*"],"storage":"file"}"#;
    let created = client.request("$JS.API.STREAM.CREATE.STORED", stream).unwrap();
    assert!(!created.contains("\"error\""), "{created}");
    // Not received: it is older than the first subscription.
    client.publish("stored.1", r#"{"id":1}"#).unwrap();
    let consumers = |client: &mut Client, count: &str| {
        let count = format!("\"total\":{count},");
        for _ in 0..600 {
            let names = client.request("$JS.API.CONSUMER.NAMES.STORED", "").unwrap();
            if names.contains(&count) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("there are other consumers");
    };
    let mut events = site.subscribe(stored);
    consumers(&mut client, "1");
    client.publish("stored.1", r#"{"id":2}"#).unwrap();
    assert_eq!(events.next(), employee("stored", 2));
    drop(events);
    // The gateway notices that its client has gone.
    std::thread::sleep(std::time::Duration::from_millis(500));
    client.publish("stored.1", r#"{"id":3}"#).unwrap();
    client.publish("stored.2", r#"{"id":4}"#).unwrap();
    let mut events = site.subscribe(stored);
    assert_eq!(events.next(), employee("stored", 3));
    client.publish("stored.1", r#"{"id":5}"#).unwrap();
    assert_eq!(events.next(), employee("stored", 5));
}
