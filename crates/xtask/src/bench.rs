//! Runs the benchmark, which is a workspace of its own.

use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::program;
use crate::workspaces;

/// The failed program has printed its own error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("cargo could not be run: {0}")]
    Cargo(#[from] std::io::Error),
    #[error("`{0}` failed")]
    Failed(String),
}

/// Commands that measure, and so need a release build.
const MEASURED: [&str; 12] = [
    "run",
    "citus",
    "documents",
    "mixed",
    "schema-size",
    "start-up",
    "streaming",
    "beside",
    "restaurants",
    "live",
    "hand-over",
    "soak",
];

/// Builds the product if it is needed and not given, and replaces the process by `bench`; the
/// default command is `run`.
pub(crate) fn bench(workspace: &Path, words: &[String]) -> Result<Infallible, BenchError> {
    let mut words = words.to_vec();
    if words.first().is_none_or(|word| word.starts_with("--") && word != "--help") {
        words.insert(0, "run".to_owned());
    }
    let command = words.first().map_or("", String::as_str);
    let given = words.iter().any(|word| {
        matches!(word.as_str(), "--program" | "--help" | "-h") || word.starts_with("--program=")
    });
    if !given
        && !matches!(
            command,
            "report"
                | "sqlite-floor"
                | "neo4j-floor"
                | "restaurants-floor"
                | "federation-subgraphs"
                | "help"
        )
    {
        let mut build = program::cargo();
        build.args(["build", "--quiet", "-p", "server"]).current_dir(workspace);
        if MEASURED.contains(&command) {
            build.arg("--release");
        }
        run("cargo build", build)?;
    }
    let mut bench = program::cargo();
    bench.args(["run", "--quiet"]).current_dir(workspace.join(workspaces::BENCH));
    if matches!(
        command,
        "run"
            | "sqlite-floor"
            | "neo4j-floor"
            | "streaming"
            | "beside"
            | "restaurants"
            | "restaurants-floor"
            | "live"
            | "hand-over"
            | "soak"
            | "federation-subgraphs"
    ) {
        // Some of the load is its own, and so is the bare loop over SQLite.
        bench.arg("--release");
    }
    bench.arg("--").args(&words);
    // In place of this process, as Cargo does it too: killing this one kills the benchmark.
    Err(bench.exec().into())
}

fn run(name: &str, mut command: Command) -> Result<(), BenchError> {
    if command.status()?.success() { Ok(()) } else { Err(BenchError::Failed(name.to_owned())) }
}
