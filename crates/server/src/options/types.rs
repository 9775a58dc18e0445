//! Options of `thalweg types`.

use clap::{Args, ValueEnum};
use dialects::neo4j::model::ApiVersion;
use engine::SourceAddress;

use super::data::SchemaOptions;
use super::neo4j;
use crate::failure::Failure;

/// The database of type definitions, and the dialect that reads them.
#[derive(Debug, Args)]
pub(crate) struct TypesOptions {
    /// The database: `neo4j://…` or `bolt://…` for a graph; the path of a SQLite file or `postgres://…`
    /// for tables
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true)]
    source: String,
    /// The dialect that reads the definitions [default: neo4j for a graph, else prisma]
    #[arg(long, env = "THALWEG_DIALECT", value_name = "DIALECT")]
    dialect: Option<TypesDialect>,
    /// For neo4j: the version of the GraphQL library that reads the definitions [default: 7]
    #[arg(
        long,
        env = "THALWEG_NEO4J_API",
        value_name = "VERSION",
        value_parser = neo4j::VERSIONS,
    )]
    neo4j_api: Option<ApiVersion>,
    #[command(flatten)]
    schema: SchemaOptions,
}

/// Dialects of generated definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TypesDialect {
    /// Type definitions of Neo4j's GraphQL library
    Neo4j,
    /// A datamodel of Prisma 1
    Prisma,
}

/// What definitions are generated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypesTarget<'o> {
    /// A graph, for a version of the library.
    Graph(ApiVersion),
    /// The tables of a schema, where the database has schemas.
    Tables { schema: &'o str },
}

impl TypesOptions {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }

    /// Options that have no meaning for the database are refused.
    pub(crate) fn target(&self, address: &SourceAddress) -> Result<TypesTarget<'_>, Failure> {
        let refused = |message: &str| Err(Failure::Usage(message.into()));
        match (address.is_graph(), self.dialect) {
            (true, Some(TypesDialect::Prisma)) => {
                refused("`--dialect prisma` reads tables, and the source is a graph: leave it out")
            }
            (false, Some(TypesDialect::Neo4j)) => refused(
                "`--dialect neo4j` reads a graph: give an address such as neo4j://localhost:7687",
            ),
            (true, None | Some(TypesDialect::Neo4j)) if self.schema.schema.is_some() => {
                refused("`--schema` is for PostgreSQL: leave it out")
            }
            (true, None | Some(TypesDialect::Neo4j)) => {
                Ok(TypesTarget::Graph(self.neo4j_api.unwrap_or(neo4j::DEFAULT)))
            }
            (false, None | Some(TypesDialect::Prisma)) if self.neo4j_api.is_some() => {
                refused("`--neo4j-api` is for graphs: leave it out")
            }
            (false, None | Some(TypesDialect::Prisma)) => {
                Ok(TypesTarget::Tables { schema: self.schema.of(address)? })
            }
        }
    }
}
