//! The log of events of a source of any driver.

use std::time::Duration;

use source::Timeouts;
pub use source::event_log::{
    Backlog, ClaimedTrigger, Cleaned, Cleanup, CronEvent, EventReport, EventState, InstallPlan,
    Invocation, ListedEvent, ManualEvent, NewOneOffEvent, OneOffEvent, Operation, Outcome, Page,
    PlannedStatement, Queue, RecordedColumns, RecordedOperation, Redelivery, RowEvent, RowTrigger,
    ScheduleChange, ScheduledQueue,
};
use source_postgres::PostgresEventLog;
use source_sqlite::SqliteEventLog;

use crate::address::Address;

/// The log of a database.
#[derive(Debug)]
pub struct EventLog(Driver);

#[derive(Debug)]
enum Driver {
    Sqlite(SqliteEventLog),
    Postgres(PostgresEventLog),
}

/// An error of the log.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    #[error(transparent)]
    Sqlite(#[from] source_sqlite::EventLogError),
    #[error(transparent)]
    Postgres(#[from] source_postgres::EventLogError),
    #[error("reports of events are served on PostgreSQL only; `thalweg events list` lists them")]
    NoReports,
    #[error("Neo4j has no log of events: give a path, `sqlite:…` or `postgres://…`")]
    Graph,
}

impl EventLog {
    /// The log of a database. It connects when it is used.
    pub fn new(address: &Address, timeouts: Timeouts) -> Result<Self, EventLogError> {
        Ok(Self(match address {
            Address::Sqlite(path) => Driver::Sqlite(SqliteEventLog::new(path, timeouts)),
            Address::Postgres(url) => Driver::Postgres(PostgresEventLog::new(url, timeouts)?),
            Address::Neo4j(_) => return Err(EventLogError::Graph),
        }))
    }

    /// Whether the database has schemas.
    #[must_use]
    pub fn has_schemas(&self) -> bool {
        match &self.0 {
            Driver::Sqlite(_) => false,
            Driver::Postgres(_) => true,
        }
    }

    /// Begins to deliver events. Returns whether the claims of servers that have ended were released.
    pub async fn begin(&self) -> Result<bool, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.begin().await?,
            Driver::Postgres(log) => log.begin().await?,
        })
    }

    /// Waits until events were recorded, or for this time.
    pub async fn wait(&self, most: Duration) -> Result<(), EventLogError> {
        match &self.0 {
            Driver::Sqlite(log) => log.wait(most).await?,
            Driver::Postgres(log) => log.wait(most).await?,
        }
        Ok(())
    }

    /// Whether the log is there, with all that delivery needs.
    pub async fn is_complete(&self) -> Result<bool, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.is_complete().await?,
            Driver::Postgres(log) => log.is_complete().await?,
        })
    }

    /// Plans the log and these triggers. Other triggers of events are removed.
    pub async fn plan(&self, triggers: &[RowTrigger]) -> Result<InstallPlan, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.plan(triggers).await?,
            Driver::Postgres(log) => log.plan(triggers).await?,
        })
    }

    /// Runs the statements of a plan in one transaction.
    pub async fn install(&self, plan: &InstallPlan) -> Result<(), EventLogError> {
        match &self.0 {
            Driver::Sqlite(log) => log.install(plan).await?,
            Driver::Postgres(log) => log.install(plan).await?,
        }
        Ok(())
    }

    /// Claims changes of rows that are due.
    pub async fn claim_rows(
        &self,
        most: u32,
        triggers: &[ClaimedTrigger],
    ) -> Result<Vec<RowEvent>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.claim_rows(most, triggers).await?,
            Driver::Postgres(log) => log.claim_rows(most, triggers).await?,
        })
    }

    /// Claims times of cron triggers, after those that are too late were dropped.
    pub async fn claim_cron(
        &self,
        most: u32,
        triggers: &[ClaimedTrigger],
    ) -> Result<Vec<CronEvent>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.claim_cron(most, triggers).await?,
            Driver::Postgres(log) => log.claim_cron(most, triggers).await?,
        })
    }

    /// Claims single events.
    pub async fn claim_one_off(
        &self,
        most: u32,
        lease: Duration,
    ) -> Result<Vec<OneOffEvent>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.claim_one_off(most, lease).await?,
            Driver::Postgres(log) => log.claim_one_off(most, lease).await?,
        })
    }

    /// Ends a claim, and records the attempt.
    pub async fn finish(
        &self,
        queue: Queue,
        id: &str,
        outcome: Outcome,
        invocation: &Invocation,
    ) -> Result<(), EventLogError> {
        match &self.0 {
            Driver::Sqlite(log) => log.finish(queue, id, outcome, invocation).await?,
            Driver::Postgres(log) => log.finish(queue, id, outcome, invocation).await?,
        }
        Ok(())
    }

    /// Ends claims without an attempt.
    pub async fn release(&self, queue: Queue, ids: &[String]) -> Result<(), EventLogError> {
        match &self.0 {
            Driver::Sqlite(log) => log.release(queue, ids).await?,
            Driver::Postgres(log) => log.release(queue, ids).await?,
        }
        Ok(())
    }

    /// The events that are waiting.
    pub async fn backlog(&self) -> Result<Backlog, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.backlog().await?,
            Driver::Postgres(log) => log.backlog().await?,
        })
    }

    /// The future times of a cron trigger that have events, in microseconds since 1970.
    pub async fn upcoming(&self, trigger: &str) -> Result<Vec<i64>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.upcoming(trigger).await?,
            Driver::Postgres(log) => log.upcoming(trigger).await?,
        })
    }

    /// The last time of a cron trigger that has an event, in microseconds since 1970.
    pub async fn last_scheduled(&self, trigger: &str) -> Result<Option<i64>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.last_scheduled(trigger).await?,
            Driver::Postgres(log) => log.last_scheduled(trigger).await?,
        })
    }

    /// Adds and removes events of a cron trigger. Each time gets one event.
    pub async fn schedule(&self, change: &ScheduleChange) -> Result<(), EventLogError> {
        match &self.0 {
            Driver::Sqlite(log) => log.schedule(change).await?,
            Driver::Postgres(log) => log.schedule(change).await?,
        }
        Ok(())
    }

    /// Adds a single event, and returns its id.
    pub async fn add_one_off(&self, event: &NewOneOffEvent<'_>) -> Result<String, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.add_one_off(event).await?,
            Driver::Postgres(log) => log.add_one_off(event).await?,
        })
    }

    /// Records a change of a row that nobody made, and returns its id.
    pub async fn invoke(&self, event: &ManualEvent<'_>) -> Result<String, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.invoke(event).await?,
            Driver::Postgres(log) => log.invoke(event).await?,
        })
    }

    /// Removes the old events of a trigger. `None` if another server does, or has done it.
    pub async fn clean(&self, cleanup: &Cleanup) -> Result<Option<Cleaned>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.clean(cleanup).await?,
            Driver::Postgres(log) => log.clean(cleanup).await?,
        })
    }

    /// The newest events of a log, of one trigger or of all.
    pub async fn list(
        &self,
        queue: Queue,
        trigger: Option<&str>,
        state: EventState,
        most: u32,
    ) -> Result<Vec<ListedEvent>, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.list(queue, trigger, state, most).await?,
            Driver::Postgres(log) => log.list(queue, trigger, state, most).await?,
        })
    }

    /// A report as JSON; `None` if it is about one event that does not exist.
    pub async fn report(&self, report: &EventReport<'_>) -> Result<Option<String>, EventLogError> {
        match &self.0 {
            Driver::Sqlite(_) => Err(EventLogError::NoReports),
            Driver::Postgres(log) => Ok(log.report(report).await?),
        }
    }

    /// Removes an event of a schedule with its attempts.
    pub async fn delete_scheduled(
        &self,
        queue: ScheduledQueue<'_>,
        id: &str,
    ) -> Result<(), EventLogError> {
        match &self.0 {
            Driver::Sqlite(_) => Err(EventLogError::NoReports),
            Driver::Postgres(log) => Ok(log.delete_scheduled(queue, id).await?),
        }
    }

    /// Makes a change of a row due again. A claim that is older than the lease has ended.
    pub async fn redeliver(&self, id: &str, lease: Duration) -> Result<Redelivery, EventLogError> {
        Ok(match &self.0 {
            Driver::Sqlite(log) => log.redeliver(id, lease).await?,
            Driver::Postgres(log) => log.redeliver(id, lease).await?,
        })
    }
}
