//! Moves all rows of a database into another one, in one transaction.

use sha2::{Digest, Sha256};
use sql::BulkRows;
use storage::Tables;
use storage::bulk::{self, TakenAway};
use storage::tables::Table;
use transfer::value::{RowBuffer, StoredColumn};

use super::{ANALYZE, Driver, LoadProgress, Stream, Transfer, TransferError};

/// A table that was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedTable {
    pub name: Box<str>,
    pub rows: u64,
    /// Of all its values, in the order of the key.
    pub checksum: String,
}

/// The reason why nothing was moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("the database has no table for {0}")]
    Missing(Box<str>),
    #[error(
        "the table {table} has {from} rows with the checksum {from_sum}, and after the move {to} rows \
         with {to_sum}: nothing was moved"
    )]
    Differs { table: Box<str>, from: u64, from_sum: String, to: u64, to_sum: String },
}

/// Moves the rows of all tables, reads them back, and compares them. The tables of both databases are
/// those of the same definitions; their names may differ.
pub async fn move_rows(
    from: &mut Transfer,
    from_tables: &Tables,
    to: &mut Transfer,
    to_tables: &Tables,
    progress: &mut dyn LoadProgress,
) -> Result<Vec<MovedTable>, MoveError> {
    let statements = bulk::bulk(to_tables, &to.database, TakenAway::All);
    if let Driver::Sqlite(driver) = &to.driver {
        driver.lock().map_err(TransferError::from)?;
    }
    to.begin().await?;
    for statement in &statements.before {
        to.run(statement).await?;
    }
    to.reserve(from.last_id().await?).await?;
    let mut moved = Vec::with_capacity(to_tables.tables.len());
    for table in &to_tables.tables {
        let (source, columns) = counterpart(table, from_tables)?;
        let stream = ordered(from, source, &columns).await?;
        moved.push(copy(from, stream, to, table, progress).await?);
    }
    progress.stage("check the rows");
    for (table, MovedTable { name, rows, checksum }) in to_tables.tables.iter().zip(&moved) {
        let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
        let mut stream = ordered(to, table, &names).await?;
        let (mut sum, mut found, mut buffer) = (Sha256::new(), 0, RowBuffer::default());
        while next(to, &mut stream, &mut buffer, &mut sum).await? {
            found += buffer.len() as u64;
        }
        let to_sum = hexadecimal(sum);
        if (found, &to_sum) != (*rows, checksum) {
            let (table, from, from_sum, to) = (name.clone(), *rows, checksum.clone(), found);
            return Err(MoveError::Differs { table, from, from_sum, to, to_sum });
        }
    }
    progress.stage("create the indexes");
    for statement in &statements.after {
        to.run(statement).await?;
    }
    to.commit().await?;
    match &to.driver {
        Driver::Sqlite(driver) => driver.unlock().map_err(TransferError::from)?,
        Driver::Postgres(driver) => driver.run(ANALYZE).await.map_err(TransferError::from)?,
    }
    Ok(moved)
}

/// The table that stores the same part of the model, and the columns that store the same values.
fn counterpart<'t>(
    table: &Table,
    tables: &'t Tables,
) -> Result<(&'t Table, Vec<&'t str>), MoveError> {
    let missing = || MoveError::Missing(table.name.clone());
    let found = tables.find_stored(&table.stores).ok_or_else(missing)?;
    let columns = table.columns.iter().map(|column| {
        let own = found.columns.iter().find(|own| own.stores == column.stores);
        own.map(|own| &*own.name).ok_or_else(missing)
    });
    Ok((found, columns.collect::<Result<_, _>>()?))
}

/// The rows of a table with some columns, in the order of its key.
async fn ordered(
    transfer: &mut Transfer,
    table: &Table,
    names: &[&str],
) -> Result<Stream, TransferError> {
    let all = bulk::rows(table, &transfer.database);
    let find = |name: &&str| all.columns.iter().find(|(own, _)| *own.0 == **name).cloned();
    let rows = BulkRows { columns: names.iter().filter_map(find).collect(), ..all.clone() };
    let columns = names.iter().filter_map(|name| table.find_column(name));
    let columns: Vec<StoredColumn> = columns.map(super::objects::stored).collect();
    transfer.stream(rows, columns).await
}

async fn copy(
    from: &Transfer,
    mut stream: Stream,
    to: &Transfer,
    table: &Table,
    progress: &mut dyn LoadProgress,
) -> Result<MovedTable, TransferError> {
    let (name, columns) = bulk::columns(table, &to.database);
    let flavor = &to.database.flavor;
    let (mut sum, mut rows, mut buffer) = (Sha256::new(), 0, RowBuffer::default());
    while next(from, &mut stream, &mut buffer, &mut sum).await? {
        rows += buffer.len() as u64;
        match &to.driver {
            Driver::Sqlite(driver) => {
                let insert = sql::print_insert_row(&name, &columns, flavor);
                driver.insert_buffer(&insert, &buffer)?;
            }
            Driver::Postgres(driver) => {
                let copy = sql::print_copy_in(&name, &columns, flavor);
                driver.insert_buffer(&copy, &buffer).await?;
            }
        }
        progress.inserted(&table.name, rows);
    }
    Ok(MovedTable { name: table.name.clone(), rows, checksum: hexadecimal(sum) })
}

/// Reads the next rows into a buffer and a checksum; false at the end.
async fn next(
    transfer: &Transfer,
    stream: &mut Stream,
    buffer: &mut RowBuffer,
    sum: &mut Sha256,
) -> Result<bool, TransferError> {
    transfer.fetch(stream, buffer).await?;
    for index in 0..buffer.len() {
        sum.update(buffer.bytes(index));
    }
    Ok(!buffer.is_empty())
}

/// The first half of a hash.
fn hexadecimal(sum: Sha256) -> String {
    sum.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
