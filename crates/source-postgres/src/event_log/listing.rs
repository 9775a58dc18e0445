//! Events for people: lists, and deliveries that are repeated.

use std::time::Duration;

use source::event_log::{EventState, ListedEvent, Queue, Redelivery};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{EventLogError, PostgresEventLog, column, of_queue, tries};

impl PostgresEventLog {
    /// The newest events of a log, of one trigger or of all.
    pub async fn list(
        &self,
        queue: Queue,
        trigger: Option<&str>,
        state: EventState,
        most: u32,
    ) -> Result<Vec<ListedEvent>, EventLogError> {
        let statement = of_queue(
            queue,
            [
                include_str!("list_rows.sql"),
                include_str!("list_cron.sql"),
                include_str!("list_one_off.sql"),
            ],
        );
        let state = match state {
            EventState::All => "all",
            EventState::Pending => "pending",
            EventState::Delivered => "delivered",
            EventState::Failed => "failed",
        };
        let parameters: [_; 3] = [
            (&trigger as _, Type::TEXT),
            (&state as _, Type::TEXT),
            (&i64::from(most) as _, Type::INT8),
        ];
        let client = self.connect().await?;
        let rows = client.query_typed(statement, &parameters).await?;
        rows.iter().map(listed).collect()
    }

    /// Makes a change of a row due again. A claim that is older than the lease has ended.
    pub async fn redeliver(&self, id: &str, lease: Duration) -> Result<Redelivery, EventLogError> {
        let client = self.connect().await?;
        let lease = lease.as_secs_f64();
        let parameters: [_; 2] = [(&id as _, Type::TEXT), (&lease as _, Type::FLOAT8)];
        let rows = client.query_typed(include_str!("redeliver.sql"), &parameters).await?;
        Ok(match rows.first().map(|row| column(row, 0)).transpose()? {
            Some(true) => Redelivery::Scheduled,
            Some(false) => Redelivery::InProgress,
            None => Redelivery::Missing,
        })
    }
}

fn listed(row: &Row) -> Result<ListedEvent, EventLogError> {
    let status: Option<i32> = column(row, 5)?;
    Ok(ListedEvent {
        id: column(row, 0)?,
        trigger: column(row, 1)?,
        state: column(row, 2)?,
        tries: tries(row, 3)?,
        time: column(row, 4)?,
        last_status: status.and_then(|status| u16::try_from(status).ok()),
    })
}
