//! Times of cron triggers, and single events.

use rusqlite::params;
use serde_json::json;
use source::event_log::{ManualEvent, NewOneOffEvent, ScheduleChange};

use super::{EventLogError, SqliteEventLog, change};

/// The schema of a file's tables.
const MAIN: &str = "main";

impl SqliteEventLog {
    /// The future times of a cron trigger that have events, in microseconds since 1970.
    pub async fn upcoming(&self, trigger: &str) -> Result<Vec<i64>, EventLogError> {
        let trigger = trigger.to_owned();
        self.run(move |connection| {
            let mut statement = connection.prepare_cached(include_str!("upcoming.sql"))?;
            let rows = statement.query_map([trigger], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The last time of a cron trigger that has an event, in microseconds since 1970.
    pub async fn last_scheduled(&self, trigger: &str) -> Result<Option<i64>, EventLogError> {
        let trigger = trigger.to_owned();
        self.run(move |connection| {
            Ok(connection.query_row(include_str!("last.sql"), [trigger], |row| row.get(0))?)
        })
        .await
    }

    /// Adds and removes events of a cron trigger. Each time gets one event.
    pub async fn schedule(&self, wanted: &ScheduleChange) -> Result<(), EventLogError> {
        let ScheduleChange { trigger, added, removed } = wanted.clone();
        self.run(move |connection| {
            change(connection, |connection| {
                let removed = json!(removed).to_string();
                connection.execute(include_str!("unschedule.sql"), params![trigger, removed])?;
                let added = json!(added).to_string();
                connection.execute(include_str!("schedule.sql"), params![trigger, added])?;
                Ok(())
            })
        })
        .await
    }

    /// Adds a single event, and returns its id.
    pub async fn add_one_off(&self, event: &NewOneOffEvent<'_>) -> Result<String, EventLogError> {
        let [webhook, retries, payload, headers] =
            [event.webhook, event.retries, event.payload, event.headers].map(str::to_owned);
        let (time, comment) = (event.scheduled_time, event.comment.map(str::to_owned));
        self.run(move |connection| {
            let parameters = params![webhook, time, retries, payload, headers, comment];
            let statement = include_str!("add_one_off.sql");
            Ok(connection.query_row(statement, parameters, |row| row.get(0))?)
        })
        .await
    }

    /// Records a change of a row that nobody made, and returns its id.
    pub async fn invoke(&self, event: &ManualEvent<'_>) -> Result<String, EventLogError> {
        let [schema, table, trigger, data] =
            [event.schema.unwrap_or(MAIN), event.table, event.trigger, event.data]
                .map(str::to_owned);
        self.run(move |connection| {
            let parameters = params![schema, table, trigger, data];
            let statement = include_str!("invoke.sql");
            Ok(connection.query_row(statement, parameters, |row| row.get(0))?)
        })
        .await
    }
}
