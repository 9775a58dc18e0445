//! A test in a process of its own, for figures of a whole process.

use std::env;
use std::process::Command;

/// Set in the process that runs one test only.
const VARIABLE: &str = "THALWEG_TEST_ALONE";

/// Runs a test in a process of its own: the program of tests again, with the name of this test alone.
///
/// # Panics
///
/// The test fails there, or there is no test of that name.
pub fn alone(name: &str, test: impl FnOnce()) {
    if env::var_os(VARIABLE).is_some() {
        return test();
    }
    let program = env::current_exe().expect("the program of tests has a path");
    let output = Command::new(program)
        .args([name, "--exact", "--nocapture"])
        .env(VARIABLE, "1")
        .output()
        .expect("the program of tests can be started");
    let printed = String::from_utf8_lossy(&output.stdout);
    let has_passed = output.status.success() && printed.contains("1 passed");
    assert!(has_passed, "{printed}{}", String::from_utf8_lossy(&output.stderr));
}
