//! The options of the dialect prisma.

use clap::Args;
use dialects::prisma::extensions::{EXTENSIONS, Extension, Extensions};

use super::words::Words;

#[derive(Debug, Args)]
#[command(next_help_heading = "Prisma")]
pub(crate) struct PrismaOptions {
    /// For prisma: parts of the API that Prisma 1 never had, separated by commas
    #[arg(
        long,
        env = "THALWEG_PRISMA_EXTENSIONS",
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = EXTENSION_NAMES
    )]
    prisma_extensions: Vec<Extension>,
}

const EXTENSION_NAMES: Words<Extension> = Words(EXTENSIONS);

impl PrismaOptions {
    /// The parts that the API has.
    pub(super) fn extensions(&self) -> Extensions {
        self.prisma_extensions.iter().copied().collect()
    }
}
