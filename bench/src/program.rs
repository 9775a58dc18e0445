//! The program `thalweg`: which one is measured, and the command that starts it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

/// The measured program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Program {
    /// Measures this program, and builds none.
    #[arg(long = "program", value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
}

/// There is no program to start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("Thalweg's program is not at {}; `cargo xtask bench` and `cargo xtask compare` build it", .0.display())]
    Missing(PathBuf),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Program {
    /// The program of the option, or that of the release build.
    pub(crate) fn or_release(&self) -> Result<PathBuf, ProgramError> {
        self.or(|| {
            let own = beside()?;
            let target = own.parent().and_then(Path::parent).unwrap_or(Path::new("target"));
            Ok(target.join("release/thalweg"))
        })
    }

    /// The program of the option, or the one that Cargo built beside this program.
    pub(crate) fn or_beside(&self) -> Result<PathBuf, ProgramError> {
        self.or(beside)
    }

    fn or(&self, built: impl FnOnce() -> io::Result<PathBuf>) -> Result<PathBuf, ProgramError> {
        let path = match &self.path {
            Some(path) => path.clone(),
            None => built()?,
        };
        // Servers are started in other folders.
        match path.is_file() {
            true => Ok(fs::canonicalize(path)?),
            false => Err(ProgramError::Missing(path)),
        }
    }
}

fn beside() -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("thalweg"))
}

/// `thalweg serve` on a database; only its command line configures it.
pub(crate) fn serve(mut program: Command, database: &str, port: u16) -> Command {
    program.args(["serve", database, "--listen", &format!("127.0.0.1:{port}")]);
    forget_environment(&mut program);
    program
}

/// Removes the environment variables that configure servers and clients of databases.
pub(crate) fn forget_environment(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["THALWEG_", "PG", "NEO4J_"].iter().any(|start| text.starts_with(start)) {
            command.env_remove(&name);
        }
    }
}
