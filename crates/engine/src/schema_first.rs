//! Schema first: a database with the tables of type definitions.
//!
//! A database without any tables of definitions gets them at the start. Further changes are
//! migrations, which `thalweg migrate` shows and applies; a start applies them only if it is told to,
//! and only those that lose nothing and cannot fail.

use std::borrow::Cow;
use std::sync::Arc;

use dialects::Dialect;
use source::MigrationAccess;
use sources::migrate::{MigrateError, Migrator, PUBLIC, Planned, create_missing_file};
use sources::{Address, OpenOptions};

/// Type definitions of a schema-first dialect, and what a start may do about them.
#[derive(Clone, Debug)]
pub struct SchemaFirst {
    /// The text of the definitions, which the history of migrations records.
    pub definitions: Arc<str>,
    pub apply: ApplyMigrations,
}

/// Migrations that a start applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApplyMigrations {
    Never,
    /// The first one, which creates all tables.
    #[default]
    First,
    /// All that lose nothing, and succeed whatever rows there are.
    Harmless,
}

/// The reason why a database has not the tables of its definitions.
#[derive(Debug, thiserror::Error)]
pub enum SchemaFirstError {
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    #[error(
        "the database is behind its type definitions: {0}; `thalweg migrate` with the same \
         definitions and `--data` shows and applies the changes"
    )]
    Behind(Box<str>),
    #[error("an import into the database is not finished: run its command again")]
    Importing,
    #[error(
        "the tables are not those of the last migration: {0}; change them back by hand, and \
         migrate with changed type definitions"
    )]
    Changed(Box<str>),
}

/// The most changes that an error lists.
const LISTED: usize = 5;

/// The dialect with the places of its definitions in the tables of the database, which are created
/// or migrated first as far as the options allow it. They are in the first namespace of the source.
pub(crate) async fn placed<'d>(
    address: &Address,
    dialect: &'d Dialect,
    options: Option<&SchemaFirst>,
    source: &OpenOptions,
) -> Result<Cow<'d, Dialect>, SchemaFirstError> {
    let (Some(layout), Some(options)) = (dialect.layout(), options) else {
        return Ok(Cow::Borrowed(dialect));
    };
    let schema = source.namespaces.first().map_or(PUBLIC, String::as_str);
    let begin = async |access| Migrator::begin(address, schema, access, source.timeouts).await;
    let migrator = begin(MigrationAccess::Read).await?;
    if migrator.has_load().await? {
        return Err(SchemaFirstError::Importing);
    }
    let is_first = migrator.newest().is_none();
    let planned = migrator.plan_layout(&layout).await?;
    drop(migrator);
    let places = match is_applied(&planned, is_first, options.apply) {
        false => {
            require_current(&planned)?;
            // Definitions without a stored type need no migration, which would create the file.
            if options.apply != ApplyMigrations::Never {
                create_missing_file(address)?;
            }
            planned.plan.places
        }
        true => {
            let migrator = begin(MigrationAccess::Write).await?;
            // Another server may have migrated it meanwhile.
            let planned = migrator.plan_layout(&layout).await?;
            match planned.is_current() {
                true => planned.plan.places,
                false if is_applied(&planned, is_first, options.apply) => {
                    migrator.apply(&planned, &options.definitions).await?;
                    planned.plan.places
                }
                false => {
                    require_current(&planned)?;
                    planned.plan.places
                }
            }
        }
    };
    let mut dialect = dialect.clone();
    dialect.set_places(places);
    Ok(Cow::Owned(dialect))
}

fn is_applied(planned: &Planned, is_first: bool, apply: ApplyMigrations) -> bool {
    let is_allowed = match apply {
        ApplyMigrations::Never => false,
        ApplyMigrations::First => is_first,
        ApplyMigrations::Harmless => planned.migration.is_harmless(),
    };
    is_allowed && !planned.migration.is_empty() && planned.drift.is_empty()
}

fn require_current(planned: &Planned) -> Result<(), SchemaFirstError> {
    if !planned.drift.is_empty() {
        let changes = planned.drift.iter().map(ToString::to_string);
        return Err(SchemaFirstError::Changed(listed(changes).into()));
    }
    if !planned.migration.is_empty() {
        let changes = planned.migration.steps.iter().map(|step| step.change.to_string());
        return Err(SchemaFirstError::Behind(listed(changes).into()));
    }
    Ok(())
}

fn listed(changes: impl Iterator<Item = String>) -> String {
    let changes: Vec<String> = changes.collect();
    let mut text = changes.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
    if let Some(more @ 1..) = changes.len().checked_sub(LISTED) {
        text.push_str(&format!("; and {more} more"));
    }
    text
}
