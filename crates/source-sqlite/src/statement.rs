//! Prepared statements, and the values of their rows.
//!
//! Answers consist of many short values, for each of which rusqlite makes two to three calls that
//! find the row again: a tenth of the instructions of a nested answer. Here a value is found once.
//! A statement is bound and read only while its connection is borrowed.
#![expect(unsafe_code, reason = "SQLite's functions are C's; docs/performance.md has the gain")]

use std::ffi::{CStr, c_int};
use std::ptr::{NonNull, null_mut};

use response::Value;
use rusqlite::ffi;

use super::allocations;
use super::connection::OpenFile;
use super::idle::Place;

/// A statement in use. It returns to the connection's statement cache.
pub(super) struct Statement<'f> {
    file: &'f OpenFile,
    place: Place,
    /// Gone only when this is dropped.
    owned: Option<Prepared>,
    raw: *mut ffi::sqlite3_stmt,
}

/// A statement of SQLite, finalized on drop. Its connection lives as long.
#[derive(Debug)]
pub(super) struct Prepared {
    raw: NonNull<ffi::sqlite3_stmt>,
    bytes: usize,
}

/// One run of a statement, until this is dropped.
#[derive(Debug)]
pub(super) struct Rows<'s, 'f> {
    statement: &'s mut Statement<'f>,
    is_over: bool,
}

// SAFETY: SQLite allows a connection and its statements to move between threads, one at a time.
// They stay together in an `OpenFile`, which no two threads share.
unsafe impl Send for Prepared {}

impl std::fmt::Debug for Statement<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Statement").field("raw", &self.raw).finish_non_exhaustive()
    }
}

impl Prepared {
    fn new(file: &OpenFile, text: &str) -> Result<Self, rusqlite::Error> {
        let mut raw = null_mut();
        let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
        // SAFETY: the connection is open, and the text has so many bytes.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                file.connection.handle(),
                text.as_ptr().cast(),
                length,
                ffi::SQLITE_PREPARE_PERSISTENT,
                &raw mut raw,
                null_mut(),
            )
        };
        match NonNull::new(raw) {
            Some(raw) if code == ffi::SQLITE_OK => Ok(Self { raw, bytes: memory_used(raw) }),
            // rusqlite describes the error in more detail.
            _ => Err(match file.connection.prepare(text) {
                Err(error) => error,
                Ok(_) => failure(file, code),
            }),
        }
    }
}

impl Prepared {
    /// The bytes that SQLite had taken for it when it was prepared.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// SQLite walks the whole statement for it, which costs little beside preparing it.
fn memory_used(raw: NonNull<ffi::sqlite3_stmt>) -> usize {
    // SAFETY: the statement is there.
    let used = unsafe { ffi::sqlite3_stmt_status(raw.as_ptr(), ffi::SQLITE_STMTSTATUS_MEMUSED, 0) };
    usize::try_from(used).unwrap_or(0)
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: it is finalized once, and before its connection is closed.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

impl<'f> Statement<'f> {
    /// The statement of this text, prepared unless the connection has it.
    pub(super) fn of(file: &'f OpenFile, text: &str) -> Result<Self, rusqlite::Error> {
        let (place, kept) = file.idle.take(text);
        let owned = match kept {
            Some(kept) => kept,
            None => Prepared::new(file, text)?,
        };
        let raw = owned.raw.as_ptr();
        Ok(Self { file, place, owned: Some(owned), raw })
    }

    /// Binds the parameter of this number, counted from 1.
    pub(super) fn bind(&mut self, number: c_int, value: Value<'_>) -> Result<(), rusqlite::Error> {
        let raw = self.raw;
        // SAFETY: the statement is there, and SQLite copies bytes before it returns.
        let code = unsafe {
            match value {
                Value::Null => ffi::sqlite3_bind_null(raw, number),
                Value::Integer(value) => ffi::sqlite3_bind_int64(raw, number, value),
                Value::Real(value) => ffi::sqlite3_bind_double(raw, number, value),
                Value::Text(text) => ffi::sqlite3_bind_text64(
                    raw,
                    number,
                    text.as_ptr().cast(),
                    text.len() as u64,
                    ffi::SQLITE_TRANSIENT(),
                    ffi::SQLITE_UTF8 as u8,
                ),
                // No bytes at all would be null.
                Value::Blob([]) | Value::Packed([]) => ffi::sqlite3_bind_zeroblob(raw, number, 0),
                // Packed values are parameters only, never values of rows.
                Value::Blob(blob) | Value::Packed(blob) => ffi::sqlite3_bind_blob64(
                    raw,
                    number,
                    blob.as_ptr().cast(),
                    blob.len() as u64,
                    ffi::SQLITE_TRANSIENT(),
                ),
            }
        };
        match code {
            ffi::SQLITE_OK => Ok(()),
            code => Err(failure(self.file, code)),
        }
    }

    /// Runs it with its bound values.
    pub(super) fn run(&mut self) -> Rows<'_, 'f> {
        Rows { statement: self, is_over: false }
    }

    fn reset(&mut self) {
        // SAFETY: the statement is there. What it returns is the last run's error again.
        unsafe { ffi::sqlite3_reset(self.raw) };
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement is there. It keeps no values of a request.
        unsafe { ffi::sqlite3_clear_bindings(self.raw) };
        if let Some(owned) = self.owned.take() {
            self.file.idle.give_back(self.place, owned);
        }
    }
}

impl Rows<'_, '_> {
    /// Moves to the next row; `false` after the last one.
    pub(super) fn step(&mut self) -> Result<bool, rusqlite::Error> {
        if self.is_over {
            // SQLite would begin again.
            return Ok(false);
        }
        // SAFETY: the statement is there, and there are no values of its row, which borrow this.
        let step = || unsafe { ffi::sqlite3_step(self.statement.raw) };
        match allocations::step(step) {
            ffi::SQLITE_ROW => Ok(true),
            ffi::SQLITE_DONE => {
                self.end();
                Ok(false)
            }
            code => {
                let error = failure(self.statement.file, code);
                self.end();
                Err(error)
            }
        }
    }

    /// A column of the current row; null if there is none.
    pub(super) fn value(&self, column: u16) -> Value<'_> {
        // SAFETY: this thread alone uses the connection, which SQLite requires for access to a
        // value that it calls unprotected. Bytes stay in place until the next step, which needs
        // this unborrowed: those of one column are always read in the same form.
        unsafe {
            let value = ffi::sqlite3_column_value(self.statement.raw, c_int::from(column));
            match ffi::sqlite3_value_type(value) {
                ffi::SQLITE_INTEGER => Value::Integer(ffi::sqlite3_value_int64(value)),
                ffi::SQLITE_FLOAT => Value::Real(ffi::sqlite3_value_double(value)),
                // The length is read last: a text in UTF-16 is converted to UTF-8 when it is read.
                ffi::SQLITE_TEXT => {
                    let text = ffi::sqlite3_value_text(value);
                    bytes(text, ffi::sqlite3_value_bytes(value)).map_or(Value::Null, Value::Text)
                }
                ffi::SQLITE_BLOB => {
                    let blob = ffi::sqlite3_value_blob(value);
                    match ffi::sqlite3_value_bytes(value) {
                        0 => Value::Blob(&[]),
                        length => bytes(blob.cast(), length).map_or(Value::Null, Value::Blob),
                    }
                }
                _ => Value::Null,
            }
        }
    }

    /// Whether a column of the current row is null, or there is no row.
    pub(super) fn is_null(&self, column: u16) -> bool {
        // SAFETY: the statement is there.
        let kind = unsafe { ffi::sqlite3_column_type(self.statement.raw, c_int::from(column)) };
        kind == ffi::SQLITE_NULL
    }

    fn end(&mut self) {
        self.is_over = true;
        self.statement.reset();
    }
}

impl Drop for Rows<'_, '_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.end();
        }
    }
}

/// Bytes of SQLite. None if it had no memory for them: then the next step is an error.
// SAFETY: a pointer that is not null must have that many bytes, and nothing may change them while
// they are used.
unsafe fn bytes<'v>(start: *const u8, length: c_int) -> Option<&'v [u8]> {
    let length = usize::try_from(length).ok()?;
    // SAFETY: as the caller promises.
    (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start, length) })
}

/// The connection's last error.
#[cold]
fn failure(file: &OpenFile, code: c_int) -> rusqlite::Error {
    // SAFETY: the connection is open, and the message is copied before the next call.
    let message = unsafe {
        let message = ffi::sqlite3_errmsg(file.connection.handle());
        (!message.is_null()).then(|| CStr::from_ptr(message).to_string_lossy().into_owned())
    };
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), message)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::connection::Cache;

    fn memory() -> OpenFile {
        OpenFile::open(Path::new(":memory:"), Duration::ZERO, Cache::Default).unwrap()
    }

    #[test]
    fn values_come_back_as_they_were_bound() {
        let file = memory();
        let mut statement = Statement::of(&file, "SELECT ?1, ?1, typeof(?1)").unwrap();
        let mut check = |value: Value<'_>, kind: &str| {
            statement.bind(1, value).unwrap();
            let mut rows = statement.run();
            assert_eq!(rows.value(0), Value::Null);
            assert!(rows.step().unwrap());
            assert_eq!(rows.is_null(0), value == Value::Null);
            let read = [rows.value(0), rows.value(1), rows.value(0), rows.value(2), rows.value(9)];
            assert_eq!(read, [value, value, value, Value::Text(kind.as_bytes()), Value::Null]);
            assert!(!rows.step().unwrap());
            assert!(!rows.step().unwrap());
            assert_eq!(rows.value(0), Value::Null);
        };
        check(Value::Null, "null");
        check(Value::Integer(i64::MIN), "integer");
        check(Value::Real(-1.5), "real");
        check(Value::Text(b""), "text");
        check(Value::Text("h\u{e9}\0 ".as_bytes()), "text");
        check(Value::Blob(b""), "blob");
        check(Value::Blob(b"\0\xff"), "blob");
    }

    #[test]
    fn texts_in_utf16_and_blobs_of_zeros_are_bytes() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a)").unwrap();
        connection.execute_batch("INSERT INTO t VALUES ('h\u{e9}'), (zeroblob(3))").unwrap();
        let mut file = memory();
        file.connection = connection;
        let mut statement = Statement::of(&file, "SELECT a, a FROM t").unwrap();
        let mut rows = statement.run();
        assert!(rows.step().unwrap());
        assert_eq!([rows.value(0), rows.value(1)], [Value::Text("h\u{e9}".as_bytes()); 2]);
        assert!(rows.step().unwrap());
        assert_eq!([rows.value(0), rows.value(0)], [Value::Blob(&[0; 3]); 2]);
    }

    #[test]
    fn a_run_that_was_left_is_begun_again_without_its_values() {
        let file = memory();
        let text = "SELECT column1 + coalesce(?1, 0) FROM (VALUES (1), (2))";
        for bound in [Some(5), None] {
            let mut statement = Statement::of(&file, text).unwrap();
            if let Some(value) = bound {
                statement.bind(1, Value::Integer(value)).unwrap();
            }
            for _ in 0..2 {
                let mut rows = statement.run();
                assert!(rows.step().unwrap());
                assert_eq!(rows.value(0), Value::Integer(1 + bound.unwrap_or(0)));
            }
        }
    }

    #[test]
    fn errors_are_those_of_sqlite() {
        let file = memory();
        let error = Statement::of(&file, "SELECT absent").unwrap_err();
        assert!(error.to_string().starts_with("no such column: absent"), "{error}");
        let mut statement = Statement::of(&file, "SELECT abs(?1)").unwrap();
        assert!(statement.bind(2, Value::Null).is_err());
        statement.bind(1, Value::Integer(i64::MIN)).unwrap();
        let mut rows = statement.run();
        assert_eq!(rows.step().unwrap_err().to_string(), "integer overflow");
        assert!(!rows.step().unwrap());
        drop(rows);
        statement.bind(1, Value::Integer(-2)).unwrap();
        assert!(statement.run().step().unwrap());
    }
}
