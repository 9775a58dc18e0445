//! mdBook, which makes the site; installed from crates.io into `target/tools`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::SiteError;
use crate::program;

/// Of July 2026; MPL-2.0. It is a program beside the project, and no part of what is released.
const VERSION: &str = "0.5.4";

/// The program, installed unless it is there in this version.
pub(super) fn provide(workspace: &Path, offline: bool) -> Result<PathBuf, SiteError> {
    let tools = workspace.join("target/tools");
    let mdbook = tools.join("bin/mdbook");
    let is_version = |text: String| text.trim().ends_with(&format!("v{VERSION}"));
    if program::output(Command::new(&mdbook).arg("--version")).is_ok_and(is_version) {
        return Ok(mdbook);
    }
    if offline {
        return Err(SiteError::Offline);
    }
    println!("site: installing mdBook {VERSION} from crates.io");
    let build = tools.join("build");
    let mut install = program::cargo();
    install.args(["install", "--locked", "--quiet", "mdbook", "--version", VERSION]);
    install.arg("--root").arg(&tools).arg("--target-dir").arg(&build);
    // Outside of the workspace, whose lock file is not meant.
    program::run(install.current_dir("/"))?;
    fs::remove_dir_all(&build).map_err(|error| super::file(&build, error))?;
    Ok(mdbook)
}
