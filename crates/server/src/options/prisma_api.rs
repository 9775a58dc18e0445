//! The options of the API of the dialect prisma.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use dialects::prisma::Options;
use dialects::prisma::extensions::{EXTENSIONS, Extension};
use dialects::prisma::model::Model;

use super::service_file;
use super::words::Words;
use crate::failure::Failure;

/// Prisma's limit, by its documentation.
const MAX_NODES: u32 = 1_000;

#[derive(Debug, Args)]
#[command(next_help_heading = "Prisma")]
pub(crate) struct PrismaApiOptions {
    /// For prisma: parts of the API that Prisma 1 never had, separated by commas
    #[arg(
        long,
        env = "THALWEG_PRISMA_EXTENSIONS",
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = EXTENSION_NAMES
    )]
    prisma_extensions: Vec<Extension>,
    /// For prisma: the maximum of `first` and `last`; 0 is no maximum [default: 1000]
    #[arg(long, env = "THALWEG_MAX_NODES", value_name = "ROWS")]
    max_nodes: Option<u32>,
    /// For prisma: the mutation `executeRaw`, by which clients send any statement of SQL, as with Prisma's
    /// `rawAccess`
    #[arg(long, env = "THALWEG_RAW_ACCESS")]
    raw_access: bool,
    /// For prisma: a `prisma.yml`, whose `subscriptions` are delivered to their webhooks
    #[arg(long, env = "THALWEG_SUBSCRIPTION_WEBHOOKS", value_name = "FILE")]
    subscription_webhooks: Option<PathBuf>,
}

const EXTENSION_NAMES: Words<Extension> = Words(EXTENSIONS);

impl PrismaApiOptions {
    /// The subscriptions with webhooks.
    pub(super) fn webhooks(&self) -> Result<Vec<engine::WebhookSubscription>, Failure> {
        match &self.subscription_webhooks {
            Some(file) => service_file::webhooks(file, &|name| std::env::var(name).ok()),
            None => Ok(Vec::new()),
        }
    }

    /// The options of the dialect for a datamodel; without its text it is made of the tables.
    pub(super) fn to_dialect(&self, model: Arc<Model>, text: Option<Arc<str>>) -> Options {
        Options {
            model,
            is_introspected: text.is_none(),
            text,
            extensions: self.prisma_extensions.iter().copied().collect(),
            max_nodes: Some(self.max_nodes.unwrap_or(MAX_NODES)).filter(|most| *most > 0),
            raw_access: self.raw_access,
        }
    }
}
