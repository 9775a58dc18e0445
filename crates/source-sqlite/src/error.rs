//! SQLite's errors in the terms of all sources.

use rusqlite::ErrorCode;

use source::{Details, SourceError, SourceErrorKind};

use super::allocations;
use super::{integer, json_change};

/// SQLite's error texts of a statement beyond its limits, which have no code:
/// <https://sqlite.org/limits.html>.
const LIMITS: [&str; 4] =
    ["Expression tree is too large", "at most 64 tables", "parser stack overflow", "too many "];

/// SQLite's error texts of a statement that needs a function, collation or module of another
/// program.
const MISSING: [&str; 4] = [
    "no such collation sequence: ",
    "no such function: ",
    "unknown function: ",
    "no such module: ",
];

/// SQLite's error text of a foreign key violation, whatever the code: RESTRICT has that of a
/// trigger.
const FOREIGN_KEY: &str = "FOREIGN KEY constraint failed";

/// An error of SQLite in the terms of all sources.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives its error away")]
pub(crate) fn map_error(error: rusqlite::Error) -> SourceError {
    let (message, failure) = match &error {
        rusqlite::Error::SqliteFailure(failure, message) => (message.as_deref(), Some(*failure)),
        rusqlite::Error::SqlInputError { error: failure, msg, .. } => {
            (Some(msg.as_str()), Some(*failure))
        }
        _ => (None, None),
    };
    let Some(failure) = failure else {
        return SourceError::new(SourceErrorKind::Internal, error.to_string());
    };
    let words = message.unwrap_or_default();
    if LIMITS.iter().any(|limit| words.starts_with(limit)) {
        return SourceError::new(SourceErrorKind::TooComplex, error.to_string());
    }
    let refused = [json_change::REFUSED, integer::REFUSED];
    if let Some(message) = refused.iter().find_map(|refused| words.strip_prefix(refused)) {
        return SourceError::new(SourceErrorKind::Input, message);
    }
    let kind = match MISSING.iter().any(|missing| words.starts_with(missing)) {
        true => SourceErrorKind::MissingFunction,
        false => kind(failure, words),
    };
    let details = details(words);
    let message = match kind {
        // The message names a table and its column.
        SourceErrorKind::Input => UNSTORABLE.into(),
        _ => error.to_string().into(),
    };
    let code = Some(failure.extended_code.to_string().into());
    SourceError { kind, message, code, details }
}

/// The message of a value that a column does not accept.
const UNSTORABLE: &str = "A value cannot be stored as the type of its column.";

fn kind(failure: rusqlite::ffi::Error, words: &str) -> SourceErrorKind {
    match failure.code {
        ErrorCode::OperationInterrupted => SourceErrorKind::Timeout,
        // Another process has changed the rows that the transaction read.
        ErrorCode::DatabaseBusy if failure.extended_code == rusqlite::ffi::SQLITE_BUSY_SNAPSHOT => {
            SourceErrorKind::Conflict
        }
        ErrorCode::OutOfMemory if allocations::was_refused() => SourceErrorKind::BudgetExceeded,
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DiskFull
        | ErrorCode::OutOfMemory => SourceErrorKind::Overloaded,
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => SourceErrorKind::Unavailable,
        ErrorCode::ReadOnly => SourceErrorKind::ReadOnly,
        ErrorCode::TypeMismatch => SourceErrorKind::Input,
        ErrorCode::ConstraintViolation => match failure.extended_code {
            rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
            | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | rusqlite::ffi::SQLITE_CONSTRAINT_ROWID => SourceErrorKind::UniqueViolation,
            rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY => SourceErrorKind::ForeignKeyViolation,
            rusqlite::ffi::SQLITE_CONSTRAINT_NOTNULL => SourceErrorKind::NotNullViolation,
            rusqlite::ffi::SQLITE_CONSTRAINT_DATATYPE => SourceErrorKind::Input,
            rusqlite::ffi::SQLITE_CONSTRAINT_TRIGGER if words == FOREIGN_KEY => {
                SourceErrorKind::ForeignKeyViolation
            }
            // RAISE in a trigger, with the message of its author.
            rusqlite::ffi::SQLITE_CONSTRAINT_TRIGGER => SourceErrorKind::Raised,
            _ => SourceErrorKind::CheckViolation,
        },
        ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied => {
            SourceErrorKind::PermissionDenied
        }
        ErrorCode::TooBig => SourceErrorKind::TooComplex,
        _ => SourceErrorKind::Internal,
    }
}

/// The objects that a message names: `UNIQUE constraint failed: person.first, person.last`, `NOT
/// NULL constraint failed: person.mail`, `UNIQUE constraint failed: index 'person_mail'`, `CHECK
/// constraint failed: person_age`. A check without a name is named by its text.
fn details(words: &str) -> Option<Box<Details>> {
    let (constraint, named) = words.split_once(" constraint failed: ")?;
    let mut details = Details::default();
    let index = named.strip_prefix("index '").and_then(|rest| rest.strip_suffix('\''));
    match (constraint, index) {
        ("UNIQUE", Some(index)) => details.constraint = Some(index.into()),
        ("UNIQUE" | "NOT NULL", None) => {
            for part in named.split(", ") {
                let (table, column) = part.rsplit_once('.')?;
                details.table = Some(table.into());
                details.columns.push(column.into());
            }
        }
        ("CHECK", None) => details.constraint = Some(named.into()),
        _ => return None,
    }
    Some(Box::new(details))
}

/// Whether the file is locked by a writer.
pub(super) fn is_busy(error: &SourceError) -> bool {
    let code = error.code.as_deref().and_then(|code| code.parse::<i32>().ok());
    // The lower byte of an extended code is the code it extends.
    code.is_some_and(|code| code & 0xff == rusqlite::ffi::SQLITE_BUSY)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// Compares the error of a statement on two small tables.
    fn check(sql: &str, kind: SourceErrorKind, constraint: Option<&str>, columns: &[&str]) {
        let connection = Connection::open_in_memory().unwrap();
        let tables = "
            CREATE TABLE person (
                id integer PRIMARY KEY, first text, last text NOT NULL, age integer,
                CONSTRAINT grown CHECK (age > 17), UNIQUE (first, last)
            ) STRICT;
            CREATE UNIQUE INDEX initial ON person (substr(last, 1, 1));
            CREATE TABLE post (author integer REFERENCES person ON DELETE RESTRICT);
            CREATE TRIGGER kept BEFORE UPDATE ON person WHEN new.last = 'X'
                BEGIN SELECT RAISE(ABORT, 'not so'); END;
            INSERT INTO person VALUES (1, 'Ada', 'L', 30);
            INSERT INTO post VALUES (1);";
        connection.execute_batch(tables).unwrap();
        let error = map_error(connection.execute_batch(sql).unwrap_err());
        let details = error.details.as_deref().cloned().unwrap_or_default();
        let found: Vec<&str> = details.columns.iter().map(|column| &**column).collect();
        assert_eq!(
            (error.kind, details.constraint.as_deref(), &*found),
            (kind, constraint, columns)
        );
    }

    #[test]
    fn what_breaks_a_constraint_says_which() {
        use SourceErrorKind as Kind;
        let id = "INSERT INTO person VALUES (1, 'B', 'M', 20)";
        check(id, Kind::UniqueViolation, None, &["id"]);
        let names = "DROP INDEX initial; INSERT INTO person VALUES (2, 'Ada', 'L', 20)";
        check(names, Kind::UniqueViolation, None, &["first", "last"]);
        let initial = "INSERT INTO person VALUES (2, 'B', 'Lu', 20)";
        check(initial, Kind::UniqueViolation, Some("initial"), &[]);
        check("UPDATE person SET last = NULL", Kind::NotNullViolation, None, &["last"]);
        check("UPDATE person SET age = 3", Kind::CheckViolation, Some("grown"), &[]);
        check("INSERT INTO post VALUES (9)", Kind::ForeignKeyViolation, None, &[]);
        check("DELETE FROM person", Kind::ForeignKeyViolation, None, &[]);
        check("UPDATE person SET age = 'x'", Kind::Input, None, &[]);
        check("UPDATE person SET last = 'X'", Kind::Raised, None, &[]);
    }
}
