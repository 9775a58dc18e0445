//! Options of `thalweg import-metadata`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ImportMetadataOptions {
    /// The metadata: an exported folder, or a file of JSON or YAML
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Print the metadata of version 3 as JSON instead, as `export_metadata` returns it
    #[arg(long, env = "THALWEG_PRINT_METADATA")]
    pub(crate) print_metadata: bool,
}
