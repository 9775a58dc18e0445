//! The options. Each can also be set in the environment, as `THALWEG_` and its name, and those also in
//! the configuration file.

mod address;
mod allow_list;
mod api;
mod auth;
mod authorization;
mod backup;
mod cache;
mod callback;
mod changes;
mod compose;
mod compression;
mod connection_filter;
mod contract;
mod cost;
mod custom;
mod data;
mod database;
mod definitions;
mod development;
mod dgraph;
mod diff;
mod errors;
mod events;
mod export;
mod exported_definitions;
mod federation;
mod gateway;
mod given;
mod hasura;
mod hasura_auth;
mod hasura_environment;
mod hive;
mod hooks;
mod import;
mod import_metadata;
mod init;
mod limits;
mod load;
mod mcp;
mod migrate;
mod neo4j;
mod network;
mod observability;
mod origins;
mod persisted;
mod phrag;
mod policies;
mod postgraphile;
mod preset;
mod prisma;
mod prisma_api;
mod prisma_schema;
mod quantity;
mod rate_limits;
mod registry;
mod replicas;
mod roles;
mod row;
mod scope;
mod service_file;
mod serving;
mod stand_ins;
mod subgraph_cache;
mod subscriptions;
mod supergraph_url;
mod tls;
mod token;
mod triggers;
mod types;
mod uploads;
mod words;

pub(crate) use address::{Address, Mode, Place};
pub(crate) use api::ApiOptions;
pub(crate) use auth::{AuthOptions, KeysUrl};
pub(crate) use authorization::AuthorizationOptions;
pub(crate) use backup::{BackupOptions, RestoreOptions};
pub(crate) use cache::HttpCaching;
pub(crate) use callback::CallbackAddress;
pub(crate) use changes::ChangesOptions;
pub(crate) use compose::{ComposeOptions, ReportForm};
pub(crate) use compression::Coding;
pub(crate) use contract::ContractOptions;
pub(crate) use cost::CostOptions;
pub(crate) use diff::{DiffOptions, OtherApi};
pub(crate) use events::{
    EventOptions, EventsAction, EventsMode, EventsOptions, InstallEvents, InvokeEvent, ListEvents,
    ListedLog, ListedState, RedeliverEvents, ScheduleEvent,
};
pub(crate) use export::{ExportOptions, Output};
pub(crate) use gateway::{
    GatewayOptions, LabelOptions, RequestLimit, SubgraphOptions, SupergraphLocation,
    gateway_options,
};
pub(crate) use given::GivenOptions;
pub(crate) use hasura::{MetadataOptions, read_metadata};
#[cfg(test)]
pub(crate) use hasura_auth::JwtSetting;
pub(crate) use hasura_auth::{HasuraAuth, HookMode, HookSetting, boolean};
pub(crate) use hasura_environment::HasuraEnvironment;
pub(crate) use hooks::{HookFailure, HookOptions, HookPart, HookUrl};
pub(crate) use import::ImportOptions;
pub(crate) use import_metadata::ImportMetadataOptions;
pub(crate) use init::{InitAccess, InitApi, InitOptions, word as init_word};
pub(crate) use migrate::{MigrateOptions, MigrationTarget, Purpose, TablesOptions};
pub(crate) use observability::LoggedRequests;
pub(crate) use origins::{AllowedOrigin, OriginOptions};
pub(crate) use persisted::PersistedOptions;
pub(crate) use preset::{Preset, PresetDefault, Setting};
pub(crate) use prisma::ServiceName;
pub(crate) use quantity::{Size, Time};
pub(crate) use rate_limits::{
    CountedBy, RateLimitFailure, RateLimitOptions, RateLimitRule, RateUnit,
};
pub(crate) use registry::{
    HiveTarget, Poll, RegistryOptions, RemoteKind, RemoteSupergraph, S3Object, UplinkGraph,
};
pub(crate) use replicas::PositionCarrier;
pub(crate) use roles::RoleOptions;
pub(crate) use row::row;
pub(crate) use scope::{
    LocalSources, SourceKind, Target, check_for_gateway, out_of_gateway, out_of_scope, refusal_for,
    refuse_group,
};
pub(crate) use serving::ServingOptions;
pub(crate) use stand_ins::StandIn;
pub(crate) use subgraph_cache::{CacheSecret, CacheSettings, StoreSettings};
pub(crate) use tls::TlsFiles;
pub(crate) use token::TokenOptions;
pub(crate) use triggers::{TriggersAction, TriggersOptions};
pub(crate) use types::{TypesOptions, TypesTarget};
pub(crate) use uploads::UploadOptions;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use clients::hosts::{AllowedHost, is_below};
use engine::RowName;

use crate::failure::Failure;

/// Serve a database as a GraphQL API
#[derive(Debug, Parser)]
#[command(name = "thalweg", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Try it: `thalweg demo` serves a sample database.")]
pub(crate) struct Arguments {
    /// The configuration file [default: thalweg.toml, if it exists]
    #[arg(long, env = "THALWEG_CONFIG", value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) log: LogOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a database as a GraphQL API over HTTP
    Serve(Box<ServeOptions>),
    /// Serve a supergraph, one API over several subgraphs
    Gateway(Box<GatewayOptions>),
    /// Print the schema of the API in GraphQL's language
    ///
    /// SOURCE may also be a supergraph: a file that ends in `.graphql`, an https:// address, or that of a
    /// registry, such as `uplink:GRAPH_REF`.
    Schema(Box<SchemaOptions>),
    /// Explain an operation: its statements, and the database's plan
    ///
    /// Its request tree, its statements and the plan of each are printed. For a supergraph (a file that ends in `.graphql`, an https:// address, or that of a registry, as
    /// SOURCE) the query plan is printed: the requests to its subgraphs.
    Explain(Box<ExplainOptions>),
    /// Generate type definitions from a graph, or a datamodel from tables
    ///
    /// The definitions are those of a graph database, the datamodel is one of Prisma.
    /// The definitions are a starting point, to be edited and then served with `--types`.
    Types(TypesOptions),
    /// Create what type definitions require in a database
    ///
    /// These are constraints and indexes in a graph database, or, with `--data`, tables in SQLite or
    /// PostgreSQL.
    ///
    /// In a graph, unique fields get a constraint, and searched fields get an index. Existing ones are
    /// kept; nothing is dropped, and no node is changed. The command can be repeated at any time. The
    /// exit code is 1 if one of them could not be created.
    ///
    /// With `--data`, the argument is the file of type definitions in the style of Dgraph, or a datamodel
    /// of Prisma. The changes since the last migration are printed as SQL and applied in one transaction. What loses values is
    /// refused without `--allow-loss`. The exit code is 1 if the database was not migrated.
    Migrate(MigrateOptions),
    /// Copy the SQLite file of type definitions while servers use it
    ///
    /// The copy has all transactions that were acknowledged before the command started. It is checked
    /// and synced before it gets its name.
    Backup(BackupOptions),
    /// Restore a backup of the SQLite file of type definitions
    ///
    /// The backup is checked first. The file of the backup stays. No server may have the database open.
    Restore(RestoreOptions),
    /// Import objects into the tables of type definitions
    ///
    /// The objects come from files, or from a whole database.
    /// Files are RDF or JSON as Dgraph exports them, JSON lines, or CSV, and may be compressed with gzip.
    /// The tables are created if the database has none. Values that cannot be stored are written into a
    /// file, with their lines and the reasons. The same command again goes on with an import that was
    /// killed.
    ///
    /// The exit code is 3 if values were rejected and the others imported.
    Import(ImportOptions),
    /// Report what of Hasura's metadata is served, and what is not
    ///
    /// The metadata is read and checked without a database; `thalweg check` compares it with one. The exit
    /// code is 1 if something is wrong.
    ImportMetadata(ImportMetadataOptions),
    /// Export the objects of the tables of type definitions
    ///
    /// The file is as one that Dgraph exports. All objects are those of one moment. `thalweg import` reads the file back.
    Export(ExportOptions),
    /// Create or remove the triggers of live queries in PostgreSQL
    ///
    /// The triggers report changes of rows to subscriptions. They are an alternative to logical replication, for servers whose `wal_level` or role does not
    /// allow it. Each table of the schemas, and each table that their views and row security read, gets
    /// one trigger for each kind of change; they send notifications, in which any role of the database
    /// can read the values of primary and foreign keys. All are created in one transaction. The command
    /// can be repeated at any time: it creates those of new tables. `remove` removes all of them.
    Triggers(TriggersOptions),
    /// Create, list and deliver events of Hasura's event triggers
    ///
    /// `install` creates the log and the triggers in the database. A server with `--metadata` delivers the events of event triggers and of cron triggers. They are kept
    /// in a log in the database, which triggers fill in the transaction of each change.
    Events(EventsOptions),
    /// Compose a supergraph from the schemas of subgraphs
    ///
    /// All errors are reported in one run, each with its places in the schemas and its remedy. The exit
    /// code is 1 if the schemas do not compose. `thalweg gateway FILE` composes the same file and serves it.
    Compose(ComposeOptions),
    /// Compose and serve subgraphs while you work on them
    ///
    /// This is `thalweg gateway FILE --watch --supergraph-poll 1s` in development mode: files, running
    /// subgraphs and databases are watched, and each change is composed and served at once. If the schemas
    /// do not compose, the last supergraph stays, and the errors are shown here and in GraphiQL.
    #[command(mut_arg("supergraph", |file| file.default_value("supergraph.yaml")))]
    Dev(Box<GatewayOptions>),
    /// Check the configuration file, the API and its policies
    ///
    /// Reports what the API cannot represent or serves slowly, each with its remedy.
    ///
    /// The file is checked as for a server, including the files that its options name; no server is
    /// started. Without a SOURCE, only the file is checked.
    ///
    /// The exit code is 1 if the file is wrong, if the database cannot be read, if two database objects
    /// claim the same name (then one of them is missing from the API, and which one may change with the
    /// next table), or if there is nothing to serve. All other findings are advice, and the exit code is
    /// 0.
    ///
    /// SOURCE may also be a supergraph, a file that ends in `.graphql`, an https:// address or that of a
    /// registry: then the supergraph and the file of `--subgraphs` are checked, and the exit code is 1 if
    /// one of them is wrong.
    ///
    /// With two schemas, `thalweg check OLD NEW`, the changes between them are classified as breaking,
    /// dangerous or safe for clients. The exit code is then 1 if a change fails the check by `--fail-on`,
    /// and 2 if a schema or a document cannot be read.
    #[command(mut_arg("source", |source| source.required(false).index(1)))]
    Check(Box<CheckOptions>),
    /// Print a supergraph whose API is filtered by tags
    ///
    /// A contract is for a group of clients.
    /// Elements become `@inaccessible` by their `@tag`s. The exit code is 1 if the filtered API would be
    /// invalid; each reason is printed with its place, its code and the remedy.
    Contract(ContractOptions),
    /// Compare the schema of the API with that of another API
    ///
    /// The other API may be the one that it replaces. With `--role`, each role is
    /// compared, as it sees the schema. The differences are those by which
    /// clients of the other API are affected. The exit code is 1 if one of them is breaking.
    Diff(Box<DiffOptions>),
    /// Serve a sample database; with --gateway a federated shop
    Demo(Box<DemoOptions>),
    /// Write a configuration file and a first policy file
    ///
    /// Asks for the database, the API, who may use it and the address, and writes thalweg.toml and, for
    /// clients with tokens, policies.toml into the current folder. The database is opened first. No file
    /// is overwritten. `thalweg serve` serves what was written.
    Init(InitOptions),
    /// Check whether a server on this machine is ready
    ///
    /// The exit code is 0 if it is, and 1 if it is not ready or does not answer.
    Health(HealthOptions),
    /// Show a running server in the terminal: requests, operations, connections, subscriptions, caches
    ///
    /// It reads the metrics of a server with `--metrics-listen`, each second.
    Top(TopOptions),
    /// Print a token for development, signed by the shared secret of the server
    ///
    /// The secret is that of `--jwt-secret`, the environment or the configuration file. The token has the
    /// claims of `--claims`, and those that the same options require: the audience, the issuer, the
    /// subject and the id. Only servers with a shared secret accept it.
    Token(TokenOptions),
    /// Print the configuration as it is used, its schema, or an example
    Config(ConfigOptions),
    /// Generate the completion script of a shell
    Completions(CompletionsOptions),
    /// Generate the manual pages, one per command
    Man(ManOptions),
}

#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
    /// For hasura: print the schema as this role of the metadata sees it
    #[arg(long, env = "THALWEG_ROLE", value_name = "NAME")]
    pub(crate) role: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
    #[command(flatten)]
    pub(crate) serving: ServingOptions,
    /// Watch the database's schema: rebuild the API when it changes
    ///
    /// On PostgreSQL, event triggers report changes; they are created if the user is a superuser.
    /// Otherwise the catalogs are polled every two seconds. On SQLite the file is polled every second.
    #[arg(help_heading = "Development", short = 'w', long, env = "THALWEG_WATCH")]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) events: EventOptions,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
    #[command(flatten)]
    pub(crate) changes: ChangesOptions,
    #[command(flatten)]
    pub(crate) subgraphs: SubgraphOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
    #[command(flatten)]
    pub(crate) subgraphs: SubgraphOptions,
    #[command(flatten)]
    pub(crate) labels: LabelOptions,
    #[command(flatten)]
    pub(crate) guards: AuthorizationOptions,
    /// The file of the GraphQL document; `-` for standard input
    #[arg(required_unless_present = "row")]
    pub(crate) file: Option<PathBuf>,
    /// With policies: explain why a row can be read, updated and deleted or not, instead of an operation;
    /// such as `post:id=3`, or `post:{"author_id": 1, "headline": "Hi"}`
    #[arg(
        help_heading = "Explanation",
        long,
        env = "THALWEG_ROW",
        value_name = "TABLE:COLUMNS",
        value_parser = row,
        conflicts_with_all = ["file", "variables", "operation", "analyze"]
    )]
    pub(crate) row: Option<RowName>,
    /// The variables of the operation, as a JSON object
    #[arg(help_heading = "Explanation", long, env = "THALWEG_VARIABLES", value_name = "JSON", value_parser = variables)]
    pub(crate) variables: Option<Variables>,
    /// The operation to explain, if the document has several
    #[arg(help_heading = "Explanation", long, env = "THALWEG_OPERATION", value_name = "NAME")]
    pub(crate) operation: Option<String>,
    /// For PostgreSQL, or with policies: the role of the caller
    ///
    /// With policies: prints what they allow to this role, and why the rest is denied.
    #[arg(help_heading = "Explanation", long, env = "THALWEG_ROLE", value_name = "NAME")]
    pub(crate) role: Option<String>,
    /// The claims of the caller's token, as a JSON object; without claims and a role, the caller is
    /// unauthenticated
    #[arg(help_heading = "Explanation", long, env = "THALWEG_CLAIMS", value_name = "JSON", value_parser = variables)]
    pub(crate) claims: Option<Variables>,
    /// For PostgreSQL and graphs: run the statements, and print the plans with actual figures; for a
    /// supergraph: send the requests to subgraphs, and print their results
    #[arg(help_heading = "Explanation", long, env = "THALWEG_ANALYZE")]
    pub(crate) analyze: bool,
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
}

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// The SQLite file of the sample; created if it does not exist
    #[arg(
        help_heading = "Sample",
        long,
        env = "THALWEG_FILE",
        value_name = "FILE",
        default_value = "shop.db"
    )]
    pub(crate) file: PathBuf,
    /// Write the sample into this PostgreSQL database instead, and exit
    #[arg(
        help_heading = "Sample",
        long,
        env = "THALWEG_INTO",
        hide_env_values = true,
        value_name = "ADDRESS",
        conflicts_with = "file"
    )]
    pub(crate) into: Option<String>,
    /// Serve a federated shop instead: a gateway over accounts, inventory, products and reviews, which
    /// are databases in its process, and shipping, which is a separate server
    #[arg(
        help_heading = "Sample",
        long,
        env = "THALWEG_GATEWAY",
        conflicts_with_all = ["file", "into"]
    )]
    pub(crate) gateway: bool,
    /// With `--gateway`: the folder of the federated shop; created if it does not exist [default:
    /// federated-shop]
    #[arg(help_heading = "Sample", long, env = "THALWEG_FOLDER", value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) serving: ServingOptions,
}

impl ServeOptions {
    fn set_given(&mut self, given: &GivenOptions) {
        self.api.given = given.clone();
        self.serving.given = given.clone();
    }

    /// Parses the words of a command line, and ignores the environment.
    pub(crate) fn of_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, Failure> {
        let parsed = given::of_words::<Self>(words);
        let (mut options, given) = parsed.map_err(|error| Failure::Usage(error.to_string()))?;
        options.set_given(&given);
        Ok(options)
    }
}

#[derive(Debug, Args)]
pub(crate) struct ConfigOptions {
    /// The document to print
    pub(crate) part: ConfigPart,
    /// Of `show`: the command whose options are shown, such as `serve shop.db`, with options of its own
    /// [default: `serve`, or `gateway` if the file is that of a gateway]
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfigPart {
    /// The options of a command as they are used, with the origin of each value; secrets are hidden
    Show,
    /// The JSON Schema of the configuration file, for editors
    Schema,
    /// An example of the configuration file, with every option as a comment
    Example,
    /// The JSON Schema of policy files, for editors
    Policies,
    /// The JSON Schema of the file of `--subgraphs`, for editors
    Subgraphs,
}

#[derive(Debug, Args)]
pub(crate) struct HealthOptions {
    /// The addresses where the server listens; the first Unix socket is probed, or else the first address
    #[arg(
        long,
        env = "THALWEG_LISTEN",
        value_name = "ADDRESSES",
        value_delimiter = ',',
        default_value = address::DEFAULT
    )]
    pub(crate) listen: Vec<Address>,
}

#[derive(Debug, Args)]
pub(crate) struct TopOptions {
    /// The address of the metrics, as HOST:PORT or http://HOST:PORT [default: that of `--metrics-listen`]
    pub(crate) address: Option<String>,
    /// For `thalweg top`: print one snapshot as text, with rates since the start of the server
    #[arg(help_heading = "Observability", long, env = "THALWEG_ONCE")]
    pub(crate) once: bool,
    /// The address where the server has its metrics, as HOST:PORT
    #[arg(
        help_heading = "Observability",
        long,
        env = "THALWEG_METRICS_LISTEN",
        value_name = "ADDRESS",
        value_parser = observability::socket
    )]
    pub(crate) metrics_listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManOptions {
    /// The output folder; created if it does not exist
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct LogOptions {
    /// The lowest level that is logged [default: info for servers, warn otherwise]
    #[arg(long = "log", env = "THALWEG_LOG", value_name = "LEVEL", global = true)]
    pub(crate) level: Option<Level>,
    /// The format of the log, on standard error
    #[arg(long = "log-format", env = "THALWEG_LOG_FORMAT", global = true, default_value = "text")]
    pub(crate) format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    /// One JSON object per line
    Json,
}

pub(crate) type Variables = serde_json_bytes::Map<serde_json_bytes::ByteString, Json>;
type Json = serde_json_bytes::Value;

impl Command {
    /// Passes the given options to the command.
    pub(crate) fn set_given(&mut self, given: &GivenOptions) {
        match self {
            Self::Serve(options) => options.set_given(given),
            Self::Gateway(options) | Self::Dev(options) => {
                options.serving.given = given.clone();
            }
            Self::Demo(options) => options.serving.given = given.clone(),
            Self::Schema(options) => options.api.given = given.clone(),
            Self::Explain(options) => options.api.given = given.clone(),
            Self::Check(options) => options.api.given = given.clone(),
            Self::Diff(options) => options.api.given = given.clone(),
            // These commands have no options that depend on a source.
            Self::Compose(_)
            | Self::Types(_)
            | Self::Migrate(_)
            | Self::Backup(_)
            | Self::Restore(_)
            | Self::Import(_)
            | Self::ImportMetadata(_)
            | Self::Export(_)
            | Self::Triggers(_)
            | Self::Events(_)
            | Self::Contract(_)
            | Self::Init(_)
            | Self::Health(_)
            | Self::Top(_)
            | Self::Completions(_)
            | Self::Token(_)
            | Self::Config(_)
            | Self::Man(_) => {}
        }
    }

    /// The default log level: servers log their state, other commands only warnings and errors.
    pub(crate) fn default_level(&self) -> Level {
        match self {
            Self::Serve(_) | Self::Gateway(_) | Self::Dev(_) => Level::Info,
            Self::Demo(options) if options.into.is_none() => Level::Info,
            Self::Demo(_)
            | Self::Compose(_)
            | Self::Schema(_)
            | Self::Explain(_)
            | Self::Types(_)
            | Self::Migrate(_)
            | Self::Backup(_)
            | Self::Restore(_)
            | Self::Import(_)
            | Self::ImportMetadata(_)
            | Self::Export(_)
            | Self::Triggers(_)
            | Self::Events(_)
            | Self::Check(_)
            | Self::Contract(_)
            | Self::Diff(_)
            | Self::Init(_)
            | Self::Health(_)
            | Self::Top(_)
            | Self::Completions(_)
            | Self::Token(_)
            | Self::Config(_)
            | Self::Man(_) => Level::Warn,
        }
    }
}

fn variables(text: &str) -> Result<Variables, String> {
    match serde_json::from_str(text) {
        Ok(Json::Object(variables)) => Ok(variables),
        Ok(_) => Err("a JSON object is wanted, such as `{\"id\": 1}`".into()),
        Err(error) => Err(format!("this is not JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }
}
