//! The sample shop in an SQLite file.
//!
//! A file with other content is never changed. The sample is written under a temporary name and then
//! renamed, so that an interrupted program leaves no incomplete shop.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};
use sample::Cell;

use super::{SampleError, Written};

/// "Thlw" in ASCII, in the header field of applications:
/// <https://sqlite.org/pragma.html#pragma_application_id>.
const APPLICATION_ID: i32 = 0x5468_6c77;

/// To be incremented whenever tables or rows of the sample change.
const SAMPLE_VERSION: i32 = 1;

const TABLE_NAMES: &str = include_str!("sqlite/table_names.sql");

/// One statement per line, in the order of the sample's tables.
const INSERTS: &str = include_str!("sqlite/inserts.sql");

/// The header of a file.
#[derive(Debug)]
struct Header {
    application_id: i32,
    user_version: i32,
    table_names: Vec<String>,
}

/// A temporary file, removed when dropped unless it was renamed.
#[derive(Debug)]
struct PartialFile(PathBuf);

/// A value in SQLite's storage class.
#[derive(Debug)]
struct Stored(Cell);

/// Whether the file contains the sample; `false` if it does not exist. Other content is an error.
pub(crate) fn is_sample(file: &Path) -> Result<bool, SampleError> {
    let foreign = || SampleError::ForeignFile(file.to_owned());
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(foreign()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(SampleError::File { file: file.to_owned(), error }),
    }
    let header = read_header(file).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => foreign(),
        Some(_) | None => SampleError::Sqlite { file: file.to_owned(), error },
    })?;
    if header.application_id != APPLICATION_ID {
        return Err(foreign());
    }
    if header.user_version != SAMPLE_VERSION {
        return Err(SampleError::OtherVersion(file.to_owned()));
    }
    let mut tables = sample::tables().into_iter();
    match tables.all(|table| header.table_names.iter().any(|name| name == table.name)) {
        true => Ok(true),
        false => Err(foreign()),
    }
}

/// Writes the file, which must not exist.
pub(crate) fn write(file: &Path) -> Result<Written, SampleError> {
    let partial = PartialFile::beside(file);
    let written = write_rows(&partial.0)
        .map_err(|error| SampleError::Sqlite { file: file.to_owned(), error })?;
    // Unlike a rename, a hard link never replaces a file that was created meanwhile.
    match fs::hard_link(&partial.0, file) {
        Ok(()) => Ok(written),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Another demo may have written it meanwhile.
            is_sample(file).map(|_| written)
        }
        // Some file systems have no hard links.
        Err(_) => match fs::rename(&partial.0, file) {
            Ok(()) => Ok(written),
            Err(error) => Err(SampleError::File { file: file.to_owned(), error }),
        },
    }
}

fn read_header(file: &Path) -> rusqlite::Result<Header> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    let application_id = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let user_version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let mut statement = connection.prepare(TABLE_NAMES)?;
    let table_names = statement.query_map([], |row| row.get(0))?;
    let table_names = table_names.collect::<rusqlite::Result<_>>()?;
    Ok(Header { application_id, user_version, table_names })
}

fn write_rows(file: &Path) -> rusqlite::Result<Written> {
    let mut connection = Connection::open(file)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(sample::SQLITE_SCHEMA)?;
    let mut written = Written { tables: 0, rows: 0 };
    for (table, insert) in sample::tables().into_iter().zip(INSERTS.lines()) {
        let mut statement = transaction.prepare(insert)?;
        for row in table.rows {
            statement.execute(params_from_iter(row.into_iter().map(Stored)))?;
            written.rows += 1;
        }
        written.tables += 1;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SAMPLE_VERSION)?;
    transaction.commit()?;
    // With a write-ahead log, readers and a writer do not block each other.
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(written)
}

impl PartialFile {
    /// A name in the same folder, since renaming works within a file system only.
    fn beside(file: &Path) -> Self {
        let mut name = OsString::from(file);
        name.push(".");
        name.push(process::id().to_string());
        name.push(".partial");
        Self(name.into())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        match fs::remove_file(&self.0) {
            Ok(()) => {}
            // It was renamed, or never created.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, file = %self.0.display(), "a file stays behind"),
        }
    }
}

/// Binds prices and timestamps as text: SQLite converts it to the column's declared type.
impl ToSql for Stored {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match &self.0 {
            Cell::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Cell::Integer(integer) => ToSqlOutput::from(*integer),
            Cell::Text(text) => ToSqlOutput::from(text.as_str()),
            Cell::Price(_) | Cell::Timestamp(_) => ToSqlOutput::from(self.0.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_insert_for_each_table_in_their_order() {
        let expected: Vec<String> = sample::tables()
            .iter()
            .map(|table| {
                let places = vec!["?"; table.columns.len()].join(", ");
                let columns = table.columns.join(", ");
                format!("INSERT INTO {} ({columns}) VALUES ({places});", table.name)
            })
            .collect();
        assert_eq!(INSERTS.lines().collect::<Vec<_>>(), expected);
    }
}
