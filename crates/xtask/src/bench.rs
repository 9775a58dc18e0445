//! Thalweg beside others, and measured: a crate of its own, because it has dependencies.

use std::path::Path;

use crate::program;

/// What it did not do it has said itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("cargo could not be run: {0}")]
    Cargo(#[from] std::io::Error),
    #[error("`{0}` failed")]
    Failed(String),
}

/// Builds the product and `bench` beside each other, and runs the latter on the words.
pub(crate) fn bench(workspace: &Path, words: &[String]) -> Result<(), BenchError> {
    let mut build = program::cargo();
    build.args(["build", "--quiet", "-p", "server"]).current_dir(workspace);
    let debug = words.iter().any(|word| word == "--debug" || word == "--help");
    if words.first().is_some_and(|word| word == "schema-size") && !debug {
        build.arg("--release");
    }
    let mut run = program::cargo();
    run.args(["run", "--quiet", "-p", "bench", "--"]).args(words).current_dir(workspace);
    for (name, mut command) in [("cargo build".to_owned(), build), (words.join(" "), run)] {
        if !command.status()?.success() {
            return Err(BenchError::Failed(name));
        }
    }
    Ok(())
}
