//! Errors of the measurement.

use std::io;
use std::process::ExitStatus;

use testkit::postgres::{ClientError, StartError};

use crate::http::HttpError;
use crate::program::ProgramError;
use crate::race::failure::RaceError;
use crate::race::usage::UsageError;
use crate::server::ServerError;

/// There are no figures; a wrong answer is none of these.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestaurantsError {
    #[error("there is no PostgreSQL; `cargo xtask setup` installs it")]
    NoPostgres,
    #[error("{program} failed ({status}): {text}")]
    Failed { program: String, status: ExitStatus, text: String },
    #[error("the answer to {query} is {status}: {text}")]
    Refused { query: String, status: u16, text: String },
    #[error("there is no query {0}")]
    NoQuery(String),
    #[error("a thread of the load has panicked")]
    Thread,
    #[error("the import stored other rows: {0}")]
    Imported(String),
    #[error("a mutation failed: {0}")]
    Mutation(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Race(#[from] RaceError),
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] ClientError),
    #[error("PostgreSQL: {0}")]
    Start(#[from] StartError),
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Files(#[from] io::Error),
}
