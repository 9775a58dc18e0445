//! Times of cron triggers, and single events.

use source::event_log::{ManualEvent, NewOneOffEvent, ScheduleChange};
use tokio_postgres::types::Type;

use super::{EventLogError, PostgresEventLog, column};

/// The schema of tables that are named without one.
const PUBLIC: &str = "public";

impl PostgresEventLog {
    /// The future times of a cron trigger that have events, in microseconds since 1970.
    pub async fn upcoming(&self, trigger: &str) -> Result<Vec<i64>, EventLogError> {
        let parameters: [_; 1] = [(&trigger as _, Type::TEXT)];
        let rows = self.query(include_str!("upcoming.sql"), &parameters).await?;
        rows.iter().map(|row| column(row, 0)).collect()
    }

    /// The last time of a cron trigger that has an event, in microseconds since 1970.
    pub async fn last_scheduled(&self, trigger: &str) -> Result<Option<i64>, EventLogError> {
        let parameters: [_; 1] = [(&trigger as _, Type::TEXT)];
        let rows = self.query(include_str!("last.sql"), &parameters).await?;
        rows.first().map_or(Ok(None), |row| column(row, 0))
    }

    /// Adds and removes events of a cron trigger. Several servers may do it at the same time: each time
    /// gets one event.
    pub async fn schedule(&self, change: &ScheduleChange) -> Result<(), EventLogError> {
        let mut client = self.connect().await?;
        let transaction = client.transaction().await?;
        transaction.query_typed(include_str!("schedule_lock.sql"), &[]).await?;
        let trigger = &*change.trigger;
        let parameters: [_; 3] = [
            (&trigger as _, Type::TEXT),
            (&change.added as _, Type::INT8_ARRAY),
            (&change.removed as _, Type::INT8_ARRAY),
        ];
        transaction.query_typed(include_str!("schedule.sql"), &parameters).await?;
        Ok(transaction.commit().await?)
    }

    /// Adds a single event, and returns its id.
    pub async fn add_one_off(&self, event: &NewOneOffEvent<'_>) -> Result<String, EventLogError> {
        let client = self.connect().await?;
        let parameters: [_; 6] = [
            (&event.webhook as _, Type::TEXT),
            (&event.scheduled_time as _, Type::INT8),
            (&event.retries as _, Type::TEXT),
            (&event.payload as _, Type::TEXT),
            (&event.headers as _, Type::TEXT),
            (&event.comment as _, Type::TEXT),
        ];
        let rows = client.query_typed(include_str!("add_one_off.sql"), &parameters).await?;
        rows.first().map_or(Ok(String::new()), |row| column(row, 0))
    }

    /// Records a change of a row that nobody made, and returns its id.
    pub async fn invoke(&self, event: &ManualEvent<'_>) -> Result<String, EventLogError> {
        let client = self.connect().await?;
        let schema = event.schema.unwrap_or(PUBLIC);
        let parameters: [_; 4] = [
            (&schema as _, Type::TEXT),
            (&event.table as _, Type::TEXT),
            (&event.trigger as _, Type::TEXT),
            (&event.data as _, Type::TEXT),
        ];
        let rows = client.query_typed(include_str!("invoke.sql"), &parameters).await?;
        rows.first().map_or(Ok(String::new()), |row| column(row, 0))
    }
}
