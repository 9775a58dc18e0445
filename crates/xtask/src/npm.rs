//! Packages from npm, installed into `target` as a lock file names them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{self, ProgramError};

/// Packages could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NpmError {
    #[error("not installed, and `--offline` installs nothing")]
    Offline,
    #[error("there is no `npm`; install Node.js")]
    NoNpm,
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// Installs the packages of the lock file in `source` into the folder `name` of `target`, unless
/// they are installed, and returns the folder.
pub(crate) fn provide(
    workspace: &Path,
    source: &Path,
    name: &str,
    offline: bool,
) -> Result<PathBuf, NpmError> {
    let folder = workspace.join("target").join(name);
    let lock = fs::read_to_string(source.join("package-lock.json"))?;
    // Written after the installation only, so that one that was interrupted is done again.
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|text| text == lock) {
        return Ok(folder);
    }
    if offline {
        return Err(NpmError::Offline);
    }
    if program::find("npm").is_none() {
        return Err(NpmError::NoNpm);
    }
    println!("setup: installing the packages of {name} from npm");
    fs::create_dir_all(&folder)?;
    fs::copy(source.join("package.json"), folder.join("package.json"))?;
    fs::write(folder.join("package-lock.json"), &lock)?;
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder);
    program::run(&mut npm)?;
    fs::write(installed, lock)?;
    Ok(folder)
}
