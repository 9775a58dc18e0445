//! Limits on the estimated cost of an operation.

use clap::Args;
use engine::CostLimits;

use super::words::Words;

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct CostOptions {
    /// The maximum estimated cost of an operation, which is about the number of its rows
    #[arg(long, env = "THALWEG_MAX_COST", value_name = "NUMBER", default_value = "1000000")]
    max_cost: u64,
    /// The estimated size of a list that the operation does not limit
    #[arg(long, env = "THALWEG_DEFAULT_LIST_SIZE", value_name = "NUMBER", default_value = "10")]
    default_list_size: u64,
    /// Operations that cost more than `--max-cost`
    #[arg(
        long,
        env = "THALWEG_COST_MODE",
        value_name = "MODE",
        default_value = "enforce",
        value_parser = MODES
    )]
    cost_mode: CostMode,
}

/// What happens to operations that cost too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CostMode {
    Enforce,
    Measure,
}

const MODES: Words<CostMode> = Words(&[
    ("enforce", CostMode::Enforce, "They are refused"),
    ("measure", CostMode::Measure, "They are executed, and the log has their names and costs"),
]);

impl CostOptions {
    pub(crate) fn limits(&self) -> CostLimits {
        CostLimits {
            most: self.max_cost,
            list_size: self.default_list_size,
            measures_only: self.cost_mode == CostMode::Measure,
        }
    }
}
