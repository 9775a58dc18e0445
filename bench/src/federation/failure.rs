//! Errors of a comparison of gateways.

use std::io;

use crate::program::ProgramError;
use crate::race::failure::RaceError;
use crate::server::ServerError;

/// There is no run at all; what keeps one gateway away is recorded instead.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FederationError {
    #[error("there is no gateway `{name}`; there are {there}")]
    Unknown { name: String, there: String },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("a load generator is missing: {0}")]
    Tool(String),
    #[error("the subgraphs: {0}")]
    Subgraphs(#[from] ServerError),
    #[error("the subgraphs do not tell what they were asked: {0}")]
    Counts(String),
    #[error(transparent)]
    Race(#[from] RaceError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}
