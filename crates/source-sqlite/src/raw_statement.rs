//! Statements that clients send, each on a connection of its own.

use std::path::Path;
use std::time::Duration;

pub use rusqlite::InterruptHandle;
use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Statement};
use source::raw_statement::{RawStatementError, RowsWriter, write_number, write_text};

use super::connection::OpenFile;
use super::durability::Durability;

/// The code of errors that SQLite has none for: `SQLITE_ERROR`.
const ERROR: i32 = 1;

/// A connection for one statement.
#[derive(Debug)]
pub struct RawConnection(OpenFile);

impl RawConnection {
    /// Opens a file for a statement that may change it.
    pub fn open(path: &Path, busy: Duration) -> Result<Self, RawStatementError> {
        let opened = OpenFile::open_for_changes(path, busy, Durability::Full);
        opened.map(Self).map_err(|error| RawStatementError::Unreachable(error.to_string()))
    }

    /// Interrupts the statement.
    #[must_use]
    pub fn interrupt(&self) -> InterruptHandle {
        self.0.connection.get_interrupt_handle()
    }

    /// Executes a statement. The result is JSON: a list of its rows, or the number of changed rows.
    pub fn execute(self, text: &str, most_bytes: u64) -> Result<String, RawStatementError> {
        let connection = &self.0.connection;
        let mut batch = Batch::new(connection, text);
        let first = batch.next().map_err(|error| refused(&error))?;
        let Some(mut statement) = first else { return Ok("0".into()) };
        // The text behind the statement is not executed, so it has to be empty.
        if !matches!(batch.next(), Ok(None)) {
            let message = "cannot execute several statements at once".to_owned();
            return Err(RawStatementError::Refused { code: ERROR, message });
        }
        if statement.column_count() > 0 {
            return rows(&mut statement, most_bytes);
        }
        let before = connection.total_changes();
        statement.raw_execute().map_err(|error| refused(&error))?;
        drop(statement);
        let changed = connection.total_changes().saturating_sub(before);
        Ok(changed.to_string())
    }
}

fn rows(statement: &mut Statement<'_>, most_bytes: u64) -> Result<String, RawStatementError> {
    let names: Vec<String> = statement.column_names().map(Into::into).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut writer = RowsWriter::new(&names, most_bytes);
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| refused(&error))? {
        writer.row(|place, out| {
            match row.get_ref(place).map_err(|error| refused(&error))? {
                ValueRef::Null => out.push_str("null"),
                ValueRef::Integer(number) => out.push_str(&number.to_string()),
                ValueRef::Real(number) => write_number(&number.to_string(), out),
                ValueRef::Text(text) => write_text(&String::from_utf8_lossy(text), out),
                ValueRef::Blob(bytes) => {
                    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
                    write_text(&digits.collect::<String>(), out);
                }
            }
            Ok(())
        })?;
    }
    Ok(writer.finish())
}

fn refused(error: &rusqlite::Error) -> RawStatementError {
    let code = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code & 0xff,
        rusqlite::Error::SqlInputError { error, .. } => error.extended_code & 0xff,
        _ => ERROR,
    };
    RawStatementError::Refused { code, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_rows_or_a_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        rusqlite::Connection::open(&path).unwrap();
        let check = |text: &str, expected: Result<&str, (i32, &str)>| {
            let connection = RawConnection::open(&path, Duration::ZERO).unwrap();
            match (connection.execute(text, 1_000), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(RawStatementError::Refused { code, message }), Err((expected, part))) => {
                    assert_eq!(code, expected, "{text}: {message}");
                    assert!(message.contains(part), "{text}: {message}");
                }
                (found, _) => panic!("{text}: {found:?}"),
            }
        };
        check("create table t (id text primary key, n integer)", Ok("0"));
        check("insert into t values ('a', 1), ('b', null)", Ok("2"));
        check("Select 1", Ok(r#"[{"1":1}]"#));
        check(
            "select *, 0.5 as x, x'00ff' as y from t -- all",
            Ok(r#"[{"id":"a","n":1,"x":0.5,"y":"00ff"},{"id":"b","n":null,"x":0.5,"y":"00ff"}]"#),
        );
        check("update t set n = 2 returning n", Ok(r#"[{"n":2},{"n":2}]"#));
        check("delete from t where id = 'b';", Ok("1"));
        check("", Ok("0"));
        check("insert into t values ('a', 1)", Err((19, "UNIQUE constraint failed: t.id")));
        check("select * from", Err((1, "incomplete input")));
        check("delete from t; drop table t", Err((1, "several statements")));
        check("select count(*) as n from t", Ok(r#"[{"n":1}]"#));
        // What a statement begins ends with its connection.
        check("begin immediate", Ok("0"));
        check("delete from t", Ok("1"));
    }
}
