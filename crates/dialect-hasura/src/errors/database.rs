//! Codes and texts of what the database refuses.
//!
//! Hasura shows PostgreSQL's own message of these errors behind a word of its own, and its clients
//! look for the name of the constraint there. Other databases get the message that PostgreSQL has.

use graphql::ErrorCode;

/// The database's error about a refused row or value.
#[derive(Clone, Copy, Debug)]
pub struct Refused<'r> {
    pub code: ErrorCode,
    /// The message of PostgreSQL, if the error is its own.
    pub message: Option<&'r str>,
    pub constraint: Option<&'r str>,
    pub table: Option<&'r str>,
    pub column: Option<&'r str>,
}

/// Hasura's code and text; `None` for errors that are none of the request's.
#[must_use]
pub fn refused_by_database(refused: Refused<'_>) -> Option<(&'static str, String)> {
    let constraint = refused.constraint.unwrap_or("?");
    let table = refused.table.unwrap_or("?");
    let (code, word, own) = match refused.code {
        ErrorCode::UniqueViolation => (
            "constraint-violation",
            "Uniqueness violation. ",
            format!("duplicate key value violates unique constraint \"{constraint}\""),
        ),
        ErrorCode::ForeignKeyViolation => (
            "constraint-violation",
            "Foreign key violation. ",
            match (refused.table, refused.constraint) {
                (Some(table), Some(constraint)) => format!(
                    "insert or update on table \"{table}\" violates foreign key constraint \
                     \"{constraint}\""
                ),
                // SQLite does not say which one.
                (_, _) => "a row violates a foreign key constraint".into(),
            },
        ),
        ErrorCode::NotNullViolation => (
            "constraint-violation",
            "Not-NULL violation. ",
            format!(
                "null value in column \"{}\" of relation \"{table}\" violates not-null constraint",
                refused.column.unwrap_or("?")
            ),
        ),
        ErrorCode::CheckViolation => (
            "permission-error",
            "Check constraint violation. ",
            match refused.table {
                Some(table) => format!(
                    "new row for relation \"{table}\" violates check constraint \"{constraint}\""
                ),
                // SQLite says the constraint only.
                None => format!("new row violates check constraint \"{constraint}\""),
            },
        ),
        ErrorCode::ExclusionViolation => (
            "constraint-violation",
            "Exclusion violation. ",
            format!("conflicting key value violates exclusion constraint \"{constraint}\""),
        ),
        ErrorCode::BadUserInput => {
            return Some(("data-exception", refused.message?.to_owned()));
        }
        ErrorCode::Conflict => {
            return Some((
                "concurrent-update",
                "serialization failure due to concurrent update".into(),
            ));
        }
        _ => return None,
    };
    Some((code, [word, refused.message.unwrap_or(&own)].concat()))
}
