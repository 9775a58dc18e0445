//! Operations over the oldest subprotocol, `graphql-subscriptions`.

use serde_json::{Value, json};

use super::site::{Client, NOTES, Site, add, notes};

const OLDEST: &str = "graphql-subscriptions";

fn connect(site: &Site) -> Client {
    let mut client = site.open(OLDEST);
    client.send(&json!({ "type": "init", "payload": {} }));
    assert_eq!(client.receive(), json!({ "type": "init_success" }));
    client
}

fn start(id: &Value, query: &str) -> Value {
    json!({ "type": "subscription_start", "id": id, "query": query, "variables": null })
}

fn success(id: &Value) -> Value {
    json!({ "type": "subscription_success", "id": id })
}

fn data(id: &Value, payload: &Value) -> Value {
    json!({ "type": "subscription_data", "id": id, "payload": payload })
}

#[test]
fn subscriptions_start_and_end_by_ids_of_strings_and_numbers() {
    let site = Site::start(&[]);
    let mut client = connect(&site);
    let (text, number) = (json!("1"), json!(1));
    client.send(&start(&text, NOTES));
    assert_eq!(client.receive(), success(&text));
    assert_eq!(client.receive(), data(&text, &notes(&[])));
    let query = "query a { __typename } subscription b($n: String) { queryNote(filter: { text: { eq: $n } }) { text } }";
    client.send(&json!({
        "type": "subscription_start",
        "id": number,
        "query": query,
        "variables": { "n": "a" },
        "operationName": "b",
    }));
    assert_eq!(client.receive(), success(&number));
    assert_eq!(client.receive(), data(&number, &notes(&[])));
    site.add("a");
    let received = client.receive_sorted(2);
    assert_eq!(received, [data(&text, &notes(&["a"])), data(&number, &notes(&["a"]))]);
    // The end is not answered, and a message without an id ends nothing.
    client.send(&json!({ "type": "subscription_end" }));
    client.send(&json!({ "type": "subscription_end", "id": "1" }));
    client.send(&json!({ "type": "subscription_end", "id": 7 }));
    site.add("b");
    client.assert_silent();
    // An operation takes the place of another one with its id.
    client.send(&start(&number, NOTES));
    assert_eq!(client.receive(), success(&number));
    assert_eq!(client.receive(), data(&number, &notes(&["a", "b"])));
    site.add("c");
    assert_eq!(client.receive(), data(&number, &notes(&["a", "b", "c"])));
    client.close();
}

#[test]
fn errors_and_queries_fail() {
    let site = Site::start(&[]);
    let mut client = connect(&site);
    let id = json!("7");
    client.send(&start(&id, "subscription { nothing }"));
    let message = client.receive();
    assert_eq!((&message["type"], &message["id"]), (&json!("subscription_fail"), &id), "{message}");
    let code = &message["payload"]["errors"][0]["extensions"]["code"];
    assert_eq!(code, "GRAPHQL_VALIDATION_FAILED", "{message}");
    for query in ["{ queryNote { text } }", &add("a")] {
        client.send(&start(&id, query));
        let message = client.receive();
        assert_eq!(message["type"], "subscription_fail", "{message}");
        assert_eq!(
            message["payload"]["errors"][0]["message"],
            "The subprotocol \"graphql-subscriptions\" is for subscriptions alone: send queries and \
             mutations by POST, or over another subprotocol."
        );
    }
    for text in ["", "{}", r#"{"type":"start","id":"1"}"#] {
        client.send_text(text);
        let message = client.receive();
        assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("")), "{message}");
    }
    // Nothing was added, and the socket goes on.
    client.send(&start(&id, NOTES));
    assert_eq!(client.receive(), success(&id));
    assert_eq!(client.receive(), data(&id, &notes(&[])));
}

#[test]
fn signs_of_life_are_sent() {
    let site = Site::start(&["--ping-interval", "100ms"]);
    let mut client = connect(&site);
    for _ in 0..3 {
        assert_eq!(client.receive(), json!({ "type": "keepalive" }));
    }
}
