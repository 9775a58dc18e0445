//! Sessions of WebSockets, and of streams of events.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::stub::{Stub, response};
use super::{ADMIN_SECRET, Site, ids, settings, token, user};
use crate::subscriptions::site::{Client, LEGACY, TRANSPORT};

const LIVE: &str = "subscription { note(order_by: {id: asc}) { id } }";

/// A message that begins a subscription.
fn begin(protocol: &str) -> Value {
    let kind = if protocol == LEGACY { "start" } else { "subscribe" };
    json!({ "type": kind, "id": "1", "payload": { "query": LIVE } })
}

/// The next message that is no sign of life.
fn receive(client: &mut Client) -> Value {
    loop {
        let message = client.receive();
        if message["type"] != "ka" {
            return message;
        }
    }
}

/// Checks the notes that a socket with these headers in its payload sees.
fn check(site: &Site, protocol: &str, headers: &Value, expected: &[u32]) -> Client {
    let payload = json!({ "headers": headers });
    let mut client = Client::connect(&site.server, protocol, &payload);
    client.send(&begin(protocol));
    let message = receive(&mut client);
    assert_eq!(ids(&message["payload"]), Some(expected.to_vec()), "{message}");
    client
}

#[test]
fn the_payload_of_both_protocols_has_the_headers() {
    let jwt = settings();
    let site = Site::start(&[&ADMIN_SECRET[..], &["--jwt-config", &jwt]].concat());
    let bearer = format!("Bearer {}", token(&user("ann"), &json!({})));
    for protocol in [TRANSPORT, LEGACY] {
        check(&site, protocol, &json!({ "x-hasura-admin-secret": "open sesame" }), &[1, 2, 3]);
        let role = json!({ "X-Hasura-Admin-Secret": "open sesame", "X-Hasura-Role": "anonymous" });
        check(&site, protocol, &role, &[3]);
        check(&site, protocol, &json!({ "Authorization": bearer }), &[1]);
        let role = json!({ "authorization": bearer, "X-Hasura-Role": "anonymous" });
        check(&site, protocol, &role, &[3]);
    }
    // The handshake may have them, too.
    let headers = [("sec-websocket-protocol", TRANSPORT), ("authorization", &bearer)];
    let mut client = Client::open(&site.server, &headers).unwrap();
    client.send(&json!({ "type": "connection_init" }));
    assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
}

#[test]
fn wrong_credentials_close_the_socket() {
    let jwt = settings();
    let site = Site::start(&[&ADMIN_SECRET[..], &["--jwt-config", &jwt]].concat());
    for headers in [json!({}), json!({ "x-hasura-admin-secret": "x" }), json!({ "x-hasura-a": 7 })]
    {
        let init = json!({ "type": "connection_init", "payload": { "headers": headers } });
        let mut client = Client::open(&site.server, &[("sec-websocket-protocol", TRANSPORT)]);
        let client_of = |client: &mut Result<Client, _>| {
            let Ok(client) = client else { panic!("the handshake is refused") };
            client.send(&init);
        };
        client_of(&mut client);
        client.unwrap().assert_closed(4403, "Forbidden");
    }
    let mut client = Client::open(&site.server, &[("sec-websocket-protocol", LEGACY)]).unwrap();
    let headers = json!({ "x-hasura-admin-secret": "x" });
    client.send(&json!({ "type": "connection_init", "payload": { "headers": headers } }));
    let message = client.receive();
    assert_eq!(message["type"], "connection_error", "{message}");
    assert_eq!(message["payload"]["extensions"]["code"], "access-denied", "{message}");
    client.assert_closed(4403, "Forbidden");
}

#[test]
fn a_subscription_ends_with_its_token() {
    let jwt = settings();
    let site = Site::start(&[&ADMIN_SECRET[..], &["--jwt-config", &jwt]].concat());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let until = (now + Duration::from_millis(1500)).as_secs_f64();
    let bearer = format!("Bearer {}", token(&user("ann"), &json!({ "exp": until })));
    let mut client = check(&site, TRANSPORT, &json!({ "Authorization": bearer }), &[1]);
    let error = json!({
        "message": "Could not verify JWT: JWTExpired",
        "extensions": { "code": "invalid-jwt", "path": "$" },
    });
    let expected = json!({ "type": "error", "id": "1", "payload": [error] });
    assert_eq!(client.receive(), expected);
    client.assert_closed(4403, "Forbidden");
    // A stream of events ends, too.
    let until = (now + Duration::from_secs(4)).as_secs_f64();
    let bearer = token(&user("ann"), &json!({ "exp": until }));
    let headers = format!("Authorization: Bearer {bearer}\r\nAccept: text/event-stream\r\n");
    let answer = site.server.query(&headers, LIVE);
    assert!(answer.body.contains(r#""note":[{"id":1}]"#), "{}", answer.body);
    assert!(answer.body.contains("JWTExpired"), "{}", answer.body);
}

#[test]
fn a_webhook_is_asked_once_for_a_socket_and_says_how_long_it_lasts() {
    let hook = Stub::serve(|question| {
        let user = ["ann", "bea"].into_iter().find(|user| question.head.contains(user));
        let body = json!({
            "x-hasura-role": "user", "x-hasura-user-id": user, "cache-control": "max-age=2",
        });
        match user {
            Some(_) => response("200 OK", "", &body.to_string()),
            None => response("401 Unauthorized", "", ""),
        }
    });
    let url = format!("http://{}/", hook.address);
    let site = Site::start(&[&ADMIN_SECRET[..], &["--auth-hook", &url]].concat());
    let mut client = check(&site, TRANSPORT, &json!({ "X-Who": "bea" }), &[2]);
    let questions = hook.take();
    assert_eq!(questions.len(), 1, "{questions:?}");
    assert_eq!(client.receive()["type"], "error");
    client.assert_closed(4403, "Forbidden");
}
