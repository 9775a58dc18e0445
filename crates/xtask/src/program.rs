//! Other programs: whether they are there, and running them.

use std::env;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

/// A program failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("`{program}` could not be run: {error}")]
    Start { program: String, error: io::Error },
    #[error("`{program}` failed ({status}){}", quoted(.output))]
    Failed { program: String, status: ExitStatus, output: String },
}

/// Runs a program and keeps its output for the error.
pub(crate) fn run(command: &mut Command) -> Result<(), ProgramError> {
    output(command).map(drop)
}

/// Runs a program and returns its output.
pub(crate) fn output(command: &mut Command) -> Result<String, ProgramError> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Err(error) => Err(ProgramError::Start { program, error }),
        Ok(done) if done.status.success() => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        Ok(done) => {
            let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
            Err(ProgramError::Failed { program, status: done.status, output })
        }
    }
}

/// Finds a program in `PATH`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The Cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Only root may install packages.
pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

/// The end of a long output holds its reason.
fn quoted(output: &str) -> String {
    let lines: Vec<&str> = output.trim().lines().collect();
    let last = lines.get(lines.len().saturating_sub(12)..).unwrap_or_default();
    if last.is_empty() { String::new() } else { format!(":\n{}", last.join("\n")) }
}
