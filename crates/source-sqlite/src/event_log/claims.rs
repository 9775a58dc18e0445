//! Events that are due. Before a claim, a statement that only reads looks whether there is one: a claim
//! makes other writers of the file wait.

use std::time::Duration;

use rusqlite::{Row, params};
use serde_json::{Value, json};
use source::event_log::{
    Backlog, ClaimedTrigger, CronEvent, Invocation, OneOffEvent, Outcome, Queue, RowEvent,
};

use super::lead::lead;
use super::{EventLogError, SqliteEventLog, change, flag, of_queue, outcome_name};

impl SqliteEventLog {
    /// Claims changes of rows that are due; none while another process delivers those of the file.
    pub async fn claim_rows(
        &self,
        most: u32,
        triggers: &[ClaimedTrigger],
    ) -> Result<Vec<RowEvent>, EventLogError> {
        let triggers = described(triggers);
        self.run_with_state(move |shared, state| {
            lead(shared, state)?;
            if state.lead.is_none() {
                return Ok(Vec::new());
            }
            let connection = shared.connection(state)?;
            if !flag(connection, include_str!("has_due_rows.sql"), [&triggers])? {
                return Ok(Vec::new());
            }
            let mut statement = connection.prepare_cached(include_str!("claim_rows.sql"))?;
            let rows = statement.query_map(params![triggers, most], row_event)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Claims times of cron triggers, after those that are too late were dropped.
    pub async fn claim_cron(
        &self,
        most: u32,
        triggers: &[ClaimedTrigger],
    ) -> Result<Vec<CronEvent>, EventLogError> {
        let triggers = described(triggers);
        self.run_with_state(move |shared, state| {
            lead(shared, state)?;
            if state.lead.is_none() {
                return Ok(Vec::new());
            }
            let connection = shared.connection(state)?;
            if !flag(connection, include_str!("has_due_cron.sql"), [&triggers])? {
                return Ok(Vec::new());
            }
            connection.execute(include_str!("drop_late.sql"), [&triggers])?;
            let mut statement = connection.prepare_cached(include_str!("claim_cron.sql"))?;
            let rows = statement.query_map(params![triggers, most], |row| {
                Ok(CronEvent {
                    id: row.get(0)?,
                    trigger: row.get(1)?,
                    scheduled_time: row.get(2)?,
                    tries: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Claims single events.
    pub async fn claim_one_off(
        &self,
        most: u32,
        lease: Duration,
    ) -> Result<Vec<OneOffEvent>, EventLogError> {
        self.run_with_state(move |shared, state| {
            lead(shared, state)?;
            if state.lead.is_none() {
                return Ok(Vec::new());
            }
            let connection = shared.connection(state)?;
            if !flag(connection, include_str!("has_due_one_off.sql"), [])? {
                return Ok(Vec::new());
            }
            let mut statement = connection.prepare_cached(include_str!("claim_one_off.sql"))?;
            let rows = statement.query_map(params![lease.as_secs_f64(), most], one_off_event)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Ends a claim, and records the attempt.
    pub async fn finish(
        &self,
        queue: Queue,
        id: &str,
        outcome: Outcome,
        invocation: &Invocation,
    ) -> Result<(), EventLogError> {
        let [record, finish] = [
            of_queue(
                queue,
                [
                    include_str!("invocation_rows.sql"),
                    include_str!("invocation_cron.sql"),
                    include_str!("invocation_one_off.sql"),
                ],
            ),
            of_queue(
                queue,
                [
                    include_str!("finish_rows.sql"),
                    include_str!("finish_cron.sql"),
                    include_str!("finish_one_off.sql"),
                ],
            ),
        ];
        let delay = match outcome {
            Outcome::Retry(delay) => delay.as_secs_f64(),
            Outcome::Delivered | Outcome::Failed => 0.0,
        };
        let (id, invocation) = (id.to_owned(), invocation.clone());
        self.run(move |connection| {
            change(connection, |connection| {
                let Invocation { status, request, response } = invocation;
                let mut statement = connection.prepare_cached(record)?;
                statement.execute(params![id, status, request, response])?;
                let mut statement = connection.prepare_cached(finish)?;
                statement.execute(params![id, outcome_name(outcome), delay])?;
                Ok(())
            })
        })
        .await
    }

    /// Ends claims without an attempt.
    pub async fn release(&self, queue: Queue, ids: &[String]) -> Result<(), EventLogError> {
        let statement = of_queue(
            queue,
            [
                include_str!("release_rows.sql"),
                include_str!("release_cron.sql"),
                include_str!("release_one_off.sql"),
            ],
        );
        let ids = json!(ids).to_string();
        self.run(move |connection| {
            connection.execute(statement, [ids])?;
            Ok(())
        })
        .await
    }

    /// The events that are waiting.
    pub async fn backlog(&self) -> Result<Backlog, EventLogError> {
        self.run(|connection| {
            let query = include_str!("backlog.sql");
            let backlog = connection.query_row(query, [], |row| {
                let pending: i64 = row.get(0)?;
                let pending = u64::try_from(pending).unwrap_or_default();
                Ok(Backlog { pending, lag: row.get(1)? })
            });
            Ok(backlog?)
        })
        .await
    }
}

/// The triggers as JSON, with times in seconds.
fn described(triggers: &[ClaimedTrigger]) -> String {
    let triggers = triggers.iter().map(|trigger| {
        json!({
            "name": trigger.name,
            "lease": trigger.lease.as_secs_f64(),
            "tolerance": trigger.tolerance.as_secs_f64(),
        })
    });
    Value::Array(triggers.collect()).to_string()
}

fn row_event(row: &Row<'_>) -> Result<RowEvent, rusqlite::Error> {
    Ok(RowEvent {
        id: row.get(0)?,
        trigger: row.get(1)?,
        schema: row.get(2)?,
        table: row.get(3)?,
        payload: row.get(4)?,
        tries: row.get(5)?,
        created_at: row.get(6)?,
    })
}

fn one_off_event(row: &Row<'_>) -> Result<OneOffEvent, rusqlite::Error> {
    Ok(OneOffEvent {
        id: row.get(0)?,
        webhook: row.get(1)?,
        scheduled_time: row.get(2)?,
        retries: row.get(3)?,
        payload: row.get(4)?,
        headers: row.get(5)?,
        comment: row.get(6)?,
        tries: row.get(7)?,
        created_at: row.get(8)?,
    })
}
