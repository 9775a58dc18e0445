//! Why a command ended without its result: one sentence, with what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use engine::gateway::compatibility::Incompatibility;
use engine::session::KeyError;
use engine::{OpenError, RowError};
use graphql::GraphQLError;

use crate::commands::health::Illness;
use crate::configuration::{ReadError, Refused, Unresolved};
use crate::demo::SampleError;
use crate::http::{ListenError, ManifestError, TlsError};
use crate::metrics::MetricsError;
use crate::supergraph::SupergraphError;
use crate::traces::TracesError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Options that do not go together.
    #[error("{0}; `--help` lists the options")]
    Usage(String),
    #[error(transparent)]
    Configuration(#[from] ReadError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    #[error(transparent)]
    Traces(#[from] TracesError),
    #[error(transparent)]
    Sample(#[from] SampleError),
    #[error("cannot read {}: {error}", file.display())]
    Document { file: PathBuf, error: io::Error },
    #[error("the public keys in {}: {error}", file.display())]
    PublicKey { file: PathBuf, error: KeyError },
    #[error("the trusted documents in {}: {error}", file.display())]
    TrustedDocuments { file: PathBuf, error: ManifestError },
    #[error(transparent)]
    Supergraph(#[from] SupergraphError),
    #[error("{}", wrong(place, problems))]
    WrongSupergraph { place: String, problems: Vec<gateway::supergraph::Problem> },
    #[error(transparent)]
    SubgraphsFile(#[from] Refused),
    #[error(transparent)]
    Subgraphs(#[from] Unresolved),
    #[error("the subgraph `{subgraph}`: {error}")]
    Source { subgraph: Box<str>, error: OpenError },
    /// Sources are not what they were when the supergraph was composed: what which subgraph lacks.
    #[error("{}", others(.0))]
    OtherSources(Vec<(Box<str>, Incompatibility)>),
    /// The operation to explain is not one that the API answers.
    #[error("{0}")]
    Operation(OperationError),
    /// Nothing can be said of the row to explain.
    #[error("`--row`: {0}")]
    Row(#[from] RowError),
    #[error("the server at {address} {illness}")]
    Health { address: String, illness: Illness },
    #[error("cannot write the manual pages into {}: {error}", folder.display())]
    Manual { folder: PathBuf, error: io::Error },
    #[error("the program cannot run here: {0}")]
    Runtime(io::Error),
    #[error("cannot write the output: {0}")]
    Output(#[source] io::Error),
    /// The reason is in the log.
    #[error("a thread of the server has ended; the log says why")]
    Thread,
}

/// GraphQL errors with the file they were found in.
#[derive(Debug)]
pub(crate) struct OperationError {
    pub(crate) file: PathBuf,
    pub(crate) errors: Vec<GraphQLError>,
}

impl Failure {
    /// 2 for options that do not go together, as the reader of the options has it, 1 for the rest.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Configuration(_) => ExitCode::from(2),
            Self::Open(_)
            | Self::Listen(_)
            | Self::Metrics(_)
            | Self::Tls(_)
            | Self::Traces(_)
            | Self::Sample(_)
            | Self::Document { .. }
            | Self::PublicKey { .. }
            | Self::TrustedDocuments { .. }
            | Self::Supergraph(_)
            | Self::WrongSupergraph { .. }
            | Self::SubgraphsFile(_)
            | Self::Subgraphs(_)
            | Self::Source { .. }
            | Self::OtherSources(_)
            | Self::Operation(_)
            | Self::Health { .. }
            | Self::Manual { .. }
            | Self::Runtime(_)
            | Self::Output(_)
            | Self::Row(_)
            | Self::Thread => ExitCode::FAILURE,
        }
    }

    pub(crate) fn is_closed_output(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// `supergraph.graphql:3: message`, one problem a line.
fn wrong(place: &str, problems: &[gateway::supergraph::Problem]) -> String {
    let problems = problems.iter().map(|problem| match problem.line {
        Some(line) => format!("{place}:{line}: {}", problem.message),
        None => format!("{place}: {}", problem.message),
    });
    problems.collect::<Vec<_>>().join("\nerror: ")
}

/// What sources do not have of their subgraphs, one thing a line; so many are told.
fn others(missing: &[(Box<str>, Incompatibility)]) -> String {
    const MOST: usize = 20;
    let told = missing.iter().take(MOST).map(|(subgraph, missing)| {
        format!(
            "the source of the subgraph `{subgraph}` is not what the supergraph says: {missing}"
        )
    });
    let mut lines: Vec<_> = told.collect();
    if let Some(more @ 1..) = missing.len().checked_sub(MOST) {
        lines.push(format!("and {more} more"));
    }
    lines.join("\nerror: ")
}

/// `query.graphql:3:5: message`, which editors make a link of; one error a line.
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
