//! Persisted documents and batching.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::quantity::Size;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Persisted operations and batches")]
pub(crate) struct PersistedOptions {
    /// Automatic persisted queries (APQ): cache documents by their hashes, as Apollo's clients use them
    #[arg(
        long,
        env = "THALWEG_APQ",
        value_name = "WHETHER",
        default_value = "true",
        action = ArgAction::Set
    )]
    pub(crate) apq: bool,
    /// The size of the APQ cache
    #[arg(long, env = "THALWEG_APQ_CACHE_SIZE", value_name = "SIZE", default_value = "16MiB")]
    pub(crate) apq_cache_size: Size,
    /// A manifest of trusted documents that clients may send by id, in Relay's or Apollo's format
    #[arg(long, env = "THALWEG_TRUSTED_DOCUMENTS", value_name = "FILE")]
    pub(crate) trusted_documents: Option<PathBuf>,
    /// Execute trusted documents only
    #[arg(long, env = "THALWEG_ONLY_TRUSTED")]
    pub(crate) only_trusted: bool,
    /// Batching: accept several requests in one body
    #[arg(long, env = "THALWEG_BATCHING")]
    pub(crate) batching: bool,
    /// The maximum number of requests in a batch
    #[arg(long, env = "THALWEG_MAX_BATCH", value_name = "NUMBER", default_value = "10")]
    pub(crate) max_batch: usize,
}

impl PersistedOptions {
    /// Refuses contradictory options.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.only_trusted && self.trusted_documents.is_none() {
            true => Err(Failure::Usage("`--only-trusted` needs `--trusted-documents`".into())),
            false => Ok(()),
        }
    }
}
