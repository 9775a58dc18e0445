//! Options of `thalweg types`.

use clap::{Args, ValueEnum};
use dialects::neo4j::model::ApiVersion;
use engine::SourceAddress;
use engine::datamodel::DatamodelTables;

use super::data::SchemaOptions;
use super::neo4j;
use super::prisma_schema::PrismaSchemaOptions;
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
    #[command(flatten)]
    prisma: PrismaSchemaOptions,
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
#[derive(Clone, Debug)]
pub(crate) enum TypesTarget {
    /// A graph, for a version of the library.
    Graph(ApiVersion),
    Tables(DatamodelTables),
}

impl TypesOptions {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }

    /// Options that have no meaning for the database are refused.
    pub(crate) fn target(&self, address: &SourceAddress) -> Result<TypesTarget, Failure> {
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
            (true, None | Some(TypesDialect::Neo4j)) if self.prisma.is_given() => {
                refused("`--prisma` names tables, and the source is a graph: leave it out")
            }
            (true, None | Some(TypesDialect::Neo4j)) => {
                Ok(TypesTarget::Graph(self.neo4j_api.unwrap_or(neo4j::DEFAULT)))
            }
            (false, None | Some(TypesDialect::Prisma)) if self.neo4j_api.is_some() => {
                refused("`--neo4j-api` is for graphs: leave it out")
            }
            (false, None | Some(TypesDialect::Prisma)) => {
                Ok(TypesTarget::Tables(self.tables(address)?))
            }
        }
    }

    /// The tables of a schema: the one of `--schema`, else that of the datasource of `--prisma`.
    fn tables(&self, address: &SourceAddress) -> Result<DatamodelTables, Failure> {
        let names = self.prisma.read()?;
        let datasource = names.as_ref().and_then(|names| names.datasource.as_ref());
        let schemas = datasource.map(|datasource| &*datasource.schemas).unwrap_or_default();
        let schema = match (&self.schema.schema, schemas) {
            (None, [schema]) => schema.to_string(),
            (None, [_, _, ..]) => {
                let message = "a datamodel has the tables of one schema, and the datasource of \
                               `--prisma` names several: choose one by `--schema`";
                return Err(Failure::Usage(message.into()));
            }
            (Some(_), _) | (None, []) => self.schema.of(address)?.to_owned(),
        };
        Ok(DatamodelTables { schema, names, timeouts: engine::Timeouts::default() })
    }
}
