//! `cargo xtask test`: every check and every test, and the sum of the tests at the end.

use std::fs;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::docs;
use crate::maven;
use crate::neo4j;
use crate::phase::{self, Outcome, Phase};
use crate::program;
use crate::setup::{self, Found, Required};
use crate::tidy::{self, Tidiness};
use crate::workspaces;

/// Makes tests fail on a missing database; `testkit` reads it.
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_DATABASES";

/// The same for the browser and the clients; the tests of the server read it.
const REQUIRE_CLIENTS_VARIABLE: &str = "THALWEG_REQUIRE_CLIENTS";

/// The same for Neo4j; `testkit` reads it.
const REQUIRE_NEO4J_VARIABLE: &str = "THALWEG_REQUIRE_NEO4J";

/// The file that tests name themselves in when they find that they cannot be run: the test harness
/// has no word for that, and counts them as passed. `testkit` writes it.
const NOT_RUN_VARIABLE: &str = "THALWEG_NOT_RUN_FILE";

/// What to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) setup: setup::Options,
    /// Leaves out format, lints and tidiness.
    pub(crate) only_tests: bool,
    /// A check whose tool is not installed has failed.
    pub(crate) require_tools: bool,
    /// A part of the tests' names; all tests if there is none.
    pub(crate) filter: Option<String>,
}

/// How many tests ended how.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// The most lines of what failed that are said again at the end: a log may be cut to its last ones.
const MOST_REPEATED: usize = 200;

/// Runs everything and prints the sum; `false` if anything failed.
///
/// A failing check does not keep the tests from running: one run says all there is to say.
pub(crate) fn test(workspace: &Path, options: &Options) -> bool {
    let mut found = None;
    let mut phases = vec![phase::run("setup", || match setup::setup(workspace, options.setup) {
        Ok(there) => {
            found = Some(there);
            Outcome::Passed
        }
        Err(error) => {
            eprintln!("setup: {error}");
            Outcome::Failed
        }
    })];
    let Some(found) = found else { return conclude(&phases, Counts::default()) };

    if !options.only_tests {
        phases.push(phase::run("format", || {
            let arguments = ["fmt", "--all", "--check"];
            run_tool(workspace, "rustfmt", &arguments, options.require_tools)
        }));
        phases.push(phase::run("clippy", || {
            let arguments =
                ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
            run_tool(workspace, "clippy", &arguments, options.require_tools)
        }));
        phases.push(phase::run("tidy", || match tidy::print_findings(workspace) {
            Ok(Tidiness { findings: 0, warning }) if docs::print_stale(workspace) => {
                warning.map_or(Outcome::Passed, Outcome::Warned)
            }
            Ok(_) => Outcome::Failed,
            Err(error) => {
                eprintln!("tidy: {error}");
                Outcome::Failed
            }
        }));
    }
    let mut counts = Counts::default();
    let mut failures = Failures::default();
    phases.push(phase::run("tests", || {
        run_tests(workspace, &found, options.filter.as_deref(), &mut counts, &mut failures)
    }));
    failures.print();
    conclude(&phases, counts)
}

/// The sum stands alone on the last line, where people and programs look for it.
fn conclude(phases: &[Phase], counts: Counts) -> bool {
    println!("\n{}", phase::table(phases));
    println!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    phases.iter().all(|phase| phase.outcome != Outcome::Failed)
}

fn run_tool(workspace: &Path, component: &str, arguments: &[&str], required: bool) -> Outcome {
    let name = arguments.first().copied().unwrap_or_default();
    if program::run(program::cargo().args([name, "--version"])).is_err() {
        let reason = format!("no {component}; `rustup component add {component}` installs it");
        if !required {
            return Outcome::NotRun(reason);
        }
        eprintln!("{name}: {reason}");
        return Outcome::Failed;
    }
    let mut outcome = Outcome::Passed;
    for folder in workspaces::folders(workspace) {
        match program::cargo().args(arguments).current_dir(folder).status() {
            Ok(status) if status.success() => {}
            Ok(_) => outcome = Outcome::Failed,
            Err(error) => {
                eprintln!("{name}: {error}");
                outcome = Outcome::Failed;
            }
        }
    }
    outcome
}

fn run_tests(
    workspace: &Path,
    found: &Found,
    filter: Option<&str>,
    counts: &mut Counts,
    failures: &mut Failures,
) -> Outcome {
    let mut command = program::cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]);
    command.env(maven::FOLDER_VARIABLE, &found.folder);
    command.env(neo4j::FOLDER_VARIABLE, &found.neo4j_folder);
    match found.required {
        Required::All => command.env(REQUIRE_VARIABLE, "1"),
        Required::Maven => command.env(REQUIRE_VARIABLE, "maven"),
        Required::None => command.env_remove(REQUIRE_VARIABLE),
    };
    match found.clients {
        true => command.env(REQUIRE_CLIENTS_VARIABLE, "1"),
        false => command.env_remove(REQUIRE_CLIENTS_VARIABLE),
    };
    if io::stdout().is_terminal() {
        command.arg("--color=always");
    }
    command.arg("--").args(filter);
    match found.no_neo4j {
        None => command.env(REQUIRE_NEO4J_VARIABLE, "1"),
        Some(_) => command.env_remove(REQUIRE_NEO4J_VARIABLE),
    };
    let not_run = workspace.join("target/not-run.txt");
    // Of an earlier run; there may have been none.
    drop(fs::remove_file(&not_run));
    command.env(NOT_RUN_VARIABLE, &not_run);
    let mut streamed: io::Result<bool> = Ok(true);
    for folder in workspaces::folders(workspace) {
        command.current_dir(folder);
        streamed =
            streamed.and_then(|succeeded| Ok(stream(&mut command, counts, failures)? && succeeded));
    }
    neo4j::stop(&found.neo4j_folder);
    // There is no file where every test was run.
    count_not_run(&fs::read_to_string(&not_run).unwrap_or_default(), counts);
    match streamed {
        Ok(true) if *counts == Counts::default() => {
            eprintln!("tests: no test ran; does any name contain the filter?");
            Outcome::Failed
        }
        Ok(true) if counts.failed == 0 => Outcome::Passed,
        Ok(_) => Outcome::Failed,
        Err(error) => {
            eprintln!("tests: {error}");
            Outcome::Failed
        }
    }
}

/// Prints each line as it comes and adds up the results; `true` if the program succeeded.
fn stream(command: &mut Command, counts: &mut Counts, failures: &mut Failures) -> io::Result<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        // By bytes: a test may print what is not UTF-8.
        while reader.read_until(b'\n', &mut line)? > 0 {
            let text = String::from_utf8_lossy(&line);
            print!("{text}");
            failures.read(&text);
            if let Some(result) = parse_result(&text) {
                counts.passed += result.passed;
                counts.failed += result.failed;
                counts.skipped += result.skipped;
            }
            line.clear();
        }
    }
    Ok(child.wait()?.success())
}

/// What the programs of tests said of those that failed.
#[derive(Debug, Default)]
struct Failures {
    lines: Vec<String>,
    /// Whether the line that comes speaks of a failure.
    is_open: bool,
}

impl Failures {
    /// A program says `failures:`, then what each of them printed, then their names, and its result.
    fn read(&mut self, line: &str) {
        if line.trim_end() == "failures:" {
            self.is_open = true;
        } else if line.starts_with("test result: ") {
            self.is_open = false;
        } else if self.is_open && !line.trim().is_empty() {
            self.lines.push(line.trim_end().to_owned());
        }
    }

    fn print(&self) {
        if self.lines.is_empty() {
            return;
        }
        println!("\nwhat failed:");
        // The names come last, so it is the beginning that may be left out.
        for line in self.lines.iter().skip(self.lines.len().saturating_sub(MOST_REPEATED)) {
            println!("{line}");
        }
    }
}

/// Prints what did not run, a line each, and counts it as that.
fn count_not_run(text: &str, counts: &mut Counts) {
    for line in text.lines() {
        println!("not run: {line}");
        counts.passed = counts.passed.saturating_sub(1);
        counts.skipped += 1;
    }
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …`, in
/// which `ok` may be coloured.
fn parse_result(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("test result: ")?;
    let count = |word: &str| {
        let before = rest.split(';').find_map(|part| part.trim().strip_suffix(word))?;
        before.split_whitespace().last()?.parse().ok()
    };
    Some(Counts {
        passed: count(" passed")?,
        failed: count(" failed")?,
        skipped: count(" ignored")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_line_is_read_with_and_without_colour() {
        let counts = Some(Counts { passed: 13, failed: 2, skipped: 1 });
        let rest = "13 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.1s\n";
        assert_eq!(parse_result(&format!("test result: FAILED. {rest}")), counts);
        assert_eq!(
            parse_result(&format!("test result: \u{1b}[31mFAILED\u{1b}[0m. {rest}")),
            counts
        );
    }

    #[test]
    fn other_lines_are_no_results() {
        assert_eq!(parse_result("test a_name ... ok\n"), None);
        assert_eq!(parse_result("test result: unknown\n"), None);
    }

    #[test]
    fn a_test_that_found_that_it_cannot_run_has_not_passed() {
        let mut counts = Counts { passed: 3, failed: 1, skipped: 1 };
        count_not_run("reads_a_graph: no Neo4j\nwrites_it: no Neo4j\n", &mut counts);
        assert_eq!(counts, Counts { passed: 1, failed: 1, skipped: 3 });
    }

    #[test]
    fn what_failed_is_kept_with_what_it_said() {
        let printed = "test a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b ----\nit is 3\n\n\n\
                       failures:\n    b\n\ntest result: FAILED. 1 passed\n\ntest c ... ok\n";
        let mut failures = Failures::default();
        printed.lines().for_each(|line| failures.read(line));
        assert_eq!(failures.lines, ["---- b ----", "it is 3", "    b"]);
    }

    #[test]
    fn results_of_all_programs_are_added() {
        let mut counts = Counts::default();
        let script = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored; x'; \
                      echo 'test result: ok. 3 passed; 1 failed; 2 ignored; x'; exit 1";
        let mut failures = Failures::default();
        let succeeded = stream(Command::new("sh").args(["-c", script]), &mut counts, &mut failures);
        assert_eq!(succeeded.ok(), Some(false));
        assert_eq!(counts, Counts { passed: 5, failed: 1, skipped: 2 });
    }
}
