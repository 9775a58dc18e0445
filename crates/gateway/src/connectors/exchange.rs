//! The HTTP request of a call, and the result that its response maps to.

use connectors::response::read_body;
use connectors::{Connector, HttpRequest, Limits, Problem, Variable, Variables};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Map, Value};

use super::call::Call;
use super::error::CallError;

/// Values of mappings beside those of a call.
#[derive(Clone, Copy, Debug)]
pub struct ClientValues<'c> {
    /// Headers of the client.
    pub headers: &'c HeaderMap,
    /// `$request`
    pub request: &'c Value,
    /// `$config`
    pub config: &'c Value,
    /// `$env`
    pub environment: &'c Value,
    pub limits: &'c Limits,
}

/// An HTTP response.
#[derive(Clone, Copy, Debug)]
pub struct HttpResponse<'r> {
    pub status: u16,
    pub headers: &'r HeaderMap,
    pub body: &'r [u8],
}

/// The result of a call, and what its mappings came upon.
pub type Mapped = (Result<Value, CallError>, Vec<Problem>);

impl Call {
    /// Returns the HTTP request of the call.
    pub fn request(
        &self,
        connector: &Connector,
        values: ClientValues<'_>,
    ) -> Result<HttpRequest, CallError> {
        let nothing = Value::Object(Map::new());
        let variables = self.variables(values, &nothing);
        connector
            .request(&variables, values.headers, values.limits)
            .map_err(|error| CallError::request(error.to_string()))
    }

    /// Maps the response.
    pub fn result(
        &self,
        connector: &Connector,
        values: ClientValues<'_>,
        response: HttpResponse<'_>,
    ) -> Mapped {
        let HttpResponse { status, headers, body } = response;
        let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let nothing = Value::Object(Map::new());
        let (status_value, headers) = (Value::from(status), response_headers(headers));
        let variables = self
            .variables(values, &nothing)
            .with(Variable::Status, &status_value)
            .with(Variable::Response, &headers);
        let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let read = read_body(content_type, body);
        // A body that cannot be read may still be one of an error.
        let (body, unread) = match read {
            Ok(body) => (body, None),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        let limits = values.limits;
        let exceeded = |error: connectors::mapping::Exceeded| {
            (Err(CallError::response(error.to_string(), status)), Vec::new())
        };
        match connector.is_success(code, &body, &variables, limits) {
            Ok(true) => match unread {
                Some(reason) => (Err(CallError::response(reason, status)), Vec::new()),
                None => match connector.selection.evaluate(&body, &variables, limits) {
                    Ok(outcome) => (Ok(outcome.value.unwrap_or_default()), outcome.problems),
                    Err(error) => exceeded(error),
                },
            },
            Ok(false) => match connector.failure(&body, &variables, limits) {
                Ok(failure) => {
                    let error = CallError::status(status, failure.message, failure.extensions);
                    (Err(error), failure.problems)
                }
                Err(error) => exceeded(error),
            },
            Err(error) => exceeded(error),
        }
    }

    fn variables<'v>(&'v self, values: ClientValues<'v>, nothing: &'v Value) -> Variables<'v> {
        let variables = Variables::new()
            .with(Variable::Args, &self.arguments)
            .with(Variable::Config, values.config)
            .with(Variable::Request, values.request)
            .with(Variable::Env, values.environment)
            // Nothing sets a context.
            .with(Variable::Context, nothing);
        let variables = match &self.this {
            Some(this) => variables.with(Variable::This, this),
            None => variables,
        };
        match &self.batch {
            Some(batch) => variables.with(Variable::Batch, batch),
            None => variables,
        }
    }
}

/// Returns headers as in `$request` and `$response`: a list of texts by each name.
#[must_use]
pub fn response_headers(headers: &HeaderMap) -> Value {
    let mut names: Map<String, Value> = Map::new();
    for (name, value) in headers {
        let Ok(value) = value.to_str() else { continue };
        let values = names.entry(name.as_str()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(values) = values {
            values.push(value.into());
        }
    }
    let mut whole = Map::new();
    whole.insert("headers".into(), Value::Object(names));
    Value::Object(whole)
}
