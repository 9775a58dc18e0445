//! Messages of the subprotocols: parsed into one closed set, and written.

use bytes::Bytes;
use graphql::{ExactNumbers, GraphQLError, JsonLimits, Parameters, parse_exact_json};
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::subprotocol::Subprotocol;

/// The length limit of an id: it is stored for as long as the operation runs, and repeated in each
/// of its messages.
const MOST_ID_BYTES: usize = 256;

/// A message of a client.
#[derive(Debug, PartialEq)]
pub(super) enum ClientMessage {
    /// Initializes the connection, with credentials.
    Init(Map<ByteString, Json>),
    Ping(Option<Json>),
    Pong,
    /// Begins an operation. Its id is the JSON text of it, since a number is repeated as a number.
    Begin {
        id: Box<str>,
        parameters: Box<Parameters>,
    },
    /// Ends an operation; without an id none.
    End {
        id: Option<Box<str>>,
    },
    /// Ends the connection.
    Terminate,
}

/// A message of the server. Ids are JSON texts.
#[derive(Clone, Copy, Debug)]
pub(super) enum ServerMessage<'m> {
    Ack,
    /// The refusal of a connection; clients of the newest protocol see the close code alone.
    ConnectionError(&'m GraphQLError),
    /// The refusal of a message; the newest protocol closes the connection.
    MessageError(&'m GraphQLError),
    Pong(Option<&'m Json>),
    /// The sign of life of the older protocols.
    KeepAlive,
    /// A subscription has begun: a message of the oldest protocol.
    Started {
        id: &'m str,
    },
    /// The errors of an operation that was not executed.
    Errors {
        id: &'m str,
        errors: &'m [Json],
    },
    Complete {
        id: &'m str,
    },
}

impl ClientMessage {
    /// Parses a text message. The error is the reason why it is none of the subprotocol.
    pub(super) fn parse(
        subprotocol: Subprotocol,
        text: &[u8],
        limits: JsonLimits,
    ) -> Result<Self, String> {
        let (message, numbers) =
            parse_exact_json(text, "The message", limits).map_err(|error| error.message)?;
        let Json::Object(mut message) = message else {
            return Err("The message must be a JSON object.".into());
        };
        let Some(Json::String(r#type)) = message.remove("type") else {
            return Err("The message must have a \"type\", a string.".into());
        };
        match (subprotocol, r#type.as_str()) {
            (Subprotocol::TransportWs | Subprotocol::Legacy, "connection_init")
            | (Subprotocol::Oldest, "init") => Ok(Self::Init(init_payload(subprotocol, message)?)),
            (Subprotocol::TransportWs, "ping") => Ok(Self::Ping(optional_object(message)?)),
            (Subprotocol::TransportWs, "pong") => optional_object(message).map(|_| Self::Pong),
            (Subprotocol::TransportWs, "subscribe") | (Subprotocol::Legacy, "start") => {
                let id = id(subprotocol, &mut message)?;
                Ok(Self::Begin { id, parameters: parameters(message, numbers.member("payload"))? })
            }
            (Subprotocol::Oldest, "subscription_start") => {
                let id = id(subprotocol, &mut message)?;
                Ok(Self::Begin { id, parameters: read_parameters(message, &numbers)? })
            }
            (Subprotocol::TransportWs, "complete") | (Subprotocol::Legacy, "stop") => {
                Ok(Self::End { id: Some(id(subprotocol, &mut message)?) })
            }
            (Subprotocol::Oldest, "subscription_end") => match message.contains_key("id") {
                true => Ok(Self::End { id: Some(id(subprotocol, &mut message)?) }),
                false => Ok(Self::End { id: None }),
            },
            (Subprotocol::Legacy, "connection_terminate") => Ok(Self::Terminate),
            (_, other) => Err(format!("The message has an unknown type: {other:?}.")),
        }
    }
}

/// The payload of the first message; clients of the older protocols may send anything.
fn init_payload(
    subprotocol: Subprotocol,
    mut message: Map<ByteString, Json>,
) -> Result<Map<ByteString, Json>, String> {
    match (message.remove("payload"), subprotocol) {
        (Some(Json::Object(payload)), _) => Ok(payload),
        (None, _) | (Some(_), Subprotocol::Legacy | Subprotocol::Oldest) => Ok(Map::new()),
        // Clients send null for no payload.
        (Some(Json::Null), Subprotocol::TransportWs) => Ok(Map::new()),
        (Some(_), Subprotocol::TransportWs) => Err(NO_OBJECT.into()),
    }
}

const NO_OBJECT: &str = "The \"payload\" must be an object.";

fn optional_object(mut message: Map<ByteString, Json>) -> Result<Option<Json>, String> {
    match message.remove("payload") {
        Some(payload @ Json::Object(_)) => Ok(Some(payload)),
        Some(Json::Null) | None => Ok(None),
        Some(_) => Err(NO_OBJECT.into()),
    }
}

/// The JSON text of an id: a string, or a number where clients count their operations.
fn id(subprotocol: Subprotocol, message: &mut Map<ByteString, Json>) -> Result<Box<str>, String> {
    let may_be_number = match subprotocol {
        Subprotocol::TransportWs => false,
        Subprotocol::Legacy | Subprotocol::Oldest => true,
    };
    match message.remove("id") {
        Some(Json::String(id)) if (1..=MOST_ID_BYTES).contains(&id.as_str().len()) => {
            Ok(Json::String(id).to_string().into())
        }
        Some(Json::Number(number)) if may_be_number && (number.is_i64() || number.is_u64()) => {
            Ok(number.to_string().into())
        }
        _ => {
            let number = if may_be_number { ", or an integer" } else { "" };
            Err(format!(
                "The message must have an \"id\", a string of 1 to {MOST_ID_BYTES} bytes{number}."
            ))
        }
    }
}

fn parameters(
    mut message: Map<ByteString, Json>,
    numbers: &ExactNumbers,
) -> Result<Box<Parameters>, String> {
    match message.remove("payload") {
        Some(Json::Object(payload)) => read_parameters(payload, numbers),
        _ => Err(NO_OBJECT.into()),
    }
}

fn read_parameters(
    object: Map<ByteString, Json>,
    numbers: &ExactNumbers,
) -> Result<Box<Parameters>, String> {
    Parameters::from_exact_object(object, numbers).map(Box::new).map_err(|error| error.message)
}

impl ServerMessage<'_> {
    /// Writes the message.
    pub(super) fn write(self, subprotocol: Subprotocol) -> Vec<u8> {
        let mut text = begin(self.name(subprotocol), self.id(subprotocol));
        match self {
            Self::Complete { .. } if subprotocol == Subprotocol::Oldest => {
                text.extend_from_slice(PAYLOAD);
                text.extend_from_slice(
                    b"{\"errors\":[{\"message\":\"The subscription has ended.\"}]}",
                );
            }
            Self::Ack
            | Self::KeepAlive
            | Self::Pong(None)
            | Self::Started { .. }
            | Self::Complete { .. } => {}
            Self::ConnectionError(error) | Self::MessageError(error) => {
                text.extend_from_slice(PAYLOAD);
                error.write_json(&mut text);
            }
            Self::Pong(Some(payload)) => {
                text.extend_from_slice(PAYLOAD);
                text.extend_from_slice(payload.to_string().as_bytes());
            }
            Self::Errors { errors, .. } => {
                text.extend_from_slice(PAYLOAD);
                let payload = match subprotocol {
                    Subprotocol::TransportWs => Json::Array(errors.to_vec()),
                    Subprotocol::Legacy => one_error(errors),
                    Subprotocol::Oldest => {
                        let mut object = Map::new();
                        object.insert("errors", Json::Array(errors.to_vec()));
                        Json::Object(object)
                    }
                };
                text.extend_from_slice(payload.to_string().as_bytes());
            }
        }
        text.push(b'}');
        text
    }

    fn name(self, subprotocol: Subprotocol) -> &'static str {
        let names = match self {
            Self::Ack => ["connection_ack", "init_success"],
            Self::ConnectionError(_) => ["connection_error", "init_fail"],
            Self::MessageError(_) => ["connection_error", "error"],
            Self::Pong(_) => ["pong"; 2],
            Self::KeepAlive => ["ka", "keepalive"],
            Self::Started { .. } => ["subscription_success"; 2],
            Self::Errors { .. } => ["error", "subscription_fail"],
            // The oldest protocol has no message for the end of a subscription.
            Self::Complete { .. } => ["complete", "subscription_fail"],
        };
        match subprotocol {
            Subprotocol::TransportWs | Subprotocol::Legacy => names[0],
            Subprotocol::Oldest => names[1],
        }
    }

    fn id(&self, subprotocol: Subprotocol) -> Option<&str> {
        match self {
            Self::Errors { id, .. } | Self::Complete { id } | Self::Started { id } => Some(id),
            // As Prisma has it: the message had no id that could be read.
            Self::MessageError(_) if subprotocol == Subprotocol::Oldest => Some("\"\""),
            Self::Ack
            | Self::ConnectionError(_)
            | Self::MessageError(_)
            | Self::Pong(_)
            | Self::KeepAlive => None,
        }
    }
}

const PAYLOAD: &[u8] = b",\"payload\":";

/// The message with the JSON text of an execution result, in three parts: subscribers share the text.
pub(super) fn next(subprotocol: Subprotocol, id: &str, result: Bytes) -> [Bytes; 3] {
    let name = match subprotocol {
        Subprotocol::TransportWs => "next",
        Subprotocol::Legacy => "data",
        Subprotocol::Oldest => "subscription_data",
    };
    let mut head = begin(name, Some(id));
    head.extend_from_slice(PAYLOAD);
    [head.into(), result, Bytes::from_static(b"}")]
}

/// The beginning of a message, with the JSON text of its id.
fn begin(name: &str, id: Option<&str>) -> Vec<u8> {
    let mut text = Vec::with_capacity(64);
    text.extend_from_slice(b"{\"type\":\"");
    text.extend_from_slice(name.as_bytes());
    text.push(b'"');
    if let Some(id) = id {
        text.extend_from_slice(b",\"id\":");
        text.extend_from_slice(id.as_bytes());
    }
    text
}

/// The errors as the one object of the legacy protocol: the first, with all of them if there are
/// several.
fn one_error(errors: &[Json]) -> Json {
    let mut object = match errors.first() {
        Some(Json::Object(first)) => first.clone(),
        Some(_) | None => Map::new(),
    };
    if errors.len() > 1 {
        object.insert("errors", Json::Array(errors.to_vec()));
    }
    Json::Object(object)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use graphql::ErrorCode;
    use serde_json_bytes::json;

    use super::*;

    fn parsed(subprotocol: Subprotocol, texts: &[&str]) -> String {
        let line = |text: &&str| {
            let limits = JsonLimits { depth: 8, values: 100 };
            match ClientMessage::parse(subprotocol, text.as_bytes(), limits) {
                Ok(ClientMessage::Init(payload)) => format!("init {}\n", Json::Object(payload)),
                Ok(ClientMessage::Ping(payload)) => {
                    format!("ping {:?}\n", payload.map(|payload| payload.to_string()))
                }
                Ok(ClientMessage::Begin { id, parameters }) => {
                    format!("begin {id} {:?}\n", parameters.query.unwrap_or_default())
                }
                Ok(ClientMessage::End { id }) => format!("end {id:?}\n"),
                Ok(ClientMessage::Pong) => "pong\n".into(),
                Ok(ClientMessage::Terminate) => "terminate\n".into(),
                Err(reason) => format!("{reason}\n"),
            }
        };
        texts.iter().map(line).collect()
    }

    #[test]
    fn messages_of_the_newer_protocol() {
        expect![[r#"
            init {}
            init {}
            init {"a":1}
            The "payload" must be an object.
            ping None
            ping Some("{\"a\":1}")
            The "payload" must be an object.
            pong
            begin "1" "{a}"
            begin "1" ""
            end Some("\"1\"")
            The message must have an "id", a string of 1 to 256 bytes.
            The message must have an "id", a string of 1 to 256 bytes.
            The message must have an "id", a string of 1 to 256 bytes.
            The "payload" must be an object.
            "query" must be a string.
            The message has an unknown type: "start".
            The message must have a "type", a string.
            The message must have a "type", a string.
            The message must be a JSON object.
            The message is not valid JSON: EOF while parsing a value at line 1 column 0.
            The message has lists and objects deeper than 8 (--max-json-depth).
        "#]]
        .assert_eq(&parsed(
            Subprotocol::TransportWs,
            &[
                r#"{"type":"connection_init"}"#,
                r#"{"type":"connection_init","payload":null}"#,
                r#"{"type":"connection_init","payload":{"a":1}}"#,
                r#"{"type":"connection_init","payload":"a"}"#,
                r#"{"type":"ping"}"#,
                r#"{"type":"ping","payload":{"a":1}}"#,
                r#"{"type":"ping","payload":1}"#,
                r#"{"type":"pong","payload":{}}"#,
                r#"{"type":"subscribe","id":"1","payload":{"query":"{a}"}}"#,
                r#"{"type":"subscribe","id":"1","payload":{"extensions":{}}}"#,
                r#"{"type":"complete","id":"1"}"#,
                r#"{"type":"complete"}"#,
                r#"{"type":"subscribe","id":"","payload":{"query":"{a}"}}"#,
                r#"{"type":"subscribe","id":1,"payload":{"query":"{a}"}}"#,
                r#"{"type":"subscribe","id":"1"}"#,
                r#"{"type":"subscribe","id":"1","payload":{"query":1}}"#,
                r#"{"type":"start","id":"1","payload":{"query":"{a}"}}"#,
                r#"{"type":7}"#,
                r#"{}"#,
                r#"[]"#,
                "",
                r#"{"type":[[[[[[[[[1]]]]]]]]]}"#,
            ],
        ));
    }

    #[test]
    fn messages_of_the_legacy_protocol() {
        expect![[r#"
            init {}
            begin "1" "{a}"
            end Some("\"1\"")
            begin 7 "{a}"
            The message must have an "id", a string of 1 to 256 bytes, or an integer.
            end Some("-7")
            terminate
            The message has an unknown type: "subscribe".
            The message has an unknown type: "ping".
        "#]]
        .assert_eq(&parsed(
            Subprotocol::Legacy,
            &[
                r#"{"type":"connection_init","payload":"a"}"#,
                r#"{"type":"start","id":"1","payload":{"query":"{a}"}}"#,
                r#"{"type":"stop","id":"1"}"#,
                r#"{"type":"start","id":7,"payload":{"query":"{a}"}}"#,
                r#"{"type":"start","id":true,"payload":{"query":"{a}"}}"#,
                r#"{"type":"stop","id":-7}"#,
                r#"{"type":"connection_terminate"}"#,
                r#"{"type":"subscribe","id":"1","payload":{"query":"{a}"}}"#,
                r#"{"type":"ping"}"#,
            ],
        ));
    }

    #[test]
    fn messages_of_the_oldest_protocol() {
        expect![[r#"
            init {}
            init {"Authorization":"a"}
            init {}
            begin "1" "{a}"
            begin 1 "{a}"
            "variables" must be an object or null.
            The message must have an "id", a string of 1 to 256 bytes, or an integer.
            The message must have an "id", a string of 1 to 256 bytes, or an integer.
            end Some("1")
            end None
            The message must have an "id", a string of 1 to 256 bytes, or an integer.
            The message has an unknown type: "connection_init".
            The message must have a "type", a string.
        "#]].assert_eq(&parsed(
            Subprotocol::Oldest,
            &[
                r#"{"type":"init"}"#,
                r#"{"type":"init","payload":{"Authorization":"a"}}"#,
                r#"{"type":"init","payload":7}"#,
                r#"{"type":"subscription_start","id":"1","query":"{a}","variables":null,"operationName":"x"}"#,
                r#"{"type":"subscription_start","id":1,"query":"{a}"}"#,
                r#"{"type":"subscription_start","id":1,"query":"{a}","variables":7}"#,
                r#"{"type":"subscription_start","query":"{a}"}"#,
                r#"{"type":"subscription_start","id":1.5,"query":"{a}"}"#,
                r#"{"type":"subscription_end","id":1}"#,
                r#"{"type":"subscription_end"}"#,
                r#"{"type":"subscription_end","id":null}"#,
                r#"{"type":"connection_init"}"#,
                r#"{}"#,
            ],
        ));
    }

    fn check_written(subprotocol: Subprotocol, expected: &Expect) {
        let error = GraphQLError::new(ErrorCode::Unauthenticated, "no");
        let errors = [json!({"message":"a"}), json!({"message":"b"})];
        let payload = json!({"p":1});
        let messages = [
            ServerMessage::Ack,
            ServerMessage::ConnectionError(&error),
            ServerMessage::MessageError(&error),
            ServerMessage::Pong(None),
            ServerMessage::Pong(Some(&payload)),
            ServerMessage::KeepAlive,
            ServerMessage::Started { id: "1" },
            ServerMessage::Errors { id: "\"1\"", errors: &errors[..1] },
            ServerMessage::Errors { id: "\"1\"", errors: &errors },
            ServerMessage::Complete { id: "1" },
        ];
        let line = |message: &ServerMessage<'_>| {
            String::from_utf8(message.write(subprotocol)).unwrap() + "\n"
        };
        let lines = messages.iter().map(line).collect::<String>();
        let next = next(subprotocol, r#""a\"b""#, Bytes::from_static(b"{\"data\":{}}")).concat();
        expected.assert_eq(&(lines + &String::from_utf8(next).unwrap() + "\n"));
    }

    #[test]
    fn messages_are_written_as_each_protocol_has_them() {
        check_written(
            Subprotocol::TransportWs,
            &expect![[r#"
                {"type":"connection_ack"}
                {"type":"connection_error","payload":{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}}
                {"type":"connection_error","payload":{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}}
                {"type":"pong"}
                {"type":"pong","payload":{"p":1}}
                {"type":"ka"}
                {"type":"subscription_success","id":1}
                {"type":"error","id":"1","payload":[{"message":"a"}]}
                {"type":"error","id":"1","payload":[{"message":"a"},{"message":"b"}]}
                {"type":"complete","id":1}
                {"type":"next","id":"a\"b","payload":{"data":{}}}
            "#]],
        );
        check_written(
            Subprotocol::Legacy,
            &expect![[r#"
                {"type":"connection_ack"}
                {"type":"connection_error","payload":{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}}
                {"type":"connection_error","payload":{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}}
                {"type":"pong"}
                {"type":"pong","payload":{"p":1}}
                {"type":"ka"}
                {"type":"subscription_success","id":1}
                {"type":"error","id":"1","payload":{"message":"a"}}
                {"type":"error","id":"1","payload":{"message":"a","errors":[{"message":"a"},{"message":"b"}]}}
                {"type":"complete","id":1}
                {"type":"data","id":"a\"b","payload":{"data":{}}}
            "#]],
        );
        check_written(
            Subprotocol::Oldest,
            &expect![[r#"
            {"type":"init_success"}
            {"type":"init_fail","payload":{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}}
            {"type":"error","id":"","payload":{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}}
            {"type":"pong"}
            {"type":"pong","payload":{"p":1}}
            {"type":"keepalive"}
            {"type":"subscription_success","id":1}
            {"type":"subscription_fail","id":"1","payload":{"errors":[{"message":"a"}]}}
            {"type":"subscription_fail","id":"1","payload":{"errors":[{"message":"a"},{"message":"b"}]}}
            {"type":"subscription_fail","id":1,"payload":{"errors":[{"message":"The subscription has ended."}]}}
            {"type":"subscription_data","id":"a\"b","payload":{"data":{}}}
        "#]],
        );
    }
}
