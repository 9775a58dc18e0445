//! Why a load could not be put on a target.

use std::io;

use super::tool::ToolError;
use crate::race::usage::UsageError;

/// The load did not take place, or what came of it is not known; failed requests are none of these.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Files(#[from] io::Error),
    #[error("`{program}` failed:\n{output}")]
    Failed { program: &'static str, output: String },
    #[error("what `{program}` says makes no sense:\n{output}")]
    Output { program: &'static str, output: String },
    #[error("there is nothing to ask")]
    Nothing,
}
