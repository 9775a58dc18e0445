//! Errors of a run.

use std::io;
use std::path::PathBuf;

use testkit::{neo4j, postgres};

use super::report::ReportError;
use crate::program::ProgramError;

/// The benchmark could not be run at all; what keeps a contestant away is recorded instead.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RaceError {
    /// A file of `bench` cannot be used.
    #[error("{}: {problem}", path.display())]
    File { path: PathBuf, problem: String },
    #[error("there is no {kind} `{name}`; there are {there}")]
    Unknown { kind: &'static str, name: String, there: String },
    #[error("there is no PostgreSQL on this machine; `cargo xtask setup` installs it")]
    NoPostgres,
    #[error(transparent)]
    Postgres(#[from] postgres::StartError),
    #[error("the data of {suite}: {problem}")]
    Data { suite: String, problem: String },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("there is no run that has not ended")]
    NothingToResume,
    #[error("there is no Neo4j on this machine; `cargo xtask setup` installs it")]
    NoNeo4j,
    #[error(transparent)]
    Graph(#[from] neo4j::GraphError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl RaceError {
    pub(crate) fn file(path: impl Into<PathBuf>, problem: &impl ToString) -> Self {
        Self::File { path: path.into(), problem: problem.to_string() }
    }
}
