//! Errors of a load.

use std::io;
use std::process::Output;

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
    #[error(
        "{wanted} open files are needed and {most} are allowed: raise the limit by `ulimit -n`"
    )]
    OpenFiles { wanted: u64, most: u64 },
}

/// Many connections fail alike: so many different lines say it.
const LINES: usize = 12;

impl LoadError {
    /// A program that ended with a failure, and what it wrote.
    pub(super) fn failed(program: &'static str, output: &Output) -> Self {
        let text = [output.stderr.as_slice(), &output.stdout].concat();
        let mut lines: Vec<String> = Vec::new();
        for line in String::from_utf8_lossy(&text).lines() {
            if lines.len() < LINES && !lines.iter().any(|other| other == line) {
                lines.push(line.to_owned());
            }
        }
        Self::Failed { program, output: lines.join("\n") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitStatus;

    #[test]
    fn what_failed_is_said_once_and_errors_first() {
        let output = Output {
            status: ExitStatus::default(),
            stdout: b"transactions: 0\n".to_vec(),
            stderr: b"no column x\n\nno column x\n".to_vec(),
        };
        let error = LoadError::failed("pgbench", &output);
        assert_eq!(error.to_string(), "`pgbench` failed:\nno column x\n\ntransactions: 0");
    }
}
