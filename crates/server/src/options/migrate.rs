//! Options of `thalweg migrate`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dialects::neo4j::model::ApiVersion;
use engine::SourceAddress;

use super::data::SchemaOptions;
use super::definitions::DefinitionsDialect;
use super::neo4j;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct MigrateOptions {
    /// The graph database, `neo4j://…` or `bolt://…`; with `--data` the file of type definitions
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true)]
    source: String,
    /// The version of the GraphQL library that reads the definitions [default: 7]
    #[arg(
        long,
        env = "THALWEG_NEO4J_API",
        value_name = "VERSION",
        value_parser = neo4j::VERSIONS,
    )]
    neo4j_api: Option<ApiVersion>,
    /// The type definitions of a graph, which declare unique and searched fields
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE", required_unless_present = "data")]
    types: Option<PathBuf>,
    /// The database whose tables follow from the type definitions: the path of a SQLite file, which
    /// is created if it does not exist, or `postgres://…`
    #[arg(
        help_heading = "Migration",
        long,
        env = "THALWEG_DATA",
        hide_env_values = true,
        value_name = "ADDRESS"
    )]
    data: Option<String>,
    /// The dialect of the type definitions [default: prisma for a file with the extension .prisma, else
    /// dgraph]
    #[arg(help_heading = "Migration", long, env = "THALWEG_DIALECT", value_name = "DIALECT")]
    dialect: Option<DefinitionsDialect>,
    #[command(flatten)]
    schema: SchemaOptions,
    /// Dry run: print the statements without running them
    #[arg(help_heading = "Migration", long, env = "THALWEG_DRY_RUN")]
    pub(crate) dry_run: bool,
    /// Only check whether the database has the tables of the type definitions: the exit code is 1 if
    /// it has not
    #[arg(help_heading = "Migration", long, env = "THALWEG_CHECK")]
    check: bool,
    /// Migrate although values are lost
    #[arg(help_heading = "Migration", long, env = "THALWEG_ALLOW_LOSS")]
    allow_loss: bool,
    /// Record a datamodel of Prisma as the first migration of a database that Prisma made: its tables
    /// are compared, and not changed
    #[arg(help_heading = "Migration", long, env = "THALWEG_ADOPT")]
    adopt: bool,
}

/// The target of a migration.
#[derive(Debug)]
pub(crate) enum MigrationTarget<'o> {
    Graph,
    Tables(TablesOptions<'o>),
}

/// Options of a database whose tables follow from type definitions.
#[derive(Debug)]
pub(crate) struct TablesOptions<'o> {
    definitions: &'o Path,
    dialect: DefinitionsDialect,
    pub(crate) address: SourceAddress,
    pub(crate) schema: &'o str,
    pub(crate) purpose: Purpose,
    pub(crate) allows_loss: bool,
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Apply,
    DryRun,
    Check,
    /// Records tables that are there.
    Adopt,
}

impl TablesOptions<'_> {
    /// The text of the type definitions for the history, and what they store.
    pub(crate) fn definitions(&self) -> Result<(Arc<str>, storage::Layout), Failure> {
        self.dialect.layout(self.definitions)
    }
}

impl MigrateOptions {
    pub(crate) fn target(&self) -> Result<MigrationTarget<'_>, Failure> {
        let Some(data) = &self.data else {
            let of_tables = [
                (self.check, "--check"),
                (self.allow_loss, "--allow-loss"),
                (self.adopt, "--adopt"),
                (self.dialect.is_some(), "--dialect"),
                (self.schema.schema.is_some(), "--schema"),
            ];
            return match of_tables.into_iter().find(|(given, _)| *given) {
                Some((_, option)) => Err(Failure::Usage(format!("`{option}` needs `--data`"))),
                None => Ok(MigrationTarget::Graph),
            };
        };
        let of_graphs =
            [(self.types.is_some(), "--types"), (self.neo4j_api.is_some(), "--neo4j-api")];
        if let Some((_, option)) = of_graphs.into_iter().find(|(given, _)| *given) {
            return Err(Failure::Usage(format!(
                "`{option}` is for graphs: with `--data` the file of type definitions is the argument"
            )));
        }
        let definitions = Path::new(&self.source);
        let dialect = self.dialect.unwrap_or_else(|| DefinitionsDialect::of(definitions));
        let purpose = self.purpose(dialect)?;
        let address = SourceAddress::parse(data).map_err(engine::OpenError::from)?;
        Ok(MigrationTarget::Tables(TablesOptions {
            definitions,
            dialect,
            schema: self.schema.of(&address)?,
            address,
            purpose,
            allows_loss: self.allow_loss,
        }))
    }

    fn purpose(&self, dialect: DefinitionsDialect) -> Result<Purpose, Failure> {
        let refused = |message: &str| Err(Failure::Usage(message.into()));
        if self.adopt {
            let others = [
                (self.check, "--check"),
                (self.dry_run, "--dry-run"),
                (self.allow_loss, "--allow-loss"),
            ];
            if let Some((_, option)) = others.into_iter().find(|(given, _)| *given) {
                return refused(&format!("`--adopt` changes no table: leave `{option}` out"));
            }
            return match dialect {
                DefinitionsDialect::Prisma => Ok(Purpose::Adopt),
                DefinitionsDialect::Dgraph => refused(
                    "`--adopt` is for databases that Prisma made: Dgraph has no tables to adopt",
                ),
            };
        }
        match (self.check, self.dry_run) {
            (true, true) => {
                refused("`--check` and `--dry-run` are two questions: give one of them")
            }
            (true, false) => Ok(Purpose::Check),
            (false, true) => Ok(Purpose::DryRun),
            (false, false) => Ok(Purpose::Apply),
        }
    }

    /// The address of the graph.
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }

    /// The type definitions of the graph.
    pub(crate) fn model(&self) -> Result<dialects::neo4j::model::Model, Failure> {
        let types = self.types.as_deref().unwrap_or(Path::new(""));
        neo4j::model(types, self.neo4j_api.unwrap_or(neo4j::DEFAULT))
    }
}
