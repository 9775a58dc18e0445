//! SQLite's errors in the terms of all sources.

use rusqlite::ErrorCode;

use crate::error::{SourceError, SourceErrorKind};

/// How SQLite refuses a statement beyond its limits, for which it has no code:
/// <https://sqlite.org/limits.html>.
const LIMITS: [&str; 4] =
    ["Expression tree is too large", "at most 64 tables", "parser stack overflow", "too many "];

impl From<rusqlite::Error> for SourceError {
    fn from(error: rusqlite::Error) -> Self {
        let (kind, code) = match &error {
            rusqlite::Error::SqliteFailure(_, Some(message))
            | rusqlite::Error::SqlInputError { msg: message, .. }
                if LIMITS.iter().any(|limit| message.starts_with(limit)) =>
            {
                (SourceErrorKind::TooComplex, None)
            }
            rusqlite::Error::SqliteFailure(failure, _)
            | rusqlite::Error::SqlInputError { error: failure, .. } => {
                (kind(*failure), Some(failure.extended_code.to_string().into()))
            }
            _ => (SourceErrorKind::Internal, None),
        };
        Self { kind, message: error.to_string().into(), code, details: None }
    }
}

fn kind(failure: rusqlite::ffi::Error) -> SourceErrorKind {
    match failure.code {
        ErrorCode::OperationInterrupted => SourceErrorKind::Timeout,
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DiskFull
        | ErrorCode::OutOfMemory => SourceErrorKind::Overloaded,
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => SourceErrorKind::Unavailable,
        ErrorCode::ConstraintViolation => match failure.extended_code {
            rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
            | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | rusqlite::ffi::SQLITE_CONSTRAINT_ROWID => SourceErrorKind::UniqueViolation,
            rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY => SourceErrorKind::ForeignKeyViolation,
            rusqlite::ffi::SQLITE_CONSTRAINT_NOTNULL => SourceErrorKind::NotNullViolation,
            _ => SourceErrorKind::CheckViolation,
        },
        ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => {
            SourceErrorKind::PermissionDenied
        }
        ErrorCode::ReadOnly => SourceErrorKind::ReadOnly,
        ErrorCode::TooBig => SourceErrorKind::TooComplex,
        _ => SourceErrorKind::Internal,
    }
}

/// Whether a writer is at work.
pub(super) fn is_busy(error: &SourceError) -> bool {
    let code = error.code.as_deref().and_then(|code| code.parse::<i32>().ok());
    // The lower byte of an extended code is the code it extends.
    code.is_some_and(|code| code & 0xff == rusqlite::ffi::SQLITE_BUSY)
}
