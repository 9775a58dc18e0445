//! The options of the dialect dgraph.

use clap::Args;
use dialects::dgraph::Options;

#[derive(Debug, Args)]
#[command(next_help_heading = "Dgraph")]
pub(crate) struct DgraphOptions {
    /// For dgraph: filter rows by the fields of rows to which they refer, too, which Dgraph does not offer
    #[arg(long, env = "THALWEG_NESTED_FILTERS")]
    nested_filters: bool,
}

impl DgraphOptions {
    /// The options of the dialect for type definitions.
    pub(super) fn to_dialect(&self, definitions: Options) -> Options {
        Options { nested_filters: self.nested_filters, ..definitions }
    }
}
