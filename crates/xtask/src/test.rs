//! `cargo xtask test`: every check and every test, and the sum of the tests at the end.
//!
//! Cargo builds the test programs (`programs`); each of their tests is in one tier (`tiers`), whose
//! programs run two at a time (`run`), and their output is parsed (`results`).

mod programs;
mod results;
mod run;
mod tiers;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::Command;

use crate::counts::Counts;
use crate::docs;
use crate::maven;
use crate::neo4j;
use crate::phase::{self, Outcome, Phase};
use crate::program;
use crate::setup::{self, Found, Required};
use crate::tidy::{self, Tidiness};
use crate::workspaces;

use programs::Program;
use results::Failures;
use tiers::Extent;

/// Makes tests fail on a missing database; `testkit` reads it.
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_DATABASES";

/// The variable that requires the browser and the clients; the tests of the server read it.
const REQUIRE_CLIENTS_VARIABLE: &str = "THALWEG_REQUIRE_CLIENTS";

/// The variable that requires Neo4j; `testkit` reads it.
const REQUIRE_NEO4J_VARIABLE: &str = "THALWEG_REQUIRE_NEO4J";

/// The file to which tests append their names when they cannot be run: the test harness has no
/// result for that, and counts them as passed. `testkit` writes it.
const NOT_RUN_VARIABLE: &str = "THALWEG_NOT_RUN_FILE";

/// The tests to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) setup: setup::Options,
    /// Leaves out format, lints and tidiness.
    pub(crate) only_tests: bool,
    /// A check whose tool is not installed fails.
    pub(crate) require_tools: bool,
    /// Only checks and tests that take seconds.
    pub(crate) quick: bool,
    /// A part of the tests' names; all tests by default.
    pub(crate) filter: Option<String>,
}

/// The checks that a quick run omits.
const LEFT_OUT: &str = "left out by --quick: clippy; the cases on PostgreSQL and Neo4j; the tiers graph, \
                        random, crates and http, which `cargo xtask test` runs";

/// Runs everything and prints the sum; `false` if anything failed.
///
/// Tests run even if a check has failed, so that one run reports everything.
pub(crate) fn test(workspace: &Path, options: &Options) -> bool {
    let mut found = None;
    let setup = match options.quick {
        true => setup::Options { offline: true, allow_missing: true },
        false => options.setup,
    };
    let mut phases = vec![phase::run("setup", || match setup::setup(workspace, setup) {
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
        if !options.quick {
            phases.push(phase::run("clippy", || {
                let arguments =
                    ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
                run_tool(workspace, "clippy", &arguments, options.require_tools)
            }));
        }
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
    let extent = if options.quick { Extent::Quick } else { Extent::All };
    let mut programs = Vec::new();
    phases.push(phase::run("build", || match programs::build(workspace, extent) {
        Ok(Some(built)) => {
            programs = built;
            Outcome::Passed
        }
        Ok(None) => Outcome::Failed,
        Err(error) => {
            eprintln!("build: {error}");
            Outcome::Failed
        }
    }));
    let mut failures = Failures::default();
    let tests = Tests { workspace, found: &found, filter: options.filter.as_deref(), extent };
    let counts = match programs.is_empty() {
        true => Counts::default(),
        false => tests.run(&programs, &mut phases, &mut failures),
    };
    failures.print();
    if options.quick {
        println!("\n{LEFT_OUT}");
    }
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

/// The tests to run, and where.
struct Tests<'t> {
    workspace: &'t Path,
    found: &'t Found,
    filter: Option<&'t str>,
    extent: Extent,
}

impl Tests<'_> {
    /// Runs the programs and adds a phase for each tier, and one for all of them.
    fn run(
        &self,
        programs: &[Program],
        phases: &mut Vec<Phase>,
        failures: &mut Failures,
    ) -> Counts {
        let not_run = self.workspace.join("target/not-run.txt");
        // Of an earlier run; there may have been none.
        drop(fs::remove_file(&not_run));
        let jobs = self.extent.jobs(programs, self.filter.is_some());
        let logs = self.workspace.join("target/test-logs");
        let prepare = |command: &mut Command| self.prepare(command, &not_run);
        let (mut counts, mut tiers) = (Counts::default(), Vec::new());
        let mut phase = phase::run("tests", || {
            let finished = match run::run(&logs, &jobs, &prepare, failures) {
                Ok(finished) => finished,
                Err(error) => {
                    eprintln!("tests: {error}");
                    return Outcome::Failed;
                }
            };
            let mut has_failed = false;
            for run::Finished { tier, counts: own, duration, has_failed: failed } in finished {
                counts += own;
                has_failed |= failed;
                let outcome = if failed { Outcome::Failed } else { Outcome::Passed };
                tiers.push(Phase { name: tier.name(), outcome, duration, tests: Some(own) });
            }
            neo4j::stop(&self.found.neo4j_folder);
            // There is no file where every test was run.
            counts.count_not_run(&fs::read_to_string(&not_run).unwrap_or_default());
            if counts == Counts::default() {
                eprintln!("tests: no test ran; does any name contain the filter?");
                return Outcome::Failed;
            }
            if has_failed { Outcome::Failed } else { Outcome::Passed }
        });
        phase.tests = Some(counts);
        phases.append(&mut tiers);
        phases.push(phase);
        counts
    }

    /// Adds the filter, and the variables of required databases and tools.
    fn prepare(&self, command: &mut Command, not_run: &Path) {
        let found = self.found;
        command.args(self.filter);
        if io::stdout().is_terminal() {
            command.arg("--color=always");
        }
        command.env(NOT_RUN_VARIABLE, not_run);
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
        match found.no_neo4j {
            None => command.env(REQUIRE_NEO4J_VARIABLE, "1"),
            Some(_) => command.env_remove(REQUIRE_NEO4J_VARIABLE),
        };
    }
}
