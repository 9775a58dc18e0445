//! The events of a change, which its own transaction adds to the log of events.

use std::sync::{Arc, LazyLock};

use source::{CommittedEvents, EventRecorders, SourceError};
use tokio_postgres::types::Type;

use super::super::super::wire::{Parameter, Pipeline, Rows, Statement, WireError};

static RECORD: LazyLock<Arc<Statement>> = LazyLock::new(|| {
    let text = include_str!("../../event_log/record.sql").trim_end();
    Arc::new(Statement::new(text, [Type::JSON.oid()]))
});

/// Recording of the events of a change.
pub(in super::super::super) struct Recording<'r> {
    pub(in super::super::super) recorders: &'r EventRecorders,
    /// The events of all rows that were read so far.
    pub(in super::super::super) events: &'r dyn Fn(&[Rows]) -> Result<CommittedEvents, SourceError>,
    /// The events of the units that were committed.
    pub(in super::super::super) committed: usize,
}

impl Recording<'_> {
    /// The events of a unit whose statements have run, as rows of the log, and the number of all events
    /// so far. Units that failed have no rows any more, and so no events.
    pub(super) fn of_unit(&self, rows: &[Rows]) -> Result<(Option<String>, usize), SourceError> {
        let all = (self.events)(rows)?;
        Ok((self.recorders.rows(&all, self.committed)?, all.events.len()))
    }
}

/// Adds rows of the log to a transaction.
pub(super) fn record(pipeline: &mut Pipeline<'_>, rows: &str) -> Result<(), WireError> {
    pipeline.execute(&RECORD, [Parameter::Text(rows.as_bytes())])
}
