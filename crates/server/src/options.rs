//! The options. Each can be given in the environment too, as `THALWEG_` and its name, and those
//! that can also in the configuration file.

mod address;
mod api;
mod auth;
mod compression;
mod cost;
mod database;
mod development;
mod errors;
mod federation;
mod filter;
mod gateway;
mod given;
mod guards;
mod hosts;
mod limits;
mod load;
mod migrate;
mod neo4j;
mod network;
mod observability;
mod origins;
mod persisted;
mod policies;
mod postgraphile;
mod quantity;
mod roles;
mod row;
mod scope;
mod serving;
mod tls;

pub(crate) use address::{Address, Mode, Place};
pub(crate) use api::{ApiOptions, DialectName};
pub(crate) use auth::AuthOptions;
pub(crate) use compression::Coding;
pub(crate) use cost::CostOptions;
pub(crate) use federation::federated;
pub(crate) use gateway::{
    GatewayOptions, LabelOptions, MostRequests, SubgraphOptions, SupergraphPlace, of_gateway,
};
pub(crate) use given::GivenOptions;
pub(crate) use guards::GuardOptions;
pub(crate) use hosts::{AllowedHost, is_below};
pub(crate) use migrate::MigrateOptions;
pub(crate) use neo4j::{TypesOptions, of_graph};
pub(crate) use observability::LoggedRequests;
pub(crate) use origins::{AllowedOrigin, OriginOptions};
pub(crate) use persisted::PersistedOptions;
pub(crate) use policies::policies;
pub(crate) use quantity::{Size, Time};
pub(crate) use roles::RoleOptions;
pub(crate) use scope::{
    LocalSources, SourceKind, Target, check_for_gateway, out_of_gateway, out_of_scope, refuse_group,
};
pub(crate) use serving::ServingOptions;
pub(crate) use tls::TlsFiles;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use engine::RowName;

use row::row;

use crate::failure::Failure;

/// A database becomes a GraphQL API.
#[derive(Debug, Parser)]
#[command(name = "thalweg", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Try it: `thalweg demo` serves a sample database at once.")]
pub(crate) struct Arguments {
    /// The configuration file [default: thalweg.toml, where there is one]
    #[arg(long, env = "THALWEG_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) log: LogOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a database as a GraphQL API over HTTP
    Serve(Box<ServeOptions>),
    /// Serve a supergraph, one API over several subgraphs, over HTTP
    Gateway(Box<GatewayOptions>),
    /// Print the schema of the API in GraphQL's schema language
    ///
    /// SOURCE may be a supergraph as well: a file that ends in `.graphql`, or an https:// address.
    Schema(Box<ApiOptions>),
    /// Print what an operation becomes: the request tree, the statements, the database's plan
    ///
    /// Of a supergraph, a file that ends in `.graphql` or an https:// address in the place of SOURCE,
    /// the requests to its subgraphs are printed.
    Explain(Box<ExplainOptions>),
    /// Print type definitions for what is in a graph
    ///
    /// They are a beginning, to be changed and then served with `--types`.
    Types(TypesOptions),
    /// Make the constraints and indexes in a graph that its type definitions want
    ///
    /// What is unique by its definition gets a constraint, and what is searched gets its index. What
    /// is there already stays as it is; nothing is dropped, and no node is changed. It can be run
    /// again at any time.
    ///
    /// The exit code is 1 when something that is wanted could not be made.
    Migrate(MigrateOptions),
    /// Name what is wrong with a configuration file, and what the API cannot represent or serves
    /// slowly, each with the remedy
    ///
    /// Of the file everything is checked that a server would need, files that its options name
    /// included; no server is started. Without a SOURCE this is all.
    ///
    /// The exit code is 1 when the file is wrong or the database cannot be read, and when two
    /// things claim the same name: then a part of the database is missing from the API, and which
    /// part may change with the next table; and when there is nothing to serve. All other findings are
    /// advice, and the exit code is 0.
    ///
    /// SOURCE may be a supergraph as well, a file that ends in `.graphql` or an https:// address: then
    /// all that is wrong with it and with the file of `--subgraphs` is named, and the exit code is 1 if
    /// something is.
    #[command(mut_arg("source", |source| source.required(false)))]
    Check(Box<CheckOptions>),
    /// Serve a sample database, a music shop, made on the spot; with --gateway a federated shop
    Demo(Box<DemoOptions>),
    /// Ask a server on this machine whether it is ready to answer requests
    ///
    /// The exit code is 0 if it is, and 1 if it is not or does not answer.
    Health(HealthOptions),
    /// Print what can stand in the configuration file
    Config(ConfigOptions),
    /// Print what a shell needs to complete commands and options
    Completions(CompletionsOptions),
    /// Write the manual pages, one a command, into a folder
    Man(ManOptions),
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
    #[command(flatten)]
    pub(crate) serving: ServingOptions,
    /// Follow changes of the database's schema: make the API anew when it changes
    ///
    /// On PostgreSQL a superuser's event triggers tell of changes, and are made where they may be;
    /// otherwise the catalogs are looked at every two seconds. On SQLite the file is looked at every
    /// second.
    #[arg(help_heading = "Development", short = 'w', long, env = "THALWEG_WATCH")]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) api: ApiOptions,
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
    pub(crate) guards: GuardOptions,
    /// The file of the GraphQL document; `-` for the standard input
    #[arg(required_unless_present = "row")]
    pub(crate) file: Option<PathBuf>,
    /// With policies: why this row is seen and changed or not, instead of an operation; such as
    /// `post:id=3`, or `post:{"author_id": 1, "headline": "Hi"}`
    #[arg(
        help_heading = "Explanation",
        long,
        env = "THALWEG_ROW",
        value_name = "TABLE:COLUMNS",
        value_parser = row,
        conflicts_with_all = ["file", "variables", "operation", "analyze"]
    )]
    pub(crate) row: Option<RowName>,
    /// The values of the operation's variables, as a JSON object
    #[arg(help_heading = "Explanation", long, env = "THALWEG_VARIABLES", value_name = "JSON", value_parser = variables)]
    pub(crate) variables: Option<Variables>,
    /// Which operation of the document, where it has several
    #[arg(help_heading = "Explanation", long, env = "THALWEG_OPERATION", value_name = "NAME")]
    pub(crate) operation: Option<String>,
    /// For PostgreSQL, or with policies: the role of who asks, as a token names it
    ///
    /// With policies: what they let to this role, and why not the rest.
    #[arg(help_heading = "Explanation", long, env = "THALWEG_ROLE", value_name = "NAME")]
    pub(crate) role: Option<String>,
    /// The claims of who asks, as a JSON object; without them and a role, a request without a token
    /// is explained
    #[arg(help_heading = "Explanation", long, env = "THALWEG_CLAIMS", value_name = "JSON", value_parser = variables)]
    pub(crate) claims: Option<Variables>,
    /// For PostgreSQL: run the statements, and print the plans with its own figures; for a supergraph:
    /// ask the subgraphs, and print what became of each request
    #[arg(help_heading = "Explanation", long, env = "THALWEG_ANALYZE")]
    pub(crate) analyze: bool,
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
}

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// The SQLite file of the sample; made if it is not there, used again if it is
    #[arg(
        help_heading = "Sample",
        long,
        env = "THALWEG_FILE",
        value_name = "FILE",
        default_value = "shop.db"
    )]
    pub(crate) file: PathBuf,
    /// Write the sample into this PostgreSQL database instead, and end
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
    /// are databases in its process, and shipping, which is a server of its own
    #[arg(
        help_heading = "Sample",
        long,
        env = "THALWEG_GATEWAY",
        conflicts_with_all = ["file", "into"]
    )]
    pub(crate) gateway: bool,
    /// With `--gateway`: the folder of the federated shop; made if it is not there, used again if it
    /// is [default: federated-shop]
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

    /// What the words of a command line say, whatever the environment does.
    pub(crate) fn of_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, Failure> {
        let command = Self::augment_args(clap::Command::new("thalweg"));
        let command = command.mut_args(|arg| arg.env(Resettable::Reset));
        let read = command.clone().try_get_matches_from(words).and_then(|matches| {
            let mut options = Self::from_arg_matches(&matches)?;
            options.set_given(&GivenOptions::of(&command, &matches));
            Ok(options)
        });
        read.map_err(|error| Failure::Usage(error.to_string()))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ConfigOptions {
    /// What to print
    pub(crate) part: ConfigPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfigPart {
    /// The JSON Schema of the file, by which editors know names and values
    Schema,
    /// A file with every option, each as a comment
    Example,
    /// The JSON Schema of policy files, by which editors check them
    Policies,
    /// The JSON Schema of the files of `--subgraphs`, by which editors check them
    Subgraphs,
}

#[derive(Debug, Args)]
pub(crate) struct HealthOptions {
    /// Where the server listens, as it was told itself; a Unix socket is asked, or else the first
    #[arg(
        long,
        env = "THALWEG_LISTEN",
        value_name = "ADDRESSES",
        value_delimiter = ',',
        default_value = address::USUAL
    )]
    pub(crate) listen: Vec<Address>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell that reads them
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManOptions {
    /// The folder to write into; made if it is not there
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct LogOptions {
    /// The least important lines in the log [default: info for servers, warn otherwise]
    #[arg(long = "log", env = "THALWEG_LOG", value_name = "LEVEL", global = true)]
    pub(crate) level: Option<Level>,
    /// The form of the log, on the standard error stream
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
    /// One JSON object a line
    Json,
}

pub(crate) type Variables = serde_json_bytes::Map<serde_json_bytes::ByteString, Json>;
type Json = serde_json_bytes::Value;

impl Command {
    /// Tells the command which options it was given.
    pub(crate) fn set_given(&mut self, given: &GivenOptions) {
        match self {
            Self::Serve(options) => options.set_given(given),
            Self::Gateway(options) => options.serving.given = given.clone(),
            Self::Demo(options) => options.serving.given = given.clone(),
            Self::Schema(options) => options.given = given.clone(),
            Self::Explain(options) => options.api.given = given.clone(),
            Self::Check(options) => options.api.given = given.clone(),
            // They have no options that depend on a source.
            Self::Types(_)
            | Self::Migrate(_)
            | Self::Health(_)
            | Self::Completions(_)
            | Self::Config(_)
            | Self::Man(_) => {}
        }
    }

    /// What the log tells if nothing is asked: servers how they are doing, the commands that end
    /// by themselves only what is wrong.
    pub(crate) fn usual_level(&self) -> Level {
        match self {
            Self::Serve(_) | Self::Gateway(_) => Level::Info,
            Self::Demo(options) if options.into.is_none() => Level::Info,
            Self::Demo(_)
            | Self::Schema(_)
            | Self::Explain(_)
            | Self::Types(_)
            | Self::Migrate(_)
            | Self::Check(_)
            | Self::Health(_)
            | Self::Completions(_)
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
