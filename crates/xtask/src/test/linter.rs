//! Clippy as the compiler: it lints the crates of a workspace while it compiles them.
//!
//! `cargo clippy` only checks, so that all dependencies are parsed and type-checked once for it and
//! once for the build: a third of the time from a clean clone. Clippy's driver is a whole compiler,
//! and Cargo runs it in place of `rustc` for the workspace's own crates.

use std::path::PathBuf;
use std::process::Command;

use crate::program;

/// Cargo's variable for the compiler of a workspace's own crates.
const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";
/// Clippy's variable for its arguments, each of which ends with the separator.
const ARGUMENTS: &str = "CLIPPY_ARGS";
const DENY_WARNINGS: &str = "-Dwarnings__CLIPPY_HACKERY__";

/// The driver of an installed Clippy.
#[derive(Debug)]
pub(super) struct Linter {
    driver: PathBuf,
}

impl Linter {
    /// The driver beside the Cargo that runs this program, or that of `PATH`.
    pub(super) fn find() -> Option<Self> {
        const NAME: &str = "clippy-driver";
        let beside = program::cargo().get_program().to_owned();
        let beside = PathBuf::from(beside).with_file_name(NAME);
        let driver = if beside.is_file() { beside } else { program::find(NAME)? };
        // A proxy of rustup is there even where the component is not.
        program::run(Command::new(&driver).arg("--version")).ok()?;
        Some(Self { driver })
    }

    /// Makes a command that runs Cargo lint whatever it compiles. Tests that run Cargo get the same
    /// variables: Cargo keeps apart the artifacts of different compilers.
    pub(super) fn apply(&self, command: &mut Command) {
        command.env(WRAPPER, &self.driver).env(ARGUMENTS, DENY_WARNINGS);
    }
}
