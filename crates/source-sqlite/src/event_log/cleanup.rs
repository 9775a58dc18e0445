//! Removal of old events, in batches: between two of them, others write the file.

use std::time::Instant;

use rusqlite::{OptionalExtension, params};
use source::event_log::{Cleaned, Cleanup};

use super::{EventLogError, SqliteEventLog, change};

impl SqliteEventLog {
    /// Removes the old events of a trigger. `None` if another server does, or has done it. What was not
    /// removed when the timeout has passed is removed the next time.
    pub async fn clean(&self, cleanup: &Cleanup) -> Result<Option<Cleaned>, EventLogError> {
        let (trigger, time) = (cleanup.trigger.clone(), cleanup.scheduled_time);
        let begun = self.run(move |connection| {
            let statement = include_str!("begin_cleanup.sql");
            let id = connection.query_row(statement, params![trigger, time], |row| row.get(0));
            Ok(id.optional()?)
        });
        let Some(id) = begun.await? else { return Ok(None) };
        let id: i64 = id;
        let end = Instant::now() + cleanup.timeout;
        let mut cleaned = Cleaned::default();
        let status = loop {
            let batch = self.clean_batch(cleanup).await?;
            cleaned.events += batch.events;
            cleaned.invocations += batch.invocations;
            if batch.events < u64::from(cleanup.batch) {
                break "completed";
            }
            if Instant::now() >= end {
                let trigger = &*cleanup.trigger;
                tracing::warn!(trigger, "the cleanup of events has reached its timeout");
                break "dead";
            }
        };
        let [events, invocations] = [cleaned.events, cleaned.invocations]
            .map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        self.run(move |connection| {
            let statement = include_str!("end_cleanup.sql");
            connection.execute(statement, params![id, status, events, invocations])?;
            Ok(Some(cleaned))
        })
        .await
    }

    async fn clean_batch(&self, cleanup: &Cleanup) -> Result<Cleaned, EventLogError> {
        let cleanup = cleanup.clone();
        self.run(move |connection| {
            change(connection, |connection| {
                let age = cleanup.older_than.as_secs_f64();
                let parameters = params![cleanup.trigger, age, cleanup.batch];
                let invocations = match cleanup.with_invocations {
                    true => {
                        connection.execute(include_str!("clean_invocations.sql"), parameters)?
                    }
                    false => 0,
                };
                let events = connection.execute(include_str!("clean_events.sql"), parameters)?;
                Ok(Cleaned { events: events as u64, invocations: invocations as u64 })
            })
        })
        .await
    }
}
