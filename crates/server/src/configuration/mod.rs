//! The configuration: the same names on the command line, in the environment and in a file.
//!
//! Everything is derived from `options`: an option of the environment is also an option of the file,
//! under its long name. Values of the file become words of a command line and are parsed together with
//! the others, so that rules between options hold wherever they come from.
//!
//! * `keys`: the names of the file, derived from the options
//! * `file`: parser of the file
//! * `expand`: environment variables in strings
//! * `value`: converts a value to words of a command line
//! * `problem`: problems of a file, with their positions
//! * `flags`: optional values of flags
//! * `help`: the short help and the whole one
//! * `read`: combines the command line, the environment and the file; again for a reload
//! * `redacted`: hides passwords in messages
//! * `effective`: the options of a command as they are used, with their origins
//! * `schema`: the JSON Schema of the file
//! * `elsewhere`: hints for options of other servers
//! * `similar`: suggestions for misspelt names
//! * `example`: an example of the file
//! * `policies`: the JSON Schema of policy files
//! * `subgraphs`: the subgraphs file of a gateway
//! * `restart`: options that need a restart

mod effective;
mod elsewhere;
mod example;
mod expand;
mod file;
mod flags;
#[cfg(test)]
mod fuzz;
mod help;
mod keys;
mod policies;
mod problem;
mod read;
mod redacted;
mod restart;
mod schema;
mod similar;
mod subgraphs;
mod value;
#[cfg(test)]
mod variants;

pub(crate) use effective::effective;
pub(crate) use example::example;
pub(crate) use keys::Keys;
pub(crate) use policies::POLICIES;
pub(crate) use problem::{Problem, Refused};
pub(crate) use read::{Again, Invocation, Reread, read, variable};
pub(crate) use redacted::redacted;
pub(crate) use schema::schema;
pub(crate) use subgraphs::schema as subgraphs_schema;
pub(crate) use subgraphs::{
    CompositionFile, ConnectorSource, ConnectorsEntry, Defaults, EventSource, LocalSource,
    Resolved, SchemaPlace, SourceEntry, SourceSettings, SubgraphPlace, SubgraphsFile,
};

/// The whole command line, as its help and its manual show it.
pub(crate) fn documented_command() -> clap::Command {
    use clap::CommandFactory;

    help::with_help(crate::options::Arguments::command(), help::Detail::All)
}

/// The command line, with values for its flags.
#[cfg(test)]
pub(crate) fn tests_command() -> clap::Command {
    use clap::CommandFactory;

    flags::with_values(crate::options::Arguments::command())
}
