//! Errors of the suite itself.

use std::io;

use procfs::ProcError;
use testkit::broker;
use testkit::postgres::{ClientError, StartError};

use crate::program::ProgramError;
use crate::server::ServerError;

/// There is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SoakError {
    #[error("there is no PostgreSQL; `cargo xtask setup` installs it")]
    NoPostgres,
    #[error("there is no Redis; `cargo xtask setup` installs it")]
    NoRedis,
    #[error("a thread of the benchmark has ended")]
    Thread,
    #[error("PostgreSQL returned no number: {0}")]
    NoNumber(String),
    #[error("`kill` could not be run: {0}")]
    Kill(#[source] io::Error),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("the server's process: {0}")]
    Process(#[from] ProcError),
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] ClientError),
    #[error("PostgreSQL: {0}")]
    Start(#[from] StartError),
    #[error("Redis: {0}")]
    Redis(#[from] broker::StartError),
    #[error(transparent)]
    Files(#[from] io::Error),
}
