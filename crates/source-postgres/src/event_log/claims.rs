//! Events that are due: a claim keeps other servers from delivering them, until its lease ends.

use std::time::Duration;

use source::event_log::{
    Backlog, ClaimedTrigger, CronEvent, Invocation, OneOffEvent, Outcome, Queue, RowEvent,
};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{EventLogError, PostgresEventLog, column, count, of_queue, outcome_name, tries};

impl PostgresEventLog {
    /// Claims changes of rows that are due.
    pub async fn claim_rows(
        &self,
        most: u32,
        triggers: &[ClaimedTrigger],
    ) -> Result<Vec<RowEvent>, EventLogError> {
        let (names, leases) = leases(triggers);
        let parameters: [_; 3] = [
            (&i64::from(most) as _, Type::INT8),
            (&names as _, Type::TEXT_ARRAY),
            (&leases as _, Type::FLOAT8_ARRAY),
        ];
        let rows = self.query(include_str!("claim_rows.sql"), &parameters).await?;
        rows.iter().map(row_event).collect()
    }

    /// Claims times of cron triggers, after those that are too late were dropped.
    pub async fn claim_cron(
        &self,
        most: u32,
        triggers: &[ClaimedTrigger],
    ) -> Result<Vec<CronEvent>, EventLogError> {
        let (names, leases) = leases(triggers);
        let tolerances: Vec<f64> =
            triggers.iter().map(|trigger| trigger.tolerance.as_secs_f64()).collect();
        let parameters: [_; 2] =
            [(&names as _, Type::TEXT_ARRAY), (&tolerances as _, Type::FLOAT8_ARRAY)];
        self.query(include_str!("drop_late.sql"), &parameters).await?;
        let parameters: [_; 3] = [
            (&i64::from(most) as _, Type::INT8),
            (&names as _, Type::TEXT_ARRAY),
            (&leases as _, Type::FLOAT8_ARRAY),
        ];
        let rows = self.query(include_str!("claim_cron.sql"), &parameters).await?;
        rows.iter().map(cron_event).collect()
    }

    /// Claims single events.
    pub async fn claim_one_off(
        &self,
        most: u32,
        lease: Duration,
    ) -> Result<Vec<OneOffEvent>, EventLogError> {
        let lease = lease.as_secs_f64();
        let parameters: [_; 2] = [(&i64::from(most) as _, Type::INT8), (&lease as _, Type::FLOAT8)];
        let rows = self.query(include_str!("claim_one_off.sql"), &parameters).await?;
        rows.iter().map(one_off_event).collect()
    }

    /// Ends a claim, and records the attempt.
    pub async fn finish(
        &self,
        queue: Queue,
        id: &str,
        outcome: Outcome,
        invocation: &Invocation,
    ) -> Result<(), EventLogError> {
        let statement = of_queue(
            queue,
            [
                include_str!("finish_rows.sql"),
                include_str!("finish_cron.sql"),
                include_str!("finish_one_off.sql"),
            ],
        );
        let delay = match outcome {
            Outcome::Retry(delay) => delay.as_secs_f64(),
            Outcome::Delivered | Outcome::Failed => 0.0,
        };
        let parameters: [_; 6] = [
            (&id as _, Type::TEXT),
            (&outcome_name(outcome) as _, Type::TEXT),
            (&delay as _, Type::FLOAT8),
            (&invocation.status.map(i32::from) as _, Type::INT4),
            (&invocation.request as _, Type::TEXT),
            (&invocation.response as _, Type::TEXT),
        ];
        self.query(statement, &parameters).await?;
        Ok(())
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
        self.query(statement, &[(&ids as _, Type::TEXT_ARRAY)]).await?;
        Ok(())
    }

    /// The events that are waiting.
    pub async fn backlog(&self) -> Result<Backlog, EventLogError> {
        let rows = self.query(include_str!("backlog.sql"), &[]).await?;
        let Some(row) = rows.first() else { return Ok(Backlog::default()) };
        Ok(Backlog { pending: count(row, 0)?, lag: column(row, 1)? })
    }
}

/// Names and leases in seconds.
fn leases(triggers: &[ClaimedTrigger]) -> (Vec<&str>, Vec<f64>) {
    triggers.iter().map(|trigger| (&*trigger.name, trigger.lease.as_secs_f64())).unzip()
}

fn row_event(row: &Row) -> Result<RowEvent, EventLogError> {
    Ok(RowEvent {
        id: column(row, 0)?,
        trigger: column(row, 1)?,
        schema: column(row, 2)?,
        table: column(row, 3)?,
        payload: column(row, 4)?,
        tries: tries(row, 5)?,
        created_at: column(row, 6)?,
    })
}

fn cron_event(row: &Row) -> Result<CronEvent, EventLogError> {
    Ok(CronEvent {
        id: column(row, 0)?,
        trigger: column(row, 1)?,
        scheduled_time: column(row, 2)?,
        tries: tries(row, 3)?,
    })
}

fn one_off_event(row: &Row) -> Result<OneOffEvent, EventLogError> {
    Ok(OneOffEvent {
        id: column(row, 0)?,
        webhook: column(row, 1)?,
        scheduled_time: column(row, 2)?,
        retries: column(row, 3)?,
        payload: column(row, 4)?,
        headers: column(row, 5)?,
        comment: column(row, 6)?,
        tries: tries(row, 7)?,
        created_at: column(row, 8)?,
    })
}
