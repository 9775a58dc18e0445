//! The request of an action, with its headers.

use hasura_metadata::types::action::ActionDefinition;
use hasura_metadata::types::webhook::{Header, HeaderValue as MetadataValue};
use hasura_metadata::{Problem, ProblemKind};
use hasura_webhooks::{request_transform, response_transform};
use http::{HeaderName, HeaderValue};
use http_resolvers::webhook::{ClientHeaders, Webhook};

use super::problem;
use crate::environment::Environment;

/// The webhook of an action at an address.
pub(super) fn webhook(
    definition: &ActionDefinition,
    base_url: String,
    environment: &Environment,
) -> Result<Webhook, Problem> {
    let ignored = definition.ignored_client_headers.as_deref();
    let client_headers = definition.forward_client_headers.then(|| ClientHeaders::except(ignored));
    let headers = definition.headers.iter().map(|header| self::header(header, environment));
    let request = definition.request_transform.as_ref().map(request_transform);
    let response = definition.response_transform.as_ref().and_then(response_transform);
    Ok(Webhook {
        base_url: base_url.into(),
        headers: headers.collect::<Result<_, _>>()?,
        client_headers,
        request: request.transpose()?,
        response: response.transpose()?,
    })
}

/// A header as metadata has it.
pub(crate) fn written_header(header: &Header) -> serde_json::Value {
    match &header.value {
        MetadataValue::Text(text) => serde_json::json!({ "name": header.name, "value": text }),
        MetadataValue::FromEnv(variable) => {
            serde_json::json!({ "name": header.name, "value_from_env": variable })
        }
    }
}

pub(crate) fn header(
    header: &Header,
    environment: &Environment,
) -> Result<(HeaderName, HeaderValue), Problem> {
    let wrong = |reason: String| problem(ProblemKind::WrongValue, &header.place, reason);
    let name = header.name.parse();
    let name = name.map_err(|_| wrong(format!("{:?} is no name of a header.", header.name)))?;
    let value = match &header.value {
        MetadataValue::Text(text) => text,
        MetadataValue::FromEnv(variable) => environment.require(variable, &header.place)?,
    };
    let value = HeaderValue::from_bytes(value.as_bytes());
    let mut value = value.map_err(|_| {
        wrong(format!(
            "The value of the header {} has a character that is not allowed.",
            header.name
        ))
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}
