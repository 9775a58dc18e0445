//! The scripts of `tests/clients`.

use std::ffi::OsStr;
use std::path::Path;

/// Runs a script, which has to succeed, and gives what it prints; `None` where Node.js or the
/// packages are missing and may be.
pub(crate) fn run(name: &str, arguments: &[&str]) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name);
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    testkit::script::run(&script, &arguments).unwrap_or_else(|error| panic!("{error}"))
}
