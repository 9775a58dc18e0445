//! Authentication and origins of sockets and event streams.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use super::site::{LEGACY, NOTES, SECRET, Site, TRANSPORT, next, notes, subscribe};

const PROTOCOL: (&str, &str) = ("sec-websocket-protocol", TRANSPORT);

/// A token that expires after this time.
pub(super) fn token(lifetime: Duration) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let until = (now + lifetime).as_secs_f64();
    Issuer::secret(SECRET).token(&format!("{{\"exp\":{until}}}"))
}

fn closed_site() -> Site {
    Site::start(&["--jwt-secret", SECRET, "--require-token"])
}

#[test]
fn the_payload_has_the_token() {
    let site = closed_site();
    let token = token(Duration::from_secs(60));
    let payloads = [
        json!({ "Authorization": format!("Bearer {token}") }),
        json!({ "authorization": token }),
        json!({ "headers": { "Authorization": token } }),
    ];
    for payload in payloads {
        let mut client = site.connect_with(TRANSPORT, &payload);
        client.send(&subscribe("1", NOTES));
        assert_eq!(client.receive(), next("1", &notes(&[])), "{payload}");
    }
}

#[test]
fn a_header_of_the_handshake_may_have_the_token() {
    let site = closed_site();
    let header = format!("Bearer {}", token(Duration::from_secs(60)));
    let mut client = site.open_with(&[PROTOCOL, ("authorization", &header)]).unwrap();
    client.send(&json!({ "type": "connection_init" }));
    assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
    let (status, body) = site.open_with(&[PROTOCOL, ("authorization", "Bearer x")]).err().unwrap();
    assert_eq!(status, 401, "{body}");
    assert!(body.contains("UNAUTHENTICATED"), "{body}");
}

#[test]
fn a_missing_or_wrong_token_closes_the_socket_with_4403() {
    let site = closed_site();
    for payload in [json!({}), json!({ "Authorization": "x" }), json!({ "Authorization": "a b" })] {
        let mut client = site.open(TRANSPORT);
        client.send(&json!({ "type": "connection_init", "payload": payload }));
        client.assert_closed(4403, "Forbidden");
    }
    let mut client = site.open(LEGACY);
    client.send(&json!({ "type": "connection_init" }));
    let message = client.receive();
    assert_eq!(message["type"], "connection_error", "{message}");
    assert_eq!(message["payload"]["message"], "A token is required.", "{message}");
    client.assert_closed(4403, "Forbidden");
}

#[test]
fn a_cookie_counts_unless_the_payload_has_a_token() {
    let site = Site::start(&["--jwt-secret", SECRET, "--require-token", "--jwt-cookie", "token"]);
    let good = token(Duration::from_secs(60));
    let cookie = format!("token={good}");
    let mut client = site.open_with(&[PROTOCOL, ("cookie", &cookie)]).unwrap();
    client.send(&json!({ "type": "connection_init" }));
    assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
    let stale = [PROTOCOL, ("cookie", "token=stale")];
    let mut client = site.open_with(&stale).unwrap();
    client.send(&json!({ "type": "connection_init" }));
    client.assert_closed(4403, "Forbidden");
    let mut client = site.open_with(&stale).unwrap();
    client.send(&json!({ "type": "connection_init", "payload": { "Authorization": good } }));
    assert_eq!(client.receive(), json!({ "type": "connection_ack" }));
}

#[test]
fn an_expired_token_ends_subscriptions_and_the_socket() {
    let site = closed_site();
    let payload = json!({ "Authorization": token(Duration::from_millis(1500)) });
    let mut client = site.connect_with(TRANSPORT, &payload);
    for id in ["1", "2"] {
        client.send(&subscribe(id, NOTES));
        assert_eq!(client.receive(), next(id, &notes(&[])));
    }
    let expected =
        json!([{ "message": "jwt expired", "extensions": { "code": "UNAUTHENTICATED" } }]);
    let error = |id: &str| json!({ "type": "error", "id": id, "payload": expected });
    assert_eq!(client.receive_sorted(2), [error("1"), error("2")]);
    client.assert_closed(4403, "Forbidden");
}

#[test]
fn the_log_has_no_tokens_and_no_values() {
    let mut site = Site::start(&["--jwt-secret", SECRET, "--require-token", "--log", "trace"]);
    let token = token(Duration::from_secs(60));
    let mut client = site.connect_with(TRANSPORT, &json!({ "Authorization": token }));
    let query = "query ($t: String) { queryNote(filter: { text: { eq: $t } }) { text } }";
    let payload = json!({ "query": query, "variables": { "t": "a private value" } });
    client.send(&json!({ "type": "subscribe", "id": "1", "payload": payload }));
    assert_eq!(client.receive(), next("1", &notes(&[])));
    site.server.signal("TERM");
    let log = site.server.rest_of_log();
    assert!(log.contains("stopping"), "{log}");
    let signature = token.rsplit('.').next().unwrap();
    assert!(!log.contains(signature) && !log.contains("a private value"), "{log}");
}

#[test]
fn pages_of_other_origins_open_no_sockets() {
    let site = Site::start(&["--allowed-origins", "https://app.example"]);
    let open = |origin: &str| site.open_with(&[PROTOCOL, ("origin", origin)]);
    let (status, body) = open("https://evil.example").err().unwrap();
    assert_eq!(status, 403, "{body}");
    let error: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(error["errors"][0]["extensions"]["code"], "CSRF_REFUSED");
    let own = format!("http://{}", site.server.address);
    for origin in ["https://app.example", &own] {
        assert!(open(origin).is_ok(), "{origin}");
    }
    let (status, body) = site.open_with(&[PROTOCOL, ("host", "evil.example")]).err().unwrap();
    assert_eq!(status, 421, "{body}");
}

#[test]
fn malformed_handshakes_are_refused() {
    let site = Site::start(&[]);
    let check = |headers: &str, status: u16| {
        let head = format!("Connection: Upgrade\r\nUpgrade: websocket\r\n{headers}");
        let answer = site.server.get("/graphql", &head);
        assert_eq!(answer.status, status, "{headers}: {}", answer.body);
        answer
    };
    let key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let old = check(&format!("Sec-WebSocket-Version: 8\r\n{key}"), 426);
    assert_eq!(old.header("sec-websocket-version"), Some("13"));
    check("Sec-WebSocket-Version: 13\r\n", 400);
    check("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n", 400);
    // Another path has no sockets, and another protocol is none.
    assert_eq!(site.server.get("/elsewhere", &format!("Upgrade: websocket\r\n{key}")).status, 404);
    let other = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
    assert_eq!(site.server.get("/graphql?query={__typename}", other).status, 200);
}
