//! Errors of the measurement.

use std::io;
use std::time::Duration;

use procfs::ProcError;
use testkit::postgres::{ClientError, StartError};

use crate::peers::PeerError;
use crate::program::ProgramError;
use crate::race::load::failure::LoadError;
use crate::race::usage::UsageError;
use crate::server::ServerError;

/// There are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LiveError {
    #[error("there is no PostgreSQL; `cargo xtask setup` installs it")]
    NoPostgres,
    #[error("PostgreSQL returned no number: {0}")]
    NoNumber(String),
    #[error("the socket of row {id}: {problem}")]
    Socket { id: u32, problem: String },
    #[error("the messages of {missing} sockets did not arrive in {limit:?}")]
    Missing { missing: usize, limit: Duration },
    #[error("a message was wrong: {0}")]
    Different(String),
    #[error(
        "PostgreSQL has no wal2json, which PostGraphile's live queries need; on Debian: apt-get install \
         postgresql-15-wal2json"
    )]
    NoOutputPlugin,
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error("`--servers` must be 2 or more: another server takes over from the one that is killed")]
    OneServer,
    #[error("no server reads the changes within {0:?}")]
    NoLeader(Duration),
    #[error("a thread of the benchmark has ended")]
    Thread,
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("memory of a process: {0}")]
    Process(#[from] ProcError),
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] ClientError),
    #[error("PostgreSQL: {0}")]
    Client(#[from] tokio_postgres::Error),
    #[error("PostgreSQL: {0}")]
    Start(#[from] StartError),
    #[error(transparent)]
    Files(#[from] io::Error),
}
