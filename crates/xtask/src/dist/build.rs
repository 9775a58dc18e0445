//! Builds the program: static with musl, or dynamic with glibc where that cannot be had.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cross;
use super::platform::{Libc, Platform};
use super::{DistError, Options};
use crate::debian;
use crate::program::{self, ProgramError};

/// The profile in the workspace's `Cargo.toml`.
const PROFILE: &str = "packed";

/// A built program.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) program: PathBuf,
    /// The reason why a static build was not tried.
    pub(crate) fallback: Option<String>,
}

/// Builds the program, unless one is given.
pub(crate) fn build(
    workspace: &Path,
    platform: Platform,
    options: &Options,
) -> Result<Built, DistError> {
    if let Some(program) = &options.program {
        let program = program
            .canonicalize()
            .map_err(|error| DistError::File { path: program.clone(), error })?;
        let fallback = Some("It was built before, and given by `--program`.".to_owned());
        return Ok(Built { program, fallback });
    }
    let target = platform.target(Libc::Musl);
    if !platform.is_host() {
        add_target(&target, options.offline).map_err(DistError::Cross)?;
        let cargo = cross::cargo(workspace, options.offline).map_err(DistError::Cross)?;
        return Ok(Built { program: compile(workspace, &target, cargo)?, fallback: None });
    }
    match provide(&target, options.offline) {
        Ok(()) => Ok(Built { program: compile(workspace, &target, cargo())?, fallback: None }),
        Err(reason) => {
            println!("dist: no static program: {reason}");
            let program = compile(workspace, &platform.target(Libc::Gnu), cargo())?;
            Ok(Built { program, fallback: Some(reason) })
        }
    }
}

/// The standard library for the target and a compiler for the C parts, which are SQLite, mimalloc
/// and the cryptography of TLS; or why they cannot be had.
fn provide(target: &str, offline: bool) -> Result<(), String> {
    add_target(target, offline)?;
    if program::find("musl-gcc").is_none() {
        if offline {
            return Err("`musl-gcc` is not installed, and `--offline` installs nothing.".to_owned());
        }
        debian::install(&["musl-tools"])
            .map_err(|error| format!("`musl-gcc` cannot be installed: {error}."))?;
    }
    Ok(())
}

/// The standard library for the target.
fn add_target(target: &str, offline: bool) -> Result<(), String> {
    if !has_target(target) {
        if offline {
            return Err(format!(
                "The target {target} is not installed, and `--offline` installs nothing."
            ));
        }
        println!("dist: installing the target {target}");
        program::run(Command::new("rustup").args(["target", "add", target]))
            .map_err(|error| format!("The target {target} cannot be installed: {error}"))?;
    }
    Ok(())
}

fn has_target(target: &str) -> bool {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print", "target-libdir", "--target", target]);
    program::output(&mut rustc).is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

fn cargo() -> Command {
    let mut cargo = program::cargo();
    cargo.arg("build");
    cargo
}

fn compile(workspace: &Path, target: &str, mut cargo: Command) -> Result<PathBuf, DistError> {
    println!("dist: building for {target}; this takes minutes");
    cargo.args(["--locked", "--package", "server", "--profile", PROFILE]);
    cargo.args(["--target", target]).current_dir(workspace);
    // Flags of the environment, such as those for the own processor, are not portable; these
    // replace them.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(workspace, cargo_home().as_deref()));
    // The user sees Cargo's output.
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => {
            let program = "cargo build".to_owned();
            return Err(ProgramError::Failed { program, status, output: String::new() }.into());
        }
        Err(error) => {
            return Err(ProgramError::Start { program: "cargo".to_owned(), error }.into());
        }
    }
    let folder = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| "target".into());
    Ok(workspace.join(folder).join(target).join(PROFILE).join("thalweg"))
}

/// Panics contain paths of files: without the folders of this machine.
fn flags(workspace: &Path, cargo_home: Option<&Path>) -> String {
    let remap = |from: &Path, to| format!("--remap-path-prefix={}={to}", from.display());
    let home = cargo_home.map(|folder| remap(folder, "/cargo"));
    let flags: Vec<String> = home.into_iter().chain([remap(workspace, "/thalweg")]).collect();
    flags.join("\x1f")
}

/// The folder in which Cargo keeps the sources of packages.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    let usual = || env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_this_machine_are_replaced() {
        let flags = flags(Path::new("/home/a/thalweg"), Some(Path::new("/home/a/.cargo")));
        let expected = "--remap-path-prefix=/home/a/.cargo=/cargo\x1f\
            --remap-path-prefix=/home/a/thalweg=/thalweg";
        assert_eq!(flags, expected);
    }

    #[test]
    fn a_target_that_is_not_there_is_not_installed_offline() {
        let reason = provide("x86_64-unknown-nowhere", true);
        let expected =
            "The target x86_64-unknown-nowhere is not installed, and `--offline` installs nothing.";
        assert_eq!(reason, Err(expected.to_owned()));
    }
}
