//! Migrations of a source of any driver: what is recorded, what is planned, what rows prevent.

use std::fmt::Write as _;

use source::{
    AppliedMigration, ColumnDetails, ExtensionState, MigrationAccess, Record, Recorded, Timeouts,
};
use source_postgres::migrate::PostgresMigration;
use source_sqlite::migrate::SqliteMigration;
use sql::{Identifier, TableName};
use storage::database::{
    OLDEST_VECTOR_EXTENSION, TRIGRAM_EXTENSION, VECTOR_EXTENSION, VectorLength,
};
use storage::migration::drift::{ActualColumn, ActualTables, drift};
use storage::migration::{KeyChanged, Migration};
use storage::model::Model;
use storage::plan::Omitted;
use storage::vectors::{LengthQuery, length_queries};
use storage::{Database, ExtensionSupport, Layout, Plan, Tables, migration};

use crate::address::Address;

pub use sql::own::PUBLIC;
pub use storage::migration::drift::Drift;
pub use storage::migration::{Finding, Loss, Obstacle};

/// A database that is to be migrated, in a transaction.
#[derive(Debug)]
pub struct Migrator {
    driver: Driver,
    database: Database,
    newest: Option<Recorded>,
    tables: Tables,
}

#[derive(Debug)]
enum Driver {
    /// Boxed, being large next to the other.
    Sqlite(Box<SqliteMigration>),
    Postgres(Box<PostgresMigration>),
}

/// A planned migration.
#[derive(Debug)]
pub struct Planned {
    /// The new tables.
    pub plan: Plan,
    pub migration: Migration,
    /// Changes of the database that no migration made.
    pub drift: Vec<Drift>,
    /// Rows that the checks of the migration found.
    pub found: Vec<FoundRows>,
    /// Whether there is something to apply, if only other names of the model to record.
    pub has_changes: bool,
}

/// Rows that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRows {
    pub finding: Finding,
    pub rows: u64,
}

/// The reason why a database was not migrated. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error(transparent)]
    Sqlite(#[from] source_sqlite::migrate::MigrateError),
    #[error(transparent)]
    Postgres(#[from] source_postgres::migrate::MigrateError),
    #[error("Neo4j has no tables: give a path, `sqlite:…` or `postgres://…`")]
    Graph,
    #[error("the history of migrations has tables of another version of Thalweg: {0}")]
    Recorded(storage::tables::RecordedError),
    #[error(transparent)]
    Key(#[from] KeyChanged),
    #[error("the database has a history of migrations already: leave `--adopt` out")]
    Adopted,
}

/// Creates the file of a SQLite database that is not there, without tables.
pub fn create_missing_file(address: &Address) -> Result<(), MigrateError> {
    match address {
        Address::Sqlite(path) => Ok(SqliteMigration::create_missing(path)?),
        Address::Postgres(_) | Address::Neo4j(_) => Ok(()),
    }
}

impl Migrator {
    /// Opens a database, begins a transaction, and reads the newest migration. `schema` has the
    /// tables, where the database has schemas.
    pub async fn begin(
        address: &Address,
        schema: &str,
        access: MigrationAccess,
        timeouts: Timeouts,
    ) -> Result<Self, MigrateError> {
        let (driver, database, newest) = match address {
            Address::Sqlite(path) => {
                let migration = SqliteMigration::begin(path, access, timeouts.acquire)?;
                let newest = migration.newest()?;
                (Driver::Sqlite(Box::new(migration)), Database::sqlite(), newest)
            }
            Address::Postgres(url) => {
                let migration = PostgresMigration::begin(url, schema, access, timeouts).await?;
                let newest = migration.newest().await?;
                let trigrams = support(migration.extension(TRIGRAM_EXTENSION, &[]).await?);
                let vectors = migration.extension(VECTOR_EXTENSION, &OLDEST_VECTOR_EXTENSION);
                let database = Database::postgres(schema, trigrams, support(vectors.await?));
                (Driver::Postgres(Box::new(migration)), database, newest)
            }
            Address::Neo4j(_) => return Err(MigrateError::Graph),
        };
        let tables = match &newest {
            Some(recorded) => Tables::read(&recorded.tables).map_err(MigrateError::Recorded)?,
            None => Tables::default(),
        };
        Ok(Self { driver, database, newest, tables })
    }

    /// The newest migration of the history.
    #[must_use]
    pub fn newest(&self) -> Option<&Recorded> {
        self.newest.as_ref()
    }

    /// All applied migrations, the oldest first.
    pub async fn history(&self) -> Result<Vec<AppliedMigration>, MigrateError> {
        Ok(match &self.driver {
            Driver::Sqlite(driver) => driver.history()?,
            Driver::Postgres(driver) => driver.history().await?,
        })
    }

    /// Tables of the newest migration; none if there is no migration.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns true if an import is unfinished: indexes, triggers and foreign keys may be missing.
    pub async fn has_load(&self) -> Result<bool, MigrateError> {
        Ok(match &self.driver {
            Driver::Sqlite(driver) => driver.has_load()?,
            Driver::Postgres(driver) => driver.has_load().await?,
        })
    }

    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Reads the lengths of stored vectors of which a model wants an index that they do not have
    /// yet, so that a plan has it. If something was changed by hand, it reads none.
    pub async fn read_vector_lengths(&mut self, model: &Model) -> Result<(), MigrateError> {
        let Driver::Postgres(driver) = &self.driver else { return Ok(()) };
        let plan = storage::plan(model, &self.database, &self.tables);
        let queries = length_queries(&plan, &self.tables, &self.database);
        if queries.is_empty() || !self.drift(&plan).await?.is_empty() {
            return Ok(());
        }
        for LengthQuery { table, column, query } in queries {
            let length = driver.length(&query).await?.and_then(|length| u16::try_from(length).ok());
            let length = length.map(|length| VectorLength { table, column, length });
            self.database.vectors.lengths.extend(length);
        }
        Ok(())
    }

    /// Plans the migration to a model, compares the recorded tables with the actual ones, and runs
    /// the checks. If something was changed by hand, the checks do not run.
    pub async fn plan(&self, model: &Model) -> Result<Planned, MigrateError> {
        let plan = storage::plan(model, &self.database, &self.tables);
        let migration = migration::plan(&self.tables, &plan.tables, &self.database)?;
        self.planned(plan, migration).await
    }

    /// Plans the migration to a layout, as [`plan`](Self::plan) does to a model.
    pub async fn plan_layout(&self, layout: &Layout) -> Result<Planned, MigrateError> {
        let plan = layout.plan(&self.database, &self.tables);
        let migration = layout.migration(&self.tables, &plan.tables, &self.database)?;
        self.planned(plan, migration).await
    }

    /// Compares the tables of a layout with those of a database that no migration made. Applied, it
    /// changes none of them, and is the first migration of the history.
    pub async fn adopt(&self, layout: &Layout) -> Result<Planned, MigrateError> {
        if self.newest.is_some() {
            return Err(MigrateError::Adopted);
        }
        let plan = layout.plan(&self.database, &Tables::default());
        let actual = self.actual().await?;
        let drift = drift(&plan.tables, &plan.tables, &actual, &self.database);
        let migration = Migration::default();
        Ok(Planned { plan, migration, drift, found: Vec::new(), has_changes: true })
    }

    async fn planned(&self, plan: Plan, migration: Migration) -> Result<Planned, MigrateError> {
        let drift = self.drift(&plan).await?;
        let mut found = Vec::new();
        if drift.is_empty() {
            for check in migration.checks() {
                let rows = u64::try_from(self.count(&check.query).await?).unwrap_or_default();
                if rows > 0 {
                    found.push(FoundRows { finding: check.finding.clone(), rows });
                }
            }
        }
        let has_changes = !migration.is_empty() || plan.tables != self.tables;
        Ok(Planned { plan, migration, drift, found, has_changes })
    }

    /// Applies a planned migration and records it with its definitions.
    pub async fn apply(self, planned: &Planned, definitions: &str) -> Result<(), MigrateError> {
        let Planned { plan, migration, .. } = planned;
        let (tables, script) = (plan.tables.written(), script(migration));
        let record = Record { definitions, tables: &tables, statements: &script };
        match self.driver {
            Driver::Sqlite(driver) => {
                let own: Vec<&str> = [&self.tables, &plan.tables]
                    .into_iter()
                    .flat_map(Tables::object_names)
                    .collect();
                let (renames, others) = migration.renames_and_others();
                Ok(driver.apply(renames, others, &own, migration.moves_rows, record)?)
            }
            Driver::Postgres(driver) => Ok(driver.apply(migration.statements(), record).await?),
        }
    }

    /// Returns the changes of the database that no migration made.
    async fn drift(&self, plan: &Plan) -> Result<Vec<Drift>, MigrateError> {
        let actual = self.actual().await?;
        Ok(drift(&self.tables, &plan.tables, &actual, &self.database))
    }

    async fn actual(&self) -> Result<ActualTables, MigrateError> {
        let (catalog, columns, has_sequence) = match &self.driver {
            // No column has a default sequence, and lengths that are declared limit nothing.
            Driver::Sqlite(driver) => (driver.catalog()?, Vec::new(), driver.has_sequence()?),
            Driver::Postgres(driver) => {
                (driver.catalog().await?, driver.columns().await?, driver.has_sequence().await?)
            }
        };
        let columns = columns.into_iter().map(|details| {
            let ColumnDetails { table, column, length, sequence } = details;
            let sequence = sequence.map(|(schema, name)| TableName {
                schema: Some(Identifier(schema.into())),
                name: Identifier(name.into()),
            });
            ActualColumn { table: table.into(), column: column.into(), length, sequence }
        });
        Ok(ActualTables { catalog, columns: columns.collect(), has_sequence })
    }

    async fn count(&self, query: &str) -> Result<i64, MigrateError> {
        Ok(match &self.driver {
            Driver::Sqlite(driver) => driver.count(query)?,
            Driver::Postgres(driver) => driver.count(query).await?,
        })
    }
}

impl Planned {
    /// Whether the database has the tables of the model.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.migration.is_empty() && self.drift.is_empty()
    }

    /// Whether the migration can be applied: nothing was changed by hand, no row prevents it, and it
    /// loses nothing unless that is allowed.
    #[must_use]
    pub fn is_possible(&self, allows_loss: bool) -> bool {
        self.drift.is_empty()
            && self.found.iter().all(|found| match found.finding {
                Finding::Loss(_) => allows_loss,
                Finding::Obstacle(_) => false,
            })
    }

    /// The migration as a script, with the indexes that are left out.
    #[must_use]
    pub fn script(&self) -> String {
        let mut script = script(&self.migration);
        if !script.is_empty() {
            for Omitted { table, column, reason } in &self.plan.omitted {
                // Writing to a string cannot fail.
                let _ = writeln!(script, "-- no index of {table}.{column}: {reason}");
            }
        }
        script
    }
}

fn support(extension: ExtensionState) -> ExtensionSupport {
    match extension {
        ExtensionState::Installed => ExtensionSupport::Available,
        ExtensionState::Creatable => ExtensionSupport::Creatable,
        ExtensionState::Missing => ExtensionSupport::Missing,
    }
}

/// The steps of a migration as a script: a comment for each, then its statements.
fn script(migration: &Migration) -> String {
    let mut script = String::new();
    for step in migration.steps.iter().filter(|step| !step.statements.is_empty()) {
        // Writing to a string cannot fail.
        let _ = writeln!(script, "-- {}", step.change);
        for statement in &step.statements {
            let _ = writeln!(script, "{statement};");
        }
    }
    script
}
