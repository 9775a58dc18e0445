//! The error of a command: one sentence, with a remedy.
//!
//! Modules convert their own errors: this one imports none of them.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use engine::gateway::compatibility::Incompatibility;
use engine::session::KeyError;
use engine::{OpenError, RowError};
use gateway::events::EventProblem;
use graphql::GraphQLError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Options that contradict each other, or have no meaning for the source.
    #[error("{}{}", .0, list_of_options(.0))]
    Usage(String),
    /// Options that cannot be read.
    #[error(transparent)]
    Configuration(Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot read {}: {error}", file.display())]
    Document { file: PathBuf, error: io::Error },
    #[error("the public keys in {}: {error}", file.display())]
    PublicKey { file: PathBuf, error: KeyError },
    #[error("{}", one_per_line(place, problems))]
    WrongSupergraph { place: String, problems: Vec<supergraph::Problem> },
    #[error("the subgraph `{subgraph}`: {error}")]
    Source { subgraph: Box<str>, error: OpenError },
    /// Sources that do not fit the supergraph, with the missing parts of each subgraph.
    #[error("{}", list_missing(.0))]
    OtherSources(Vec<(Box<str>, Incompatibility)>),
    #[error("{}", one_event_problem_per_line(file, problems))]
    WrongEvents { file: PathBuf, problems: Vec<EventProblem> },
    /// The operation to explain is invalid.
    #[error("{0}")]
    Operation(OperationError),
    /// The row cannot be explained.
    #[error("`--row`: {0}")]
    Row(#[from] RowError),
    #[error("cannot write the manual pages into {}: {error}", folder.display())]
    Manual { folder: PathBuf, error: io::Error },
    #[error("the program cannot run here: {0}")]
    Runtime(io::Error),
    #[error("cannot write the output: {0}")]
    Output(#[source] io::Error),
    /// The reason is in the log.
    #[error("a thread of the server has ended; the log says why")]
    Thread,
    /// An error of another module.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

/// Where a message about options leads on. One about a file has its own remedy.
fn list_of_options(message: &str) -> &'static str {
    if message.contains("`--") { "; `--help-all` lists the options" } else { "" }
}

/// GraphQL errors of a file.
#[derive(Debug)]
pub(crate) struct OperationError {
    pub(crate) file: PathBuf,
    pub(crate) errors: Vec<GraphQLError>,
}

impl Failure {
    pub(crate) fn other(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// The error of another module, if it has this type.
    pub(crate) fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        match self {
            Self::Other(error) => error.downcast_ref(),
            _ => None,
        }
    }

    /// 2 for wrong options, as for errors of the command line; 1 for the rest.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Configuration(_) => ExitCode::from(2),
            Self::Open(_)
            | Self::Document { .. }
            | Self::PublicKey { .. }
            | Self::WrongSupergraph { .. }
            | Self::Source { .. }
            | Self::OtherSources(_)
            | Self::WrongEvents { .. }
            | Self::Operation(_)
            | Self::Manual { .. }
            | Self::Runtime(_)
            | Self::Output(_)
            | Self::Row(_)
            | Self::Thread
            | Self::Other(_) => ExitCode::FAILURE,
        }
    }

    pub(crate) fn is_closed_output(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// `supergraph.graphql:3: message`, one problem per line.
fn one_per_line(place: &str, problems: &[supergraph::Problem]) -> String {
    let problems = problems.iter().map(|problem| match problem.line {
        Some(line) => format!("{place}:{line}: {}", problem.message),
        None => format!("{place}: {}", problem.message),
    });
    problems.collect::<Vec<_>>().join("\nerror: ")
}

fn one_event_problem_per_line(file: &Path, problems: &[EventProblem]) -> String {
    let place = file.display();
    let problems = problems.iter().map(|problem| match problem.line {
        Some(line) => format!("{place}:{line}: {}", problem.message),
        None => format!("{place}: {}", problem.message),
    });
    problems.collect::<Vec<_>>().join("\nerror: ")
}

/// The first missing parts of sources, one per line.
fn list_missing(missing: &[(Box<str>, Incompatibility)]) -> String {
    const MOST: usize = 20;
    let shown = missing.iter().take(MOST).map(|(subgraph, missing)| {
        format!(
            "the source of the subgraph `{subgraph}` is not what the supergraph says: {missing}"
        )
    });
    let mut lines: Vec<_> = shown.collect();
    if let Some(more @ 1..) = missing.len().checked_sub(MOST) {
        lines.push(format!("and {more} more"));
    }
    lines.join("\nerror: ")
}

/// `query.graphql:3:5: message`, which editors turn into a link; one error per line.
impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, error) in self.errors.iter().enumerate() {
            if idx > 0 {
                f.write_str("\nerror: ")?;
            }
            write!(f, "{}:", self.file.display())?;
            if let Some(location) = error.locations.first() {
                write!(f, "{}:{}:", location.line, location.column)?;
            }
            write!(f, " {}", error.message)?;
        }
        Ok(())
    }
}
