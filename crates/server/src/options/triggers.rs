//! Options of `thalweg triggers`.

use clap::{Args, ValueEnum};
use engine::SourceAddress;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct TriggersOptions {
    pub(crate) action: TriggersAction,
    /// The database, `postgres://…`
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true)]
    source: String,
    /// The schemas whose tables and views are followed, separated by commas
    #[arg(
        long,
        env = "THALWEG_SCHEMA",
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "public"
    )]
    pub(crate) schema: Vec<String>,
    /// Dry run: print the statements without running them
    #[arg(help_heading = "Triggers", long, env = "THALWEG_DRY_RUN")]
    pub(crate) dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TriggersAction {
    /// Create the missing triggers
    Install,
    /// Remove all triggers of the database
    Remove,
}

impl TriggersOptions {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }
}
