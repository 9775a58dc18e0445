//! The server that tests start.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that Cargo has built beside these tests; it is built now where it is missing.
pub(crate) fn thalweg() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a path");
    let program = own.ancestors().nth(2).expect("a target folder").join("thalweg");
    if !program.is_file() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "-p", "server"]).current_dir(workspace());
        assert!(build.status().is_ok_and(|status| status.success()), "thalweg cannot be built");
    }
    program
}

/// The workspace of the product.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
