//! Logs of events for webhooks: changes of rows, which triggers of the database record in the
//! transaction that makes them, and times of schedules. An event stays in its log until a webhook
//! has received it, or all attempts have failed.

use std::time::Duration;

/// A trigger that records changes of a table's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTrigger {
    pub name: Box<str>,
    /// The schema of the table, where the database has schemas.
    pub schema: Option<Box<str>>,
    pub table: Box<str>,
    pub operations: Vec<RecordedOperation>,
    /// Whether changes that replication applies are recorded as well.
    pub records_replication: bool,
}

/// A kind of change that is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOperation {
    pub operation: Operation,
    /// The columns of which one has to change in an update.
    pub compared: RecordedColumns,
    /// The columns whose values are recorded.
    pub payload: RecordedColumns,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Insert,
    Update,
    Delete,
}

impl Operation {
    /// The SQL keyword, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// Columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedColumns {
    All,
    Listed(Vec<Box<str>>),
}

impl RecordedColumns {
    /// The names; `None` for all columns.
    #[must_use]
    pub fn listed(&self) -> Option<&[Box<str>]> {
        match self {
            Self::All => None,
            Self::Listed(names) => Some(names),
        }
    }
}

/// The statements that make the log and the triggers of a database those that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallPlan {
    /// In the order in which they have to run; none if everything is there.
    pub statements: Vec<PlannedStatement>,
    /// Triggers that cannot be created, such as those of missing tables.
    pub problems: Vec<String>,
}

/// A statement of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStatement {
    /// What is missing or different without it.
    pub reason: String,
    pub sql: String,
}

/// The logs of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Changes of rows.
    Rows,
    /// Times of cron triggers.
    Cron,
    /// Single events at a given time.
    OneOff,
}

/// A trigger whose events a server delivers.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedTrigger {
    pub name: Box<str>,
    /// The time after which a claim counts as that of a server that has ended.
    pub lease: Duration,
    /// The delay after which an event of a schedule is dropped.
    pub tolerance: Duration,
}

/// A claimed change of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEvent {
    pub id: String,
    pub trigger: String,
    pub schema: String,
    pub table: String,
    /// A JSON object with the operation, the rows and the session variables.
    pub payload: String,
    /// Earlier attempts.
    pub tries: u32,
    /// The time of the change, as of ISO 8601 and in UTC.
    pub created_at: String,
}

/// A claimed time of a cron trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CronEvent {
    pub id: String,
    pub trigger: String,
    /// As of ISO 8601 and in UTC.
    pub scheduled_time: String,
    pub tries: u32,
}

/// A claimed single event, with its settings as JSON texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOffEvent {
    pub id: String,
    pub webhook: String,
    pub scheduled_time: String,
    pub retries: Option<String>,
    pub payload: Option<String>,
    pub headers: Option<String>,
    pub comment: Option<String>,
    pub tries: u32,
    pub created_at: String,
}

/// A new single event, with its settings as JSON texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOneOffEvent<'e> {
    pub webhook: &'e str,
    /// Microseconds since 1970.
    pub scheduled_time: i64,
    pub retries: &'e str,
    pub payload: &'e str,
    pub headers: &'e str,
    pub comment: Option<&'e str>,
}

/// A new change of a row that nobody made, for tests of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualEvent<'e> {
    pub trigger: &'e str,
    pub schema: Option<&'e str>,
    pub table: &'e str,
    /// A JSON object with the old and the new row.
    pub data: &'e str,
}

/// What becomes of an event after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// It is tried again after this delay.
    Retry(Duration),
    /// It is not tried again.
    Failed,
}

/// An attempt to deliver an event, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// JSON of the request and of the response.
    pub request: String,
    pub response: String,
}

/// Times of a cron trigger that are not in its log yet, or that its schedule does not have any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleChange {
    pub trigger: Box<str>,
    /// Microseconds since 1970.
    pub added: Vec<i64>,
    pub removed: Vec<i64>,
}

/// The removal of old events of a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleanup {
    pub trigger: Box<str>,
    /// The time of the schedule, in microseconds since 1970: of several servers, one cleans.
    pub scheduled_time: i64,
    pub older_than: Duration,
    pub batch: u32,
    pub timeout: Duration,
    pub with_invocations: bool,
}

/// Counts of removed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub events: u64,
    pub invocations: u64,
}

/// Events that are waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Backlog {
    /// Events that are neither delivered nor given up, claimed ones included.
    pub pending: u64,
    /// Seconds since the oldest of those that are due became due.
    pub lag: f64,
}

/// Which events are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventState {
    All,
    Pending,
    Delivered,
    Failed,
}

/// An event of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEvent {
    pub id: String,
    pub trigger: String,
    pub state: String,
    pub tries: u32,
    /// The time of the change or of the schedule.
    pub time: String,
    /// The status of the last attempt.
    pub last_status: Option<u16>,
}

/// What became of an event that is to be delivered again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redelivery {
    Scheduled,
    /// A server is delivering it now.
    InProgress,
    Missing,
}

/// Events, or attempts to deliver them, as JSON.
#[derive(Clone, Copy, Debug)]
pub enum EventReport<'a> {
    /// Changes of rows that a trigger has recorded, the newest first.
    Events { trigger: &'a str, pending: Option<bool>, page: Page },
    /// The attempts of a trigger, the newest first.
    Invocations { trigger: &'a str, page: Page },
    /// One change of a row with its attempts.
    Event { id: &'a str, page: Page },
    /// Events of a schedule with one of the statuses, the earliest first; without statuses all of them.
    Scheduled { queue: ScheduledQueue<'a>, statuses: &'a [String], page: Page },
    /// The attempts of one event of a schedule or of all of them, the newest first.
    ScheduledInvocations { queue: ScheduledQueue<'a>, event: Option<&'a str>, page: Page },
}

/// Events of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduledQueue<'a> {
    /// Of this cron trigger, or of all.
    Cron(Option<&'a str>),
    OneOff,
}

/// A page of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// `None` for all.
    pub limit: Option<i64>,
    pub offset: i64,
}
