//! HTTP requests of `@custom(http:)`.

use graphql::definitions::parse_template;
use http_resolvers::body::BodyTemplate;
use http_resolvers::headers::Headers;
use http_resolvers::url::UrlTemplate;
use http_resolvers::{AnswerRules, HttpResolver, InputSource, RemoteOperation, RequestBody};

use crate::model::{CustomHttp, Field};

/// The resolver of a custom field; or the reason why it has none.
pub(crate) fn resolver(
    parent: &str,
    field: &Field,
    http: &CustomHttp,
    secrets: &[(Box<str>, Box<str>)],
) -> Result<HttpResolver, String> {
    let (url, headers) = check(http, secrets)?;
    let body = body(http)?;
    let is_root = matches!(parent, "Query" | "Mutation");
    let inputs = match is_root {
        true => InputSource::Arguments,
        false => InputSource::Fields(inputs(http, &url, &body).into()),
    };
    Ok(HttpResolver {
        parent: parent.into(),
        field: field.name.clone(),
        url,
        method: http.method.parse().map_err(|_| "`method` is no method of HTTP".to_owned())?,
        body,
        is_batch: http.is_batch,
        headers,
        inputs,
        answers: AnswerRules::Lenient,
        timeout: None,
    })
}

/// The URL and the headers of a custom field; or the mistake in them.
pub(crate) fn check(
    http: &CustomHttp,
    secrets: &[(Box<str>, Box<str>)],
) -> Result<(UrlTemplate, Headers), String> {
    let url = UrlTemplate::parse(&http.url).map_err(|error| format!("`url`: {error}"))?;
    let mut headers = Headers::default();
    for header in &http.forward_headers {
        headers.forward(header).map_err(|error| format!("`forwardHeaders`: {error}"))?;
    }
    for header in &http.secret_headers {
        let added = headers.add_secret(header, secrets);
        added.map_err(|error| format!("`secretHeaders`: {error}"))?;
    }
    for header in &http.introspection_headers {
        let added = headers.add_introspection(header, secrets);
        added.map_err(|error| format!("`introspectionHeaders`: {error}"))?;
    }
    Ok((url, headers))
}

fn body(http: &CustomHttp) -> Result<RequestBody, String> {
    let template = match http.body.as_deref().filter(|body| !body.trim().is_empty()) {
        Some(body) => {
            let template =
                parse_template(body).map_err(|error| format!("`body`: {}", error.message))?;
            Some(BodyTemplate::new(&template))
        }
        None => None,
    };
    Ok(match (&http.graphql, template) {
        (Some(text), template) => {
            let operation = RemoteOperation::new(text, template, !http.skip_introspection);
            let operation = operation.ok_or("`graphql` is no operation with one field")?;
            RequestBody::Operation(Box::new(operation))
        }
        (None, Some(template)) => RequestBody::Json(template),
        (None, None) => RequestBody::Empty,
    })
}

/// The fields of the row that the templates use.
fn inputs(http: &CustomHttp, url: &UrlTemplate, body: &RequestBody) -> Vec<Box<str>> {
    let mut names: Vec<Box<str>> = Vec::new();
    let mut add = |name: &str| {
        if !names.iter().any(|known| **known == *name) {
            names.push(name.into());
        }
    };
    url.visit_inputs(&mut add);
    match body {
        RequestBody::Empty
        | RequestBody::Remote(_)
        | RequestBody::Webhook(_)
        | RequestBody::Log(_)
        | RequestBody::Statement => {}
        RequestBody::Json(template) => template.visit_inputs(&mut add),
        RequestBody::Operation(operation) => match (&operation.batch, http.is_batch) {
            (Some((_, template)), true) => template.visit_inputs(&mut add),
            _ => operation.arguments.iter().for_each(|(_, value)| value.visit_inputs(&mut add)),
        },
    }
    names
}
