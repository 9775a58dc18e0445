//! The database of type definitions, as commands that change nothing see it.
//!
//! They apply no migration. In place of an SQLite file that is not there they read one of a folder of
//! their own, which has the tables of the definitions, and is removed at their end.

use std::io;

use engine::SourceAddress;
use engine::schema_first::ApplyMigrations;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::options::ApiOptions;

/// The database that a command opens.
pub(super) struct Preview {
    pub(super) address: SourceAddress,
    /// The folder of a file that exists for this command only.
    _folder: Option<TempDir>,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "the database is not there, and there is no folder for its tables: {0}; set `TMPDIR` to a folder \
     that can be written, or create the database with `thalweg migrate`"
)]
struct PreviewError(#[source] io::Error);

impl Preview {
    /// The database of the options. Options of the engine for type definitions let the command apply no
    /// migration to a database that is there.
    pub(super) fn of(
        options: &ApiOptions,
        engine_options: &mut engine::Options,
    ) -> Result<Self, Failure> {
        let address = options.address()?;
        let Some(schema_first) = &mut engine_options.schema_first else {
            return Ok(Self { address, _folder: None });
        };
        match &address {
            SourceAddress::Sqlite(path) if !path.exists() => {
                let folder = tempfile::tempdir().map_err(PreviewError).map_err(Failure::other)?;
                schema_first.apply = ApplyMigrations::First;
                let address = SourceAddress::Sqlite(folder.path().join("preview.db"));
                Ok(Self { address, _folder: Some(folder) })
            }
            _ => {
                schema_first.apply = ApplyMigrations::Never;
                Ok(Self { address, _folder: None })
            }
        }
    }
}
