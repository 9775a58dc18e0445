//! The log of asynchronous actions in PostgreSQL, with the name and the columns of Hasura's.

use std::sync::Arc;

use source::Timeouts;
use source::action_log::{ActionRecord, ActionResult, ClaimedAction, LoggedAnswer, NewAction};
use tokio::sync::Mutex;
use tokio_postgres::types::{FromSqlOwned, ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::event_log::EventLogError;
use crate::wire::{Config, connect_simple};

/// The log of a database. It connects when it is used, and again after its connection was lost.
#[derive(Debug)]
pub struct PostgresActionLog {
    config: Box<Config>,
    client: Mutex<Option<Arc<Client>>>,
}

/// A parameter with its type.
type Parameter<'p> = (&'p (dyn ToSql + Sync), Type);

impl PostgresActionLog {
    pub fn new(url: &str, timeouts: Timeouts) -> Result<Self, EventLogError> {
        let config = Config::from_url(url).map_err(EventLogError::Connect)?;
        let config = Box::new(config.with_default_connect_timeout(timeouts.connect));
        Ok(Self { config, client: Mutex::default() })
    }

    /// Creates the log if it is missing.
    pub async fn create(&self) -> Result<(), EventLogError> {
        // A connection of its own, which ends with the runtime of the caller: of others that used it,
        // statements would fail after the database has executed them.
        let client = connect_simple(&self.config).await.map_err(EventLogError::Connect)?;
        let rows = client.query_typed(include_str!("action_log/is_complete.sql"), &[]).await?;
        if rows.first().map_or(Ok(false), |row| column(row, 0))? {
            return Ok(());
        }
        Ok(client.batch_execute(include_str!("action_log/create.sql")).await?)
    }

    /// Records a call, and returns its id.
    pub async fn record(&self, action: &NewAction<'_>) -> Result<String, EventLogError> {
        let NewAction { name, input, headers, session } = action;
        let parameters: [_; 4] = [
            (name as _, Type::TEXT),
            (input as _, Type::TEXT),
            (headers as _, Type::TEXT),
            (session as _, Type::TEXT),
        ];
        let rows = self.query(include_str!("action_log/record.sql"), &parameters).await?;
        rows.first().map_or(Ok(String::new()), |row| column(row, 0))
    }

    /// The state of a call; `None` if there is none that the session may see.
    pub async fn read(
        &self,
        record: &ActionRecord<'_>,
    ) -> Result<Option<LoggedAnswer>, EventLogError> {
        let ActionRecord { id, name, session } = record;
        let parameters: [_; 3] =
            [(id as _, Type::TEXT), (name as _, Type::TEXT), (session as _, Type::TEXT)];
        let rows = self.query(include_str!("action_log/read.sql"), &parameters).await?;
        let answer = |row: &Row| {
            Ok(LoggedAnswer {
                created_at: column(row, 0)?,
                output: column(row, 1)?,
                errors: column(row, 2)?,
            })
        };
        rows.first().map(answer).transpose()
    }

    /// Claims calls that nobody delivers: names of actions, each with the seconds after which a claim has
    /// ended.
    pub async fn claim(
        &self,
        most: u32,
        names: &[&str],
        leases: &[f64],
    ) -> Result<Vec<ClaimedAction>, EventLogError> {
        let parameters: [_; 3] = [
            (&i64::from(most) as _, Type::INT8),
            (&names as _, Type::TEXT_ARRAY),
            (&leases as _, Type::FLOAT8_ARRAY),
        ];
        let rows = self.query(include_str!("action_log/claim.sql"), &parameters).await?;
        let claimed = |row: &Row| {
            Ok(ClaimedAction {
                id: column(row, 0)?,
                name: column(row, 1)?,
                input: column(row, 2)?,
                headers: column(row, 3)?,
                session: column(row, 4)?,
            })
        };
        rows.iter().map(claimed).collect()
    }

    /// Records the end of a call.
    pub async fn finish(&self, id: &str, result: &ActionResult) -> Result<(), EventLogError> {
        let (output, errors) = match result {
            ActionResult::Output(output) => (Some(&**output), None),
            ActionResult::Failed(error) => (None, Some(&**error)),
        };
        let parameters: [_; 3] =
            [(&id as _, Type::TEXT), (&output as _, Type::TEXT), (&errors as _, Type::TEXT)];
        self.query(include_str!("action_log/finish.sql"), &parameters).await?;
        Ok(())
    }

    /// Ends claims of calls that were not delivered.
    pub async fn release(&self, ids: &[String]) -> Result<(), EventLogError> {
        self.query(include_str!("action_log/release.sql"), &[(&ids as _, Type::TEXT_ARRAY)])
            .await?;
        Ok(())
    }

    async fn client(&self) -> Result<Arc<Client>, EventLogError> {
        let mut kept = self.client.lock().await;
        if let Some(client) = kept.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let client = connect_simple(&self.config).await.map_err(EventLogError::Connect)?;
        let client = Arc::new(client);
        *kept = Some(Arc::clone(&client));
        Ok(client)
    }

    async fn query(
        &self,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, EventLogError> {
        Ok(self.client().await?.query_typed(statement, parameters).await?)
    }
}

/// A column of a row.
fn column<T: FromSqlOwned>(row: &Row, idx: usize) -> Result<T, EventLogError> {
    Ok(row.try_get(idx)?)
}
