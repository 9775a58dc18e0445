//! Errors as Hasura's clients expect them: one error without `locations`, its path as a text in
//! `extensions.path`, and Hasura's codes and texts.
//!
//! * `path`: paths to selections and values
//! * `problem`: texts of problems with a request
//! * `database`: codes and texts of what the database refuses

mod database;
mod path;
mod problem;

use api::binding::{INVALID_NODE_ID, member_cursors};
use catalog::SpatialKind;
use geojson::{Geometry, check_raster};
use graphql::problem::{InputRules, Located, Step, WITHIN_ARGUMENTS};
use graphql::{ErrorCode, GraphQLError};
use serde_json::Value;

use super::functions::OMITTED;
use super::values::TREE;

pub use database::{Refused, refused_by_database};

/// The member of `extensions` with Hasura's code, which replaces the own one.
const CODE: &str = "code";

/// The error of a text that is no path of labels.
const NO_PATH_OF_LABELS: &str = "Expecting label path: a sequence of zero or more labels separated by \
                                 dots, for example L1.L2.L3";

/// PostgreSQL's error of a pattern, which Hasura shows as it is.
const ESCAPE_ENDS: &str = "LIKE pattern must not end with escape character";

/// Nulls that Hasura refuses although its schema allows them, and numbers that may not be negative.
pub const INPUT_RULES: InputRules = InputRules {
    refuses_null: |object, field| {
        let is_of = |snake: &str, camel: &str| object.ends_with(snake) || object.ends_with(camel);
        is_of("_comparison_exp", "ComparisonExp")
            || (is_of("_bool_exp", "BoolExp") && !field.starts_with('_'))
    },
    is_count: |argument| matches!(argument, "limit" | "first" | "last"),
    unreadable: |scalar, json| {
        let is = |kind: SpatialKind| {
            let before = scalar.strip_suffix(kind.name());
            before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
        };
        let json = || serde_json::from_str::<Value>(json).ok();
        if scalar == TREE {
            let is_path = |text: &str| text.split('.').all(|label| !label.is_empty());
            return match json()? {
                Value::String(text) if is_path(&text) => None,
                _ => Some(NO_PATH_OF_LABELS.into()),
            };
        }
        if is(SpatialKind::Geometry) || is(SpatialKind::Geography) {
            return match json()? {
                Value::String(_) => None,
                value => Geometry::read(&value).err().map(|error| error.to_string()),
            };
        }
        if is(SpatialKind::Raster) {
            return match json()? {
                Value::String(text) => check_raster(&text).err().map(|error| error.to_string()),
                _ => Some("expecting String for raster".into()),
            };
        }
        None
    },
};

/// An error in Hasura's form. `located` tells where the request is wrong, as far as that is known.
#[must_use]
pub fn form(error: &GraphQLError, located: &Located) -> GraphQLError {
    let extensions = error.without_values().extensions;
    let is_of_handler = error.code == ErrorCode::ResolverError && !extensions.is_empty();
    if is_of_handler || extensions.iter().any(|(key, _)| &**key == "path") {
        // The extensions are those that the handler of an action says, or complete already.
        let (locations, path) = (Vec::new(), Vec::new());
        return GraphQLError { locations, path, ..error.clone() };
    }
    let code = error.extensions.iter().find(|(key, _)| &**key == CODE);
    // A value that the database has refused may be one that Hasura would not have sent.
    let is_known = error.code == ErrorCode::BadUserInput && located.problem.is_some();
    if let Some((_, code)) = code.filter(|_| !is_known) {
        let path = path::of_written(&located.nearest);
        return made(error, &error.message, code, &path);
    }
    match (error.code, &located.problem) {
        // Clients that send hashes of documents compare the messages and codes of these two.
        (ErrorCode::PersistedQueryNotFound | ErrorCode::PersistedQueryNotSupported, _) => {
            made(error, &error.message, &quoted(error.code.as_str()), "$")
        }
        (ErrorCode::ParseFailed, _) => {
            made(error, "not a valid graphql query", &quoted("validation-failed"), "$.query")
        }
        (ErrorCode::IntrospectionDisabled, _) => {
            made(error, &error.message, &quoted("not-supported"), "$")
        }
        (
            ErrorCode::ValidationFailed
            | ErrorCode::BadUserInput
            | ErrorCode::OperationResolutionFailure,
            Some((path, problem)),
        ) => {
            let (code, message) = problem::told(problem);
            made(error, &message, &quoted(code), &path::text(path))
        }
        (ErrorCode::BadUserInput, None) if error.message.starts_with(INVALID_NODE_ID) => {
            let path = path::text(&path::of_id(&located.nearest));
            made(error, &error.message, &quoted("validation-failed"), &path)
        }
        // A table that the role does not see does not exist for it.
        (ErrorCode::PermissionDenied, _) if path::is_node(&located.nearest) => {
            let message = format!("{INVALID_NODE_ID}no such table found");
            let path = path::text(&path::of_id(&located.nearest));
            made(error, &message, &quoted("validation-failed"), &path)
        }
        (ErrorCode::BadUserInput, None) if error.message == ESCAPE_ENDS => {
            made(error, &error.message, &quoted("bad-request"), "$")
        }
        (ErrorCode::BadUserInput, None) if is_of_page(&error.message) => {
            let path = path::text(&located.nearest);
            made(error, &error.message, &quoted("validation-failed"), &path)
        }
        (ErrorCode::BadUserInput, None) if is_of_omitted(&error.message) => {
            let mut path = path::of_arguments(&located.nearest);
            path.push(Step::Key("args".into()));
            made(error, &error.message, &quoted("not-supported"), &path::text(&path))
        }
        (ErrorCode::BadUserInput, None) => {
            let mut path = path::text(&path::of_arguments(&located.nearest));
            let within = error.extensions.iter().find(|(key, _)| &**key == WITHIN_ARGUMENTS);
            let within = within.and_then(|(_, json)| serde_json::from_str::<String>(json).ok());
            path.push_str(&within.unwrap_or_default());
            made(error, &error.message, &quoted("validation-failed"), &path)
        }
        (ErrorCode::MissingSessionVariable, _) => {
            made(error, &error.message, &quoted(code_of(error.code)), "$")
        }
        (code, _) => {
            let path = path::text(&located.nearest);
            made(error, &error.message, &quoted(code_of(code)), &path)
        }
    }
}

/// The error with a message, a code as JSON, and a path. Members that identify a line of the log
/// stay.
fn made(error: &GraphQLError, message: &str, code: &str, path: &str) -> GraphQLError {
    let mut made = GraphQLError::new(error.code, message);
    made.extensions.push(("path".into(), quoted(path).into()));
    made.extensions.push((CODE.into(), code.into()));
    let kept = error.extensions.iter().filter(|(key, _)| matches!(&**key, "errorId" | "internal"));
    made.extensions.extend(kept.cloned());
    made
}

/// True for the errors of cursors, and of arguments of pages that exclude each other.
fn is_of_page(message: &str) -> bool {
    [member_cursors::INVALID, member_cursors::FIRST_AND_LAST, member_cursors::AFTER_AND_BEFORE]
        .contains(&message)
}

/// True for the errors of omitted arguments of functions.
fn is_of_omitted(message: &str) -> bool {
    message == OMITTED.required || message == OMITTED.before_unnamed
}

/// The text as JSON.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Hasura's code of an error.
fn code_of(code: ErrorCode) -> &'static str {
    use ErrorCode as Code;
    match code {
        Code::ParseFailed
        | Code::ValidationFailed
        | Code::OperationResolutionFailure
        | Code::BadUserInput
        | Code::QueryTooDeep
        | Code::QueryTooLarge
        | Code::QueryTooComplex
        | Code::IntrospectionDisabled
        | Code::TooManyAliases
        | Code::TooManyRootFields
        | Code::TooManyDirectives
        | Code::TooManyFragments
        | Code::TooManyVariables
        | Code::TooManyOperations
        | Code::CostTooHigh
        | Code::PatternTooComplex
        | Code::OperationNotTrusted
        | Code::UnauthorizedFieldOrType => "validation-failed",
        Code::JsonTooDeep
        | Code::JsonTooLarge
        | Code::BodyTooLarge
        | Code::BodyTimeout
        | Code::BodyTooSlow
        | Code::HostRefused
        | Code::CsrfRefused
        | Code::HeaderTimeout
        | Code::HeaderTooLarge
        | Code::BatchingDisabled
        | Code::BatchTooLarge
        | Code::PersistedQueryNotFound
        | Code::PersistedQueryNotSupported
        | Code::TooManyRows
        | Code::NotRelated
        | Code::RequiredRelation => "bad-request",
        Code::MethodNotAllowed => "method-not-allowed",
        Code::UniqueViolation
        | Code::ForeignKeyViolation
        | Code::NotNullViolation
        | Code::ExclusionViolation => "constraint-violation",
        Code::CheckViolation | Code::PermissionDenied | Code::ReadOnly => "permission-error",
        Code::Unauthenticated => "access-denied",
        Code::NotFound | Code::MissingSessionVariable => "not-found",
        Code::Conflict => "concurrent-update",
        Code::NotSupported => "not-supported",
        Code::InvalidValue => "data-exception",
        Code::Unavailable | Code::SourceError | Code::StatementRefused => "postgres-error",
        Code::SubgraphError
        | Code::SubgraphResponseInvalid
        | Code::ResolverError
        | Code::ResolverResponseInvalid
        | Code::ResolverResponseTooLarge => "remote-schema-error",
        Code::SubgraphUnavailable
        | Code::SubgraphOverloaded
        | Code::SubscriptionInterrupted
        | Code::SubgraphTimeout
        | Code::ResolverUnavailable
        | Code::ResolverTimeout => "http-exception",
        Code::Timeout => "timeout",
        Code::RateLimited => "rate-limit-exceeded",
        Code::TooManyCalls
        | Code::HookRefused
        | Code::HookFailed
        | Code::NoPlan
        | Code::RequestMemoryExhausted
        | Code::TooManyConnections
        | Code::Raised
        | Code::TransactionAborted
        | Code::OutcomeUnknown
        | Code::Overloaded
        | Code::ResponseMemoryExhausted
        | Code::ResponseTooLarge
        | Code::InternalServerError => "unexpected",
    }
}

#[cfg(test)]
mod tests;
