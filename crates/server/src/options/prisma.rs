//! The options of the dialect prisma.

use clap::Args;

/// Prisma's limit, by its documentation.
const MAX_NODES: u32 = 1_000;

#[derive(Debug, Args)]
#[command(next_help_heading = "Prisma")]
pub(crate) struct PrismaOptions {
    /// For prisma: the maximum of `first` and `last`, and the number of rows of a list without them;
    /// 0 is no maximum [default: 1000]
    #[arg(long, env = "THALWEG_MAX_NODES", value_name = "ROWS")]
    max_nodes: Option<u32>,
}

impl PrismaOptions {
    pub(super) fn max_nodes(&self) -> Option<u32> {
        Some(self.max_nodes.unwrap_or(MAX_NODES)).filter(|most| *most > 0)
    }
}
