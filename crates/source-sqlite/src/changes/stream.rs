//! Stream of the changes of a file's rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use source::SourceError;
use source::changes::{
    ChangeStream, Columns, Coverage, CoveredRelation, NoStream, StreamOrigin, TableChange,
    TableName,
};

use crate::recording::{RecordedTable, Recording};
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
        // Of a view the tables are not known here.
        let is_requested =
            |table: &&RecordedTable| requested.iter().any(|name| name.name == table.name);
        let tables = tables.iter().filter(is_requested).cloned().collect();
        let recording = Arc::new(Recording::new(tables));
        // Made first: dropped, it ends the recording.
        let mut stream = Self { recording, coverage: Coverage::default() };
        writer.record(&stream.recording).map_err(NoStream::Failed)?;
        let covered = stream.recording.begun().await?.into_iter().map(|name| CoveredRelation {
            stored_in: vec![name.clone()],
            name,
            row_security: Columns::Only(BTreeSet::new()),
            depends_on: Vec::new(),
        });
        stream.coverage.relations = covered.collect();
        Ok(stream)
    }
}

impl ChangeStream for SqliteChangeStream {
    fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    fn origin(&self) -> StreamOrigin {
        StreamOrigin::Own
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        self.recording.next().await
    }

    /// The recording ends with a change of the definitions.
    async fn is_current(&mut self) -> Result<bool, SourceError> {
        Ok(true)
    }
}

impl Drop for SqliteChangeStream {
    fn drop(&mut self) {
        self.recording.close();
    }
}
