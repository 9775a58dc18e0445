//! Errors of a measurement.

use std::io;

use procfs::ProcError;
use testkit::postgres::{ClientError, StartError};

use crate::http::HttpError;
use crate::program::ProgramError;
use crate::server::ServerError;

/// The measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SizeError {
    #[error("`{program}` could not be run: {error}")]
    Program { program: String, error: io::Error },
    #[error("`{program}` failed: {output}")]
    ProgramFailed { program: String, output: String },
    #[error("neither `perf stat` nor `valgrind` can count instructions on this machine")]
    NoCounter,
    #[error("the count of instructions could not be read: {0}")]
    Count(String),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("an operation is refused: {0}")]
    Refused(String),
    #[error(transparent)]
    Thalweg(#[from] ProgramError),
    #[error("memory and time of a process: {0}")]
    Process(#[from] ProcError),
    #[error("a thread of the load has panicked")]
    Thread,
    #[error(transparent)]
    Files(#[from] io::Error),
    #[error("the answer of `{operation}` is not the same on every database: {answer}")]
    AnswersDiffer { operation: &'static str, answer: String },
    #[error("there is no PostgreSQL on this machine; `cargo xtask setup` installs one")]
    NoPostgres,
    #[error(
        "no PostgreSQL of this machine has Citus, which is built from its source: docs/citus.md"
    )]
    NoCitus,
    #[error("PostgreSQL: {0}")]
    PostgresStart(#[from] StartError),
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] ClientError),
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}
