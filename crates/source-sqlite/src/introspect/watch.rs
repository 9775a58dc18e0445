//! Whether the schema of a file is still the same: SQLite counts its changes, and the path may lead
//! to another file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use source::{SourceError, SourceErrorKind};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::connection::{Cache, Identity, OpenFile};
use crate::error::map_error;

/// A look is one page of the file.
const PAUSE: Duration = Duration::from_secs(1);

/// Somebody who writes longer than this is looked for again.
const BUSY: Duration = Duration::from_secs(1);

/// Looks at a file.
#[derive(Debug)]
pub struct SqliteLooks {
    path: PathBuf,
    /// Nobody has it while a look is under way; a look that is given up loses it.
    file: Option<OpenFile>,
}

/// The state of a file's schema: equal where nothing was changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteFingerprint {
    version: i64,
    file: Option<Identity>,
}

impl SqliteLooks {
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.into(), file: None }
    }

    pub async fn look(&mut self) -> Result<SqliteFingerprint, SourceError> {
        let (path, file) = (self.path.clone(), self.file.take());
        let looked = spawn_blocking(move || look(&path, file)).await;
        let died = |_| SourceError::new(SourceErrorKind::Internal, "a look at the file died");
        let (file, version) = looked.map_err(died)?.map_err(map_error)?;
        let fingerprint = SqliteFingerprint { version, file: file.identity() };
        self.file = Some(file);
        Ok(fingerprint)
    }

    pub async fn wait(&self) {
        sleep(PAUSE).await;
    }

    pub fn let_go(&mut self) {
        self.file = None;
    }
}

fn look(path: &Path, file: Option<OpenFile>) -> Result<(OpenFile, i64), rusqlite::Error> {
    let file = match file.filter(|file| file.is_at(path)) {
        Some(file) => file,
        None => OpenFile::open(path, BUSY, Cache::Least)?,
    };
    let version = file.connection.pragma_query_value(None, "schema_version", |row| row.get(0))?;
    Ok((file, version))
}
