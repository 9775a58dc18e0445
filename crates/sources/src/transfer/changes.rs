//! Rows of a request, in one transaction.

use std::borrow::Cow;
use std::collections::HashMap;

use source::Timeouts;
use storage::Database;
use storage::bulk;
use storage::tables::Table;
use transfer::ValueRef;
use transfer::value::{RowBuffer, text};

use super::{Access, Driver, Transfer, TransferError};
use crate::address::Address;

/// A row that the database refuses.
#[derive(Debug)]
pub struct RefusedRow {
    /// The place of the row, if it is known.
    pub place: Option<usize>,
    /// The database's own message.
    pub cause: String,
}

/// Parameters of a statement, where each value is one.
const PARAMETERS: usize = 1_000;

/// The changes of a request.
#[derive(Debug)]
pub struct RowChanges {
    transfer: Transfer,
    schemas: Schemas,
}

/// Schemas of tables by their names, of those that have another one than the database's.
pub type Schemas = HashMap<Box<str>, Box<str>>;

impl RowChanges {
    /// Opens a database for changes beside those of other programs, and begins a transaction.
    pub async fn begin(
        address: &Address,
        database: &Database,
        schemas: Schemas,
        timeouts: Timeouts,
    ) -> Result<Self, TransferError> {
        let transfer = Transfer::open(address, database, timeouts, Access::Change).await?;
        transfer.begin().await?;
        Ok(Self { transfer, schemas })
    }

    /// The database, with the schema of a table.
    fn database(&self, table: &Table) -> Cow<'_, Database> {
        let database = &self.transfer.database;
        match self.schemas.get(&*table.name) {
            Some(schema) => {
                Cow::Owned(Database { schema: Some(schema.clone()), ..database.clone() })
            }
            None => Cow::Borrowed(database),
        }
    }

    /// Commits the changes.
    pub async fn commit(self) -> Result<(), TransferError> {
        self.transfer.commit().await
    }

    /// Ends the transaction without a change.
    pub async fn roll_back(self) -> Result<(), TransferError> {
        match &self.transfer.driver {
            Driver::Sqlite(driver) => driver.roll_back()?,
            Driver::Postgres(driver) => driver.roll_back().await?,
        }
        Ok(())
    }

    /// Inserts rows with all columns of a table.
    pub async fn insert_rows(&self, table: &Table, rows: &RowBuffer) -> Result<(), RefusedRow> {
        let (name, columns) = bulk::columns(table, &self.database(table));
        let flavor = &self.transfer.database.flavor;
        match &self.transfer.driver {
            Driver::Sqlite(driver) => {
                let statement = sql::print_insert_row(&name, &columns, flavor);
                driver.run_each(&statement, rows).map_err(|(place, error)| RefusedRow {
                    place: Some(place),
                    cause: error.cause(),
                })
            }
            Driver::Postgres(driver) => {
                let statement = sql::print_copy_in(&name, &columns, flavor);
                let copied = driver.copy_each(&statement, rows).await;
                copied.map_err(|(place, error)| RefusedRow { place, cause: error.cause() })
            }
        }
    }

    /// Deletes all rows of a table.
    pub async fn delete_rows(&self, table: &Table) -> Result<(), RefusedRow> {
        let name = bulk::name(table, &self.database(table));
        let statement = sql::print_delete_rows(&name, &self.transfer.database.flavor);
        let deleted = match &self.transfer.driver {
            Driver::Sqlite(driver) => driver.run(&statement).map_err(|error| error.cause()),
            Driver::Postgres(driver) => driver.run(&statement).await.map_err(|error| error.cause()),
        };
        deleted.map_err(|cause| RefusedRow { place: None, cause })
    }

    /// Sets a column of rows. Each row of the buffer has a key and the new value.
    pub async fn set_column(
        &self,
        table: &Table,
        (key, column): (&str, &str),
        pairs: &RowBuffer,
    ) -> Result<(), RefusedRow> {
        let columns = (bulk::compared(table, key), bulk::compared(table, column));
        let (Some((key, key_type)), Some((column, column_type))) = columns else {
            let cause = format!("the table {} has no such column", table.name);
            return Err(RefusedRow { place: None, cause });
        };
        let name = bulk::name(table, &self.database(table));
        let flavor = &self.transfer.database.flavor;
        let (key, column) = ((&key, &key_type), (&column, &column_type));
        let statement = sql::print_set_column(&name, key, column, flavor);
        match &self.transfer.driver {
            Driver::Sqlite(driver) => driver
                .run_each(&statement, pairs)
                .map_err(|(place, error)| RefusedRow { place: Some(place), cause: error.cause() }),
            Driver::Postgres(driver) => {
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                for mut row in pairs.rows() {
                    keys.push(row.next().and_then(plain));
                    values.push(row.next().and_then(plain));
                }
                let done = driver.run_with(&statement, &keys, &values).await;
                done.map_err(|error| RefusedRow { place: None, cause: error.cause() })
            }
        }
    }

    /// The greatest value of a column of numbers, for each of several values of another column that has
    /// one.
    pub async fn greatest(
        &self,
        table: &Table,
        (column, number): (&str, &str),
        values: &[String],
    ) -> Result<HashMap<String, i64>, TransferError> {
        let columns = (bulk::compared(table, column), bulk::compared(table, number));
        let (Some((column, column_type)), Some((number, _))) = columns else {
            return Ok(HashMap::new());
        };
        let name = bulk::name(table, &self.database(table));
        let flavor = &self.transfer.database.flavor;
        let mut found = HashMap::new();
        for values in values.chunks(PARAMETERS) {
            let of = (&column, &column_type);
            let query = sql::print_greatest(&name, of, &number, values.len(), flavor);
            found.extend(match &self.transfer.driver {
                Driver::Sqlite(driver) => driver.numbers(&query, values)?,
                Driver::Postgres(driver) => driver.numbers(&query, values).await?,
            });
        }
        Ok(found)
    }
}

/// A value as a text; `None` for null.
fn plain(value: ValueRef<'_>) -> Option<String> {
    if value == ValueRef::Null {
        return None;
    }
    let mut bytes = Vec::new();
    text::write_plain(value, &mut bytes);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
