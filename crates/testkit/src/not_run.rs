//! Tests that cannot run here: they are named, so that a run without them is never taken for a whole one.

use std::fs::OpenOptions;
use std::io::Write;
use std::thread;

/// The variable that names the file of tests that were not run; `cargo xtask test` reads it.
const NOT_RUN_VARIABLE: &str = "THALWEG_NOT_RUN_FILE";

/// Prints that a test is not run, with the reason and the remedy, and has `cargo xtask test` count it.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
pub fn tell_not_run(reason: &str) {
    eprintln!("not run: {reason}");
    let Some(file) = std::env::var_os(NOT_RUN_VARIABLE) else { return };
    // The harness of tests names its threads after them.
    let thread = thread::current();
    let line = [thread.name().unwrap_or("a test"), ": ", reason, "\n"].concat();
    // A line that cannot be written is in the output all the same.
    drop(
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(file)
            .and_then(|mut file| file.write_all(line.as_bytes())),
    );
}
