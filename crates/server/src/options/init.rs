//! Options of `thalweg init`.

use clap::{Args, ValueEnum};

use super::address::{self, Address};

#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    /// The database, as for `thalweg serve`; asked for if it is left out
    pub(crate) database: Option<String>,
    /// The API; asked for if it is left out
    #[arg(long, value_name = "API")]
    pub(crate) api: Option<InitApi>,
    /// Who may use the API; asked for if it is left out
    #[arg(long, value_name = "WHO")]
    pub(crate) access: Option<InitAccess>,
    /// The address to listen on; asked for if it is left out
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<Address>,
    /// Ask nothing: what is left out has its default
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
}

/// APIs of a new project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InitApi {
    /// Short names, filters, aggregates, nested and bulk writes: the preset modern
    Modern,
    /// The API of PostGraphile 4
    Postgraphile,
    /// The API of PostGraphile 5
    Postgraphile5,
    /// The API of Hasura 2
    Hasura,
    /// The API of Phrag
    Phrag,
    /// The API of Neo4j's GraphQL library, for graphs
    Neo4j,
}

/// Who may use the API of a new project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InitAccess {
    /// Everyone who reaches the server may do everything, for development
    Everyone,
    /// Clients with a token may do what the policies of their role allow
    Tokens,
}

impl InitOptions {
    /// The address that is the default.
    pub(crate) fn default_listen() -> &'static str {
        address::DEFAULT
    }
}

/// The word of a value on the command line.
pub(crate) fn word<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
