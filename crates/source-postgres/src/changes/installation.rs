//! The triggers of a database: the statements that create them, and those that remove them.

use source::Timeouts;
use source::changes::TableName;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::relations::{Relations, Reporting};
use crate::migrate::cause;
use crate::product::{Feature, Product, RequireError};
use crate::wire::{Config, WireError, connect_simple};

/// The statements that remove all triggers.
const REMOVE: &str = include_str!("triggers/remove.sql");

/// The reason why triggers were not created or removed. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum TriggerError {
    #[error("cannot connect to PostgreSQL: {}{}", .0, .0.remedy())]
    Connect(WireError),
    #[error(transparent)]
    Product(#[from] RequireError),
    #[error("there is no schema {0:?}")]
    NoSchema(String),
    #[error("{}", cause(.0))]
    Statement(#[from] tokio_postgres::Error),
}

/// A connection for the triggers of a database.
#[derive(Debug)]
pub struct PostgresTriggers {
    client: Client,
}

impl PostgresTriggers {
    pub async fn connect(url: &str, timeouts: Timeouts) -> Result<Self, TriggerError> {
        let config = Config::from_url(url).map_err(TriggerError::Connect)?;
        let config = config.with_default_connect_timeout(timeouts.connect);
        let client = connect_simple(&config).await.map_err(TriggerError::Connect)?;
        Product::require_of(&client, Feature::NotifyingTriggers).await?;
        Ok(Self { client })
    }

    /// Returns the statements that create the triggers for all tables and views of some schemas: on
    /// their tables, and on those on which views and row security depend. Triggers that exist already
    /// are left out, and a table has one piece of the list; the first one is their function.
    pub async fn statements(&self, schemas: &[String]) -> Result<Vec<String>, TriggerError> {
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&schemas, Type::TEXT_ARRAY)];
        let missing = self.read(include_str!("triggers/missing.sql"), &parameters).await?;
        if let Some(missing) = missing.first() {
            return Err(TriggerError::NoSchema(missing.try_get(0)?));
        }
        let rows = self.read(include_str!("triggers/tables.sql"), &parameters).await?;
        let name = |row: &Row| {
            let (namespace, name): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            Ok(TableName { namespace: Some(namespace.into()), name: name.into() })
        };
        let names = rows.iter().map(name).collect::<Result<Vec<_>, tokio_postgres::Error>>()?;
        let tables = Relations::read(&self.client, &names).await?.needed(Reporting::Named);
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&tables, Type::OID_ARRAY)];
        let created = self.read(include_str!("triggers/create.sql"), &parameters);
        let mut statements = vec![include_str!("triggers/function.sql").trim_end().to_owned()];
        for row in created.await? {
            statements.push(row.try_get(0)?);
        }
        Ok(statements)
    }

    /// Reads catalogs, without compiling the statement to machine code, which would take longer than
    /// running it. The setting ends with the transaction: a pooler may give the session to others.
    async fn read(
        &self,
        sql: &str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        self.client.batch_execute(include_str!("begin.sql")).await?;
        let rows = self.client.query_typed(sql, parameters).await?;
        self.client.batch_execute(include_str!("commit.sql")).await?;
        Ok(rows)
    }

    /// The statements that remove all triggers and their function.
    #[must_use]
    pub fn removal() -> &'static str {
        REMOVE
    }

    /// Runs statements in one transaction.
    pub async fn run(&self, statements: &str) -> Result<(), TriggerError> {
        // A list of statements in one message is a transaction.
        Ok(self.client.batch_execute(statements).await?)
    }
}
