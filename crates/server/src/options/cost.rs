//! What an operation may cost by estimate.

use clap::Args;
use engine::CostLimits;

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct CostOptions {
    /// The most that an operation may cost by estimate: about as many as its rows
    #[arg(long, env = "THALWEG_MAX_COST", value_name = "NUMBER", default_value = "1000000")]
    max_cost: u64,
    /// How many rows a list is taken to have where the operation does not bound it
    #[arg(long, env = "THALWEG_DEFAULT_LIST_SIZE", value_name = "NUMBER", default_value = "10")]
    default_list_size: u64,
}

impl CostOptions {
    pub(crate) fn limits(&self) -> CostLimits {
        CostLimits { most: self.max_cost, list_size: self.default_list_size }
    }
}
