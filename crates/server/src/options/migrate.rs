//! Options of `thalweg migrate`.

use std::path::PathBuf;

use clap::Args;
use dialects::neo4j::model::Model;

use super::neo4j::{TypesOptions, model};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct MigrateOptions {
    #[command(flatten)]
    pub(crate) graph: TypesOptions,
    /// The type definitions, which declare unique and searched fields
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE")]
    types: PathBuf,
    /// Dry run: print the statements without running them
    #[arg(help_heading = "Migration", long, env = "THALWEG_DRY_RUN")]
    pub(crate) dry_run: bool,
}

impl MigrateOptions {
    pub(crate) fn model(&self) -> Result<Model, Failure> {
        model(&self.types, self.graph.version())
    }
}
