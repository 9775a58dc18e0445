//! Migrations of a database: one transaction, which other migrations wait for.

use catalog::Catalog;
use source::{
    AppliedMigration, ColumnDetails, ExtensionState, MigrationAccess, Record, Recorded, Timeouts,
};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::introspect::{IntrospectError, introspect};
use super::options::{Extensions, Rights};
use super::own::{DefinitionsSchema, SchemaNameError};
use super::product::{Feature, Product, RequireError};
use super::wire::{Config, WireError, connect_simple};

/// The reason why a database was not migrated. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error(transparent)]
    Schema(#[from] SchemaNameError),
    #[error("cannot connect to PostgreSQL: {}{}", .0, .0.remedy())]
    Connect(WireError),
    #[error(transparent)]
    Product(#[from] RequireError),
    #[error("cannot read the history of migrations: {}", cause(.0))]
    History(tokio_postgres::Error),
    #[error("cannot read the schema: {0}")]
    Catalog(IntrospectError),
    #[error("{}\n{statement}", cause(.source))]
    Statement { statement: Box<str>, source: tokio_postgres::Error },
}

/// Functions that read the words of texts.
const WORDS: &str = include_str!("migrate/words.sql");

/// A transaction that migrates a database.
#[derive(Debug)]
pub struct PostgresMigration {
    config: Box<Config>,
    client: Client,
    schema: DefinitionsSchema,
}

/// The database's own message with its detail, where the error has one.
pub(crate) fn cause(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => match error.detail() {
            Some(detail) => format!("{}: {detail}", error.message()),
            None => error.message().into(),
        },
        None => error.to_string(),
    }
}

impl PostgresMigration {
    /// Connects and begins a transaction, for tables in a schema. It ends with the connection,
    /// without a change, unless it is applied.
    pub async fn begin(
        url: &str,
        schema: &str,
        access: MigrationAccess,
        timeouts: Timeouts,
    ) -> Result<Self, MigrateError> {
        let schema = DefinitionsSchema::new(schema)?;
        let config = Config::from_url(url).map_err(MigrateError::Connect)?;
        let config = Box::new(config.with_default_connect_timeout(timeouts.connect));
        let client = connect_simple(&config).await.map_err(MigrateError::Connect)?;
        Product::require_of(&client, Feature::Migrations).await?;
        let migration = Self { config, client, schema };
        migration.run(include_str!("migrate/begin.sql")).await?;
        match access {
            MigrationAccess::Read => {}
            MigrationAccess::Write => {
                let lock = migration.schema.statement(include_str!("migrate/lock.sql"));
                migration.run(&lock).await?;
            }
        }
        Ok(migration)
    }

    async fn has_history(&self) -> Result<bool, tokio_postgres::Error> {
        let query = self.schema.statement(include_str!("migrate/has_history.sql"));
        let found = self.client.query_typed(&query, &[]).await?;
        let found = found.first().map(|row| row.try_get::<_, bool>(0));
        Ok(found.transpose()?.unwrap_or_default())
    }

    /// All applied migrations, the oldest first.
    pub async fn history(&self) -> Result<Vec<AppliedMigration>, MigrateError> {
        let read = async {
            if !self.has_history().await? {
                return Ok(Vec::new());
            }
            let query = self.schema.statement(include_str!("migrate/history.sql"));
            let rows = self.client.query_typed(&query, &[]).await?;
            let applied = rows.iter().map(|row| {
                Ok(AppliedMigration {
                    number: row.try_get(0)?,
                    applied_at: row.try_get(1)?,
                    definitions: row.try_get(2)?,
                })
            });
            applied.collect()
        };
        read.await.map_err(MigrateError::History)
    }

    /// The newest migration.
    pub async fn newest(&self) -> Result<Option<Recorded>, MigrateError> {
        let read = async {
            if !self.has_history().await? {
                return Ok(None);
            }
            let query = self.schema.statement(include_str!("migrate/newest.sql"));
            let newest = self.client.query_typed(&query, &[]).await?;
            let recorded = |row: &tokio_postgres::Row| {
                Ok(Recorded {
                    number: row.try_get(0)?,
                    definitions: row.try_get(1)?,
                    tables: row.try_get(2)?,
                })
            };
            newest.first().map(recorded).transpose()
        };
        read.await.map_err(MigrateError::History)
    }

    /// Returns true if an import is inserting rows, or was killed meanwhile.
    pub async fn has_load(&self) -> Result<bool, MigrateError> {
        let query = self.schema.statement(include_str!("transfer/is_there.sql"));
        let read = async {
            let rows = self.client.query_typed(&query, &[]).await?;
            rows.first().map(|row| row.try_get(0)).transpose()
        };
        let found: Result<Option<bool>, _> = read.await;
        Ok(found.map_err(MigrateError::History)?.unwrap_or_default())
    }

    /// The tables of the schema, by a connection of its own; none if there is no such schema yet.
    pub async fn catalog(&self) -> Result<Catalog, MigrateError> {
        let schema = self.schema.name();
        if !self.has_schema().await? {
            return Ok(Catalog::default());
        }
        let client = connect_simple(&self.config).await.map_err(MigrateError::Connect)?;
        let (extensions, rights) = (Extensions::LeftOut, Rights::Ignored);
        let introspected = introspect(&client, &[schema.to_owned()], extensions, rights).await;
        Ok(introspected.map_err(MigrateError::Catalog)?.catalog)
    }

    /// The details of the columns of the schema.
    pub async fn columns(&self) -> Result<Vec<ColumnDetails>, MigrateError> {
        let query = include_str!("migrate/columns.sql");
        let read = async {
            let schema = self.schema.name();
            let rows = self.client.query_typed(query, &[(&schema, Type::TEXT)]).await?;
            let details = rows.iter().map(|row| {
                let (schema, name): (Option<String>, Option<String>) =
                    (row.try_get(3)?, row.try_get(4)?);
                let length: Option<i32> = row.try_get(2)?;
                Ok(ColumnDetails {
                    table: row.try_get(0)?,
                    column: row.try_get(1)?,
                    length: length.and_then(|length| u32::try_from(length).ok()),
                    sequence: schema.zip(name),
                })
            });
            details.collect::<Result<_, tokio_postgres::Error>>()
        };
        read.await.map_err(MigrateError::History)
    }

    /// Whether the sequence of ids is there.
    pub async fn has_sequence(&self) -> Result<bool, MigrateError> {
        let query = self.schema.statement(include_str!("migrate/has_sequence.sql"));
        let read = async {
            let rows = self.client.query_typed(&query, &[]).await?;
            rows.first().map(|row| row.try_get(0)).transpose()
        };
        let found: Result<Option<bool>, _> = read.await;
        Ok(found.map_err(MigrateError::History)?.unwrap_or_default())
    }

    async fn has_schema(&self) -> Result<bool, MigrateError> {
        let query = include_str!("migrate/has_schema.sql");
        let read = async {
            let schema = self.schema.name();
            let rows = self.client.query_typed(query, &[(&schema, Type::TEXT)]).await?;
            rows.first().map(|row| row.try_get(0)).transpose()
        };
        let found: Result<Option<bool>, _> = read.await;
        Ok(found.map_err(MigrateError::History)?.unwrap_or_default())
    }

    /// Whether an extension can be used. `oldest` has the numbers of the oldest version that can.
    pub async fn extension(
        &self,
        name: &str,
        oldest: &[i32],
    ) -> Result<ExtensionState, MigrateError> {
        let query = include_str!("migrate/extension.sql");
        let read = async {
            let parameters = [(&name as _, Type::TEXT), (&oldest as _, Type::INT4_ARRAY)];
            let rows = self.client.query_typed(query, &parameters).await?;
            let Some(row) = rows.first() else { return Ok(ExtensionState::Missing) };
            Ok(match (row.try_get(0)?, row.try_get(1)?) {
                (true, _) => ExtensionState::Installed,
                (false, true) => ExtensionState::Creatable,
                (false, false) => ExtensionState::Missing,
            })
        };
        read.await.map_err(MigrateError::History)
    }

    /// The only number that a query returns.
    pub async fn count(&self, query: &str) -> Result<i64, MigrateError> {
        let counted = async {
            let rows = self.client.query_typed(query, &[]).await?;
            rows.first().map(|row| row.try_get(0)).transpose()
        };
        let counted: Result<Option<i64>, _> = counted.await;
        let failed = |source| MigrateError::Statement { statement: query.into(), source };
        Ok(counted.map_err(failed)?.unwrap_or_default())
    }

    /// The second number of the row that a query returns, if it returns one.
    pub async fn length(&self, query: &str) -> Result<Option<i32>, MigrateError> {
        let read = async {
            let rows = self.client.query_typed(query, &[]).await?;
            rows.first().map(|row| row.try_get(1)).transpose()
        };
        let failed = |source| MigrateError::Statement { statement: query.into(), source };
        read.await.map_err(failed)
    }

    /// Runs the statements and records them.
    pub async fn apply<'s>(
        self,
        statements: impl Iterator<Item = &'s str>,
        record: Record<'_>,
    ) -> Result<(), MigrateError> {
        for prepared in [
            include_str!("migrate/prepare.sql"),
            WORDS,
            include_str!("migrate/geo.sql"),
            include_str!("migrate/vectors.sql"),
        ] {
            self.run(&self.schema.statement(prepared)).await?;
        }
        for statement in statements {
            self.run(statement).await?;
        }
        let Record { definitions, tables, statements } = record;
        let query = self.schema.statement(include_str!("migrate/record.sql"));
        let parameters: &[(&(dyn tokio_postgres::types::ToSql + Sync), Type)] =
            &[(&definitions, Type::TEXT), (&tables, Type::TEXT), (&statements, Type::TEXT)];
        let recorded = self.client.query_typed(&query, parameters).await;
        recorded.map_err(MigrateError::History)?;
        self.run("commit").await
    }

    async fn run(&self, statement: &str) -> Result<(), MigrateError> {
        let ran = self.client.batch_execute(statement).await;
        ran.map_err(|source| MigrateError::Statement { statement: statement.into(), source })
    }
}

#[cfg(test)]
mod tests {
    use relational::search::STOP_WORDS;
    use relational::search::words::WORD;

    use super::WORDS;

    /// Both split texts by the same expression, and leave out the same words.
    #[test]
    fn the_functions_read_words_as_other_sources_do() {
        assert!(WORDS.contains(&format!("'{}'", WORD.replace('\'', "''"))));
        let list = WORDS.split_once("array[\n").and_then(|(_, rest)| rest.split_once("]\n"));
        let words = list.map(|(list, _)| list.replace("''", "\u{0}").replace('\'', ""));
        let words = words.unwrap().replace('\u{0}', "'");
        let words: Vec<&str> = words.split(',').map(str::trim).collect();
        assert_eq!(words, STOP_WORDS);
    }
}
