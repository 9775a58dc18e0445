//! The configuration: the same names on the command line, in the environment and in a file.
//!
//! The options in `options` are all there is to know: an option that can be given in the
//! environment can be given in the file, under its long name. What the file says is turned into
//! the words of a command line and read together with the rest, so that whatever holds between
//! options holds wherever they come from.
//!
//! * `keys`: the names that a file may use, from the options
//! * `file`: from the text of a file to its values, each with its place
//! * `expand`: environment variables inside the file's strings
//! * `value`: from a value to the words of a command line
//! * `problem`: what is wrong with a file, and where
//! * `flags`: options without a value, which may have one
//! * `read`: the command line, the environment and the file together, and again for a reload
//! * `redacted`: messages without passwords of addresses
//! * `schema`: the JSON Schema of the file
//! * `elsewhere`: options that other servers have
//! * `similar`: the name that was probably meant
//! * `example`: a file with every option
//! * `policies`: the JSON Schema of policy files
//! * `subgraphs`: what holds for each subgraph of a gateway
//! * `restart`: the options that a reload cannot change

mod elsewhere;
mod example;
mod expand;
mod file;
mod flags;
#[cfg(test)]
mod fuzz;
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

pub(crate) use example::example;
pub(crate) use keys::Keys;
pub(crate) use policies::POLICIES;
pub(crate) use problem::Refused;
pub(crate) use read::{Again, Invocation, ReadError, Reread, read, variable};
pub(crate) use redacted::redacted;
pub(crate) use schema::schema;
pub(crate) use subgraphs::{LocalSource, Resolved, SUBGRAPHS, SubgraphsFile, Unresolved, Usual};

/// The command line, with values for its flags.
#[cfg(test)]
pub(crate) fn tests_command() -> clap::Command {
    use clap::CommandFactory;

    flags::with_values(crate::options::Arguments::command())
}
