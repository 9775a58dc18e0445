//! Messages of both subprotocols, and parts of responses as JSON text.

use std::borrow::Cow;

use bytes::Bytes;
use hyper::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::settings::SubscriptionProtocol;

/// A message of a subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerMessage {
    Ack,
    /// The legacy refusal of a connection.
    ConnectionError(Bytes),
    /// With its payload.
    Ping(Option<Bytes>),
    /// A response to an operation.
    Next {
        id: u64,
        response: Bytes,
    },
    /// A response with the errors of an operation that was not executed.
    Errors {
        id: u64,
        response: Bytes,
    },
    Complete {
        id: u64,
    },
    /// A sign of life.
    Ignored,
}

/// Error: a message that the subprotocol does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Invalid;

#[derive(Deserialize)]
struct Written<'m> {
    #[serde(rename = "type", borrow)]
    r#type: Cow<'m, str>,
    #[serde(borrow)]
    id: Option<Cow<'m, str>>,
    #[serde(borrow)]
    payload: Option<&'m RawValue>,
}

impl ServerMessage {
    /// Parses a message; texts of responses share its memory.
    pub(super) fn parse(protocol: SubscriptionProtocol, text: &Bytes) -> Result<Self, Invalid> {
        let written: Written<'_> = serde_json::from_slice(text).map_err(|_| Invalid)?;
        let payload = written.payload.map(|payload| text.slice_ref(payload.get().as_bytes()));
        // An id that is no number is none of ours: its operation is unknown.
        let id = || written.id.as_deref().map(|id| id.parse().unwrap_or(u64::MAX)).ok_or(Invalid);
        let required = || payload.clone().ok_or(Invalid);
        let is_legacy = protocol == SubscriptionProtocol::LegacyWs;
        match (&*written.r#type, is_legacy) {
            ("connection_ack", _) => Ok(Self::Ack),
            ("next", false) | ("data", true) => Ok(Self::Next { id: id()?, response: required()? }),
            ("error", _) => Ok(Self::Errors { id: id()?, response: errors_of(&required()?)? }),
            ("complete", _) => Ok(Self::Complete { id: id()? }),
            ("ping", false) => Ok(Self::Ping(payload)),
            ("pong", false) | ("ka", true) => Ok(Self::Ignored),
            ("connection_error", true) => {
                let payload = payload.unwrap_or(Bytes::from_static(b"{}"));
                Ok(Self::ConnectionError(errors_of(&payload)?))
            }
            _ => Err(Invalid),
        }
    }
}

/// The message that initializes a connection, with the headers as its payload.
pub(super) fn init(headers: &HeaderMap) -> String {
    let mut payload = Map::new();
    for name in headers.keys() {
        let values = headers.get_all(name).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        payload.insert(name.as_str().to_owned(), values.join(", ").into());
    }
    match payload.is_empty() {
        true => r#"{"type":"connection_init"}"#.to_owned(),
        false => {
            let payload = Value::Object(payload).to_string();
            [r#"{"type":"connection_init","payload":"#, &payload, "}"].concat()
        }
    }
}

/// The message that begins an operation, with the JSON of a GraphQL request.
pub(super) fn begin(protocol: SubscriptionProtocol, id: u64, body: &[u8]) -> String {
    let name = match protocol {
        SubscriptionProtocol::LegacyWs => "start",
        SubscriptionProtocol::TransportWs
        | SubscriptionProtocol::Sse
        | SubscriptionProtocol::Multipart
        | SubscriptionProtocol::Callback => "subscribe",
    };
    // The plan's text is UTF-8.
    let body = String::from_utf8_lossy(body);
    [r#"{"id":""#, &id.to_string(), r#"","type":""#, name, r#"","payload":"#, &body, "}"].concat()
}

/// The message that ends an operation.
pub(super) fn end(protocol: SubscriptionProtocol, id: u64) -> String {
    let name = match protocol {
        SubscriptionProtocol::LegacyWs => "stop",
        SubscriptionProtocol::TransportWs
        | SubscriptionProtocol::Sse
        | SubscriptionProtocol::Multipart
        | SubscriptionProtocol::Callback => "complete",
    };
    [r#"{"id":""#, &id.to_string(), r#"","type":""#, name, r#""}"#].concat()
}

/// The reply to a ping.
pub(super) fn pong(payload: Option<&Bytes>) -> String {
    match payload {
        None => r#"{"type":"pong"}"#.to_owned(),
        Some(payload) => {
            let payload = String::from_utf8_lossy(payload);
            [r#"{"type":"pong","payload":"#, &payload, "}"].concat()
        }
    }
}

/// A response with one error.
pub(super) fn errors_response(message: &str) -> Bytes {
    serde_json::json!({ "errors": [{ "message": message }] }).to_string().into()
}

/// A response with the errors of a payload: a list, an object with a list, or one error.
pub(super) fn errors_of(payload: &[u8]) -> Result<Bytes, Invalid> {
    let errors: Value = serde_json::from_slice(payload).map_err(|_| Invalid)?;
    let errors = match errors {
        Value::Array(errors) => errors,
        Value::Object(mut error) => match error.remove("errors") {
            Some(Value::Array(errors)) => errors,
            _ if error.contains_key("message") => vec![Value::Object(error)],
            _ => vec![serde_json::json!({ "message": Value::Object(error).to_string() })],
        },
        other => vec![serde_json::json!({ "message": other.to_string() })],
    };
    let response = serde_json::json!({ "errors": errors });
    Ok(response.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        protocol: SubscriptionProtocol,
        text: &str,
        expected: &Result<ServerMessage, Invalid>,
    ) {
        let text = Bytes::copy_from_slice(text.as_bytes());
        assert_eq!(ServerMessage::parse(protocol, &text), *expected, "{text:?}");
    }

    fn bytes(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[test]
    fn messages_are_parsed() {
        let check = |text, expected| check(SubscriptionProtocol::TransportWs, text, &expected);
        check(r#"{"type":"connection_ack","payload":{}}"#, Ok(ServerMessage::Ack));
        let response = bytes(r#"{ "data": 1 }"#);
        check(
            r#"{"payload":{ "data": 1 },"id":"7","type":"next"}"#,
            Ok(ServerMessage::Next { id: 7, response }),
        );
        let response = bytes(r#"{"errors":[{"message":"no"}]}"#);
        check(
            r#"{"type":"error","id":"1","payload":[{"message":"no"}]}"#,
            Ok(ServerMessage::Errors { id: 1, response }),
        );
        check(r#"{"type":"complete","id":"x"}"#, Ok(ServerMessage::Complete { id: u64::MAX }));
        check(r#"{"type":"ping"}"#, Ok(ServerMessage::Ping(None)));
        check(r#"{"type":"ping","payload":{}}"#, Ok(ServerMessage::Ping(Some(bytes("{}")))));
        check(r#"{"type":"pong"}"#, Ok(ServerMessage::Ignored));
        for wrong in [r#"{"type":"ka"}"#, r#"{"type":"next","payload":{}}"#, "[]", "{}", "{"] {
            check(wrong, Err(Invalid));
        }
    }

    #[test]
    fn messages_of_the_legacy_protocol_are_parsed() {
        let check = |text, expected| check(SubscriptionProtocol::LegacyWs, text, &expected);
        let response = bytes("{}");
        check(
            r#"{"type":"data","id":"7","payload":{}}"#,
            Ok(ServerMessage::Next { id: 7, response }),
        );
        check(r#"{"type":"ka"}"#, Ok(ServerMessage::Ignored));
        let response = bytes(r#"{"errors":[{"message":"no"}]}"#);
        check(
            r#"{"type":"error","id":"1","payload":{"message":"no"}}"#,
            Ok(ServerMessage::Errors { id: 1, response: response.clone() }),
        );
        check(
            r#"{"type":"connection_error","payload":{"message":"no"}}"#,
            Ok(ServerMessage::ConnectionError(response)),
        );
        check(r#"{"type":"next","id":"1","payload":{}}"#, Err(Invalid));
    }

    #[test]
    fn headers_are_the_payload_of_the_initialization() {
        let mut headers = HeaderMap::new();
        assert_eq!(init(&headers), r#"{"type":"connection_init"}"#);
        headers.append("authorization", "Bearer a".parse().unwrap());
        headers.append("x-a", "1".parse().unwrap());
        headers.append("x-a", "2".parse().unwrap());
        let expected =
            r#"{"type":"connection_init","payload":{"authorization":"Bearer a","x-a":"1, 2"}}"#;
        assert_eq!(init(&headers), expected);
    }
}
