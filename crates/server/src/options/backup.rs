//! Options of `thalweg backup` and `thalweg restore`.

use std::path::PathBuf;

use clap::Args;
use engine::SourceAddress;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct BackupOptions {
    #[command(flatten)]
    pub(crate) database: FileOptions,
    /// The file of the copy
    #[arg(help_heading = "Backup", long, env = "THALWEG_OUTPUT", value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreOptions {
    /// The file of the backup
    pub(crate) backup: PathBuf,
    #[command(flatten)]
    pub(crate) database: FileOptions,
}

/// The database of both commands.
#[derive(Debug, Args)]
pub(crate) struct FileOptions {
    /// The database of type definitions: the path of a SQLite file
    #[arg(
        help_heading = "Backup",
        long,
        env = "THALWEG_DATA",
        value_name = "DATABASE",
        hide_env_values = true
    )]
    data: String,
    /// Replace the file that is written, if it exists
    #[arg(help_heading = "Backup", long, env = "THALWEG_FORCE")]
    pub(crate) force: bool,
}

impl FileOptions {
    /// The path of the database.
    pub(crate) fn file(&self) -> Result<PathBuf, Failure> {
        let address = SourceAddress::parse(&self.data).map_err(engine::OpenError::from)?;
        sources::backup::require_file(&address).map_err(Failure::other)
    }
}
