//! Mapping of subgraph errors to GraphQL errors: masking for clients, details in the log.

use std::time::Instant;

use gateway::execute::{ErrorKind, ExecutionError, FetchError, Step};
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, PathSegment};
use supergraph::SubgraphId;

use super::Gateway;
use super::authorization::unauthorized;
use crate::log_throttle::{Cause, LOG_THROTTLE, Logged};
use crate::respond::error_id;

/// Masking of subgraph errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubgraphErrors {
    /// Clients see that an error occurred; the log has the details, under the error id.
    #[default]
    Hidden,
    /// Clients see the subgraph's error code as well.
    Codes,
    /// Clients see the subgraph's message and extensions, and its name.
    Shown,
}

/// Message of masked errors.
const MASKED: &str = "A part of the response is missing because a subgraph failed.";

/// Message of masked errors of a mutation whose outcome is unknown.
const UNKNOWN: &str =
    "A subgraph did not say whether the change was made: look before you send it again.";

/// An error of a subgraph.
struct SubgraphFailure {
    subgraph: SubgraphId,
    code: ErrorCode,
    message: Box<str>,
    /// Details for the log.
    reason: Option<Box<str>>,
    /// The subgraph's extensions, as JSON.
    extensions: Option<Box<str>>,
}

impl Gateway {
    /// Converts an error to its form in the response.
    pub(super) fn map_error(&self, error: ExecutionError) -> GraphQLError {
        let ExecutionError { kind, path, location } = error;
        let error = match kind {
            ErrorKind::Subgraph { subgraph, message, extensions } => {
                let code = ErrorCode::SubgraphError;
                self.log_and_mask(SubgraphFailure {
                    subgraph,
                    code,
                    message,
                    reason: None,
                    extensions,
                })
            }
            ErrorKind::FetchFailed { subgraph, kind, why, reason } => {
                let (code, message) = (fetch_failed(kind, &why), why.to_string().into());
                self.log_and_mask(SubgraphFailure {
                    subgraph,
                    code,
                    message,
                    reason,
                    extensions: None,
                })
            }
            ErrorKind::InvalidResponse { subgraph, why } => {
                let code = ErrorCode::SubgraphResponseInvalid;
                let message = why.to_string().into();
                let (reason, extensions) = (None, None);
                self.log_and_mask(SubgraphFailure { subgraph, code, message, reason, extensions })
            }
            ErrorKind::Denied { parent, field } => {
                let parent = &self.supergraph.schema[parent].name;
                unauthorized(&[parent, ".", &field].concat())
            }
            ErrorKind::Null { field, .. } => {
                let message = format!(
                    "No subgraph has a value of `{field}` here, and the schema promises one."
                );
                GraphQLError::new(ErrorCode::InvalidValue, message)
            }
            ErrorKind::Missing { field, .. } => {
                let message = format!("No subgraph has a value of `{field}` here.");
                GraphQLError::new(ErrorCode::InvalidValue, message)
            }
            ErrorKind::Value { field } => {
                let message = format!("The value of `{field}` is none of its type.");
                GraphQLError::new(ErrorCode::InvalidValue, message)
            }
            ErrorKind::More { count } => {
                let message = format!("There are {count} more errors, which are not reported.");
                GraphQLError::new(ErrorCode::SubgraphError, message)
            }
        };
        let error = match location {
            Some(location) => error.at(location),
            None => error,
        };
        let path = path.into_iter().map(|step| match step {
            Step::Key(key) => PathSegment::Field(key),
            Step::Index(index) => PathSegment::Index(index),
        });
        error.with_path(path.collect())
    }

    /// Logs an error of a subgraph and returns its masked form.
    fn log_and_mask(&self, failure: SubgraphFailure) -> GraphQLError {
        let SubgraphFailure { subgraph, code, message, reason, extensions } = failure;
        let name = &self.supergraph.service(subgraph).name;
        let cause = Cause { code, detail: (**name).into() };
        let logged = match code {
            // Always logged: an operator may have to check each of them.
            ErrorCode::OutcomeUnknown => Logged::Written { id: error_id().into(), suppressed: 0 },
            _ => LOG_THROTTLE.judge(cause, Instant::now(), error_id),
        };
        let id = match logged {
            Logged::Counted { id } => id,
            Logged::Written { id, suppressed } => {
                tracing::warn!(
                    error_id = %id,
                    subgraph = &**name,
                    code = code.as_str(),
                    error = &*message,
                    reason = reason.as_deref(),
                    extensions = extensions.as_deref(),
                    untold = (suppressed > 0).then_some(suppressed),
                    "an error of a subgraph"
                );
                id
            }
        };
        let mut error = match self.options.errors {
            SubgraphErrors::Hidden | SubgraphErrors::Codes => {
                let is_unknown = code == ErrorCode::OutcomeUnknown;
                GraphQLError::new(code, if is_unknown { UNKNOWN } else { MASKED })
            }
            SubgraphErrors::Shown => GraphQLError::new(code, &*message),
        };
        let own = extensions.as_deref().map_or_else(Vec::new, members);
        let is_told = |key: &str| match self.options.errors {
            SubgraphErrors::Hidden => false,
            SubgraphErrors::Codes => key == "code",
            SubgraphErrors::Shown => !matches!(key, "subgraph" | "errorId"),
        };
        error.extensions.extend(own.into_iter().filter(|(key, _)| is_told(key)));
        if self.options.errors == SubgraphErrors::Shown {
            error = error.with_extension("subgraph", name);
        }
        error.with_extension("errorId", &id)
    }
}

/// Returns the members of a JSON object, each as JSON.
fn members(text: &str) -> Vec<(Box<str>, Box<str>)> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).unwrap_or_default();
    let members = object.into_iter();
    members.map(|(key, value)| (key.into(), value.to_string().into())).collect()
}

fn fetch_failed(kind: OperationKind, why: &FetchError) -> ErrorCode {
    match why {
        // The mutation may have been executed; 502 and 504 come from a proxy that gave up.
        FetchError::Timeout
        | FetchError::Broken
        | FetchError::Closed
        | FetchError::Status(502 | 504)
            if kind == OperationKind::Mutation =>
        {
            ErrorCode::OutcomeUnknown
        }
        FetchError::Unavailable | FetchError::BreakerOpen | FetchError::Closed => {
            ErrorCode::SubgraphUnavailable
        }
        FetchError::Overloaded => ErrorCode::SubgraphOverloaded,
        FetchError::Timeout => ErrorCode::SubgraphTimeout,
        FetchError::TooLarge { .. } | FetchError::Broken | FetchError::NotGraphQl => {
            ErrorCode::SubgraphResponseInvalid
        }
        // These statuses usually come from a proxy in front of the subgraph.
        FetchError::Status(502..=504) => ErrorCode::SubgraphUnavailable,
        FetchError::Status(_) => ErrorCode::SubgraphResponseInvalid,
        FetchError::MemoryExhausted => ErrorCode::ResponseMemoryExhausted,
    }
}
