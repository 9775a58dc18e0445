//! Messages of JSON-RPC 2.0: <https://www.jsonrpc.org/specification>.

use graphql::JsonLimits;
use hyper::StatusCode;
use serde_json::{Value, json};
use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::http::refusal::Refusal;

/// A message from a client.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) method: String,
    pub(super) params: Map<ByteString, Json>,
    /// The id of a request; `None` for a notification.
    pub(super) id: Option<Json>,
}

/// What the body of a request holds.
#[derive(Debug)]
pub(super) enum Content {
    One(Json),
    /// A batch, which only the revision 2025-03-26 has.
    Batch(Vec<Json>),
}

/// An error of the protocol, with the status of a response that has no other message.
#[derive(Debug)]
pub(super) struct RpcError {
    pub(super) status: StatusCode,
    code: i32,
    message: String,
    data: Option<Value>,
}

impl Content {
    pub(super) fn parse(body: &[u8], limits: JsonLimits) -> Result<Self, RpcError> {
        match graphql::parse_json(body, "The request body", limits) {
            Ok(Json::Array(messages)) => Ok(Self::Batch(messages)),
            Ok(message) => Ok(Self::One(message)),
            Err(error) => Err(RpcError::new(StatusCode::BAD_REQUEST, -32700, error.message)),
        }
    }
}

impl Message {
    pub(super) fn new(message: Json) -> Result<Self, RpcError> {
        let Json::Object(mut members) = message else {
            return Err(RpcError::invalid("A message is a JSON object."));
        };
        if members.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return Err(RpcError::invalid("The member \"jsonrpc\" must be \"2.0\"."));
        }
        let method = members.get("method").and_then(Json::as_str).map(str::to_owned);
        let Some(method) = method else {
            return Err(RpcError::invalid(
                "The member \"method\" must be a string; this server asks clients for nothing, so \
                 it takes no responses.",
            ));
        };
        let id = match members.remove("id") {
            None => None,
            Some(id @ Json::String(_)) => Some(id),
            Some(Json::Number(number)) if number.is_i64() || number.is_u64() => {
                Some(Json::Number(number))
            }
            Some(_) => {
                return Err(RpcError::invalid("The member \"id\" must be a string or an integer."));
            }
        };
        let params = match members.remove("params") {
            None => Map::new(),
            Some(Json::Object(params)) => params,
            Some(_) => return Err(RpcError::invalid("The member \"params\" must be an object.")),
        };
        Ok(Self { method, params, id })
    }

    /// The metadata of a request.
    pub(super) fn meta(&self, name: &str) -> Option<&Json> {
        self.params.get("_meta")?.as_object()?.get(name)
    }
}

impl RpcError {
    pub(super) fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), data: None }
    }

    /// The body is no message.
    pub(super) fn invalid(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32600, message)
    }

    /// The members of a request are not those of its method.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, -32602, message)
    }

    /// The server cannot answer now.
    pub(super) fn internal(message: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, -32603, message)
    }

    #[cfg(test)]
    pub(super) fn code(&self) -> i32 {
        self.code
    }

    pub(super) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    /// The refusal of a request before it is read as a message. JSON-RPC leaves codes outside its own
    /// range to applications; the status is one.
    pub(super) fn of_refusal(refusal: &Refusal) -> Self {
        let error = refusal.error();
        let status = match refusal.status() {
            // Dialects answer some errors of GraphQL with 200.
            status if status.is_success() => StatusCode::UNAUTHORIZED,
            status => status,
        };
        let data = json!({ "code": error.code.as_str() });
        Self::new(status, i32::from(status.as_u16()), error.message).with_data(data)
    }

    /// The message with this error.
    pub(super) fn reply(&self, id: Option<&Json>) -> Vec<u8> {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        let mut reply = json!({ "jsonrpc": "2.0", "error": error });
        if let Some(id) = id {
            reply["id"] = id_as_json(id);
        }
        reply.to_string().into_bytes()
    }
}

/// The message with a result.
pub(super) fn reply(id: &Json, result: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id_as_json(id), "result": result }).to_string().into_bytes()
}

fn id_as_json(id: &Json) -> Value {
    match id {
        Json::String(text) => text.as_str().into(),
        Json::Number(number) => Value::Number(number.clone()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => Value::Null,
    }
}
