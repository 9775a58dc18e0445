//! Stream of the changes of a file's rows.

use std::sync::Arc;

use source::SourceError;
use source::changes::{ChangeStream, Coverage, NoStream, TableChange, TableName};

use super::recording::Recording;
use super::tables::RecordedTable;
use crate::writer::FileWriter;

/// The changes that this process commits, row by row; commits of other programs concern all rows.
#[derive(Debug)]
pub struct SqliteChangeStream {
    recording: Arc<Recording>,
    coverage: Coverage,
}

impl SqliteChangeStream {
    /// Begins to record changes of those of `tables` that were requested.
    pub(super) async fn begin(
        writer: &FileWriter,
        tables: &[RecordedTable],
        requested: &[TableName],
    ) -> Result<Self, NoStream> {
        let is_requested =
            |table: &&RecordedTable| requested.iter().any(|name| name.name == table.name);
        let tables = tables.iter().filter(is_requested).cloned().collect();
        let recording = Arc::new(Recording::new(tables));
        // Made first: dropped, it ends the recording.
        let mut stream = Self { recording, coverage: Coverage::default() };
        writer.record(&stream.recording).map_err(NoStream::Failed)?;
        stream.coverage.tables = stream.recording.begun().await?;
        Ok(stream)
    }
}

impl ChangeStream for SqliteChangeStream {
    fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        self.recording.next().await
    }
}

impl Drop for SqliteChangeStream {
    fn drop(&mut self) {
        self.recording.close();
    }
}
