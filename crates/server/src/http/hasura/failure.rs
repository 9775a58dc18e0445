//! Errors of everything but GraphQL: `{"path", "error", "code"}` with a status of HTTP.

use std::fmt::Display;

use hyper::StatusCode;
use hyper::header::HeaderValue;
use serde_json::{Value, json};

use crate::http::refusal::Refusal;
use crate::http::respond::Response;

/// An error of an endpoint.
#[derive(Debug)]
pub(super) struct Failure {
    status: StatusCode,
    path: String,
    code: String,
    message: String,
    /// Boxed: few failures have one.
    refusal: Option<Box<Refusal>>,
}

impl Failure {
    pub(super) fn new(status: StatusCode, code: &str, message: impl Display) -> Self {
        let (path, code, message) = ("$".into(), code.into(), message.to_string());
        Self { status, path, code, message, refusal: None }
    }

    /// The same at another place of the request's body.
    pub(super) fn at(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    pub(super) fn unknown_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "resource does not exist")
    }

    pub(super) fn access_denied() -> Self {
        let message = "restricted access : admin only";
        Self::new(StatusCode::BAD_REQUEST, "access-denied", message)
    }

    pub(super) fn bad_request(message: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    pub(super) fn parse_failed(message: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "parse-failed", message)
    }

    pub(super) fn invalid_json(error: &serde_json::Error) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid-json", error)
    }

    pub(super) fn not_supported(message: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "not-supported", message)
    }

    /// A refusal that GraphQL has as well.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        let failure = Self::of_body(&refusal.body_in(engine::ErrorForm::Hasura));
        Self { status: refusal.status(), refusal: Some(Box::new(refusal.clone())), ..failure }
    }

    /// The first error of a response of GraphQL. Its status is that of a request at fault, unless the
    /// server is.
    pub(super) fn of_body(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = &body["errors"][0];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let code = text(&error["extensions"]["code"]);
        let status = match code.as_str() {
            "unexpected" | "postgres-error" => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        let path = text(&error["extensions"]["path"]);
        Self { status, path, code, message: text(&error["message"]), refusal: None }
    }

    /// The body of the response.
    pub(super) fn body(&self) -> Value {
        let Self { path, code, message, .. } = self;
        json!({ "path": path, "error": message, "code": code })
    }

    pub(super) fn respond(&self) -> Response {
        let mut response = super::json(self.status, &self.body());
        if let Some((name, value)) = self.refusal.as_deref().and_then(Refusal::header) {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
