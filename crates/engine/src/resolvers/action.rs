//! Answers of actions, and their errors as Hasura has them: one form for clients, and one for the log
//! of asynchronous actions.

use clients::egress::{EgressError, EgressResponse};
use dialects::Api;
use graphql::schema::{FieldId, TypeKind};
use graphql::{ErrorCode, GraphQLError};
use http::HeaderMap;
use http_resolvers::action::ActionOutput;
use http_resolvers::answer::{Answer, Values};
use http_resolvers::projection::Keys;
use http_resolvers::webhook::{TransformError, WebhookCall};
use http_resolvers::{ActionWebhook, AnswerError, CallError, HttpResolver, RemoteError};
use serde_json::{Map, Value, json};

use super::map_error::log;

/// The role that sees what was sent to the handler of an action and what it answered.
const ADMIN: &str = "admin";

/// Why an action has no value.
#[derive(Clone, Debug)]
pub(crate) struct ActionError {
    code: ErrorCode,
    /// Hasura's code; of errors that the handler reports its own.
    told: Box<str>,
    message: String,
    /// The extensions that the handler reports, each value as JSON.
    extensions: Vec<(Box<str>, Box<str>)>,
    /// Boxed: few errors have one.
    internal: Option<Box<Value>>,
}

/// The request to the webhook of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentAction<'a> {
    pub(crate) resolver: &'a HttpResolver,
    pub(crate) action: &'a ActionWebhook,
    pub(crate) payload: &'a Value,
    /// The request; `None` before it is made.
    pub(crate) call: Option<&'a WebhookCall>,
    /// True if errors contain the request and the response of the webhook, in `extensions.internal`.
    pub(crate) has_internal: bool,
}

/// True for the session variables of a client who sees what was sent and received.
pub(crate) fn is_admin(session: &Map<String, Value>) -> bool {
    session.get("x-hasura-role").and_then(Value::as_str) == Some(ADMIN)
}

/// The type with which the answer of an action is compared.
pub(crate) fn action_output(api: &Api, field: FieldId) -> ActionOutput<'_> {
    let (schema, r#type) = (&api.schema, api.schema[field].r#type);
    let base = &schema[r#type.base];
    let required = match &base.kind {
        TypeKind::Object { fields, .. } => {
            let fields = fields.iter().copied();
            let of_handler =
                fields.filter(|field| api.answer_keys().find_related(*field).is_none());
            let required = of_handler.filter(|field| schema[*field].r#type.is_non_null());
            Some(required.map(|field| &*schema[field].name).collect())
        }
        TypeKind::Scalar
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. }
        | TypeKind::Interface { .. }
        | TypeKind::Union { .. } => None,
    };
    ActionOutput { r#type, base: &base.name, required }
}

impl SentAction<'_> {
    /// The error of a request that cannot be made.
    pub(crate) fn not_made(&self, error: &CallError) -> ActionError {
        let reason = error.to_string();
        log(self.resolver, ErrorCode::ResolverError, &reason);
        let message = "Request Transformation Failed";
        ActionError::new(ErrorCode::ResolverError, message, self.detail(json!({"error": reason})))
    }

    /// The error of a request without a response.
    pub(crate) fn not_answered(&self, error: &EgressError) -> ActionError {
        let code = match error {
            EgressError::HostRefused
            | EgressError::AddressRefused
            | EgressError::Unavailable(_)
            | EgressError::Redirect(_) => ErrorCode::ResolverUnavailable,
            EgressError::Timeout => ErrorCode::ResolverTimeout,
            EgressError::TooLarge { .. } => ErrorCode::ResolverResponseTooLarge,
            EgressError::Truncated(_) => ErrorCode::ResolverResponseInvalid,
            EgressError::MemoryExhausted => ErrorCode::ResponseMemoryExhausted,
        };
        log(self.resolver, code, &error.to_string());
        let reason = json!({ "type": "http_exception", "message": error.to_string() });
        let message = "http exception when calling webhook";
        ActionError::new(code, message, self.internal(&reason, None))
    }

    /// The error of an answer that cannot be transformed.
    pub(crate) fn not_transformed(&self, error: &TransformError) -> ActionError {
        let code = ErrorCode::ResolverResponseInvalid;
        log(self.resolver, code, &error.to_string());
        let detail = self.detail(json!({"error": error.to_string()}));
        ActionError::new(code, "Response Transformation Failed", detail)
    }

    /// Checks an answer, whose body is transformed already.
    pub(crate) fn check(
        &self,
        output: &ActionOutput<'_>,
        response: &EgressResponse,
    ) -> Result<(), ActionError> {
        let EgressResponse { status, body, .. } = response;
        let Answer { value, errors, .. } = Answer::read(self.resolver, *status, body, None);
        let invalid = ErrorCode::ResolverResponseInvalid;
        let (code, told, message, reason) = match value {
            Ok(Values::One(Some(value))) => match output.check(value) {
                Ok(()) => return Ok(()),
                Err(message) => (invalid, "unexpected", message, "unexpected response".into()),
            },
            Err(AnswerError::Reported) => return Err(ActionError::reported(errors)),
            Err(AnswerError::Status(status)) => {
                let reason = format!("expecting 2xx or 4xx status code, but found {status}");
                (ErrorCode::ResolverError, "unexpected", "internal error".to_owned(), reason)
            }
            Err(AnswerError::Json(reason)) => {
                let message = "not a valid json response from webhook".to_owned();
                (invalid, "unexpected", message, format!("invalid JSON: {reason}"))
            }
            Err(AnswerError::NoMessage) => {
                let message =
                    "the webhook reports an error without the key \"message\", which is a text";
                (invalid, "parse-failed", message.to_owned(), "unexpected response".into())
            }
            Ok(Values::One(None) | Values::Batch(_))
            | Err(
                AnswerError::NoKey(_) | AnswerError::BatchSize { .. } | AnswerError::NoBatch { .. },
            ) => (invalid, "unexpected", "internal error".to_owned(), "unexpected response".into()),
        };
        log(self.resolver, code, &reason);
        let internal = self.internal(&Value::String(reason), Some(response));
        let error = ActionError::new(code, message, internal);
        Err(ActionError { told: told.into(), ..error })
    }

    fn detail(&self, detail: Value) -> Option<Value> {
        self.has_internal.then_some(detail)
    }

    fn internal(&self, error: &Value, response: Option<&EgressResponse>) -> Option<Value> {
        if !self.has_internal {
            return None;
        }
        let transform = self.action.webhook.request.as_ref();
        let transformed = self.call.filter(|_| transform.is_some()).map(|made| {
            let body = String::from_utf8_lossy(&made.call.body);
            json!({ "method": made.call.method.as_str(), "body": body })
        });
        let response = response.map(|response| {
            let body = &response.body;
            let body = serde_json::from_slice(body)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
            json!({
                "status": response.status,
                "body": body,
                "headers": header_list(&response.headers),
            })
        });
        Some(json!({
            "error": error,
            "request": {
                "url": self.action.written.handler,
                "headers": self.action.written.headers,
                "body": self.payload,
                "transformed_request": transformed,
            },
            "response": response,
        }))
    }
}

impl ActionError {
    fn new(code: ErrorCode, message: impl Into<String>, internal: Option<Value>) -> Self {
        let (message, extensions) = (message.into(), Vec::new());
        let internal = internal.map(Box::new);
        Self { code, told: "unexpected".into(), message, extensions, internal }
    }

    fn reported(errors: Vec<RemoteError>) -> Self {
        let reported = errors.into_iter().next();
        let RemoteError { message, extensions, .. } = reported.unwrap_or(RemoteError {
            message: "".into(),
            extensions: vec![],
            members: vec![],
        });
        let told = extensions.iter().find(|(key, _)| &**key == "code");
        let told = told.and_then(|(_, code)| serde_json::from_str::<Box<str>>(code).ok());
        Self {
            code: ErrorCode::ResolverError,
            told: told.unwrap_or_else(|| "unexpected".into()),
            message: message.into(),
            extensions,
            internal: None,
        }
    }

    /// The error of a call whose action is not served any more.
    pub(crate) fn unknown() -> Self {
        Self::new(ErrorCode::InternalServerError, "the action does not exist any more", None)
    }

    /// The error of an answer that the log does not take.
    pub(crate) fn not_stored() -> Self {
        let message = "the answer of the webhook cannot be stored";
        Self::new(ErrorCode::ResolverResponseInvalid, message, None)
    }

    /// The error in the form of the log.
    pub(crate) fn to_log(&self) -> Value {
        let mut log = json!({ "path": "$", "error": self.message, "code": self.told });
        if let (Some(internal), Some(members)) = (&self.internal, log.as_object_mut()) {
            members.insert("internal".to_owned(), Value::clone(internal));
        }
        log
    }

    /// The error for a client.
    pub(crate) fn to_graphql(&self) -> GraphQLError {
        let mut error = GraphQLError::new(self.code, self.message.as_str());
        if !self.extensions.is_empty() {
            error.extensions.extend(self.extensions.iter().cloned());
            if !self.extensions.iter().any(|(key, _)| &**key == "code") {
                error.extensions.push(("code".into(), "".into()));
            }
            return error.logged_as("Another server reports an error.");
        }
        let mut add = |key: &str, value: String| error.extensions.push((key.into(), value.into()));
        add("path", "\"$\"".to_owned());
        add("code", Value::from(&*self.told).to_string());
        if let Some(internal) = &self.internal {
            add("internal", internal.to_string());
        }
        error.logged_as("The handler of an action gives no value.")
    }
}

/// Headers as Hasura lists them, with names as most servers write them.
fn header_list(headers: &HeaderMap) -> Vec<Value> {
    let name = |name: &str| {
        let words = name.split('-').map(|word| {
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            [&*first.to_ascii_uppercase(), rest].concat()
        });
        words.collect::<Vec<_>>().join("-")
    };
    let headers = headers.iter();
    let of_server =
        headers.filter(|(name, _)| !matches!(name.as_str(), "date" | "server" | "content-length"));
    of_server
        .map(|(key, value)| {
            json!({ "name": name(key.as_str()), "value": String::from_utf8_lossy(value.as_bytes()) })
        })
        .collect()
}
