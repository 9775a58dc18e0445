//! Changes of a file's rows.
//!
//! * `stream`: the stream of changes
//!
//! The probe reads SQLite's `data_version`, which differs after each commit of another connection, of
//! this process or of another one.

mod stream;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use source::changes::{ChangeProbe, Changes, Marker, NoStream, StreamKind, TableName};
use source::{SourceError, SourceErrorKind};
use tokio::task::spawn_blocking;

pub use stream::SqliteChangeStream;

use crate::connection::{Cache, OpenFile};
use crate::error::map_error;
use crate::recording::{INTERVAL, RecordedTable};
use crate::writer::FileWriter;

/// Busy timeout of a read; one that fails is repeated.
const BUSY: Duration = Duration::from_secs(1);

/// The changes of a file.
#[derive(Debug)]
pub struct SqliteChanges {
    pub(crate) path: PathBuf,
    pub(crate) tables: Arc<[RecordedTable]>,
    pub(crate) writer: Arc<FileWriter>,
}

/// Probe of a file, over a connection of its own.
#[derive(Debug)]
pub struct SqliteChangeProbe {
    path: PathBuf,
    /// `None` while a read runs; a cancelled read drops the file.
    file: Option<OpenFile>,
    /// Number of the connection: each has versions of its own.
    number: u64,
}

impl Changes for SqliteChanges {
    type Probe = SqliteChangeProbe;
    type Stream = SqliteChangeStream;

    fn probe(&self) -> Option<SqliteChangeProbe> {
        Some(SqliteChangeProbe { path: self.path.clone(), file: None, number: 0 })
    }

    async fn stream(
        &self,
        tables: &[TableName],
        _: StreamKind,
    ) -> Result<SqliteChangeStream, NoStream> {
        SqliteChangeStream::begin(&self.writer, &self.tables, tables).await
    }
}

impl ChangeProbe for SqliteChangeProbe {
    async fn marker(&mut self) -> Result<Marker, SourceError> {
        let (path, file) = (self.path.clone(), self.file.take());
        let read = spawn_blocking(move || read_version(&path, file)).await;
        let died =
            |_| SourceError::new(SourceErrorKind::Internal, "a read of the file's version died");
        let (file, is_new, version) = read.map_err(died)?.map_err(map_error)?;
        self.file = Some(file);
        self.number += u64::from(is_new);
        let bytes = [self.number.to_le_bytes(), version.to_le_bytes()].concat();
        Ok(Marker(bytes.into()))
    }

    fn interval(&self, usual: Duration) -> Duration {
        INTERVAL.min(usual)
    }
}

fn read_version(
    path: &Path,
    file: Option<OpenFile>,
) -> Result<(OpenFile, bool, i64), rusqlite::Error> {
    let kept = file.filter(|file| file.is_at(path));
    let is_new = kept.is_none();
    let file = match kept {
        Some(file) => file,
        None => OpenFile::open(path, BUSY, Cache::Least)?,
    };
    let version = file.connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
    Ok((file, is_new, version))
}
