//! The options of the dialect phrag.

use clap::Args;
use dialects::phrag::Options;

#[derive(Debug, Args)]
#[command(next_help_heading = "Phrag")]
pub(crate) struct PhragOptions {
    /// For phrag: the default page size: the number of rows of a list without a limit [default: all]
    #[arg(long, env = "THALWEG_DEFAULT_LIMIT", value_name = "ROWS")]
    default_limit: Option<u64>,
    /// For phrag: the maximum depth of relations below a root field [default: any]
    #[arg(long, env = "THALWEG_MAX_NEST_LEVEL", value_name = "LEVELS")]
    max_nest_level: Option<usize>,
    /// For phrag: aggregates [default: true]
    #[arg(long, env = "THALWEG_USE_AGGREGATION", value_name = "WHETHER")]
    use_aggregation: Option<bool>,
}

impl PhragOptions {
    pub(super) fn to_dialect(&self) -> Options {
        Options {
            default_limit: self.default_limit,
            max_nest_level: self.max_nest_level,
            without_aggregation: self.use_aggregation == Some(false),
            ..Options::default()
        }
    }
}
