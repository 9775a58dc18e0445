//! Operations over the legacy subprotocol `graphql-ws`.

use serde_json::{Value, json};

use super::site::{LEGACY, NOTES, Site, add, notes};

fn start(id: &str, query: &str) -> Value {
    json!({ "type": "start", "id": id, "payload": { "query": query } })
}

fn data(id: &str, payload: &Value) -> Value {
    json!({ "type": "data", "id": id, "payload": payload })
}

#[test]
fn operations_start_and_stop() {
    let site = Site::start(&[]);
    let mut client = site.connect(LEGACY);
    assert_eq!(client.receive(), json!({ "type": "ka" }));
    client.send(&start("1", NOTES));
    assert_eq!(client.receive(), data("1", &notes(&[])));
    client.send(&start("2", &add("a")));
    let received = client.receive_sorted(3);
    let complete = |id: &str| json!({ "type": "complete", "id": id });
    let added = data("2", &json!({ "data": { "addNote": { "numUids": 1 } } }));
    assert_eq!(received, [data("1", &notes(&["a"])), complete("2"), added]);
    client.send(&json!({ "type": "stop", "id": "1" }));
    assert_eq!(client.receive(), complete("1"));
    site.add("b");
    client.assert_silent();
    // An operation takes the place of another one with its id.
    client.send(&start("1", NOTES));
    assert_eq!(client.receive(), data("1", &notes(&["a", "b"])));
    client.send(&start("1", "subscription { aggregateNote { count } }"));
    assert_eq!(
        client.receive(),
        data("1", &json!({ "data": { "aggregateNote": { "count": 2 } } }))
    );
    // A number is repeated as a number, and differs from its digits.
    client.send(&json!({ "type": "start", "id": 1, "payload": { "query": "{ __typename }" } }));
    let payload = json!({ "data": { "__typename": "Query" } });
    assert_eq!(client.receive(), json!({ "type": "data", "id": 1, "payload": payload }));
    assert_eq!(client.receive(), json!({ "type": "complete", "id": 1 }));
    client.send(&json!({ "type": "stop", "id": 1 }));
    client.send(&json!({ "type": "stop", "id": "1" }));
    assert_eq!(client.receive(), complete("1"));
    client.close();
}

#[test]
fn errors_are_objects_and_faults_of_messages_are_told() {
    let site = Site::start(&[]);
    let mut client = site.connect(LEGACY);
    assert_eq!(client.receive(), json!({ "type": "ka" }));
    client.send(&start("1", "{ nothing }"));
    let message = client.receive();
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{message}");
    assert_eq!(message["payload"]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED", "{message}");
    client.send(&json!({ "type": "subscribe" }));
    let message = client.receive();
    assert_eq!(message["type"], "connection_error", "{message}");
    assert_eq!(message["payload"]["message"], "The message has an unknown type: \"subscribe\".");
    client.send(&start("1", "{ __typename }"));
    assert_eq!(client.receive(), data("1", &json!({ "data": { "__typename": "Query" } })));
    assert_eq!(client.receive(), json!({ "type": "complete", "id": "1" }));
}

#[test]
fn signs_of_life_are_sent() {
    let site = Site::start(&["--ping-interval", "100ms"]);
    let mut client = site.connect(LEGACY);
    for _ in 0..3 {
        assert_eq!(client.receive(), json!({ "type": "ka" }));
    }
}
