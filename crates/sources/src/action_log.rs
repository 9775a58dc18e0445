//! The log of asynchronous actions of a source.

use source::Timeouts;
pub use source::action_log::{ActionRecord, ActionResult, ClaimedAction, LoggedAnswer, NewAction};
use source_postgres::PostgresActionLog;

use crate::address::Address;

/// The log of a database.
#[derive(Debug)]
pub struct ActionLog(PostgresActionLog);

/// An error of the log.
#[derive(Debug, thiserror::Error)]
pub enum ActionLogError {
    #[error(transparent)]
    Postgres(#[from] source_postgres::EventLogError),
    #[error("only PostgreSQL keeps the log of asynchronous actions")]
    NoLog,
}

impl ActionLogError {
    /// Whether the database has refused a value; otherwise another attempt may succeed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Postgres(error) => error.is_refusal(),
            Self::NoLog => false,
        }
    }
}

impl ActionLog {
    /// The log of a database. It connects when it is used.
    pub fn new(address: &Address, timeouts: Timeouts) -> Result<Self, ActionLogError> {
        match address {
            Address::Postgres(url) => Ok(Self(PostgresActionLog::new(url, timeouts)?)),
            Address::Sqlite(_) | Address::Neo4j(_) => Err(ActionLogError::NoLog),
        }
    }

    /// Creates the log if it is missing.
    pub async fn create(&self) -> Result<(), ActionLogError> {
        Ok(self.0.create().await?)
    }

    /// Records a call, and returns its id.
    pub async fn record(&self, action: &NewAction<'_>) -> Result<String, ActionLogError> {
        Ok(self.0.record(action).await?)
    }

    /// The state of a call; `None` if there is none that the session may see.
    pub async fn read(
        &self,
        record: &ActionRecord<'_>,
    ) -> Result<Option<LoggedAnswer>, ActionLogError> {
        Ok(self.0.read(record).await?)
    }

    /// Claims calls that nobody delivers: names of actions, each with the seconds after which a claim has
    /// ended.
    pub async fn claim(
        &self,
        most: u32,
        names: &[&str],
        leases: &[f64],
    ) -> Result<Vec<ClaimedAction>, ActionLogError> {
        Ok(self.0.claim(most, names, leases).await?)
    }

    /// Records the end of a call.
    pub async fn finish(&self, id: &str, result: &ActionResult) -> Result<(), ActionLogError> {
        Ok(self.0.finish(id, result).await?)
    }

    /// Ends claims of calls that were not delivered.
    pub async fn release(&self, ids: &[String]) -> Result<(), ActionLogError> {
        Ok(self.0.release(ids).await?)
    }
}
