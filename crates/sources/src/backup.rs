//! Copies of a database of type definitions: backups, and their restoration.

use std::path::{Path, PathBuf};

use source::Timeouts;
use source_sqlite::backup::{Copy, CopyError};
use storage::Tables;
use storage::tables::RecordedError;

use crate::address::Address;

pub use source_sqlite::backup::{Progress, Violation};

/// A complete and checked copy, which has its name after [`Checked::keep`].
#[derive(Debug)]
pub struct Checked {
    copy: Copy,
    overwrites: bool,
}

/// The reason why a database was not copied. The destination is as it was.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(
        "PostgreSQL makes its backups itself: `pg_dump --format=custom` and `pg_restore` copy a \
         database, `pg_basebackup` with an archive of the write-ahead log a whole server"
    )]
    Postgres,
    #[error(
        "Neo4j makes its backups itself: `neo4j-admin database dump` and `neo4j-admin database \
         load` copy a database"
    )]
    Graph,
    #[error("the history of migrations has tables of another version of Thalweg: {0}")]
    Recorded(#[from] RecordedError),
}

impl Checked {
    /// Copies a database beside `to`. `overwrites`: a file that is there will be replaced.
    pub fn copy(
        from: &Path,
        to: &Path,
        overwrites: bool,
        timeouts: Timeouts,
        report: impl FnMut(Progress),
    ) -> Result<Self, BackupError> {
        let copy = Copy::make(from, to, overwrites, timeouts.acquire, report)?;
        Tables::read(&copy.recorded.tables)?;
        Ok(Self { copy, overwrites })
    }

    /// The number of the newest migration.
    #[must_use]
    pub fn migration(&self) -> i64 {
        self.copy.recorded.number
    }

    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.copy.bytes
    }

    /// Tables whose rows refer to missing rows.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.copy.violations
    }

    /// Gives the copy its name.
    pub fn keep(self) -> Result<(), BackupError> {
        Ok(self.copy.keep(self.overwrites)?)
    }
}

/// The file of a database that consists of one.
pub fn require_file(address: &Address) -> Result<PathBuf, BackupError> {
    match address {
        Address::Sqlite(path) => Ok(path.clone()),
        Address::Postgres(_) => Err(BackupError::Postgres),
        Address::Neo4j(_) => Err(BackupError::Graph),
    }
}
