//! The events of a change, which its own transaction adds to the log of events.

use std::ops::Range;
use std::sync::Arc;

use relational::Program;
use response::{MemoryReservation, Shape};
use rusqlite::Connection;
use source::{CommittedEvents, EventRecorders, SourceError};

use super::gathered::{Gathered, GatheredCursor};
use crate::bind::Bound;
use crate::error::map_error;

const RECORD: &str = include_str!("../event_log/record.sql");

/// Recording of the events of a change.
#[derive(Debug)]
pub(crate) struct EventRecording {
    pub(crate) recorders: Arc<EventRecorders>,
    /// The shape of the answer, which has the events.
    pub(crate) shape: Arc<Shape>,
    /// The memory reservation of the events.
    pub(crate) held: MemoryReservation,
}

impl EventRecording {
    /// Records the events of a transaction, whose rows are those of these levels.
    pub(super) fn record(
        &self,
        connection: &Connection,
        (program, bound, gathered): (&Program, &Bound, &Gathered),
        levels: &Range<u16>,
    ) -> Result<(), SourceError> {
        let mut top = GatheredCursor::new(program, bound, gathered);
        let parts = (&*self.shape, &program.layout);
        let events = CommittedEvents::of_levels(parts, levels, &mut top, &self.held);
        if let Some(rows) = self.recorders.rows(&events)? {
            let mut insert = connection.prepare_cached(RECORD).map_err(map_error)?;
            insert.execute([rows]).map_err(map_error)?;
        }
        Ok(())
    }
}
