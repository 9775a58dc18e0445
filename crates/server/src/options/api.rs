//! Options of an API: its source, its dialect, and the options of dialects.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Command, ValueEnum};
use dialects::hasura::metadata::{MetadataSetting, ServedSource};
use dialects::{
    DIALECTS, Dialect, DialectName, Transactions, hasura, neo4j, phrag, postgraphile, prisma,
};
use engine::{Durability, Rights, SourceAddress, StoredColumn};

use super::connection_filter::ConnectionFilterOptions;
use super::custom::CustomOptions;
use super::data::{self, DataOptions};
use super::definitions::{self, DefinitionsDialect};
use super::dgraph::DgraphOptions;
use super::federation::FederationOptions;
use super::gateway::SupergraphLocation;
use super::given::{self, GivenOptions};
use super::hasura::HasuraOptions;
use super::neo4j::Neo4jOptions;
use super::phrag::PhragOptions;
use super::policies::policies;
use super::postgraphile::PostGraphileOptions;
use super::prisma_api::PrismaApiOptions;
use super::prisma_schema::PrismaSchemaOptions;
use super::registry::RegistryOptions;
use super::replicas::ReplicaReadOptions;
use super::scope::{SourceKind, Target, out_of_scope};
use super::words::Words;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ApiOptions {
    /// The database: a path or `sqlite:PATH` for SQLite, `postgres://…` for PostgreSQL, `neo4j://…` or
    /// `bolt://…` for Neo4j
    ///
    /// Missing parts of a PostgreSQL address come from the `PG*` variables.
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true, required = true)]
    pub(crate) source: Option<String>,
    /// The dialect of the API [default: neo4j for a graph, else postgraphile]
    #[arg(long, env = "THALWEG_DIALECT", value_parser = DIALECT_NAMES)]
    pub(crate) dialect: Option<DialectName>,
    /// For PostgreSQL: the schemas to serve, separated by commas
    #[arg(
        long,
        env = "THALWEG_SCHEMA",
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "public"
    )]
    pub(crate) schema: Vec<String>,
    /// For SQLite and for phrag: the scalar of 64-bit integers [default: int]
    #[arg(long, env = "THALWEG_BIGINT", value_name = "FORM")]
    pub(crate) bigint: Option<BigInt>,
    /// For SQLite: the types of columns, as in notes.id=bigint,notes.mod=unixepoch
    #[arg(
        long,
        env = "THALWEG_STORED_AS",
        value_name = "COLUMN=TYPE",
        value_delimiter = ',',
        value_parser = stored_column
    )]
    stored_as: Vec<StoredColumn>,
    /// For SQLite: when a mutation is acknowledged [default: full]
    #[arg(long, env = "THALWEG_DURABILITY", value_name = "WHEN", value_parser = DURABILITIES)]
    durability: Option<Durability>,
    /// The transactions of mutations in a request [default: each]
    #[arg(
        long,
        env = "THALWEG_MUTATION_TRANSACTIONS",
        value_name = "WHICH",
        value_parser = MUTATION_TRANSACTIONS
    )]
    pub(crate) mutation_transactions: Option<Transactions>,
    /// Live queries: each query is also a subscription, whose clients receive its new response after
    /// changes, as with PostGraphile's `--live`
    #[arg(long, env = "THALWEG_LIVE")]
    live: bool,
    /// The directive `@live`, which makes a query a live query over WebSockets and event streams: its
    /// clients receive the new response after changes
    #[arg(long, env = "THALWEG_LIVE_DIRECTIVE")]
    pub(crate) live_directive: bool,
    /// The directive `@defer`, which allows a fragment to be sent after the rest of the response, to
    /// clients that accept several payloads
    #[arg(long, env = "THALWEG_DEFER_DIRECTIVE")]
    pub(crate) defer_directive: bool,
    /// On PostgreSQL: leave out objects for which no role of the connection's user has permissions, as with
    /// PostGraphile's `ignoreRBAC: false`
    #[arg(long, env = "THALWEG_NO_IGNORE_RBAC")]
    no_ignore_rbac: bool,
    /// A policy file: permissions of roles to read, insert, update and delete rows and columns; everything
    /// else is denied
    #[arg(long, env = "THALWEG_POLICIES", value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) federation: FederationOptions,
    #[command(flatten)]
    pub(crate) postgraphile: PostGraphileOptions,
    #[command(flatten)]
    pub(crate) connection_filter: ConnectionFilterOptions,
    #[command(flatten)]
    pub(crate) neo4j: Neo4jOptions,
    #[command(flatten)]
    pub(crate) phrag: PhragOptions,
    #[command(flatten)]
    pub(crate) data: DataOptions,
    #[command(flatten)]
    pub(crate) dgraph: DgraphOptions,
    #[command(flatten)]
    pub(crate) prisma: PrismaApiOptions,
    #[command(flatten)]
    pub(crate) custom: CustomOptions,
    #[command(flatten)]
    pub(crate) hasura: HasuraOptions,
    #[command(flatten)]
    prisma_schema: PrismaSchemaOptions,
    #[command(flatten)]
    pub(crate) replicas: ReplicaReadOptions,
    /// The given options.
    #[arg(skip)]
    pub(crate) given: GivenOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BigInt {
    /// Int: a value beyond 32 bits is an error at its path
    Int,
    /// BigInt, a scalar that is serialized as a string
    String,
    /// BigInt for columns that are declared as 64-bit integers, such as BIGINT, or stored as such
    Declared,
}

const DIALECT_NAMES: Words<DialectName> = Words(DIALECTS);

/// Moments when a mutation is acknowledged.
const DURABILITIES: Words<Durability> = Words(&[
    ("full", Durability::Full, "When the disk has it: a power failure loses nothing"),
    ("normal", Durability::Normal, "When the system has it: a power failure may lose the newest"),
]);

/// Transactions of the mutations of a request.
const MUTATION_TRANSACTIONS: Words<Transactions> = Words(&[
    ("each", Transactions::Each, "Each root field in a transaction of its own"),
    ("request", Transactions::Request, "The whole request in one transaction"),
]);

impl ApiOptions {
    /// A command with these options.
    pub(crate) fn command(command: Command) -> Command {
        Self::augment_args(command)
    }

    /// Parses the words of a command line, and ignores the environment. The words set these options only
    /// by a preset. The error is one sentence.
    pub(crate) fn of_words(
        words: impl IntoIterator<Item = String>,
        by_preset: &[&str],
    ) -> Result<Self, String> {
        let parsed = given::of_words::<Self>(words.into_iter().map(OsString::from));
        let (mut options, given) = parsed.map_err(|error| sentence(&error))?;
        options.given = given.without(by_preset);
        Ok(options)
    }

    /// Gives connections the lists of PostGraphile beside them, unless an option decides otherwise:
    /// clients that use connections ignore the lists.
    pub(crate) fn prefer_lists_beside_connections(&mut self) {
        self.postgraphile.simple_collections.get_or_insert(postgraphile::SimpleCollections::Both);
    }

    /// The database of type definitions, if the source is their file.
    pub(crate) fn address_of_data(&self) -> Option<Result<SourceAddress, Failure>> {
        self.data.address()
    }

    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        let none = || Failure::Usage("there is no SOURCE, and no configuration file".into());
        let source = self.source.as_ref().ok_or_else(none)?;
        if let Some(address) = self.address_of_data() {
            return address;
        }
        if SupergraphLocation::is_named_by(source) {
            let shown = redact::address(source);
            let message = format!("`{shown}` names a supergraph, which `thalweg gateway` serves");
            return Err(Failure::Usage(message));
        }
        Ok(SourceAddress::parse(source).map_err(engine::OpenError::from)?)
    }

    /// The supergraph, if the source is one, with the options of requests for it.
    pub(crate) fn supergraph(
        &self,
        options: &RegistryOptions,
    ) -> Result<Option<SupergraphLocation>, Failure> {
        let source = self.source.as_deref().filter(|_| self.data.data.is_none());
        let named = source.filter(|source| SupergraphLocation::is_named_by(source));
        named.map(|source| SupergraphLocation::parse(source, options)).transpose()
    }

    /// The options of the engine. Options that have no meaning for the source or the dialect are refused,
    /// never ignored.
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
        // Before the dialect reads other files that name the tables.
        let prisma_schema = self.prisma_schema()?;
        let (dialect, definitions) = self.dialect()?;
        let namespaces = self.namespaces(&dialect, prisma_schema.as_deref())?;
        if definitions.is_some() && self.schema.len() != 1 {
            let message = "`--schema` names one schema: the tables of type definitions are in it";
            return Err(Failure::Usage(message.into()));
        }
        Ok(engine::Options {
            schema_first: definitions.map(|text| self.data.schema_first(&text)),
            resolvers: Some(self.custom.to_engine()),
            live: engine::live::FeedOptions {
                has_directive: self.live_directive,
                ..engine::live::FeedOptions::default()
            },
            has_defer: self.defer_directive,
            cache: engine::CacheOptions::default(),
            prisma_schema,
            further: self.hasura.further(),
            webhooks: self.prisma.webhooks()?,
            source: engine::OpenOptions {
                namespaces,
                extensions: self.postgraphile.extensions(),
                rights: match self.no_ignore_rbac {
                    true => Rights::Respected,
                    false => Rights::Ignored,
                },
                // The engine knows which APIs need them.
                defaults: engine::Defaults::LeftOut,
                called: self.postgraphile.topic_authorization(),
                written: match &dialect {
                    Dialect::Hasura(options) => {
                        options.metadata.served().and_then(ServedSource::written_queries)
                    }
                    _ => None,
                },
                wide_integers: self.bigint == Some(BigInt::String),
                stored_as: self.stored_as.clone(),
                durability: self.durability.unwrap_or_default(),
                timeouts,
                direct: self.replicas.direct(),
                reads: self.replicas.to_engine(&self.given)?,
            },
            connections,
            limits,
            errors: engine::ErrorOptions::default(),
            policies: policies(self.policies.as_deref())?,
            federation: self.federation.to_engine()?,
            dialect,
        })
    }

    /// The schemas to read: those of the metadata, unless they are given. None if the database says
    /// which they are.
    fn namespaces(
        &self,
        dialect: &Dialect,
        prisma_schema: Option<&prisma_schema::Schema>,
    ) -> Result<Vec<String>, Failure> {
        let datasource = prisma_schema.and_then(|schema| schema.datasource.as_ref());
        if let Some(datasource) = datasource.filter(|own| !own.schemas.is_empty())
            && !self.given.contains("schema")
        {
            return Ok(datasource.schemas.iter().map(|name| name.to_string()).collect());
        }
        let Dialect::Hasura(options) = dialect else { return Ok(self.schema.clone()) };
        if matches!(options.metadata, MetadataSetting::Stored { .. })
            && SourceKind::of(&self.address()?) != SourceKind::Postgres
        {
            let message = "`--metadata database` reads the metadata of a running Hasura, which is in \
                           PostgreSQL: give the path of a folder or a file";
            return Err(Failure::Usage(message.into()));
        }
        if self.given.contains("schema") {
            return Ok(self.schema.clone());
        }
        Ok(match &options.metadata {
            MetadataSetting::None => self.schema.clone(),
            MetadataSetting::Stored { .. } => Vec::new(),
            MetadataSetting::Read(served) => served.schemas(),
        })
    }

    /// The schema of Prisma ORM. What else names the tables is a contradiction.
    fn prisma_schema(&self) -> Result<Option<Arc<prisma_schema::Schema>>, Failure> {
        if self.given.contains("prisma") {
            for (other, what) in [
                ("metadata", "the metadata of Hasura names the tables itself"),
                ("types", "the datamodel of `--types` names the tables itself"),
                ("data", "`--data` makes the tables of a datamodel, which names them"),
            ] {
                if self.given.contains(other) {
                    let message = format!("`--prisma` and `--{other}` exclude each other: {what}");
                    return Err(Failure::Usage(message));
                }
            }
        }
        self.prisma_schema.read()
    }

    /// Refusals of given options that have no meaning for the source or the dialect.
    pub(crate) fn out_of_scope(&self) -> Result<Vec<String>, Failure> {
        let target = Target {
            source: SourceKind::of(&self.address()?),
            dialect: self.dialect_name().map_err(Failure::Usage)?,
            has_policies: self.policies.is_some(),
            has_rules: self.has_rules(),
            requires_token: self.given.contains("require-token"),
        };
        Ok(out_of_scope(&self.given, target))
    }

    /// Returns true if type definitions of a schema-first dialect have rules or keys for tokens.
    /// Definitions that cannot be read have an error of their own.
    fn has_rules(&self) -> bool {
        let file = self.source.as_deref().filter(|_| self.data.data.is_some());
        let text = file.and_then(|file| data::read(Path::new(file)).ok());
        text.is_some_and(|text| data::has_rules(&text))
    }

    /// The dialect: only graphs have the dialect neo4j, and no other.
    pub(crate) fn dialect_name(&self) -> Result<DialectName, String> {
        let address = self.address().map_err(|failure| failure.to_string())?;
        let is_graph = address.is_graph();
        let is_schema_first = self.data.data.is_some();
        match (self.dialect, is_graph) {
            (_, true) if is_schema_first => {
                Err("`--data` is a SQLite file or a PostgreSQL database".into())
            }
            (None, false) if is_schema_first => Ok(self.dialect_of_definitions()),
            (Some(DialectName::Dgraph), false) if !is_schema_first => Err(
                "`--dialect dgraph` needs a file of type definitions as SOURCE, and `--data` with \
                 the database"
                    .into(),
            ),
            (Some(dialect @ (DialectName::Dgraph | DialectName::Prisma)), false)
                if is_schema_first =>
            {
                Ok(dialect)
            }
            (Some(dialect), false) if is_schema_first => Err(format!(
                "`--dialect {}` reads the database: leave `--data` out, and give the database as \
                     SOURCE",
                dialect.name()
            )),
            (None, true) => Ok(DialectName::Neo4j),
            (None, false) => Ok(DialectName::Postgraphile),
            (Some(dialect), _) if dialect.is_for_graphs() == is_graph => Ok(dialect),
            (Some(_), true) => Err("a graph is served with `--dialect neo4j` only".into()),
            (Some(dialect), false) => Err(format!(
                "`--dialect {}` needs a graph: an address such as `neo4j://localhost:7687`",
                dialect.name()
            )),
        }
    }

    /// The dialect of the file of type definitions.
    fn dialect_of_definitions(&self) -> DialectName {
        let file = Path::new(self.source.as_deref().unwrap_or_default());
        match DefinitionsDialect::of(file) {
            DefinitionsDialect::Dgraph => DialectName::Dgraph,
            DefinitionsDialect::Prisma => DialectName::Prisma,
        }
    }

    /// The datamodel of Prisma, with its text if it makes the tables of the database. Without a
    /// datamodel the tables are introspected.
    fn datamodel(&self) -> Result<(prisma::Options, Option<Arc<str>>), Failure> {
        let is_schema_first = self.data.data.is_some();
        let file = match (is_schema_first, &self.neo4j.types) {
            (true, Some(_)) => {
                let message = "`--types` is for a database as SOURCE: with `--data` SOURCE is the \
                               datamodel";
                return Err(Failure::Usage(message.into()));
            }
            (true, None) => self.source.as_deref().map(Path::new),
            (false, types) => types.as_deref(),
        };
        let Some(file) = file else {
            let model = Arc::default();
            return Ok((self.prisma.to_dialect(model, None), None));
        };
        let text = data::read(file)?;
        let model = Arc::new(definitions::datamodel(file, &text)?);
        let definitions = is_schema_first.then(|| Arc::clone(&text));
        Ok((self.prisma.to_dialect(model, Some(text)), definitions))
    }

    /// The dialect, and the text of its type definitions if it is schema first.
    fn dialect(&self) -> Result<(Dialect, Option<Arc<str>>), Failure> {
        let mutation_transactions = self.mutation_transactions.unwrap_or_default();
        let mut dialect = self.dialect_name().map_err(Failure::Usage)?.dialect();
        if let Dialect::PostGraphile(options) = &mut dialect {
            *options = postgraphile::Options {
                connection_filter: self.connection_filter.to_dialect(&self.given)?,
                live: self.live,
                mutation_transactions,
                ..self.postgraphile.to_dialect()?
            };
        }
        if let Dialect::Phrag(options) = &mut dialect {
            *options = phrag::Options {
                big_integers: self.bigint.map_or(phrag::BigIntegers::default(), BigInt::to_phrag),
                live: self.live,
                mutation_transactions,
                ..self.phrag.to_dialect()
            };
        }
        if let Dialect::Hasura(options) = &mut dialect {
            let transactions = self.mutation_transactions;
            let transactions = transactions.unwrap_or(options.mutation_transactions);
            *options = hasura::Options {
                mutation_transactions: transactions,
                ..self.hasura.to_dialect()?
            };
        }
        if let Dialect::Neo4j(options) = &mut dialect {
            *options = neo4j::Options { live: self.live, ..self.neo4j.to_dialect()? };
        }
        let mut definitions = None;
        if let (Dialect::Dgraph(options), Some(source)) = (&mut dialect, &self.source) {
            let text = data::read(Path::new(source))?;
            *options = self.dgraph.to_dialect(data::dgraph(Path::new(source), &text)?);
            definitions = Some(text);
        }
        if let Dialect::Prisma(options) = &mut dialect {
            (*options, definitions) = self.datamodel()?;
            if options.raw_access && self.policies.is_some() {
                let message = "`--raw-access` lets clients send any statement of SQL, whatever \
                               `--policies` allow: leave one of both out";
                return Err(Failure::Usage(message.into()));
            }
        }
        Ok((dialect, definitions))
    }
}

impl BigInt {
    fn to_phrag(self) -> phrag::BigIntegers {
        match self {
            Self::Int => phrag::BigIntegers::Int,
            Self::String | Self::Declared => phrag::BigIntegers::String,
        }
    }
}

/// The first sentence of an error, without the usage.
fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn stored_column(text: &str) -> Result<StoredColumn, String> {
    let parts = text.split_once('=');
    let named = parts.and_then(|(column, word)| Some((column.rsplit_once('.')?, word)));
    let ((table, column), word) = named.ok_or("write it as in table.column=bigint")?;
    let scalar = catalog::find_stored_type(word)
        .ok_or_else(|| format!("`{word}` is none of {}", catalog::stored_types()))?;
    Ok(StoredColumn { table: table.into(), column: column.into(), scalar })
}
