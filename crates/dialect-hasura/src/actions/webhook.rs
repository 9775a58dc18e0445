//! The request of an action: its headers, and the templates that change it.

use hasura_metadata::types::action::ActionDefinition;
use hasura_metadata::types::webhook::{
    BodyActionKind, BodyTransform, Header, HeaderValue as MetadataValue, QueryParameters,
    RequestTransform, ResponseTransform,
};
use hasura_metadata::{Location, Problem, ProblemKind};
use http::{HeaderName, HeaderValue};
use http_resolvers::webhook::{
    self, BodyTexts, ClientHeaders, QueryTexts, RequestTexts, TextError, Webhook,
};

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
    let request = definition.request_transform.as_ref().map(request);
    let response = definition.response_transform.as_ref().and_then(response);
    Ok(Webhook {
        base_url: base_url.into(),
        headers: headers.collect::<Result<_, _>>()?,
        client_headers,
        request: request.transpose()?,
        response: response.transpose()?,
    })
}

/// A header as metadata has it.
pub(super) fn written_header(header: &Header) -> serde_json::Value {
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

/// A transform of requests with its templates.
fn request(transform: &RequestTransform) -> Result<webhook::RequestTransform, Problem> {
    let headers = transform.request_headers.as_ref();
    let added = headers.iter().flat_map(|headers| &headers.add_headers);
    let texts = RequestTexts {
        method: transform.method.as_deref(),
        url: transform.url.as_deref(),
        query: transform.query_params.as_ref().map(query),
        added_headers: added.map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        removed_headers: headers
            .iter()
            .flat_map(|headers| &headers.remove_headers)
            .map(String::as_str)
            .collect(),
        body: transform.body.as_ref().map(body),
    };
    webhook::RequestTransform::new(&texts)
        .map_err(|error| wrong("request_transform", &error, &transform.place))
}

/// A transform of answers with its template; `None` if it changes nothing.
fn response(transform: &ResponseTransform) -> Option<Result<webhook::ResponseTransform, Problem>> {
    let texts = body(transform.body.as_ref()?);
    let made = webhook::ResponseTransform::new(&texts);
    Some(made.map_err(|error| wrong("response_transform", &error, &transform.place)))
}

fn query(parameters: &QueryParameters) -> QueryTexts<'_> {
    match parameters {
        QueryParameters::Template(template) => QueryTexts::Whole(template),
        QueryParameters::Named(named) => {
            let named = named.iter();
            QueryTexts::Pairs(
                named.map(|(name, value)| (name.as_str(), value.as_deref())).collect(),
            )
        }
    }
}

fn body(body: &BodyTransform) -> BodyTexts<'_> {
    let action = match body {
        BodyTransform::Template(template) => return BodyTexts::Json(template),
        BodyTransform::Action(action) => action,
    };
    match action.action {
        BodyActionKind::Remove => BodyTexts::Remove,
        // Metadata without the template of its action is refused when it is read.
        BodyActionKind::Transform => {
            BodyTexts::Json(action.template.as_deref().unwrap_or_default())
        }
        BodyActionKind::FormUrlEncoded => {
            let pairs = action.form_template.iter().flatten();
            BodyTexts::Form(pairs.map(|(name, value)| (name.as_str(), value.as_str())).collect())
        }
    }
}

fn wrong(key: &str, error: &TextError, place: &Location) -> Problem {
    let TextError { part, reason } = error;
    problem(ProblemKind::WrongValue, place, format!("{key}.{part}: {reason}."))
}
