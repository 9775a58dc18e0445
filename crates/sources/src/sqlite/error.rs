//! SQLite's errors in the terms of all sources.

use rusqlite::ErrorCode;

use crate::error::{SourceError, SourceErrorKind};

impl From<rusqlite::Error> for SourceError {
    fn from(error: rusqlite::Error) -> Self {
        let (kind, code) = match &error {
            rusqlite::Error::SqliteFailure(failure, _)
            | rusqlite::Error::SqlInputError { error: failure, .. } => {
                (kind(*failure), Some(failure.extended_code.to_string().into()))
            }
            _ => (SourceErrorKind::Internal, None),
        };
        Self { kind, message: error.to_string().into(), code }
    }
}

fn kind(failure: rusqlite::ffi::Error) -> SourceErrorKind {
    match failure.code {
        ErrorCode::OperationInterrupted => SourceErrorKind::Timeout,
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::CannotOpen
        | ErrorCode::DiskFull
        | ErrorCode::OutOfMemory
        | ErrorCode::SystemIoFailure => SourceErrorKind::Unavailable,
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
        ErrorCode::TooBig => SourceErrorKind::TooComplex,
        _ => SourceErrorKind::Internal,
    }
}
