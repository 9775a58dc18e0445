//! The log of asynchronous actions of a source.

use source::Timeouts;
pub use source::action_log::{ActionRecord, ActionResult, ClaimedAction, LoggedAnswer, NewAction};
use source_postgres::PostgresActionLog;
use source_sqlite::SqliteActionLog;

use crate::address::Address;

/// The log of a database.
#[derive(Debug)]
pub struct ActionLog(Driver);

#[derive(Debug)]
enum Driver {
    Postgres(PostgresActionLog),
    Sqlite(SqliteActionLog),
}

/// An error of the log.
#[derive(Debug, thiserror::Error)]
pub enum ActionLogError {
    #[error(transparent)]
    Postgres(#[from] source_postgres::EventLogError),
    #[error(transparent)]
    Sqlite(#[from] source_sqlite::EventLogError),
    #[error("only PostgreSQL and SQLite keep the log of asynchronous actions")]
    NoLog,
}

impl ActionLogError {
    /// Whether the database has refused a value; otherwise another attempt may succeed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Postgres(error) => error.is_refusal(),
            Self::Sqlite(error) => error.is_refusal(),
            Self::NoLog => false,
        }
    }
}

impl ActionLog {
    /// The log of a database. It connects when it is used.
    pub fn new(address: &Address, timeouts: Timeouts) -> Result<Self, ActionLogError> {
        match address {
            Address::Postgres(url) => {
                Ok(Self(Driver::Postgres(PostgresActionLog::new(url, timeouts)?)))
            }
            Address::Sqlite(path) => Ok(Self(Driver::Sqlite(SqliteActionLog::new(path, timeouts)))),
            Address::Neo4j(_) => Err(ActionLogError::NoLog),
        }
    }

    /// Creates the log if it is missing.
    pub async fn create(&self) -> Result<(), ActionLogError> {
        match &self.0 {
            Driver::Postgres(log) => log.create().await?,
            Driver::Sqlite(log) => log.create().await?,
        }
        Ok(())
    }

    /// Records a call, and returns its id.
    pub async fn record(&self, action: &NewAction<'_>) -> Result<String, ActionLogError> {
        Ok(match &self.0 {
            Driver::Postgres(log) => log.record(action).await?,
            Driver::Sqlite(log) => log.record(action).await?,
        })
    }

    /// The state of a call; `None` if there is none that the session may see.
    pub async fn read(
        &self,
        record: &ActionRecord<'_>,
    ) -> Result<Option<LoggedAnswer>, ActionLogError> {
        Ok(match &self.0 {
            Driver::Postgres(log) => log.read(record).await?,
            Driver::Sqlite(log) => log.read(record).await?,
        })
    }

    /// Claims calls that nobody delivers: names of actions, each with the seconds after which a claim has
    /// ended.
    pub async fn claim(
        &self,
        most: u32,
        names: &[&str],
        leases: &[f64],
    ) -> Result<Vec<ClaimedAction>, ActionLogError> {
        Ok(match &self.0 {
            Driver::Postgres(log) => log.claim(most, names, leases).await?,
            Driver::Sqlite(log) => log.claim(most, names, leases).await?,
        })
    }

    /// Records the end of a call.
    pub async fn finish(&self, id: &str, result: &ActionResult) -> Result<(), ActionLogError> {
        match &self.0 {
            Driver::Postgres(log) => log.finish(id, result).await?,
            Driver::Sqlite(log) => log.finish(id, result).await?,
        }
        Ok(())
    }

    /// Ends claims of calls that were not delivered.
    pub async fn release(&self, ids: &[String]) -> Result<(), ActionLogError> {
        match &self.0 {
            Driver::Postgres(log) => log.release(ids).await?,
            Driver::Sqlite(log) => log.release(ids).await?,
        }
        Ok(())
    }
}
