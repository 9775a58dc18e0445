//! Errors of a measurement of starts.

use std::io;

use crate::peers::PeerError;
use crate::program::ProgramError;
use crate::schema_size::failure::SizeError;

/// The measurement could not be made. That a contestant does not start is a result instead.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartUpError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error("{file}, line {line}: {error}")]
    Journal { file: String, line: usize, error: serde_json::Error },
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Files(#[from] io::Error),
}
