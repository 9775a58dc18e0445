//! Errors of a measurement of long answers.

use std::io;

use testkit::postgres::ClientError;

use crate::http::HttpError;
use crate::program::ProgramError;
use crate::race::failure::RaceError;
use crate::race::load::failure::LoadError;
use crate::race::load::tool::ToolError;
use crate::race::usage::UsageError;
use crate::schema_size::failure::SizeError;
use crate::server::ServerError;

/// There are no figures; a wrong answer is none of these.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LongError {
    #[error("there is no suite `shop` in bench/suites, whose queries are asked")]
    NoShop,
    #[error("the suite `shop` has no query `{0}`")]
    NoQuery(&'static str),
    #[error("the query `{query}` {problem}")]
    Small { query: &'static str, problem: String },
    #[error("a long request is refused: {0}")]
    Refused(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Race(#[from] RaceError),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] ClientError),
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Files(#[from] io::Error),
}
