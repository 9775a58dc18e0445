//! Thalweg beside others, and measured: a crate of its own, because it has dependencies.

use std::path::Path;
use std::process::Command;

use crate::program;

/// What it did not do it has said itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("cargo could not be run: {0}")]
    Cargo(#[from] std::io::Error),
    #[error("`{0}` failed")]
    Failed(String),
}

/// Builds the product if it is wanted and not given, and runs `bench` on the words.
pub(crate) fn bench(workspace: &Path, words: &[String]) -> Result<(), BenchError> {
    let given = words.iter().any(|word| matches!(word.as_str(), "--program" | "--help" | "-h"));
    let is_report = words.first().is_some_and(|word| word == "report");
    if !given && !is_report {
        let mut build = program::cargo();
        build.args(["build", "--quiet", "-p", "server"]).current_dir(workspace);
        if words.first().is_some_and(|word| matches!(word.as_str(), "schema-size" | "start-up")) {
            build.arg("--release");
        }
        run("cargo build", build)?;
    }
    let mut bench = program::cargo();
    bench.args(["run", "--quiet", "-p", "bench", "--"]).args(words).current_dir(workspace);
    run(&words.join(" "), bench)
}

fn run(name: &str, mut command: Command) -> Result<(), BenchError> {
    if command.status()?.success() { Ok(()) } else { Err(BenchError::Failed(name.to_owned())) }
}
