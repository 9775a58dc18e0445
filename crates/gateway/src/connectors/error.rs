//! Errors of calls, in the published form:
//! <https://www.apollographql.com/docs/graphos/connectors/responses/error-handling>.

use serde_json::{Map, Value, json};
use supergraph::{Connector, Supergraph};

/// The reason why a call has no result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallError {
    pub message: String,
    code: &'static str,
    status: Option<u16>,
    /// Extensions of the connector's own mapping.
    extensions: Map<String, Value>,
}

impl CallError {
    fn new(code: &'static str, message: String, status: Option<u16>) -> Self {
        Self { message, code, status, extensions: Map::new() }
    }

    /// No request can be made.
    pub(super) fn request(reason: String) -> Self {
        Self::new("CONNECTOR_REQUEST_INVALID", reason, None)
    }

    /// The response cannot be mapped.
    pub(super) fn response(reason: String, status: u16) -> Self {
        Self::new("CONNECTOR_RESPONSE_INVALID", reason, Some(status))
    }

    /// A mapped value is none of its type.
    pub(super) fn value(reason: String) -> Self {
        Self::new("CONNECTOR_RESPONSE_INVALID", reason, None)
    }

    /// A response without success.
    pub(super) fn status(
        status: u16,
        message: Option<String>,
        extensions: Map<String, Value>,
    ) -> Self {
        let message = message.unwrap_or_else(|| "Request failed".to_owned());
        Self { extensions, ..Self::new("CONNECTOR_FETCH", message, Some(status)) }
    }

    /// There is no response.
    #[must_use]
    pub fn unanswered(reason: String) -> Self {
        Self::new("CONNECTOR_FETCH", reason, None)
    }

    /// There is no response in time.
    #[must_use]
    pub fn timeout() -> Self {
        Self::new("GATEWAY_TIMEOUT", "The request timed out".to_owned(), None)
    }

    /// The operation needs too many requests.
    #[must_use]
    pub fn too_many(most: usize) -> Self {
        let message = format!("The operation needs more than {most} requests to the subgraph");
        Self::new("REQUEST_LIMIT_EXCEEDED", message, None)
    }

    /// Returns the extensions of the error: the connector's own replace others.
    pub(super) fn extensions(
        &self,
        supergraph: &Supergraph,
        connector: &Connector,
    ) -> Map<String, Value> {
        let mut extensions = Map::new();
        if let Some(status) = self.status {
            extensions.insert("http".into(), json!({ "status": status }));
        }
        let coordinate = json!({ "coordinate": &*connector.coordinate });
        extensions.insert("connector".into(), coordinate);
        extensions.insert("code".into(), self.code.into());
        let service = &*supergraph.subgraph(connector.subgraph).name;
        extensions.insert("service".into(), service.into());
        for (name, value) in &self.extensions {
            match (extensions.get_mut(name), value) {
                (Some(Value::Object(known)), Value::Object(own)) => {
                    known.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                _ => {
                    extensions.insert(name.clone(), value.clone());
                }
            }
        }
        extensions
    }
}
