//! Probe of a file's schema: SQLite's `schema_version`, and the identity of the file, since another
//! file may take its path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use source::{SchemaProbe, SourceError, SourceErrorKind};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::connection::{Cache, Identity, OpenFile};
use crate::error::map_error;

/// Polling interval: a read takes one page of the file.
const PAUSE: Duration = Duration::from_secs(1);

/// Busy timeout of a read; one that fails is repeated.
const BUSY: Duration = Duration::from_secs(1);

/// Probe of a file.
#[derive(Debug)]
pub struct SqliteSchemaProbe {
    path: PathBuf,
    /// `None` while a read runs; a cancelled read drops the file.
    file: Option<OpenFile>,
}

/// The state of a file's schema: equal where nothing was changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteFingerprint {
    version: i64,
    file: Option<Identity>,
}

impl SqliteSchemaProbe {
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.into(), file: None }
    }
}

impl SchemaProbe for SqliteSchemaProbe {
    type Fingerprint = SqliteFingerprint;

    async fn fingerprint(&mut self) -> Result<SqliteFingerprint, SourceError> {
        let (path, file) = (self.path.clone(), self.file.take());
        let read = spawn_blocking(move || read_version(&path, file)).await;
        let died = |_| SourceError::new(SourceErrorKind::Internal, "a look at the file died");
        let (file, version) = read.map_err(died)?.map_err(map_error)?;
        let fingerprint = SqliteFingerprint { version, file: file.identity() };
        self.file = Some(file);
        Ok(fingerprint)
    }

    async fn wait(&mut self) {
        sleep(PAUSE).await;
    }

    fn close(&mut self) {
        self.file = None;
    }
}

fn read_version(path: &Path, file: Option<OpenFile>) -> Result<(OpenFile, i64), rusqlite::Error> {
    let file = match file.filter(|file| file.is_at(path)) {
        Some(file) => file,
        None => OpenFile::open(path, BUSY, Cache::Least)?,
    };
    let version = file.connection.pragma_query_value(None, "schema_version", |row| row.get(0))?;
    Ok((file, version))
}
