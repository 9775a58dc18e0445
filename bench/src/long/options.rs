//! Options of both commands.

use std::num::NonZeroU32;

use clap::Args;

use crate::program::Program;
use crate::schema_size::database::Family;

/// Options of `beside`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Measures short requests for 3 seconds instead of 10.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Prints the figures as JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Measures only one kind of database.
    #[arg(long, value_name = "KIND")]
    pub(crate) source: Option<Family>,
    #[command(flatten)]
    pub(crate) program: Program,
    /// Further options of `thalweg serve`, in place of the command's own.
    #[arg(last = true, value_name = "OPTIONS")]
    pub(crate) serve: Vec<String>,
}

/// Options of `streaming`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct StreamingOptions {
    #[command(flatten)]
    pub(crate) common: Options,
    /// The option of the server with the slow reader.
    #[arg(long, value_name = "SECONDS", default_value = "3")]
    pub(crate) stall_timeout: NonZeroU32,
}
