//! Limits on the estimated cost of an operation.

use clap::Args;
use engine::CostLimits;

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct CostOptions {
    /// The maximum estimated cost of an operation, which is about the number of its rows
    #[arg(long, env = "THALWEG_MAX_COST", value_name = "NUMBER", default_value = "1000000")]
    max_cost: u64,
    /// The estimated size of a list that the operation does not limit
    #[arg(long, env = "THALWEG_DEFAULT_LIST_SIZE", value_name = "NUMBER", default_value = "10")]
    default_list_size: u64,
}

impl CostOptions {
    pub(crate) fn limits(&self) -> CostLimits {
        CostLimits { most: self.max_cost, list_size: self.default_list_size }
    }
}
