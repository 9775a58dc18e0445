//! The log of events in PostgreSQL: triggers that record changes of rows, claims of servers that deliver
//! them, schedules.
//!
//! Its tables and functions have the names and columns of Hasura's, so that a log that is there goes on
//! and is read by the same statements.
//!
//! * `install`: the log and the triggers of a database
//! * `session`: the connection of a server that delivers events
//! * `claims`: events that are due, and what becomes of them
//! * `schedule`: times of cron triggers, and single events
//! * `cleanup`: removal of old events
//! * `listing`: events for people; `reports`: events as JSON

mod claims;
mod cleanup;
mod install;
mod listing;
mod reports;
mod schedule;
mod session;

use source::Timeouts;
use source::event_log::{Outcome, Queue};
use tokio::sync::Mutex;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSqlOwned, ToSql, Type};

use self::session::EventSession;
use crate::migrate::cause;
use crate::product::RequireError;
use crate::wire::{Config, WireError};

/// An error of the log.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    #[error("cannot connect to PostgreSQL: {}{}", .0, .0.remedy())]
    Connect(WireError),
    #[error(transparent)]
    Product(#[from] RequireError),
    #[error("{}", cause(.0))]
    Statement(#[from] tokio_postgres::Error),
}

impl EventLogError {
    /// Whether the database has refused a value (classes 22 and 54 of SQLSTATE).
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Product(_) => false,
            Self::Statement(error) => error
                .code()
                .is_some_and(|code| code.code().starts_with("22") || code.code().starts_with("54")),
        }
    }
}

/// The log of a database. It connects when it is used, and again after its connection was lost.
#[derive(Debug)]
pub struct PostgresEventLog {
    config: Box<Config>,
    session: Mutex<Option<EventSession>>,
}

/// A parameter with its type.
type Parameter<'p> = (&'p (dyn ToSql + Sync), Type);

impl PostgresEventLog {
    pub fn new(url: &str, timeouts: Timeouts) -> Result<Self, EventLogError> {
        let config = Config::from_url(url).map_err(EventLogError::Connect)?;
        let config = Box::new(config.with_default_connect_timeout(timeouts.connect));
        Ok(Self { config, session: Mutex::default() })
    }
}

/// A column of a row.
fn column<T: FromSqlOwned>(row: &Row, idx: usize) -> Result<T, EventLogError> {
    Ok(row.try_get(idx)?)
}

/// A number that is not negative.
fn count(row: &Row, idx: usize) -> Result<u64, EventLogError> {
    Ok(u64::try_from(column::<i64>(row, idx)?).unwrap_or_default())
}

fn tries(row: &Row, idx: usize) -> Result<u32, EventLogError> {
    Ok(u32::try_from(column::<i32>(row, idx)?).unwrap_or_default())
}

/// The name of an outcome in the statements.
fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Delivered => "delivered",
        Outcome::Retry(_) => "retry",
        Outcome::Failed => "failed",
    }
}

/// The statement for a log.
fn of_queue(queue: Queue, [rows, cron, one_off]: [&str; 3]) -> &str {
    match queue {
        Queue::Rows => rows,
        Queue::Cron => cron,
        Queue::OneOff => one_off,
    }
}
