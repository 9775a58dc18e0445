//! The sample shop: writes it into a database, or the federated shop into several.

pub(crate) mod federated;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::io;
use std::path::PathBuf;

use crate::failure::Failure;
use source_postgres::wire::WireError;

/// The size of the written sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) tables: usize,
    pub(crate) rows: usize,
}

/// The reason why the sample was not written. Nothing of it remains then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SampleError {
    /// The file has other content.
    #[error(
        "{} exists and is not the sample shop; name another file with --file",
        .0.display()
    )]
    ForeignFile(PathBuf),
    /// The sample of another version of the program.
    #[error(
        "{} holds the sample shop of another version of this program; \
         delete it, or name another file with --file",
        .0.display()
    )]
    OtherVersion(PathBuf),
    #[error("cannot write {}: {error}; name another file with --file", file.display())]
    File { file: PathBuf, error: io::Error },
    #[error("cannot use {}: {error}; name another file with --file", file.display())]
    Sqlite { file: PathBuf, error: rusqlite::Error },
    /// The folder has other content.
    #[error(
        "{} exists and is not the federated shop; name another folder with --folder",
        .0.display()
    )]
    ForeignFolder(PathBuf),
    #[error(
        "{} holds the federated shop of another version of this program; \
         delete it, or name another folder with --folder",
        .0.display()
    )]
    OtherFolder(PathBuf),
    #[error("cannot write {}: {error}; name another folder with --folder", folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    #[error("cannot use {}: {error}; name another folder with --folder", file.display())]
    Subgraph { file: PathBuf, error: rusqlite::Error },
    #[error("cannot connect to PostgreSQL: {0}")]
    Connect(#[from] WireError),
    #[error(
        "the schema `public` already has {}; name an empty database with --into",
        list(.0)
    )]
    TablesExist(Vec<String>),
    #[error("PostgreSQL refused the sample shop: {}", refusal(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

impl From<SampleError> for Failure {
    fn from(error: SampleError) -> Self {
        Self::other(error)
    }
}

fn list(tables: &[String]) -> String {
    match tables {
        [table] => ["a table `", table, "`"].concat(),
        [] | [..] => ["tables `", &tables.join("`, `"), "`"].concat(),
    }
}

/// The server's message: the driver's own text is only "db error".
fn refusal(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
}
