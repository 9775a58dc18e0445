//! The codes with which the server closes sockets.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::site::{Client, LEGACY, NOTES, Site, TRANSPORT, next, notes, subscribe};

fn init() -> Value {
    json!({ "type": "connection_init" })
}

#[test]
fn what_is_no_message_closes_the_socket_with_4400() {
    let site = Site::start(&[]);
    let check = |send: &dyn Fn(&mut Client), reason: &str| {
        let mut client = site.open(TRANSPORT);
        send(&mut client);
        client.assert_closed(4400, reason);
    };
    check(
        &|client| client.send_text("{"),
        "The message is not valid JSON: EOF while parsing an object at line 1 column 1.",
    );
    check(&|client| client.send(&json!([])), "The message must be a JSON object.");
    check(
        &|client| client.send(&json!({ "type": "start" })),
        "The message has an unknown type: \"start\".",
    );
    check(&|client| client.send_frame(Message::binary(&b"{}"[..])), "A message must be text.");
    let mut client = site.connect(TRANSPORT);
    client.send(&json!({ "type": "subscribe", "id": "", "payload": { "query": "{a}" } }));
    client.assert_closed(4400, "The message must have an \"id\", a string of 1 to 256 bytes.");
}

#[test]
fn an_operation_before_the_acknowledgement_closes_the_socket_with_4401() {
    let site = Site::start(&[]);
    let mut client = site.open(TRANSPORT);
    client.send(&subscribe("1", NOTES));
    client.assert_closed(4401, "Unauthorized");
}

#[test]
fn an_unknown_subprotocol_closes_the_socket_with_4406() {
    let site = Site::start(&[]);
    site.open_with(&[]).unwrap().assert_closed(4406, "Subprotocol not acceptable");
}

#[test]
fn a_late_initialization_closes_the_socket_with_4408() {
    let site = Site::start(&["--socket-init-timeout", "100ms"]);
    let mut late = site.open(TRANSPORT);
    late.send(&json!({ "type": "ping" }));
    assert_eq!(late.receive(), json!({ "type": "pong" }));
    late.assert_closed(4408, "Connection initialisation timeout");
    let mut in_time = site.connect(TRANSPORT);
    in_time.assert_silent();
}

#[test]
fn an_id_in_use_closes_the_socket_with_4409() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    client.send(&subscribe("a", NOTES));
    assert_eq!(client.receive(), next("a", &notes(&[])));
    client.send(&subscribe("a", "{ __typename }"));
    client.assert_closed(4409, "Subscriber for a already exists");
}

#[test]
fn a_second_initialization_closes_the_socket_with_4429() {
    let site = Site::start(&[]);
    let mut client = site.connect(TRANSPORT);
    client.send(&init());
    client.assert_closed(4429, "Too many initialisation requests");
}

#[test]
fn violations_of_the_websocket_protocol_have_its_codes() {
    let site = Site::start(&["--max-body-size", "1KiB"]);
    let mut client = site.open(TRANSPORT);
    client.send_text(&"x".repeat(1025));
    client.assert_closed(1009, "Message too large (--max-body-size)");
    let mut client = site.connect(LEGACY);
    assert_eq!(client.receive(), json!({ "type": "ka" }));
    client.send(&json!({ "type": "connection_terminate" }));
    client.assert_closed(1000, "Normal Closure");
}
