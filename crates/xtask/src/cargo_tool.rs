//! Programs of crates.io that chores use, installed into `target/tools`. They are beside the project, and
//! no part of what is released.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{self, ProgramError};

/// A program in a version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CargoTool {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
}

/// A tool cannot be installed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("{0} is not installed, and `--offline` installs nothing")]
    Offline(&'static str),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
}

impl CargoTool {
    /// The program, installed unless it is there in this version.
    pub(crate) fn provide(self, workspace: &Path, offline: bool) -> Result<PathBuf, ToolError> {
        let Self { package, version } = self;
        let tools = workspace.join("target/tools");
        let program = tools.join("bin").join(package);
        let is_version = |text: String| text.trim().trim_start_matches('v').ends_with(version);
        if program::output(Command::new(&program).arg("--version")).is_ok_and(is_version) {
            return Ok(program);
        }
        if offline {
            return Err(ToolError::Offline(package));
        }
        println!("installing {package} {version} from crates.io");
        let build = tools.join("build");
        let mut install = program::cargo();
        install.args(["install", "--locked", "--quiet", package, "--version", version]);
        install.arg("--root").arg(&tools).arg("--target-dir").arg(&build);
        // Outside of the workspace, whose lock file is not meant.
        program::run(install.current_dir("/"))?;
        fs::remove_dir_all(&build).map_err(|error| ToolError::File { path: build, error })?;
        Ok(program)
    }
}
