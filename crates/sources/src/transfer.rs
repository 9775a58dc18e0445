//! Loads and reads in bulk of a source that has tables.
//!
//! * `changes`: rows of a request, in one transaction
//! * `objects`: objects with their links, for exports
//! * `moved`: all rows of a database, into another one

mod changes;
mod moved;
mod objects;

use std::collections::HashMap;

use source::Timeouts;
use source_postgres::transfer::PostgresTransfer;
use source_sqlite::transfer::{SqliteTransfer, Stored};
use sql::own::PUBLIC;
use sql::{BulkRows, Identifier};
use storage::bulk::{self, TakenAway};
use storage::{Database, Tables};
use transfer::ValueRef;
use transfer::stage::{LoadState, Staged, TableRows};
use transfer::value::{RowBuffer, StoredColumn};

use crate::address::Address;

pub use changes::{RefusedRow, RowChanges, Schemas};
pub use moved::{MoveError, MovedTable, move_rows};
pub use objects::Objects;

/// A database that is loaded or read.
#[derive(Debug)]
pub struct Transfer {
    driver: Driver,
    database: Database,
    cursors: usize,
}

#[derive(Debug)]
enum Driver {
    /// Boxed, being large next to the other.
    Sqlite(Box<SqliteTransfer>),
    Postgres(Box<PostgresTransfer>),
}

/// The use of a database.
#[derive(Clone, Copy, Debug)]
enum Access {
    Load,
    Read,
    /// Changes beside those of other programs.
    Change,
}

/// Rows of a query, which come in pages.
#[derive(Debug)]
pub struct Stream {
    rows: BulkRows,
    columns: Vec<StoredColumn>,
    cursor: usize,
    /// The places of the order's columns among those of the rows.
    order: Vec<usize>,
    after: Option<Vec<Stored>>,
    is_done: bool,
}

/// Rows that are fetched at once.
const PAGE: usize = 2_000;

/// The reason why a load or a read ended early.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error(transparent)]
    Sqlite(#[from] source_sqlite::transfer::TransferError),
    #[error(transparent)]
    Postgres(#[from] source_postgres::transfer::TransferError),
    #[error("Neo4j has no tables: give a path, `sqlite:…` or `postgres://…`")]
    Graph,
    #[error("cannot read a file of the import: {0}")]
    Rows(std::io::Error),
}

/// Progress of a load.
pub trait LoadProgress {
    /// So many rows of a table are inserted.
    fn inserted(&mut self, table: &str, rows: u64);

    /// A further stage begins.
    fn stage(&mut self, name: &'static str);
}

impl Transfer {
    /// Opens a database for a load.
    pub async fn open_for_load(
        address: &Address,
        database: &Database,
        timeouts: Timeouts,
    ) -> Result<Self, TransferError> {
        Self::open(address, database, timeouts, Access::Load).await
    }

    /// Opens a database for reading; all reads return the same state of it.
    pub async fn open_for_read(
        address: &Address,
        database: &Database,
        timeouts: Timeouts,
    ) -> Result<Self, TransferError> {
        Self::open(address, database, timeouts, Access::Read).await
    }

    async fn open(
        address: &Address,
        database: &Database,
        timeouts: Timeouts,
        access: Access,
    ) -> Result<Self, TransferError> {
        let driver = match (address, access) {
            (Address::Sqlite(path), Access::Load) => {
                SqliteTransfer::open_for_load(path, timeouts.acquire)?.into()
            }
            (Address::Sqlite(path), Access::Change) => {
                SqliteTransfer::open_for_changes(path, timeouts.acquire)?.into()
            }
            (Address::Postgres(url), Access::Change) => {
                PostgresTransfer::open_for_changes(url, schema(database), timeouts).await?.into()
            }
            (Address::Sqlite(path), Access::Read) => {
                SqliteTransfer::open_for_read(path, timeouts.acquire)?.into()
            }
            (Address::Postgres(url), Access::Load) => {
                PostgresTransfer::open_for_load(url, schema(database), timeouts).await?.into()
            }
            (Address::Postgres(url), Access::Read) => {
                PostgresTransfer::open_for_read(url, schema(database), timeouts).await?.into()
            }
            (Address::Neo4j(_), _) => return Err(TransferError::Graph),
        };
        Ok(Self { driver, database: database.clone(), cursors: 0 })
    }

    /// The progress of a load that is not finished.
    pub async fn state(&self) -> Result<Option<LoadState>, TransferError> {
        let text = match &self.driver {
            Driver::Sqlite(driver) => driver.state()?,
            Driver::Postgres(driver) => driver.state().await?,
        };
        Ok(text.as_deref().map(LoadState::read))
    }

    pub async fn last_id(&self) -> Result<u64, TransferError> {
        Ok(match &self.driver {
            Driver::Sqlite(driver) => driver.last_id()?,
            Driver::Postgres(driver) => driver.last_id().await?,
        })
    }

    /// Returns true if no table has a row.
    pub async fn is_empty(&self, tables: &Tables) -> Result<bool, TransferError> {
        for table in &tables.tables {
            let (name, _) = bulk::columns(table, &self.database);
            let query = sql::print_has_rows(&name, &self.database.flavor);
            let has_rows = match &self.driver {
                Driver::Sqlite(driver) => driver.has_rows(&query)?,
                Driver::Postgres(driver) => driver.has_rows(&query).await?,
            };
            if has_rows {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The keys of the rows that have one of the values in a column, by one statement: in the order
    /// of the values. The column is the key or unique.
    pub async fn find_keys(
        &self,
        tables: &Tables,
        table: usize,
        column: usize,
        values: &[ValueRef<'_>],
    ) -> Result<Vec<Option<i64>>, TransferError> {
        let table = &tables.tables[table];
        let column = &table.columns[column];
        let Some(key) = table.number_key().filter(|_| !values.is_empty()) else {
            return Ok(vec![None; values.len()]);
        };
        let rows = bulk::rows_by(table, &[&column.name, &key.name], &self.database);
        let by = Identifier(column.name.clone());
        let query = sql::print_find_rows(&rows, &by, values.len(), &self.database.flavor);
        let columns = [column, key].map(objects::stored);
        let mut found = RowBuffer::default();
        match &self.driver {
            Driver::Sqlite(driver) => driver.find(&query, values, &columns, &mut found)?,
            Driver::Postgres(driver) => driver.find(&query, values, &columns, &mut found).await?,
        }
        let written = |value: ValueRef<'_>| {
            let mut bytes = Vec::new();
            value.write(&mut bytes);
            bytes
        };
        let keys = found.rows().filter_map(|mut row| match (row.next()?, row.next()?) {
            (value, ValueRef::Integer(key)) => Some((written(value), key)),
            _ => None,
        });
        let keys: HashMap<Vec<u8>, i64> = keys.collect();
        Ok(values.iter().map(|value| keys.get(&written(*value)).copied()).collect())
    }

    /// Begins a load, or goes on with one, and inserts all rows. Each transaction has its progress,
    /// until [`end_load`](Self::end_load) removes it.
    pub async fn load(
        &self,
        tables: &Tables,
        staged: &Staged,
        mut state: LoadState,
        batch: u64,
        progress: &mut dyn LoadProgress,
    ) -> Result<(), TransferError> {
        let taken = if state.is_bulk { TakenAway::All } else { TakenAway::ForeignKeys };
        let statements = bulk::bulk(tables, &self.database, taken);
        if state.is_done {
            return Ok(());
        }
        if state.is_bulk
            && let Driver::Sqlite(driver) = &self.driver
        {
            driver.lock()?;
        }
        if !state.has_begun {
            self.begin().await?;
            for statement in &statements.before {
                self.run(statement).await?;
            }
            state.has_begun = true;
            self.reserve(staged.last_id).await?;
            self.save(&state).await?;
            self.commit().await?;
        }
        for (place, own) in staged.tables.iter().enumerate().skip(state.table) {
            if own.rows == 0 || (own.is_group && !state.is_bulk) {
                continue;
            }
            if place != state.table {
                state = LoadState { table: place, offset: 0, rows: 0, ..state };
            }
            let table = &tables.tables[own.table];
            let (name, columns) = bulk::columns(table, &self.database);
            let mut rows = TableRows::open(&own.path, state.offset).map_err(TransferError::Rows)?;
            let flavor = &self.database.flavor;
            let statement = match &self.driver {
                Driver::Sqlite(_) => sql::print_insert_row(&name, &columns, flavor),
                Driver::Postgres(_) => sql::print_copy_in(&name, &columns, flavor),
            };
            loop {
                self.begin().await?;
                let inserted = match &self.driver {
                    Driver::Sqlite(driver) => driver.insert(&statement, &mut rows, batch)?,
                    Driver::Postgres(driver) => driver.insert(&statement, &mut rows, batch).await?,
                };
                state.offset = rows.offset();
                state.rows += inserted;
                self.save(&state).await?;
                self.commit().await?;
                progress.inserted(&table.name, state.rows);
                if inserted < batch {
                    break;
                }
            }
        }
        progress.stage("create the indexes");
        self.begin().await?;
        for statement in &statements.after {
            self.run(statement).await?;
        }
        state.is_done = true;
        self.save(&state).await?;
        self.commit().await
    }

    /// Ends a load whose rows and indexes are there, and removes its progress.
    pub async fn end_load(&self, is_bulk: bool) -> Result<(), TransferError> {
        match &self.driver {
            Driver::Sqlite(driver) if is_bulk => driver.unlock()?,
            Driver::Sqlite(_) => {}
            Driver::Postgres(driver) => driver.run(ANALYZE).await?,
        }
        self.begin().await?;
        self.forget().await?;
        self.commit().await
    }

    /// A query of rows, whose pages [`fetch`](Self::fetch) returns.
    pub async fn stream(
        &mut self,
        rows: BulkRows,
        columns: Vec<StoredColumn>,
    ) -> Result<Stream, TransferError> {
        let cursor = self.cursors;
        self.cursors += 1;
        if let Driver::Postgres(driver) = &self.driver {
            let query = sql::print_bulk_rows(&rows, &self.database.flavor);
            driver.run(&sql::print_declare_cursor(cursor, &query)).await?;
        }
        let place = |name: &Identifier| rows.columns.iter().position(|(own, _)| own == name);
        let order = rows.order.iter().filter_map(place).collect();
        Ok(Stream { rows, columns, cursor, order, after: None, is_done: false })
    }

    /// The next rows; none at the end.
    pub async fn fetch(
        &self,
        stream: &mut Stream,
        out: &mut RowBuffer,
    ) -> Result<(), TransferError> {
        out.clear();
        if stream.is_done {
            return Ok(());
        }
        match &self.driver {
            Driver::Sqlite(driver) => {
                let is_first = stream.after.is_none();
                let query = sql::print_bulk_page(&stream.rows, is_first, &self.database.flavor);
                let after = stream.after.as_deref().unwrap_or_default();
                // The number of rows is the last parameter in both forms.
                let after: Vec<Stored> = match is_first {
                    true => vec![Stored::Null; stream.order.len()],
                    false => after.to_vec(),
                };
                driver.read(&query, &after, PAGE, &stream.columns, out)?;
                let last = out.last().unwrap_or_default();
                let after = stream.order.iter().map(|place| match last.get(*place) {
                    Some(ValueRef::Integer(number)) => Stored::Integer(*number),
                    Some(ValueRef::Text(text)) => Stored::Text((*text).into()),
                    _ => Stored::Null,
                });
                stream.after = Some(after.collect());
            }
            Driver::Postgres(driver) => {
                let fetch = sql::print_fetch(stream.cursor, PAGE);
                driver.read(&fetch, &stream.columns, out).await?;
            }
        }
        if out.len() < PAGE {
            stream.is_done = true;
            if let Driver::Postgres(driver) = &self.driver {
                driver.run(&sql::print_close_cursor(stream.cursor)).await?;
            }
        }
        Ok(())
    }

    async fn run(&self, statement: &str) -> Result<(), TransferError> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.run(statement)?,
            Driver::Postgres(driver) => driver.run(statement).await?,
        }
        Ok(())
    }

    async fn begin(&self) -> Result<(), TransferError> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.begin()?,
            Driver::Postgres(driver) => driver.begin().await?,
        }
        Ok(())
    }

    async fn commit(&self) -> Result<(), TransferError> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.commit()?,
            Driver::Postgres(driver) => driver.commit().await?,
        }
        Ok(())
    }

    async fn save(&self, state: &LoadState) -> Result<(), TransferError> {
        let text = state.written();
        match &self.driver {
            Driver::Sqlite(driver) => driver.save(&text)?,
            Driver::Postgres(driver) => driver.save(&text).await?,
        }
        Ok(())
    }

    async fn forget(&self) -> Result<(), TransferError> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.forget()?,
            Driver::Postgres(driver) => driver.forget().await?,
        }
        Ok(())
    }

    async fn reserve(&self, last: u64) -> Result<(), TransferError> {
        let Ok(last @ 1..) = i64::try_from(last) else { return Ok(()) };
        match &self.driver {
            Driver::Sqlite(driver) => driver.reserve(last)?,
            Driver::Postgres(driver) => driver.reserve(last).await?,
        }
        Ok(())
    }
}

/// The schema of the tables.
fn schema(database: &Database) -> &str {
    database.schema.as_deref().unwrap_or(PUBLIC)
}

impl From<SqliteTransfer> for Driver {
    fn from(transfer: SqliteTransfer) -> Self {
        Self::Sqlite(Box::new(transfer))
    }
}

impl From<PostgresTransfer> for Driver {
    fn from(transfer: PostgresTransfer) -> Self {
        Self::Postgres(Box::new(transfer))
    }
}

/// The planner needs statistics, which the server would collect only later.
const ANALYZE: &str = "analyze";
