//! Builds for another processor: by Zig, whose C compiler and linker have the headers and the musl of
//! each platform.
//!
//! Debian has cross compilers for glibc only, which would make a dynamic program. Zig and
//! `cargo-zigbuild` (MIT) are packages of PyPI.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program;

/// The tool, and the versions that are installed.
const TOOL: &str = "cargo-zigbuild";
const PACKAGES: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];

/// The command that builds instead of `cargo build`; or why it cannot be had. The tools are those of the
/// path, or are installed into `target/tools/zig`.
pub(crate) fn cargo(workspace: &Path, offline: bool) -> Result<Command, String> {
    if program::find(TOOL).is_some() {
        return Ok(zigbuild(Path::new(TOOL)));
    }
    let folder = workspace.join("target/tools/zig");
    let tool = folder.join("bin").join(TOOL);
    if !tool.is_file() {
        if offline {
            return Err(format!("`{TOOL}` is not installed, and `--offline` installs nothing."));
        }
        println!("dist: installing {} into {}", PACKAGES.join(", "), folder.display());
        let installed = program::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .and_then(|()| {
                let mut pip = Command::new(folder.join("bin/pip"));
                program::run(pip.args(["install", "--quiet"]).args(PACKAGES))
            });
        installed.map_err(|error| format!("`{TOOL}` cannot be installed: {error}."))?;
    }
    let mut command = zigbuild(&tool);
    // It looks there for Python with the package of Zig.
    let paths: Vec<PathBuf> = [folder.join("bin")]
        .into_iter()
        .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default()))
        .collect();
    let path = env::join_paths(paths).map_err(|error| error.to_string())?;
    command.env("PATH", path);
    Ok(command)
}

fn zigbuild(tool: &Path) -> Command {
    let mut command = Command::new(tool);
    command.arg("zigbuild");
    command
}
