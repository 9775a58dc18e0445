//! Operations over `graphql-transport-ws`.

use serde_json::json;

use super::site::{NOTES, Site, TRANSPORT, add, complete, next, notes, subscribe};

#[test]
fn a_mutation_over_the_socket_is_followed_by_responses_of_its_subscriptions() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("list", NOTES));
    assert_eq!(client.receive(), next("list", &notes(&[])));
    client.send(&subscribe("count", "subscription { aggregateNote { count } }"));
    let count =
        |count: u32| next("count", &json!({ "data": { "aggregateNote": { "count": count } } }));
    assert_eq!(client.receive(), count(0));
    client.send(&subscribe("add", &add("a")));
    let added = next("add", &json!({ "data": { "addNote": { "numUids": 1 } } }));
    let received = client.receive_sorted(4);
    assert_eq!(received, [complete("add"), added, count(1), next("list", &notes(&["a"]))]);
    // One of both ends; the other goes on.
    client.send(&complete("list"));
    site.add("b");
    assert_eq!(client.receive(), count(2));
    client.assert_silent();
    // Its id is free again.
    client.send(&subscribe("list", NOTES));
    assert_eq!(client.receive(), next("list", &notes(&["a", "b"])));
    client.close();
}

#[test]
fn queries_have_one_result() {
    let site = Site::start(&[]);
    site.add("a");
    let mut client = site.connect(TRANSPORT);
    let query = json!({
        "query": "query A { queryNote { __typename } } query B($t: String) \
                  { queryNote(filter: { text: { eq: $t } }) { text } }",
        "operationName": "B",
        "variables": { "t": "a" },
    });
    client.send(&json!({ "type": "subscribe", "id": "1", "payload": query }));
    assert_eq!(client.receive(), next("1", &notes(&["a"])));
    assert_eq!(client.receive(), complete("1"));
    client.close();
}

#[test]
fn an_operation_that_cannot_be_executed_has_errors_and_nothing_behind_them() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    for document in ["{ nothing }", "subscription { nothing }", "{", "subscription { queryNote }"] {
        client.send(&subscribe("1", document));
        let message = client.receive();
        assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{message}");
        assert!(message["payload"][0]["message"].is_string(), "{message}");
        assert!(message["payload"][0]["extensions"]["code"].is_string(), "{message}");
    }
    client.assert_silent();
    // Unknown ids may be completed: the operation may have ended meanwhile.
    client.send(&complete("1"));
    client.send(&complete("unknown"));
    client.send(&subscribe("1", "{ __typename }"));
    assert_eq!(client.receive(), next("1", &json!({ "data": { "__typename": "Query" } })));
    assert_eq!(client.receive(), complete("1"));
}

#[test]
fn pings_are_answered_with_their_payload() {
    let site = Site::start(&[]);
    let mut client = site.open(TRANSPORT);
    client.send(&json!({ "type": "ping" }));
    assert_eq!(client.receive(), json!({ "type": "pong" }));
    client.send(&json!({ "type": "connection_init" }));
    assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
    client.send(&json!({ "type": "pong" }));
    client.send(&json!({ "type": "ping", "payload": { "a": [1] } }));
    assert_eq!(client.receive(), json!({ "type": "pong", "payload": { "a": [1] } }));
}

#[test]
fn a_subscription_sends_changed_responses_only() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    let one = r#"subscription { queryNote(filter: { text: { eq: "b" } }) { text } }"#;
    client.send(&subscribe("1", one));
    assert_eq!(client.receive(), next("1", &notes(&[])));
    site.add("a");
    client.assert_silent();
    site.add("b");
    assert_eq!(client.receive(), next("1", &notes(&["b"])));
}

#[test]
fn persisted_documents_may_be_named() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    // The hash of `{__typename}`.
    let hash = "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38";
    let named = json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } });
    let without = json!({ "extensions": named });
    client.send(&json!({ "type": "subscribe", "id": "1", "payload": without }));
    let message = client.receive();
    assert_eq!(message["payload"][0]["message"], "PersistedQueryNotFound", "{message}");
    let with = json!({ "query": "{__typename}", "extensions": named });
    for payload in [with, without] {
        client.send(&json!({ "type": "subscribe", "id": "1", "payload": payload }));
        assert_eq!(client.receive(), next("1", &json!({ "data": { "__typename": "Query" } })));
        assert_eq!(client.receive(), complete("1"));
    }
}
