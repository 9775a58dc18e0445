//! Neo4j's errors in the terms of all sources.

use source::{SourceError, SourceErrorKind};

use super::compile::raised;
use super::pool::PoolError;
use super::searched;
use super::wire::{DatabaseError, ErrorClass, WireError};

impl From<DatabaseError> for SourceError {
    fn from(error: DatabaseError) -> Self {
        if let Some((kind, message)) = raised(&error.message) {
            return Self::new(kind, message);
        }
        if let Some((kind, message)) = searched::failure(&error) {
            return Self { kind, message, code: Some(error.code.into()), details: None };
        }
        Self {
            kind: kind(&error),
            message: error.message.into(),
            code: Some(error.code.into()),
            details: None,
        }
    }
}

impl From<WireError> for SourceError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Database { error, .. } => (*error).into(),
            WireError::TooLarge { .. } => Self::new(SourceErrorKind::TooLarge, error.to_string()),
            WireError::BudgetExceeded(_) => {
                Self::new(SourceErrorKind::BudgetExceeded, error.to_string())
            }
            WireError::Authentication(error) => {
                Self { kind: SourceErrorKind::Unavailable, ..(*error).into() }
            }
            WireError::Io(_)
            | WireError::Tls(_)
            | WireError::Closed
            | WireError::Timeout
            | WireError::Silent
            | WireError::NoServer(_) => Self::new(SourceErrorKind::Unavailable, error.to_string()),
            WireError::Protocol(_) | WireError::Configuration(_) => {
                Self::new(SourceErrorKind::Internal, error.to_string())
            }
        }
    }
}

impl From<PoolError> for SourceError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(_) => Self::new(SourceErrorKind::Busy, error.to_string()),
            PoolError::Unreached(error) => {
                let kind = match error {
                    WireError::BudgetExceeded(_) => SourceErrorKind::BudgetExceeded,
                    _ => SourceErrorKind::Unavailable,
                };
                Self { kind, ..error.into() }
            }
        }
    }
}

/// The kind of an error, <https://neo4j.com/docs/status-codes/current/errors/all-errors/>.
fn kind(error: &DatabaseError) -> SourceErrorKind {
    match error.title() {
        "ConstraintValidationFailed" | "ConstraintViolation" => violation(&error.message),
        "Forbidden" => SourceErrorKind::PermissionDenied,
        "TransactionTimedOut"
        | "TransactionTimedOutClientConfiguration"
        | "Terminated"
        | "LockClientStopped" => SourceErrorKind::Timeout,
        "DeadlockDetected" | "LockAcquisitionTimeout" | "Outdated" => SourceErrorKind::Conflict,
        "OutOfMemoryError" | "MemoryPoolOutOfMemoryError" | "MaximumTransactionLimitReached" => {
            SourceErrorKind::Overloaded
        }
        "ReadOnlyDatabase" | "WriteOnReadOnlyAccessDatabase" | "ForbiddenOnReadOnlyDatabase" => {
            SourceErrorKind::ReadOnly
        }
        "NotALeader" | "DatabaseUnavailable" | "DatabaseNotFound" => SourceErrorKind::Unavailable,
        // Other semantic errors come from a statement of ours.
        "SemanticError" if error.message.starts_with(INVALID_REGEX) => SourceErrorKind::Input,
        _ => match error.class() {
            ErrorClass::Transient => SourceErrorKind::Unavailable,
            ErrorClass::Client if error.code.starts_with(SECURITY) => SourceErrorKind::Unavailable,
            ErrorClass::Client | ErrorClass::Database | ErrorClass::Unknown => {
                SourceErrorKind::Internal
            }
        },
    }
}

/// Prefix of errors of the session and its credentials.
const SECURITY: &str = "Neo.ClientError.Security.";

/// The server's error text of an invalid regular expression.
const INVALID_REGEX: &str = "Invalid Regex";

/// The kind of a constraint violation: all have one code, and the message distinguishes them.
fn violation(message: &str) -> SourceErrorKind {
    if message.contains("already exists") {
        SourceErrorKind::UniqueViolation
    } else if message.contains("still has relationships") {
        SourceErrorKind::ForeignKeyViolation
    } else if message.contains("must have the property") {
        SourceErrorKind::NotNullViolation
    } else {
        SourceErrorKind::CheckViolation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(code: &str, message: &str) -> SourceErrorKind {
        let (code, message) = (code.to_owned(), message.to_owned());
        SourceError::from(DatabaseError { code, message, ..DatabaseError::default() }).kind
    }

    #[test]
    fn codes_have_their_kinds() {
        let check = |code: &str, expected| assert_eq!(mapped(code, ""), expected, "{code}");
        check("Neo.ClientError.Security.Forbidden", SourceErrorKind::PermissionDenied);
        check("Neo.ClientError.Security.AuthorizationExpired", SourceErrorKind::Unavailable);
        check("Neo.ClientError.Transaction.TransactionTimedOut", SourceErrorKind::Timeout);
        check(
            "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
            SourceErrorKind::Timeout,
        );
        check("Neo.TransientError.Transaction.Terminated", SourceErrorKind::Timeout);
        check("Neo.TransientError.Transaction.DeadlockDetected", SourceErrorKind::Conflict);
        check("Neo.TransientError.General.OutOfMemoryError", SourceErrorKind::Overloaded);
        check("Neo.TransientError.General.DatabaseUnavailable", SourceErrorKind::Unavailable);
        check("Neo.TransientError.Cluster.ReplicationFailure", SourceErrorKind::Unavailable);
        check("Neo.ClientError.Statement.ArgumentError", SourceErrorKind::Internal);
        check("Neo.ClientError.Statement.ArithmeticError", SourceErrorKind::Internal);
        check("Neo.ClientError.Statement.SyntaxError", SourceErrorKind::Internal);
        check("Neo.ClientError.Statement.SemanticError", SourceErrorKind::Internal);
        let regex =
            mapped("Neo.ClientError.Statement.SemanticError", "Invalid Regex: Unclosed group");
        assert_eq!(regex, SourceErrorKind::Input);
        check("Neo.DatabaseError.General.UnknownError", SourceErrorKind::Internal);
        check("", SourceErrorKind::Internal);
    }

    #[test]
    fn constraints_are_told_apart_by_what_the_message_says() {
        let check = |message: &str, expected| {
            let code = "Neo.ClientError.Schema.ConstraintValidationFailed";
            assert_eq!(mapped(code, message), expected, "{message}");
        };
        check(
            "Node(0) already exists with label `Movie` and property `id` = '1'",
            SourceErrorKind::UniqueViolation,
        );
        check(
            "Cannot delete node<0>, because it still has relationships. To delete this node, you must first delete its relationships.",
            SourceErrorKind::ForeignKeyViolation,
        );
        check(
            "Node(0) with label `Movie` must have the property `id`",
            SourceErrorKind::NotNullViolation,
        );
        check("Node(0) with label `Movie` must be of type", SourceErrorKind::CheckViolation);
    }

    #[test]
    fn what_is_not_reached_is_unavailable() {
        let kind = |error: WireError| SourceError::from(error).kind;
        assert_eq!(kind(WireError::Closed), SourceErrorKind::Unavailable);
        assert_eq!(kind(WireError::TooLarge { limit: 1 }), SourceErrorKind::TooLarge);
        assert_eq!(kind(WireError::Protocol(String::new())), SourceErrorKind::Internal);
        let refused = DatabaseError {
            code: "Neo.ClientError.Security.Unauthorized".to_owned(),
            ..DatabaseError::default()
        };
        let refused = SourceError::from(WireError::Authentication(Box::new(refused)));
        assert_eq!(refused.kind, SourceErrorKind::Unavailable);
        assert_eq!(refused.code.as_deref(), Some("Neo.ClientError.Security.Unauthorized"));
    }
}
