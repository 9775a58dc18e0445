//! Options of opening a file, and the errors of opening it.

use std::path::{Path, PathBuf};

use catalog::{Catalog, Scalar, WrittenQueries};
use source::Timeouts;

use super::durability::Durability;
use super::introspect::IntrospectError;

/// Options of a SQLite file.
#[derive(Clone, Copy, Debug, Default)]
pub struct SqliteOptions<'o> {
    /// Whether INTEGER columns, which hold 64 bits, count as such.
    pub wide_integers: bool,
    /// Scalars of columns whose declarations do not name them.
    pub stored_as: &'o [StoredColumn],
    pub durability: Durability,
    pub timeouts: Timeouts,
    /// Queries of the schema's author.
    pub written: Option<&'o WrittenQueries>,
}

/// The scalar that the values of a column are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    pub table: Box<str>,
    pub column: Box<str>,
    pub scalar: Scalar,
}

/// The reason why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot open {}: {source}{}", redact::address(&path.to_string_lossy()), remedy(source))]
    File { path: PathBuf, source: rusqlite::Error },
    #[error("there is no file {}; {}", redact::address(&.0.to_string_lossy()), other_source(.0))]
    NoFile(PathBuf),
    #[error("{} is a folder; give the path of a SQLite file in it, or a postgres:// or neo4j:// address", redact::address(&.0.to_string_lossy()))]
    Folder(PathBuf),
    #[error("cannot read the schema of {}: {source}", redact::address(&path.to_string_lossy()))]
    Catalog { path: PathBuf, source: IntrospectError },
    #[error("`--stored-as` names the column {table}.{column}, which is not there")]
    NoColumn { table: Box<str>, column: Box<str> },
    #[error(
        "`--stored-as` of the column {table}.{column} is another type than it can hold: {reason}"
    )]
    StoredAs { table: Box<str>, column: Box<str>, reason: &'static str },
}

/// What the operator can do about a file that cannot be opened, after a semicolon.
pub(super) fn remedy(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => "; give the path of a SQLite file",
        Some(rusqlite::ErrorCode::ReadOnly | rusqlite::ErrorCode::CannotOpen) => {
            "; let the user of the program write the file and its folder, which gets the write-ahead log"
        }
        _ => "",
    }
}

/// What may have been meant by the name of a file that is not there.
fn other_source(path: &Path) -> String {
    let shown = redact::address(&path.to_string_lossy()).to_string();
    let has_port = shown.split_once(':').is_some_and(|(host, rest)| {
        !host.contains('/') && rest.starts_with(|first: char| first.is_ascii_digit())
    });
    match has_port || shown.contains('@') {
        true => format!("the address of a PostgreSQL database is `postgres://{shown}`"),
        false => "give the path of a SQLite file, or a postgres:// or neo4j:// address".into(),
    }
}

impl SqliteOptions<'_> {
    /// Applies the options about columns to the catalog.
    pub(super) fn declare(&self, catalog: &mut Catalog) -> Result<(), OpenError> {
        if self.wide_integers {
            catalog.widen_integers();
        }
        for stored in self.stored_as {
            let StoredColumn { table, column, scalar } = stored.clone();
            let entity = catalog.find_entity(None, &table).map(|own| own.id);
            let field = entity.and_then(|id| catalog.find_field(id, &column));
            let Some(field) = field.map(|field| field.id) else {
                return Err(OpenError::NoColumn { table, column });
            };
            let declared = catalog.declare_stored(field, scalar);
            declared.map_err(|reason| OpenError::StoredAs { table, column, reason })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Error;
    use rusqlite::ffi::{self, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_READONLY_DIRECTORY};

    use super::remedy;

    #[test]
    fn files_that_cannot_be_written_have_a_remedy() {
        for code in [SQLITE_READONLY, SQLITE_READONLY_DIRECTORY, SQLITE_CANTOPEN] {
            let error = Error::SqliteFailure(ffi::Error::new(code), None);
            assert!(remedy(&error).contains("write the file and its folder"), "{error}");
        }
    }
}
