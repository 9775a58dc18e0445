//! Scripts for Node.js, with the packages that `cargo xtask setup` installs.

// Each test binary uses its own part of this, and nobody else any.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where it is set, a missing tool is a failure; `cargo xtask test` sets it.
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_CLIENTS";

/// Runs a script of `tests/clients`, which has to succeed, and gives what it prints; `None` where
/// Node.js or the packages are missing and may be.
pub fn run(name: &str, arguments: &[&str]) -> Option<String> {
    let folder = folder()?;
    let output = Command::new("node").arg(folder.join(name)).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{name}:\n{printed}{error}");
    Some(printed)
}

/// Says that a test is not run, which is an error where the tools are required.
#[allow(clippy::print_stderr, reason = "whoever runs the tests should know")]
pub fn not_run(missing: &str) {
    let message = format!("{missing} is missing; `cargo xtask setup` installs it");
    assert!(std::env::var_os(REQUIRE_VARIABLE).is_none(), "{message}");
    eprintln!("not run: {message}");
}

/// The scripts beside their packages, where Node.js looks for these.
fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = manifest.join("tests/clients");
        let folder = manifest.join("../../target/clients");
        let lock = fs::read_to_string(source.join("package-lock.json")).unwrap();
        let installed = fs::read_to_string(folder.join("installed.json"));
        if installed.is_ok_and(|installed| installed == lock) {
            copy_scripts(&source, &folder);
            Some(folder)
        } else {
            None
        }
    });
    if folder.is_none() {
        not_run("the folder target/clients of npm packages");
        return None;
    }
    if Command::new("node").arg("--version").output().is_err() {
        not_run("Node.js");
        return None;
    }
    folder.as_deref()
}

/// Each appears as a whole: other tests may be reading them.
fn copy_scripts(source: &Path, folder: &Path) {
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "mjs") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let partial = folder.join(format!(".{name}-{}", std::process::id()));
        fs::copy(&path, &partial).unwrap();
        fs::rename(&partial, folder.join(name)).unwrap();
    }
}
