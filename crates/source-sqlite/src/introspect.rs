//! A SQLite database becomes a [`Catalog`].
//!
//! Only schema `main` is read. Objects that cannot be represented are left out one by one, with a
//! note.
//!
//! * `read`: the queries and their rows
//! * `fill`: rows become entities, fields, keys and indexes
//! * `foreign_key`: foreign keys become relationships
//! * `text_index`: virtual tables that index texts
//! * `place_index`: virtual tables that index places
//! * `writable`: which changes views take
//! * `written`: queries of the schema's author
//! * `unknown`: collations and functions that only other programs have
//! * `name`: names for constraints, as SQLite keeps none
//! * `note`: notes about omitted objects
//! * `estimate`: about how many rows tables have
//! * `watch`: whether the schema is still the same

mod estimate;
mod fill;
mod foreign_key;
mod name;
mod note;
mod place_index;
mod read;
mod text_index;
mod unknown;
pub(crate) mod watch;
mod writable;
mod written;

use catalog::{Catalog, WrittenQueries};
use rusqlite::Connection;
use thiserror::Error;

/// The reason why a database could not be introspected.
#[derive(Debug, Error)]
pub enum IntrospectError {
    #[error("a read transaction could not be begun: {source}")]
    Snapshot { source: rusqlite::Error },
    #[error("the {what} of the database could not be read: {source}")]
    Query { what: &'static str, source: rusqlite::Error },
}

/// Reads the schema of the database in one snapshot: in the connection's transaction if it has
/// one open, else in a read transaction of its own.
///
/// # Errors
///
/// The database cannot be read.
pub fn introspect(connection: &Connection) -> Result<Catalog, IntrospectError> {
    introspect_with(connection, None)
}

/// The same with queries of the schema's author.
pub(crate) fn introspect_with(
    connection: &Connection,
    written: Option<&WrittenQueries>,
) -> Result<Catalog, IntrospectError> {
    if connection.is_autocommit() {
        let snapshot = connection
            .unchecked_transaction()
            .map_err(|source| IntrospectError::Snapshot { source })?;
        // Dropping the transaction ends it; nothing was written.
        introspect_snapshot(&snapshot, written)
    } else {
        introspect_snapshot(connection, written)
    }
}

fn introspect_snapshot(
    connection: &Connection,
    written: Option<&WrittenQueries>,
) -> Result<Catalog, IntrospectError> {
    let mut catalog = fill::catalog(&read::read(connection)?, |builder| {
        if let Some(written) = written {
            written::add(builder, connection, written);
        }
    });
    estimate::add(connection, &mut catalog)?;
    Ok(catalog)
}
