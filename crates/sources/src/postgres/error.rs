//! PostgreSQL's errors in the terms of all sources.

use super::pool::PoolError;
use super::wire::{DatabaseError, WireError};
use crate::error::{SourceError, SourceErrorKind};

impl From<DatabaseError> for SourceError {
    fn from(error: DatabaseError) -> Self {
        Self {
            kind: kind(&error.code),
            message: error.message.into(),
            code: Some(error.code.into()),
        }
    }
}

impl From<WireError> for SourceError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Database { error, .. } | WireError::StalePlan(error) => (*error).into(),
            WireError::Timeout => Self::new(SourceErrorKind::Timeout, "the statement timed out"),
            WireError::TooLarge { .. } => Self::new(SourceErrorKind::TooLarge, error.to_string()),
            WireError::Io(_)
            | WireError::Tls(_)
            | WireError::Authentication(_)
            | WireError::Closed { .. } => {
                Self::new(SourceErrorKind::Unavailable, error.to_string())
            }
            WireError::Protocol(_) | WireError::Configuration(_) => {
                Self::new(SourceErrorKind::Internal, error.to_string())
            }
        }
    }
}

impl From<PoolError> for SourceError {
    fn from(error: PoolError) -> Self {
        Self::new(SourceErrorKind::Unavailable, error.to_string())
    }
}

/// The kind of an SQLSTATE, <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn kind(code: &str) -> SourceErrorKind {
    match code {
        "23505" => SourceErrorKind::UniqueViolation,
        "23503" => SourceErrorKind::ForeignKeyViolation,
        "23502" => SourceErrorKind::NotNullViolation,
        "23514" => SourceErrorKind::CheckViolation,
        "42501" => SourceErrorKind::PermissionDenied,
        "57014" => SourceErrorKind::Timeout,
        // More columns, tables or parameters than a statement may have.
        "54000" | "54001" | "54011" | "54023" => SourceErrorKind::TooComplex,
        _ => match code.get(..2) {
            // Data exceptions: values that do not fit the type they are compared with.
            Some("22") => SourceErrorKind::Input,
            Some("08" | "53" | "57") => SourceErrorKind::Unavailable,
            _ => SourceErrorKind::Internal,
        },
    }
}
