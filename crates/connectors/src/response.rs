//! What becomes of the response to a connector's request.
//! <https://www.apollographql.com/docs/graphos/connectors/responses>

use http::StatusCode;
use serde_json::{Map, Value};

use crate::connector::{Connector, Errors};
use crate::mapping::{Exceeded, Limits, Mapping, Outcome, Problem};
use crate::variables::Variables;

/// The reason why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the body of the response is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the text of the response is not UTF-8")]
    Text(#[from] std::str::Utf8Error),
}

/// An error of a response without success.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// The message of the mapping, if there is one and it makes a text.
    pub message: Option<String>,
    /// The extensions of the mappings, those of the connector before those of its source.
    pub extensions: Map<String, Value>,
    pub problems: Vec<Problem>,
}

/// The body of a response as `$`: JSON by default, a text as a string, and else null.
pub fn read_body(content_type: Option<&str>, body: &[u8]) -> Result<Value, BodyError> {
    let essence = content_type.map(|value| value.split(';').next().unwrap_or_default().trim());
    let essence = essence.map(str::to_ascii_lowercase);
    match essence.as_deref() {
        Some("text/plain") => Ok(Value::String(std::str::from_utf8(body)?.to_owned())),
        Some(essence) if !essence.ends_with("/json") && !essence.ends_with("+json") => {
            Ok(Value::Null)
        }
        Some(_) | None if body.is_empty() => Ok(Value::Null),
        Some(_) | None => Ok(serde_json::from_slice(body)?),
    }
}

impl Connector {
    /// Whether the response is one of success, which `selection` maps. By default these are the codes
    /// from 200 to 299; a mapping that makes neither true nor false means no success.
    pub fn is_success(
        &self,
        status: StatusCode,
        body: &Value,
        variables: &Variables<'_>,
        limits: &Limits,
    ) -> Result<bool, Exceeded> {
        let of_source = || self.source.as_ref().and_then(|source| source.is_success.as_ref());
        let Some(mapping) = self.is_success.as_ref().or_else(of_source) else {
            return Ok(status.is_success());
        };
        let outcome = mapping.evaluate(body, variables, limits)?;
        Ok(outcome.value == Some(Value::Bool(true)))
    }

    /// The error of a response without success, by `errors` of the source and of the connector.
    pub fn failure(
        &self,
        body: &Value,
        variables: &Variables<'_>,
        limits: &Limits,
    ) -> Result<Failure, Exceeded> {
        let mut failure = Failure::default();
        let of_source = self.source.as_ref().map(|source| &source.errors);
        for Errors { message, extensions } in of_source.into_iter().chain([&self.errors]) {
            let mut evaluate = |mapping: &Mapping| -> Result<Option<Value>, Exceeded> {
                let Outcome { value, problems } = mapping.evaluate(body, variables, limits)?;
                failure.problems.extend(problems);
                Ok(value)
            };
            let message = message.as_ref().map(&mut evaluate).transpose()?.flatten();
            let extensions = extensions.as_ref().map(&mut evaluate).transpose()?.flatten();
            if let Some(Value::String(message)) = message {
                failure.message = Some(message);
            }
            if let Some(Value::Object(extensions)) = extensions {
                merge(extensions, &mut failure.extensions);
            }
        }
        Ok(failure)
    }
}

/// Adds members; objects are merged, and anything else is replaced.
fn merge(members: Map<String, Value>, into: &mut Map<String, Value>) {
    for (name, value) in members {
        match (into.get_mut(&name), value) {
            (Some(Value::Object(known)), Value::Object(value)) => merge(value, known),
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}
