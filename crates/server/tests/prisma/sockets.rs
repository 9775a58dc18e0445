//! Subscriptions over sockets of a service with secrets.

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use super::Service;
use crate::subscriptions::site::{Client, LEGACY, TRANSPORT};

const SECRET: &str = "a secret of more than thirty-two bytes";
const OTHER: &str = "another one of more than thirty-two bytes";
const OLDEST: &str = "graphql-subscriptions";

const USERS: &str = "subscription { user { mutation node { email } } }";

fn start() -> Service {
    Service::start(&["--service", "blog/dev", "--service-secret", SECRET])
}

fn open(service: &Service, subprotocol: &str) -> Client {
    let headers = [("sec-websocket-protocol", subprotocol)];
    Client::open_at(&service.server, "/blog/dev", &headers).unwrap()
}

fn bearer(secret: &str, claims: &str) -> String {
    format!("Bearer {}", Issuer::secret(secret).token(claims))
}

fn create(service: &Service, email: &str) {
    let headers = format!("Authorization: {}\r\n", bearer(SECRET, "{}"));
    let mutation = format!("mutation {{ createUser(data: {{ email: \"{email}\" }}) {{ email }} }}");
    let created = service.query("/blog/dev", &headers, &mutation);
    assert_eq!(created, json!({ "createUser": { "email": email } }));
}

fn created(email: &str) -> Value {
    json!({ "data": { "user": { "mutation": "CREATED", "node": { "email": email } } } })
}

/// The first messages of the subprotocols: of the client, and of the server, for a payload.
fn first(subprotocol: &str, payload: &Value) -> (Value, Value) {
    let names = match subprotocol {
        OLDEST => ["init", "init_success"],
        _ => ["connection_init", "connection_ack"],
    };
    (json!({ "type": names[0], "payload": payload }), json!({ "type": names[1] }))
}

#[test]
fn the_first_message_has_the_token() {
    let service = start();
    // As Prisma's clients, GraphQL Playground, and its pane of headers send it.
    let payloads = [
        json!({ "Authorization": bearer(SECRET, "{}") }),
        json!({ "authorization": bearer(SECRET, r#"{"exp":99999999999}"#) }),
        json!({ "authorization": Issuer::secret(SECRET).token("{}"), "more": 7 }),
        json!({ "headers": { "Authorization": bearer(SECRET, "{}") } }),
    ];
    for (number, payload) in payloads.iter().enumerate() {
        for subprotocol in [TRANSPORT, LEGACY, OLDEST] {
            let mut client = open(&service, subprotocol);
            let (init, ack) = first(subprotocol, payload);
            client.send(&init);
            assert_eq!(client.receive(), ack, "{subprotocol}: {payload}");
            let (begin, begun, data) = match subprotocol {
                TRANSPORT => ("subscribe", "{ users { id } }", "next"),
                LEGACY => ("start", "{ users { id } }", "data"),
                _ => ("subscription_start", "", "subscription_data"),
            };
            if subprotocol == OLDEST {
                client.send(&json!({ "type": begin, "id": 1, "query": USERS }));
                let success = json!({ "type": "subscription_success", "id": 1 });
                assert_eq!(client.receive(), success);
            } else {
                if subprotocol == LEGACY {
                    assert_eq!(client.receive(), json!({ "type": "ka" }));
                }
                let start = |id: &str, query: &str| json!({ "type": begin, "id": id, "payload": { "query": query } });
                client.send(&start("1", USERS));
                // The subscription has begun when a query after it is answered.
                client.send(&start("2", begun));
                assert_eq!(client.receive()["id"], "2");
                assert_eq!(client.receive(), json!({ "type": "complete", "id": "2" }));
            }
            let email = format!("{number}@{subprotocol}");
            create(&service, &email);
            let message = client.receive();
            assert_eq!(message["type"], data, "{message}");
            assert_eq!(message["payload"], created(&email));
            client.close();
        }
    }
}

#[test]
fn a_socket_without_a_valid_token_is_told_why_and_closed() {
    let service = start();
    let missing = "No Authorization field was provided in payload.";
    let invalid = "Authentication token is invalid.";
    let payloads = [
        (json!({}), missing),
        (Value::Null, missing),
        (json!({ "Authorization": "" }), missing),
        (json!({ "token": Issuer::secret(SECRET).token("{}") }), missing),
        (json!({ "Authorization": "Bearer undefined" }), invalid),
        (json!({ "Authorization": bearer(OTHER, "{}") }), invalid),
        (json!({ "Authorization": bearer(SECRET, r#"{"exp":1}"#) }), invalid),
        (json!({ "Authorization": bearer(SECRET, r#"{"nbf":99999999999}"#) }), invalid),
    ];
    for (payload, message) in payloads {
        for (subprotocol, failure) in
            [(TRANSPORT, None), (LEGACY, Some("connection_error")), (OLDEST, Some("init_fail"))]
        {
            let mut client = open(&service, subprotocol);
            client.send(&first(subprotocol, &payload).0);
            if let Some(failure) = failure {
                let refused = client.receive();
                assert_eq!(refused["type"], failure, "{subprotocol}: {payload}: {refused}");
                assert_eq!(refused["payload"]["message"], message, "{subprotocol}: {payload}");
                assert_eq!(refused["payload"]["code"], 3015, "{refused}");
            }
            client.assert_closed(4403, "Forbidden");
        }
    }
    // Nothing is executed before the first message.
    for (subprotocol, begin) in [
        (TRANSPORT, json!({ "type": "subscribe", "id": "1", "payload": { "query": USERS } })),
        (LEGACY, json!({ "type": "start", "id": "1", "payload": { "query": USERS } })),
        (OLDEST, json!({ "type": "subscription_start", "id": 1, "query": USERS })),
    ] {
        let mut client = open(&service, subprotocol);
        client.send(&begin);
        client.assert_closed(4401, "Unauthorized");
    }
}

#[test]
fn a_wrong_token_of_the_handshake_and_other_services_are_refused() {
    let service = start();
    let protocol = ("sec-websocket-protocol", LEGACY);
    let authorization = bearer(OTHER, "{}");
    let headers = [protocol, ("authorization", &*authorization)];
    let (status, body) = Client::open_at(&service.server, "/blog/dev", &headers).err().unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &body["errors"][0]["code"]), (401, &json!(3015)), "{body}");
    // A valid one counts if the first message has none.
    let authorization = bearer(SECRET, "{}");
    let headers = [protocol, ("authorization", &*authorization)];
    let mut client = Client::open_at(&service.server, "/blog/dev", &headers).unwrap();
    client.send(&json!({ "type": "connection_init" }));
    assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
    let other = Client::open_at(&service.server, "/blog/test", &[protocol]).err().unwrap();
    assert_eq!(other.0, 404, "{}", other.1);
}

#[test]
fn a_service_without_secrets_ignores_tokens_of_sockets() {
    let service = Service::start(&[]);
    let payload = json!({ "Authorization": "Bearer undefined" });
    for subprotocol in [TRANSPORT, LEGACY, OLDEST] {
        let headers = [("sec-websocket-protocol", subprotocol)];
        let mut client = Client::open_at(&service.server, "/", &headers).unwrap();
        let (init, ack) = first(subprotocol, &payload);
        client.send(&init);
        assert_eq!(client.receive(), ack, "{subprotocol}");
    }
}
