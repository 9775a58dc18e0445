//! Events for people: lists, and deliveries that are repeated.

use std::time::Duration;

use rusqlite::params;
use source::event_log::{EventState, ListedEvent, Queue, Redelivery};

use super::{EventLogError, SqliteEventLog, flag, of_queue};

impl SqliteEventLog {
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
        let trigger = trigger.map(str::to_owned);
        self.run(move |connection| {
            let mut statement = connection.prepare(statement)?;
            let rows = statement.query_map(params![trigger, state, most], |row| {
                Ok(ListedEvent {
                    id: row.get(0)?,
                    trigger: row.get(1)?,
                    state: row.get(2)?,
                    tries: row.get(3)?,
                    time: row.get(4)?,
                    last_status: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Makes a change of a row due again. A claim that is older than the lease has ended.
    pub async fn redeliver(&self, id: &str, lease: Duration) -> Result<Redelivery, EventLogError> {
        let id = id.to_owned();
        self.run(move |connection| {
            let parameters = params![id, lease.as_secs_f64()];
            if connection.execute(include_str!("redeliver.sql"), parameters)? > 0 {
                return Ok(Redelivery::Scheduled);
            }
            Ok(match flag(connection, include_str!("has_event.sql"), [id])? {
                true => Redelivery::InProgress,
                false => Redelivery::Missing,
            })
        })
        .await
    }
}
