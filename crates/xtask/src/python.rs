//! Packages of Python in a virtual environment in `target`, in fixed versions.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{self, ProgramError};

/// Under `target`.
const FOLDER: &str = "python-packages";

/// Packages could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PythonError {
    #[error("the packages of Python are not installed, and `--offline` installs nothing")]
    Offline,
    #[error("{0}; `python3 -m venv` needs the package `python3-venv` on Debian")]
    Environment(ProgramError),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// True if there is a Python that makes virtual environments.
pub(crate) fn has_venv() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import venv, ensurepip"]).stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

/// Installs the packages of the example in Python, unless they are installed.
pub(crate) fn provide(workspace: &Path, offline: bool) -> Result<(), PythonError> {
    let wanted = workspace.join("crates/server/tests/pages/python-packages/requirements.txt");
    let text = fs::read_to_string(&wanted)?;
    let folder = workspace.join("target").join(FOLDER);
    // Written after the installation only, so that one that was interrupted is done again.
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == text) {
        return Ok(());
    }
    if offline {
        return Err(PythonError::Offline);
    }
    println!("setup: installing the packages of {FOLDER} from PyPI");
    let mut python = Command::new("python3");
    python.args(["-m", "venv", "--clear"]).arg(&folder);
    program::run(&mut python).map_err(PythonError::Environment)?;
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&wanted);
    program::run(&mut pip)?;
    fs::write(installed, text)?;
    Ok(())
}
