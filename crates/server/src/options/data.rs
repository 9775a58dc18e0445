//! The database of type definitions, which is made of them.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use dialects::dgraph::{self, definitions};
use engine::SourceAddress;
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use sources::migrate::PUBLIC;

use super::exported_definitions;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Schema first")]
pub(crate) struct DataOptions {
    /// The database of the type definitions: SOURCE is then their file. A SQLite file (`shop.db`), which is
    /// created if it is not there, or a PostgreSQL database (`postgres://…`)
    #[arg(long, env = "THALWEG_DATA", value_name = "DATABASE", hide_env_values = true)]
    pub(crate) data: Option<String>,
    /// Migrations that a server applies at its start; other commands apply none [default: first]
    #[arg(long, env = "THALWEG_APPLY_MIGRATIONS", value_name = "WHICH")]
    apply_migrations: Option<Apply>,
}

/// The schema of the tables of type definitions, of commands that have no SOURCE.
#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// For PostgreSQL: the schema of the tables, which is created if it does not exist [default: public]
    #[arg(long, env = "THALWEG_SCHEMA", value_name = "NAME")]
    pub(super) schema: Option<String>,
}

impl SchemaOptions {
    /// The schema of the tables of a database.
    pub(crate) fn of(&self, address: &SourceAddress) -> Result<&str, Failure> {
        schema_of(self.schema.as_deref(), "--schema", address)
    }
}

/// The schema that an option names; only PostgreSQL has schemas.
pub(super) fn schema_of<'s>(
    schema: Option<&'s str>,
    option: &str,
    address: &SourceAddress,
) -> Result<&'s str, Failure> {
    match (schema, address) {
        (Some(_), SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_)) => {
            Err(Failure::Usage(format!("`{option}` is for PostgreSQL: leave it out")))
        }
        (schema, _) => Ok(schema.unwrap_or(PUBLIC)),
    }
}

/// Migrations that a start applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Apply {
    /// None: a database that is behind its type definitions is an error
    Never,
    /// The first one, which creates the tables
    First,
    /// Those that lose nothing and succeed whatever rows there are
    Harmless,
}

impl DataOptions {
    /// The address of the database.
    pub(crate) fn address(&self) -> Option<Result<SourceAddress, Failure>> {
        let data = self.data.as_ref()?;
        Some(SourceAddress::parse(data).map_err(|error| engine::OpenError::from(error).into()))
    }

    /// The type definitions in a file, for the engine.
    pub(crate) fn schema_first(&self, definitions: &str) -> SchemaFirst {
        let apply = match self.apply_migrations {
            None | Some(Apply::First) => ApplyMigrations::First,
            Some(Apply::Never) => ApplyMigrations::Never,
            Some(Apply::Harmless) => ApplyMigrations::Harmless,
        };
        SchemaFirst { definitions: definitions::without_secrets(definitions).into(), apply }
    }
}

/// Reads a file of type definitions.
pub(crate) fn read(file: &Path) -> Result<Arc<str>, Failure> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string());
    match bytes.and_then(exported_definitions::text_of) {
        Ok(text) => Ok(text.into()),
        Err(error) => Err(Failure::Usage(format!(
            "cannot read the type definitions in {}: {error}",
            redact::address(&file.to_string_lossy())
        ))),
    }
}

/// Returns true if a text of type definitions has rules of `@auth`, or keys for tokens.
pub(super) fn has_rules(text: &str) -> bool {
    let Ok(model) = definitions::read(text) else { return false };
    let none = dgraph::model::Auth::default();
    model.settings.authorization.is_some() || model.types.iter().any(|known| known.auth != none)
}

/// The model of a text of type definitions.
pub(super) fn model(file: &Path, text: &str) -> Result<dgraph::model::Model, Failure> {
    definitions::read(text).map_err(|problems| {
        let problems = problems.iter().map(|problem| format!("{}, {problem}", file.display()));
        Failure::Usage(problems.collect::<Vec<_>>().join("\nerror: "))
    })
}

/// The options of Dgraph's dialect by the text of type definitions.
pub(crate) fn dgraph(file: &Path, text: &str) -> Result<dgraph::Options, Failure> {
    let model = Arc::new(model(file, text)?);
    Ok(dgraph::Options { model, ..dgraph::Options::default() })
}
