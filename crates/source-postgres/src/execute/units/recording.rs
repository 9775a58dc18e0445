//! The events of a change, which its own transaction adds to the log of events.

use std::ops::Range;
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
    /// The events of the rows of some levels.
    pub(in super::super::super) events: &'r EventsOf<'r>,
}

/// What gives the events of levels, by the rows that were read so far.
pub(in super::super::super) type EventsOf<'r> =
    dyn Fn(&[Rows], &Range<u16>) -> Result<CommittedEvents, SourceError> + 'r;

impl Recording<'_> {
    /// The events of a unit whose statements have run, as rows of the log.
    pub(super) fn of_unit(
        &self,
        rows: &[Rows],
        levels: &Range<u16>,
    ) -> Result<Option<String>, SourceError> {
        self.recorders.rows(&(self.events)(rows, levels)?)
    }
}

/// Adds rows of the log to a transaction.
pub(super) fn record(pipeline: &mut Pipeline<'_>, rows: &str) -> Result<(), WireError> {
    pipeline.execute(&RECORD, [Parameter::Text(rows.as_bytes())])
}
