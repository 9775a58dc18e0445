//! Loads and reads in bulk of a file.

use std::path::Path;
use std::time::Duration;

pub use rusqlite::types::Value as Stored;
use rusqlite::types::{ToSqlOutput, ValueRef as StoredRef};
use rusqlite::{Connection, OptionalExtension, Row as SqliteRow, ToSql};
use transfer::stage::TableRows;
use transfer::value::{DatabaseValue, RowBuffer, StoredColumn, moment, stored, text};
use transfer::{ValueRef, value};

use super::connection::{Cache, OpenFile};
use super::durability::Durability;

/// The reason why a load or a read ended early.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("cannot open {}: {source}", redact::address(path))]
    Open { path: String, source: rusqlite::Error },
    #[error("{source}\n{statement}")]
    Statement { statement: Box<str>, source: rusqlite::Error },
    #[error("cannot read a file of the import: {0}")]
    Rows(std::io::Error),
    #[error("the column {column} has a value that is none of its type")]
    Value { column: Box<str> },
}

/// An open file, for loads or reads.
#[derive(Debug)]
pub struct SqliteTransfer {
    file: OpenFile,
}

/// KiB of the page cache: pages of indexes are changed in no order.
const CACHE: i64 = -65_536;

/// A value as it is bound.
struct Bound<'b>(ValueRef<'b>);

impl TransferError {
    /// The database's own message.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            Self::Open { source, .. } | Self::Statement { source, .. } => source.to_string(),
            Self::Rows(_) | Self::Value { .. } => self.to_string(),
        }
    }
}

impl SqliteTransfer {
    /// Opens a file for a load.
    pub fn open_for_load(path: &Path, busy: Duration) -> Result<Self, TransferError> {
        let failed = |source| opening(path, source);
        let file = OpenFile::open_for_changes(path, busy, Durability::Full).map_err(failed)?;
        // References are checked before the load.
        file.connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        file.connection.pragma_update(None, "cache_size", CACHE).map_err(failed)?;
        Ok(Self { file })
    }

    /// Opens a file for changes beside those of other programs, whose references are checked.
    pub fn open_for_changes(path: &Path, busy: Duration) -> Result<Self, TransferError> {
        let opened = OpenFile::open_for_changes(path, busy, Durability::Full);
        let file = opened.map_err(|source| opening(path, source))?;
        Ok(Self { file })
    }

    /// Opens a file and begins to read its present state.
    pub fn open_for_read(path: &Path, busy: Duration) -> Result<Self, TransferError> {
        let file =
            OpenFile::open(path, busy, Cache::Default).map_err(|error| opening(path, error))?;
        let transfer = Self { file };
        transfer.run(include_str!("migrate/begin_reading.sql"))?;
        Ok(transfer)
    }

    /// Locks the file for the load of tables without rows. A rollback journal has no pages that are
    /// new, so each is written once; a write-ahead log would have all of them.
    pub fn lock(&self) -> Result<(), TransferError> {
        self.pragma("locking_mode", "EXCLUSIVE")?;
        self.pragma("journal_mode", "DELETE")
    }

    /// Ends [`lock`](Self::lock).
    pub fn unlock(&self) -> Result<(), TransferError> {
        self.pragma("locking_mode", "NORMAL")?;
        self.pragma("journal_mode", "WAL")
    }

    fn pragma(&self, name: &str, value: &str) -> Result<(), TransferError> {
        let set = self.file.connection.pragma_update_and_check(None, name, value, |_| Ok(()));
        set.map_err(|source| TransferError::Statement { statement: name.into(), source })
    }

    fn connection(&self) -> &Connection {
        &self.file.connection
    }

    /// Runs a statement.
    pub fn run(&self, statement: &str) -> Result<(), TransferError> {
        let ran = self.connection().execute_batch(statement);
        ran.map_err(|source| TransferError::Statement { statement: statement.into(), source })
    }

    pub fn begin(&self) -> Result<(), TransferError> {
        self.run(include_str!("migrate/begin.sql"))
    }

    pub fn roll_back(&self) -> Result<(), TransferError> {
        self.run(include_str!("transfer/roll_back.sql"))
    }

    pub fn commit(&self) -> Result<(), TransferError> {
        self.run(include_str!("migrate/commit.sql"))
    }

    /// The progress of an import that is not finished.
    pub fn state(&self) -> Result<Option<String>, TransferError> {
        if !self.query(include_str!("transfer/is_there.sql"), |row| row.get(0))?.unwrap_or(false) {
            return Ok(None);
        }
        self.query(include_str!("transfer/state.sql"), |row| row.get(0))
    }

    /// Saves the progress, in the current transaction.
    pub fn save(&self, state: &str) -> Result<(), TransferError> {
        self.run(include_str!("transfer/create.sql"))?;
        self.run(include_str!("transfer/forget.sql"))?;
        let statement = include_str!("transfer/save.sql");
        let saved = self.connection().execute(statement, [state]);
        saved.map(drop).map_err(|source| failed(statement, source))
    }

    /// Removes the progress, in the current transaction.
    pub fn forget(&self) -> Result<(), TransferError> {
        self.run(include_str!("transfer/drop.sql"))
    }

    /// The last id of the sequence.
    pub fn last_id(&self) -> Result<u64, TransferError> {
        let last: Option<i64> = self.query(include_str!("transfer/last.sql"), |row| row.get(0))?;
        Ok(last.and_then(|last| u64::try_from(last).ok()).unwrap_or_default())
    }

    /// Moves the sequence beyond an id.
    pub fn reserve(&self, last: i64) -> Result<(), TransferError> {
        let statement = include_str!("transfer/reserve.sql");
        let done = self.connection().execute(statement, [last]);
        done.map(drop).map_err(|source| failed(statement, source))
    }

    /// The only value of a query that returns whether there are rows.
    pub fn has_rows(&self, query: &str) -> Result<bool, TransferError> {
        Ok(self.query(query, |row| row.get(0))?.unwrap_or(false))
    }

    /// Reads the rows that a query with a parameter for each value returns.
    pub fn find(
        &self,
        query: &str,
        values: &[ValueRef<'_>],
        columns: &[StoredColumn],
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        self.read_rows(query, values.iter().map(|value| Bound(*value)), columns, out)
    }

    fn query<T>(
        &self,
        query: &str,
        read: impl FnOnce(&SqliteRow<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, TransferError> {
        let found = self.connection().query_row(query, [], read).optional();
        found.map_err(|source| failed(query, source))
    }

    /// Inserts at most so many rows, and returns their number.
    pub fn insert(
        &self,
        statement: &str,
        rows: &mut TableRows,
        most: u64,
    ) -> Result<u64, TransferError> {
        let failed = |source| failed(statement, source);
        let mut prepared = self.connection().prepare_cached(statement).map_err(failed)?;
        let mut inserted = 0;
        while inserted < most
            && let Some(row) = rows.next_row().map_err(TransferError::Rows)?
        {
            insert_row(&mut prepared, row).map_err(failed)?;
            inserted += 1;
        }
        Ok(inserted)
    }

    /// Inserts rows.
    pub fn insert_buffer(&self, statement: &str, rows: &RowBuffer) -> Result<(), TransferError> {
        let failed = |source| failed(statement, source);
        let mut prepared = self.connection().prepare_cached(statement).map_err(failed)?;
        for row in rows.rows() {
            insert_row(&mut prepared, row).map_err(failed)?;
        }
        Ok(())
    }

    /// Runs a statement for each row, and returns the place of one that is refused.
    pub fn run_each(
        &self,
        statement: &str,
        rows: &RowBuffer,
    ) -> Result<(), (usize, TransferError)> {
        let prepared = self.connection().prepare_cached(statement);
        let mut prepared = prepared.map_err(|source| (0, failed(statement, source)))?;
        for (place, row) in rows.rows().enumerate() {
            insert_row(&mut prepared, row).map_err(|source| (place, failed(statement, source)))?;
        }
        Ok(())
    }

    /// The texts and the numbers that a query with a parameter for each value returns.
    pub fn numbers(
        &self,
        query: &str,
        values: &[String],
    ) -> Result<Vec<(String, i64)>, TransferError> {
        let failed = |source| failed(query, source);
        let mut statement = self.connection().prepare_cached(query).map_err(failed)?;
        let rows = statement
            .query_map(rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)));
        rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
    }

    /// Reads a page of rows: those after the values of the order's columns.
    pub fn read(
        &self,
        query: &str,
        after: &[Stored],
        most: usize,
        columns: &[StoredColumn],
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        let most = Stored::Integer(i64::try_from(most).unwrap_or(i64::MAX));
        self.read_rows(query, after.iter().chain([&most]), columns, out)
    }

    fn read_rows(
        &self,
        query: &str,
        parameters: impl IntoIterator<Item = impl ToSql>,
        columns: &[StoredColumn],
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        let failed = |source| failed(query, source);
        let mut statement = self.connection().prepare_cached(query).map_err(failed)?;
        let mut rows = statement.query(rusqlite::params_from_iter(parameters)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            for (place, column) in columns.iter().enumerate() {
                let wrong = || TransferError::Value { column: column.name.clone() };
                let found = match row.get_ref(place).map_err(failed)? {
                    StoredRef::Null => DatabaseValue::Null,
                    StoredRef::Integer(number) => DatabaseValue::Integer(number),
                    StoredRef::Real(number) => DatabaseValue::Float(number),
                    StoredRef::Text(text) => {
                        DatabaseValue::Text(std::str::from_utf8(text).map_err(|_| wrong())?)
                    }
                    StoredRef::Blob(_) => return Err(wrong()),
                };
                out.push(&stored(found, column).ok_or_else(wrong)?);
            }
            out.end_row();
        }
        Ok(())
    }
}

fn opening(path: &Path, source: rusqlite::Error) -> TransferError {
    TransferError::Open { path: path.to_string_lossy().into_owned(), source }
}

fn failed(statement: &str, source: rusqlite::Error) -> TransferError {
    TransferError::Statement { statement: statement.into(), source }
}

fn insert_row(
    prepared: &mut rusqlite::CachedStatement<'_>,
    row: value::Row<'_>,
) -> rusqlite::Result<()> {
    for (place, value) in row.enumerate() {
        prepared.raw_bind_parameter(place + 1, Bound(value))?;
    }
    prepared.raw_execute().map(drop)
}

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let owned = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap_or_default();
            ToSqlOutput::Owned(Stored::Text(text))
        };
        Ok(match self.0 {
            ValueRef::Null => ToSqlOutput::Owned(Stored::Null),
            ValueRef::Boolean(value) => ToSqlOutput::Owned(Stored::Integer(value.into())),
            ValueRef::Integer(number) => ToSqlOutput::Owned(Stored::Integer(number)),
            ValueRef::Float(number) => ToSqlOutput::Owned(Stored::Real(number)),
            ValueRef::Text(text) | ValueRef::Json(text) => {
                ToSqlOutput::Borrowed(StoredRef::Text(text.as_bytes()))
            }
            ValueRef::Moment(micros) => {
                let mut bytes = Vec::with_capacity(32);
                moment::write_for_database(micros, &mut bytes);
                owned(bytes)
            }
            ValueRef::List(_) => {
                let mut bytes = Vec::new();
                text::write_json(self.0, &mut bytes);
                owned(bytes)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;
    use sql::tree::definition::DataType;
    use sql::{BulkRows, Flavor, Identifier, TableName};
    use storage::tables::ColumnType;

    use super::*;

    #[test]
    fn many_values_are_found_by_one_statement_with_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        Connection::open(&path).unwrap().pragma_update(None, "journal_mode", "WAL").unwrap();
        let transfer = SqliteTransfer::open_for_load(&path, Duration::ZERO).unwrap();
        transfer.run("create table t (id integer primary key, name text unique)").unwrap();
        transfer.begin().unwrap();
        for id in 0..5_000 {
            transfer.run(&format!("insert into t values ({id}, 'n{id}')")).unwrap();
        }
        transfer.commit().unwrap();
        let column =
            |name: &str, r#type| StoredColumn { name: name.into(), r#type, is_list: false };
        let columns = [column("name", ColumnType::Text), column("id", ColumnType::Int64)];
        let names: Vec<String> = (4_500..5_500).map(|id| format!("n{id}")).collect();
        let values: Vec<ValueRef<'_>> = names.iter().map(|name| ValueRef::Text(name)).collect();
        let [table, name, id] = ["t", "name", "id"].map(|name| Identifier(name.into()));
        let rows = BulkRows {
            table: TableName { schema: None, name: table },
            columns: vec![(name.clone(), DataType::Text), (id, DataType::BigInteger)],
            order: Vec::new(),
            present: None,
        };
        let query = sql::print_find_rows(&rows, &name, values.len(), &Flavor::SQLITE);
        let mut found = RowBuffer::default();
        transfer.find(&query, &values, &columns, &mut found).unwrap();
        assert_eq!(found.len(), 500);
        let statement = transfer.connection().prepare_cached(&query).unwrap();
        assert_eq!(statement.get_status(StatementStatus::Run), 1);
        assert_eq!(statement.get_status(StatementStatus::FullscanStep), 0);
    }
}
