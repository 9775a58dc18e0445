//! Which API of which database.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dialects::{Dialect, Transactions, phrag, postgraphile};
use engine::{Rights, SourceAddress, StoredColumn};

use super::federation::FederationOptions;
use super::filter::Filters;
use super::gateway::SupergraphPlace;
use super::given::GivenOptions;
use super::neo4j::Neo4jOptions;
use super::policies::policies;
use super::postgraphile::PostGraphileOptions;
use super::scope::{SourceKind, Target, out_of_scope};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ApiOptions {
    /// The database: a path or `sqlite:PATH` for SQLite, `postgres://…` for PostgreSQL, `neo4j://…` or
    /// `bolt://…` for Neo4j
    ///
    /// What a PostgreSQL address leaves out comes from the `PG*` variables.
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true, required = true)]
    pub(crate) source: Option<String>,
    /// The system whose API this one is like [default: neo4j for a graph, else postgraphile]
    #[arg(long, env = "THALWEG_DIALECT")]
    pub(crate) dialect: Option<DialectName>,
    /// The schemas of PostgreSQL to serve, separated by commas; SQLite has none
    #[arg(
        long,
        env = "THALWEG_SCHEMA",
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "public"
    )]
    pub(crate) schema: Vec<String>,
    /// For SQLite and for phrag: 64-bit integers as Int, or as BigInt [default: int]
    #[arg(long, env = "THALWEG_BIGINT", value_name = "FORM")]
    pub(crate) bigint: Option<BigInt>,
    /// For SQLite: which values columns hold, as in notes.id=bigint,notes.mod=unixepoch
    #[arg(
        long,
        env = "THALWEG_STORED_AS",
        value_name = "COLUMN=TYPE",
        value_delimiter = ',',
        value_parser = stored_column
    )]
    stored_as: Vec<StoredColumn>,
    /// What of a request's mutations is done together, or not at all [default: each]
    #[arg(long, env = "THALWEG_MUTATION_TRANSACTIONS", value_name = "WHICH")]
    pub(crate) mutation_transactions: Option<MutationTransactions>,
    /// On PostgreSQL: only what some role may do that the user of the connection is or can become,
    /// as with PostGraphile's `ignoreRBAC: false`
    #[arg(long, env = "THALWEG_NO_IGNORE_RBAC")]
    no_ignore_rbac: bool,
    /// A file of policies: which roles may see and change which rows and columns; what it does not
    /// let is refused
    #[arg(long, env = "THALWEG_POLICIES", value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) federation: FederationOptions,
    #[command(flatten)]
    pub(crate) postgraphile: PostGraphileOptions,
    /// For postgraphile: simple lists beside or instead of connections [default: omit]
    #[arg(
        help_heading = "PostGraphile",
        long,
        env = "THALWEG_SIMPLE_COLLECTIONS",
        value_name = "WHICH"
    )]
    pub(crate) simple_collections: Option<SimpleCollections>,
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) neo4j: Neo4jOptions,
    /// For phrag: how many rows a list has where the query gives no limit [default: all]
    #[arg(help_heading = "Phrag", long, env = "THALWEG_DEFAULT_LIMIT", value_name = "ROWS")]
    pub(crate) default_limit: Option<u64>,
    /// For phrag: how many levels of relations a root field may have below its own [default: any]
    #[arg(help_heading = "Phrag", long, env = "THALWEG_MAX_NEST_LEVEL", value_name = "LEVELS")]
    pub(crate) max_nest_level: Option<usize>,
    /// For phrag: whether there are aggregates [default: true]
    #[arg(help_heading = "Phrag", long, env = "THALWEG_USE_AGGREGATION", value_name = "WHETHER")]
    pub(crate) use_aggregation: Option<bool>,
    /// The options that the command was given.
    #[arg(skip)]
    pub(crate) given: GivenOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// As PostGraphile 4 makes it
    Postgraphile,
    /// As Phrag makes it
    Phrag,
    /// As Neo4j's GraphQL library makes it of type definitions
    Neo4j,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimpleCollections {
    /// Connections only
    Omit,
    /// Connections, and lists under names of their own
    Both,
    /// Lists only
    Only,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BigInt {
    /// As Int: a value beyond 32 bits is an error at its path
    Int,
    /// As the scalar BigInt, which is written as a string
    String,
    /// The same, of columns that are declared as 64-bit integers only, such as BIGINT, or stored as such
    Declared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MutationTransactions {
    /// Each root field in a transaction of its own
    Each,
    /// The whole request in one transaction
    Request,
}

impl ApiOptions {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        let none = || Failure::Usage("there is no SOURCE, and no configuration file".into());
        let source = self.source.as_ref().ok_or_else(none)?;
        if SupergraphPlace::is_named_by(source) {
            let shown = redact::address(source);
            let message = format!("`{shown}` names a supergraph, which `thalweg gateway` serves");
            return Err(Failure::Usage(message));
        }
        Ok(SourceAddress::parse(source).map_err(engine::OpenError::from)?)
    }

    /// The supergraph that is looked at instead of a database.
    pub(crate) fn supergraph(&self) -> Result<Option<SupergraphPlace>, Failure> {
        let named = self.source.as_deref().filter(|source| SupergraphPlace::is_named_by(source));
        named.map(SupergraphPlace::parse).transpose()
    }

    /// The options of the engine. An option that has no meaning for the source or the dialect is
    /// refused, never ignored.
    pub(crate) fn engine_options(
        &self,
        connections: engine::PoolLimits,
        timeouts: engine::Timeouts,
        limits: engine::Limits,
    ) -> Result<engine::Options, Failure> {
        match self.out_of_scope()?.as_slice() {
            [] => {}
            refusals => return Err(Failure::Usage(refusals.join("\nerror: "))),
        }
        Ok(engine::Options {
            dialect: self.dialect()?,
            source: engine::OpenOptions {
                namespaces: self.schema.clone(),
                extensions: self.postgraphile.extensions(),
                rights: match self.no_ignore_rbac {
                    true => Rights::Respected,
                    false => Rights::Ignored,
                },
                wide_integers: self.bigint == Some(BigInt::String),
                stored_as: self.stored_as.clone(),
                timeouts,
            },
            connections,
            limits,
            errors: engine::ErrorOptions::default(),
            policies: policies(self.policies.as_deref())?,
            federation: self.federation.of_engine()?,
        })
    }

    /// What is wrong with each option that is given and has no meaning for the source or the dialect.
    pub(crate) fn out_of_scope(&self) -> Result<Vec<String>, Failure> {
        let target = Target {
            source: SourceKind::of(&self.address()?),
            dialect: self.dialect_name()?,
            has_policies: self.policies.is_some(),
            requires_token: self.given.contains("require-token"),
        };
        Ok(out_of_scope(&self.given, target))
    }

    /// The dialect: a graph has one of its own, which no other source has.
    fn dialect_name(&self) -> Result<DialectName, Failure> {
        let is_graph = matches!(self.address()?, SourceAddress::Neo4j(_));
        match (self.dialect, is_graph) {
            (None | Some(DialectName::Neo4j), true) => Ok(DialectName::Neo4j),
            (None, false) => Ok(DialectName::Postgraphile),
            (Some(DialectName::Neo4j), false) => Err(Failure::Usage(
                "`--dialect neo4j` needs a graph: an address such as `neo4j://localhost:7687`"
                    .into(),
            )),
            (Some(DialectName::Postgraphile | DialectName::Phrag), true) => {
                Err(Failure::Usage("a graph is served with `--dialect neo4j` only".into()))
            }
            (Some(dialect), false) => Ok(dialect),
        }
    }

    fn dialect(&self) -> Result<Dialect, Failure> {
        let mutation_transactions = match self.mutation_transactions {
            None | Some(MutationTransactions::Each) => Transactions::Each,
            Some(MutationTransactions::Request) => Transactions::Request,
        };
        match self.dialect_name()? {
            DialectName::Postgraphile => {
                let simple_collections = self.simple_collections.map_or(
                    postgraphile::SimpleCollections::default(),
                    SimpleCollections::of_dialect,
                );
                let connection_filter = self.filters.of_dialect().map_err(|option| {
                    Failure::Usage(format!("`{option}` needs `--connection-filter`"))
                })?;
                Ok(Dialect::PostGraphile(postgraphile::Options {
                    connection_filter,
                    mutation_transactions,
                    simple_collections,
                    ..self.postgraphile.of_dialect()?
                }))
            }
            DialectName::Phrag => Ok(Dialect::Phrag(phrag::Options {
                big_integers: self.bigint.map_or(phrag::BigIntegers::default(), BigInt::of_dialect),
                default_limit: self.default_limit,
                max_nest_level: self.max_nest_level,
                mutation_transactions,
                without_aggregation: self.use_aggregation == Some(false),
            })),
            DialectName::Neo4j => Ok(Dialect::Neo4j(self.neo4j.of_dialect()?)),
        }
    }
}

impl DialectName {
    /// Its value of `--dialect`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Postgraphile => "postgraphile",
            Self::Phrag => "phrag",
            Self::Neo4j => "neo4j",
        }
    }
}

impl SimpleCollections {
    fn of_dialect(self) -> postgraphile::SimpleCollections {
        match self {
            Self::Omit => postgraphile::SimpleCollections::Omit,
            Self::Both => postgraphile::SimpleCollections::Both,
            Self::Only => postgraphile::SimpleCollections::Only,
        }
    }
}

impl BigInt {
    fn of_dialect(self) -> phrag::BigIntegers {
        match self {
            Self::Int => phrag::BigIntegers::Int,
            Self::String | Self::Declared => phrag::BigIntegers::String,
        }
    }
}

fn stored_column(text: &str) -> Result<StoredColumn, String> {
    let parts = text.split_once('=');
    let named = parts.and_then(|(column, word)| Some((column.rsplit_once('.')?, word)));
    let ((table, column), word) = named.ok_or("write it as in table.column=bigint")?;
    let scalar = catalog::find_stored_type(word)
        .ok_or_else(|| format!("`{word}` is none of {}", catalog::stored_types()))?;
    Ok(StoredColumn { table: table.into(), column: column.into(), scalar })
}
