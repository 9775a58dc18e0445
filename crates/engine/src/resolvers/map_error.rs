//! Errors of other servers as clients see them.
//!
//! The texts are those of Dgraph; those of Hasura's actions are in `action`. Addresses and details of
//! connections are in the log only.

use std::time::Instant;

use clients::egress::EgressError;
use graphql::{ErrorCode, GraphQLError};
use http_resolvers::preset::PresetError;
use http_resolvers::{AnswerError, AnswerRules, CallError, HttpResolver, RemoteError};

use crate::log_throttle::{Cause, LOG_THROTTLE, Logged};

/// The error of a field without a response.
pub(crate) fn egress_error(resolver: &HttpResolver, error: &EgressError) -> GraphQLError {
    let (code, text) = match error {
        EgressError::HostRefused | EgressError::AddressRefused => {
            (ErrorCode::ResolverUnavailable, "its address is not allowed".to_owned())
        }
        EgressError::Unavailable(_) => {
            (ErrorCode::ResolverUnavailable, "it cannot be reached".to_owned())
        }
        EgressError::Timeout => (ErrorCode::ResolverTimeout, error.to_string()),
        EgressError::TooLarge { .. } => (ErrorCode::ResolverResponseTooLarge, error.to_string()),
        EgressError::Truncated(_) => {
            (ErrorCode::ResolverResponseInvalid, "its response was truncated".to_owned())
        }
        EgressError::Redirect(status) => {
            (ErrorCode::ResolverError, format!("unexpected error with: {status}"))
        }
        EgressError::MemoryExhausted => (ErrorCode::ResponseMemoryExhausted, error.to_string()),
    };
    log(resolver, code, &error.to_string());
    match resolver.answers {
        AnswerRules::Lenient => external(resolver, code, &text),
        AnswerRules::Strict | AnswerRules::Action => of_remote_schema(code, &text),
    }
}

/// The error of a field that has no request.
pub(crate) fn call_error(resolver: &HttpResolver, error: &CallError) -> GraphQLError {
    external(resolver, ErrorCode::BadUserInput, &error.to_string())
        .logged_as("A value of the request is no part of a URL.")
}

/// The error of an answer without a value; none if the other server reports its own.
pub(crate) fn answer_error(resolver: &HttpResolver, error: &AnswerError) -> Option<GraphQLError> {
    let HttpResolver { parent, field, .. } = resolver;
    let of_field = format!("for field: {field} within type: {parent}.");
    let invalid = |text: String| {
        log(resolver, ErrorCode::ResolverResponseInvalid, &error.to_string());
        Some(GraphQLError::new(ErrorCode::ResolverResponseInvalid, text))
    };
    match error {
        // Answers of actions are checked before.
        AnswerError::Reported | AnswerError::NoMessage => None,
        AnswerError::Status(_) | AnswerError::Json(_) | AnswerError::NoKey(_)
            if resolver.answers == AnswerRules::Strict =>
        {
            let code = ErrorCode::ResolverResponseInvalid;
            log(resolver, code, &error.to_string());
            Some(of_remote_schema(code, &error.to_string()))
        }
        AnswerError::Status(_) => {
            log(resolver, ErrorCode::ResolverError, &error.to_string());
            Some(external(resolver, ErrorCode::ResolverError, &error.to_string()))
        }
        AnswerError::Json(reason) => invalid(format!(
            "Evaluation of custom field failed because json unmarshalling result of external request \
             failed (with error: {reason}) {of_field}"
        )),
        AnswerError::NoKey(key) => invalid(format!(
            "Evaluation of custom field failed because key: {key} could not be found in the JSON \
             response returned by external request {of_field}"
        )),
        AnswerError::BatchSize { expected, found } => invalid(format!(
            "Evaluation of custom field failed because expected result of external BATCH request to \
             be of size {expected}, got: {found} {of_field}"
        )),
        AnswerError::NoBatch { expected } => invalid(format!(
            "Evaluation of custom field failed because expected result of external BATCH request to \
             be a list of size {expected} {of_field}"
        )),
    }
}

/// An error that the other server reports.
pub(crate) fn remote_error(error: &RemoteError) -> GraphQLError {
    let message = String::from(&*error.message);
    let mut reported = GraphQLError::new(ErrorCode::ResolverError, message);
    reported.extensions.extend(error.extensions.iter().cloned());
    reported.members = error.members.clone().into();
    reported.logged_as("Another server reports an error.")
}

/// An error of a remote schema as it says it.
pub(crate) fn whole_error(error: &RemoteError) -> GraphQLError {
    let mut whole = remote_error(error);
    if !error.extensions.iter().any(|(key, _)| &**key == "code") {
        whole.extensions.push(("code".into(), "".into()));
    }
    whole
}

/// The error of values that belong to several rows, in the form of Hasura: with the errors of the
/// remote schema as JSON.
pub(crate) fn join_error(errors: &str) -> GraphQLError {
    let message = "Errors from remote server";
    let error = GraphQLError::new(ErrorCode::ResolverError, message);
    let error = error.with_extension("path", "$").with_extension("code", "unexpected");
    let mut error = error.logged_as("Another server reports errors.");
    error.extensions.push(("internal".into(), format!("{{\"errors\":{errors}}}").into()));
    error
}

/// The error of a value of a role that its session lacks, with the codes of Hasura.
pub(crate) fn preset_error(error: &PresetError) -> GraphQLError {
    let code = match error {
        PresetError::Missing(_) => "not-found",
        PresetError::Form { .. } | PresetError::Name(_) | PresetError::EnumValue(_) => {
            "coercion-error"
        }
    };
    let error = GraphQLError::new(ErrorCode::BadUserInput, error.to_string());
    error.with_extension("path", "$").with_extension("code", code)
}

/// The error of fields whose requests are beyond the limit.
pub(crate) fn too_many_calls(most: usize) -> GraphQLError {
    let message = format!(
        "The operation needs more than {most} requests to other servers: select fewer rows, or \
         fewer custom fields."
    );
    GraphQLError::new(ErrorCode::TooManyCalls, message)
}

/// The error of a remote schema, with the code that clients of Hasura expect.
fn of_remote_schema(code: ErrorCode, text: &str) -> GraphQLError {
    let message =
        format!("HTTP exception occurred while sending the request to the remote schema: {text}");
    GraphQLError::new(code, message).with_extension("code", "remote-schema-error")
}

fn external(resolver: &HttpResolver, code: ErrorCode, text: &str) -> GraphQLError {
    let HttpResolver { parent, field, .. } = resolver;
    let message = format!(
        "Evaluation of custom field failed because external request returned an error: {text} for \
         field: {field} within type: {parent}."
    );
    GraphQLError::new(code, message)
}

/// Logs a failure, without the request and the answer.
pub(crate) fn log(resolver: &HttpResolver, code: ErrorCode, error: &str) {
    let field = resolver.name();
    let cause = Cause { code, detail: field.as_str().into() };
    if let Logged::Written { suppressed, .. } =
        LOG_THROTTLE.judge(cause, Instant::now(), String::new)
    {
        tracing::warn!(
            field,
            host = resolver.url.host(),
            error,
            untold = (suppressed > 0).then_some(suppressed),
            "a request of a custom field failed"
        );
    }
}
