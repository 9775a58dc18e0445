//! Datamodels of Prisma 1 from the tables of a database.

use std::sync::Arc;

use dialects::prisma::introspected::{Introspected, introspected, written};
use prisma_schema::Schema;
use source::{AppliedMigration, MigrationAccess, Timeouts};
use sources::migrate::{MigrateError, Migrator};
use sources::{Address, Defaults, OpenOptions, Source};

use crate::engine::OpenError;

/// The tables of a datamodel.
#[derive(Clone, Debug)]
pub struct DatamodelTables {
    /// Their schema, where the database has schemas.
    pub schema: String,
    /// Names of Prisma ORM.
    pub names: Option<Arc<Schema>>,
    pub timeouts: Timeouts,
}

/// Writes the datamodel of tables.
pub async fn of_tables(address: &Address, tables: &DatamodelTables) -> Result<String, OpenError> {
    Ok(written(&introspect(address, tables).await?))
}

/// The migrations of a datamodel that were applied to its tables, the oldest first.
pub async fn history(
    address: &Address,
    tables: &DatamodelTables,
) -> Result<Vec<AppliedMigration>, MigrateError> {
    let DatamodelTables { schema, timeouts, .. } = tables;
    Migrator::begin(address, schema, MigrationAccess::Read, *timeouts).await?.history().await
}

/// The meaning of the datamodel of tables.
pub async fn introspect(
    address: &Address,
    tables: &DatamodelTables,
) -> Result<Introspected, OpenError> {
    let options = OpenOptions {
        timeouts: tables.timeouts,
        namespaces: vec![tables.schema.clone()],
        defaults: Defaults::Read,
        ..OpenOptions::default()
    };
    let (_, mut catalog) = Source::open(address, &options).await?;
    if let Some(names) = &tables.names {
        prisma_schema::apply(&mut catalog, names)?;
    }
    Ok(introspected(&catalog))
}
