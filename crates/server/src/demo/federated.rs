//! The federated shop in a folder: an SQLite file for each subgraph, and the files of a gateway.
//!
//! A folder with other content is never changed. The sample is written under a temporary name and then
//! renamed, so that an interrupted program leaves no incomplete shop.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{SampleError, Written};

/// The default folder.
pub(crate) const DEFAULT_FOLDER: &str = "federated-shop";

/// The example query across all subgraphs.
pub(crate) const QUERY: &str = include_str!("federated/query.graphql");

/// The remote subgraph.
pub(crate) const REMOTE: &str = "shipping";

/// "Thlf" in ASCII: <https://sqlite.org/pragma.html#pragma_application_id>.
const APPLICATION_ID: i32 = 0x5468_6c66;

/// To be incremented whenever the tables or rows of a subgraph change.
const VERSION: i32 = 1;

/// Each subgraph with its tables and rows.
const SUBGRAPHS: [(&str, &str); 5] = [
    ("accounts", include_str!("federated/accounts.sql")),
    ("inventory", include_str!("federated/inventory.sql")),
    ("products", include_str!("federated/products.sql")),
    ("reviews", include_str!("federated/reviews.sql")),
    (REMOTE, include_str!("federated/shipping.sql")),
];

const SUPERGRAPH: &str = include_str!("federated/supergraph.graphql");

/// The subgraphs that are sources in the gateway's process.
const SUBGRAPHS_FILE: &str = include_str!("federated/subgraphs.toml");

/// The placeholder of the folder in that file.
const FOLDER: &str = "FOLDER";

const COUNTS: &str = include_str!("federated/counts.sql");

/// The files of a folder.
#[derive(Clone, Debug)]
pub(crate) struct Shop(PathBuf);

/// A temporary folder, removed when dropped unless it was renamed.
#[derive(Debug)]
struct PartialFolder(PathBuf);

impl Shop {
    pub(crate) fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    pub(crate) fn supergraph(&self) -> PathBuf {
        self.0.join("supergraph.graphql")
    }

    pub(crate) fn subgraphs(&self) -> PathBuf {
        self.0.join("subgraphs.toml")
    }

    pub(crate) fn query(&self) -> PathBuf {
        self.0.join("query.graphql")
    }

    /// The database of the subgraph that is a server.
    pub(crate) fn remote(&self) -> PathBuf {
        self.database(REMOTE)
    }

    fn database(&self, subgraph: &str) -> PathBuf {
        self.0.join([subgraph, ".db"].concat())
    }

    /// Whether the folder contains the sample; `false` if it does not exist. Other content is an error.
    pub(crate) fn is_sample(&self) -> Result<bool, SampleError> {
        let foreign = || SampleError::ForeignFolder(self.0.clone());
        match fs::metadata(&self.0) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(foreign()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(SampleError::Folder { folder: self.0.clone(), error }),
        }
        for (subgraph, _) in SUBGRAPHS {
            let file = self.database(subgraph);
            let (application_id, version) = match read_header(&file) {
                Ok(header) => header,
                Err(error) => {
                    return Err(match error.sqlite_error_code() {
                        Some(ErrorCode::NotADatabase | ErrorCode::CannotOpen) => foreign(),
                        Some(_) | None => SampleError::Subgraph { file, error },
                    });
                }
            };
            if application_id != APPLICATION_ID {
                return Err(foreign());
            }
            if version != VERSION {
                return Err(SampleError::OtherFolder(self.0.clone()));
            }
        }
        let files = [self.supergraph(), self.subgraphs(), self.query()];
        if files.iter().all(|file| file.is_file()) { Ok(true) } else { Err(foreign()) }
    }

    /// Writes the folder, which must not exist.
    pub(crate) fn write(&self) -> Result<Written, SampleError> {
        let failed = |error| SampleError::Folder { folder: self.0.clone(), error };
        let partial = PartialFolder::beside(&self.0);
        fs::create_dir(&partial.0).map_err(failed)?;
        let within = Self(partial.0.clone());
        let mut written = Written { tables: 0, rows: 0 };
        for (subgraph, script) in SUBGRAPHS {
            let file = within.database(subgraph);
            let added = write_database(&file, script)
                .map_err(|error| SampleError::Subgraph { file: self.database(subgraph), error })?;
            written.tables += added.tables;
            written.rows += added.rows;
        }
        let subgraphs = SUBGRAPHS_FILE.replace(FOLDER, &escaped(&self.0));
        let files = [
            (within.supergraph(), SUPERGRAPH),
            (within.subgraphs(), &subgraphs),
            (within.query(), QUERY),
        ];
        for (file, text) in files {
            fs::write(file, text).map_err(failed)?;
        }
        // Replaces a folder that was created meanwhile only if it is empty.
        fs::rename(&partial.0, &self.0).map_err(failed)?;
        Ok(written)
    }
}

/// Escapes a path for a TOML string with variables.
fn escaped(folder: &Path) -> String {
    let folder = folder.display().to_string();
    folder.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "$$")
}

fn read_header(file: &Path) -> rusqlite::Result<(i32, i32)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    let application_id = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((application_id, version))
}

fn write_database(file: &Path, script: &str) -> rusqlite::Result<Written> {
    let mut connection = Connection::open(file)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(script)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    // With a write-ahead log, readers and a writer do not block each other.
    connection.pragma_update(None, "journal_mode", "wal")?;
    let tables: u32 = connection.query_row(COUNTS, [], |row| row.get(0))?;
    let rows = usize::try_from(connection.total_changes()).unwrap_or_default();
    let tables = usize::try_from(tables).unwrap_or_default();
    connection.close().map_err(|(_, error)| error)?;
    Ok(Written { tables, rows })
}

impl PartialFolder {
    /// A name in the same parent folder, since renaming works within a file system only.
    fn beside(folder: &Path) -> Self {
        let mut name = OsString::from(folder);
        name.push(".");
        name.push(process::id().to_string());
        name.push(".partial");
        Self(name.into())
    }
}

impl Drop for PartialFolder {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.0) {
            Ok(()) => {}
            // It was renamed, or never created.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(%error, folder = %self.0.display(), "a folder stays behind")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_folder_can_stand_in_the_file() {
        let check = |folder: &str, expected: &str| {
            assert_eq!(escaped(Path::new(folder)), expected);
        };
        check("federated-shop", "federated-shop");
        check("a \"b\" $c\\d", "a \\\"b\\\" $$c\\\\d");
    }
}
