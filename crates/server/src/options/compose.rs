//! Options of `thalweg compose`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::quantity::Time;

#[derive(Debug, Args)]
pub(crate) struct ComposeOptions {
    /// The file with the subgraphs: `supergraph.yaml` as Rover reads it, or a TOML file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The file with settings of each subgraph: its databases are composed, too
    #[arg(long, env = "THALWEG_SUBGRAPHS", value_name = "FILE")]
    pub(crate) subgraphs: Option<PathBuf>,
    /// The file of the supergraph, or `-` for the standard output
    #[arg(short, long, env = "THALWEG_OUTPUT", value_name = "PATH", default_value = "-")]
    pub(crate) output: PathBuf,
    /// The form of errors and hints
    #[arg(long, env = "THALWEG_REPORT", value_name = "FORM", default_value = "text")]
    pub(crate) report: ReportForm,
    /// Compose again when the file or a schema changes; needs `--output`
    ///
    /// Files are polled every second, running subgraphs and databases as `--poll` says.
    #[arg(short = 'w', long, env = "THALWEG_WATCH")]
    pub(crate) watch: bool,
    /// With `--watch`: the interval of polling running subgraphs and databases [default: never]
    #[arg(long, env = "THALWEG_POLL", value_name = "TIME")]
    pub(crate) poll: Option<Time>,
}

/// The form of errors and hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// Text, with the places in the files
    #[default]
    Text,
    /// One JSON document, with the supergraph
    Json,
    /// Annotations of GitHub's workflows
    Github,
}
