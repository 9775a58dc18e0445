//! Removal of old events, in batches.

use source::event_log::{Cleaned, Cleanup};
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::{EventLogError, PostgresEventLog, column, count};

impl PostgresEventLog {
    /// Removes the old events of a trigger. `None` if another server does, or has done it. What was not
    /// removed when the timeout has passed is removed the next time.
    pub async fn clean(&self, cleanup: &Cleanup) -> Result<Option<Cleaned>, EventLogError> {
        // A connection of its own: a statement that takes too long ends with it.
        let client = self.connect().await?;
        let trigger = &*cleanup.trigger;
        let parameters: [_; 2] =
            [(&trigger as _, Type::TEXT), (&cleanup.scheduled_time as _, Type::INT8)];
        let rows = client.query_typed(include_str!("begin_cleanup.sql"), &parameters).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let id: String = column(row, 0)?;
        let mut cleaned = Cleaned::default();
        let ran = timeout(cleanup.timeout, clean(&client, cleanup, &mut cleaned)).await;
        let status = match ran {
            Ok(ran) => {
                ran?;
                "completed"
            }
            Err(_) => {
                tracing::warn!(trigger, "the cleanup of events has reached its timeout");
                "dead"
            }
        };
        let [events, invocations] = [cleaned.events, cleaned.invocations]
            .map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let parameters: [_; 4] = [
            (&id as _, Type::TEXT),
            (&status as _, Type::TEXT),
            (&events as _, Type::INT8),
            (&invocations as _, Type::INT8),
        ];
        self.query(include_str!("end_cleanup.sql"), &parameters).await?;
        Ok(Some(cleaned))
    }
}

async fn clean(
    client: &Client,
    cleanup: &Cleanup,
    cleaned: &mut Cleaned,
) -> Result<(), EventLogError> {
    let trigger = &*cleanup.trigger;
    let age = cleanup.older_than.as_secs_f64();
    let batch = i64::from(cleanup.batch);
    let parameters: [_; 4] = [
        (&trigger as _, Type::TEXT),
        (&age as _, Type::FLOAT8),
        (&batch as _, Type::INT8),
        (&cleanup.with_invocations as _, Type::BOOL),
    ];
    loop {
        let rows = client.query_typed(include_str!("clean_events.sql"), &parameters).await?;
        let Some(row) = rows.first() else { return Ok(()) };
        let events = count(row, 0)?;
        cleaned.events += events;
        cleaned.invocations += count(row, 1)?;
        if events < u64::from(cleanup.batch) {
            return Ok(());
        }
    }
}
