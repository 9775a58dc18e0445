//! HTTP requests of resolvers.

use bytes::Bytes;
use http::HeaderName;
use http::header::HeaderValue;
use serde_json::{Value, json};

use crate::exact_number;
use crate::http_call::HttpCall;
use crate::inputs::Inputs;
use crate::projection::Projection;
use crate::remote_path::RemotePath;
use crate::resolver::{ActionWebhook, HttpResolver, RemoteOperation, RequestBody};
use crate::selection_text;
use crate::url::UrlError;
use crate::webhook::{TransformError, WebhookCall, WebhookClient};

/// The reason why there is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("its URL: {0}")]
    Url(#[from] UrlError),
    #[error("{0}")]
    Transform(#[from] TransformError),
    /// Of a field that is nested in a document with given variables.
    #[error(
        "its argument \"{0}\" has an object with a key that is no name of GraphQL, which cannot be sent"
    )]
    Argument(Box<str>),
}

impl ActionWebhook {
    /// What the handler receives. `query` is the document of the client, which asynchronous actions do
    /// not send.
    #[must_use]
    pub fn payload(
        &self,
        input: &Value,
        query: Option<&str>,
        session: &serde_json::Map<String, Value>,
    ) -> Value {
        json!({
            "action": { "name": self.action },
            "input": input,
            "request_query": query,
            "session_variables": session,
        })
    }
}

impl HttpResolver {
    /// The request for one value. `find` returns the client's value of a header.
    pub fn call(
        &self,
        inputs: &Inputs,
        projection: &Projection,
        find: impl Fn(&HeaderName) -> Option<HeaderValue>,
    ) -> Result<HttpCall, CallError> {
        let body = match &self.body {
            RequestBody::Empty
            | RequestBody::Webhook(_)
            | RequestBody::Log(_)
            | RequestBody::Statement => Value::Null,
            RequestBody::Json(template) => template.fill(inputs),
            RequestBody::Operation(operation) => {
                operation_body(operation, projection, inputs.to_json())?
            }
            RequestBody::Remote(path) => {
                path_body(path, (std::slice::from_ref(inputs), false), projection)
            }
        };
        self.with_body(inputs, &body, find)
    }

    /// The request that sends the payload of an action; `None` if the field is none.
    pub fn call_webhook(
        &self,
        payload: &Value,
        client: WebhookClient<'_>,
    ) -> Option<Result<WebhookCall, CallError>> {
        let action = self.webhook()?;
        let url = match self.url.fill(&Inputs::default()) {
            Ok(url) => url,
            Err(error) => return Some(Err(error.into())),
        };
        Some(action.webhook.call(&url, payload, client).map_err(CallError::from))
    }

    /// The request for the values of several objects.
    pub fn call_batch(
        &self,
        objects: &[Inputs],
        projection: &Projection,
        find: impl Fn(&HeaderName) -> Option<HeaderValue>,
    ) -> Result<HttpCall, CallError> {
        let fill = |template: &crate::body::BodyTemplate| {
            Value::Array(objects.iter().map(|inputs| template.fill(inputs)).collect())
        };
        let body = match &self.body {
            RequestBody::Empty
            | RequestBody::Webhook(_)
            | RequestBody::Log(_)
            | RequestBody::Statement => Value::Null,
            RequestBody::Json(template) => fill(template),
            RequestBody::Operation(operation) => {
                let variables = operation.batch.as_ref().map(|(name, template)| {
                    [(String::from(&**name), fill(template))].into_iter().collect()
                });
                operation_body(operation, projection, variables.unwrap_or(Value::Null))?
            }
            RequestBody::Remote(path) => path_body(path, (objects, true), projection),
        };
        self.with_body(&Inputs::default(), &body, find)
    }

    fn with_body(
        &self,
        inputs: &Inputs,
        body: &Value,
        find: impl Fn(&HeaderName) -> Option<HeaderValue>,
    ) -> Result<HttpCall, CallError> {
        let url = self.url.fill(inputs)?;
        let body = match body {
            Value::Null => Bytes::new(),
            body => Bytes::from(exact_number::text(body)),
        };
        let headers = self.headers.fill(find);
        Ok(HttpCall { method: self.method.clone(), url, headers, body })
    }
}

/// A request for a field of a remote schema; a batch has aliases.
pub(crate) fn path_body(
    path: &RemotePath,
    (objects, is_batch): (&[Inputs], bool),
    projection: &Projection,
) -> Value {
    let (query, variables) = path.operation(objects, is_batch, projection);
    match variables.is_empty() {
        true => json!({ "query": query }),
        false => json!({ "query": query, "variables": variables }),
    }
}

/// A request of GraphQL over HTTP.
fn operation_body(
    operation: &RemoteOperation,
    projection: &Projection,
    variables: Value,
) -> Result<Value, CallError> {
    let mut query = String::from(&*operation.text);
    let mut without_literal = None;
    selection_text::write(projection, &mut query, &mut |argument| {
        without_literal = Some(argument.name.clone());
        String::new()
    });
    if let Some(name) = without_literal {
        return Err(CallError::Argument(name));
    }
    query.push('}');
    let members = [("query", Value::String(query)), ("variables", variables)];
    Ok(members.map(|(key, value)| (key.to_owned(), value)).into_iter().collect())
}
