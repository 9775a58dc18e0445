//! Runs test programs, several at a time, and parses their output.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::results::{Failures, parse_result};
use super::tiers::{Job, Tier};
use crate::counts::Counts;

/// Programs that run at the same time. Each has a thread for each processor of its own; two of them
/// fill the times in which one waits for a database.
const AT_A_TIME: usize = 2;

/// A finished tier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finished {
    pub(super) tier: Tier,
    pub(super) counts: Counts,
    /// Of its programs together, some of which were concurrent.
    pub(super) duration: Duration,
    pub(super) has_failed: bool,
}

/// Runs the jobs stage by stage; `prepare` adds the arguments and variables that all of them have.
pub(super) fn run(
    logs: &Path,
    jobs: &[Job],
    prepare: &(dyn Fn(&mut Command) + Sync),
    failures: &mut Failures,
) -> io::Result<Vec<Finished>> {
    // Of an earlier run; there may have been none.
    drop(fs::remove_dir_all(logs));
    fs::create_dir_all(logs)?;
    let finished = Mutex::new((Vec::new(), failures));
    for stage in jobs.chunk_by(|one, next| one.tier.stage() == next.tier.stage()) {
        let waiting: Mutex<VecDeque<&Job>> = Mutex::new(stage.iter().collect());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        thread::scope(|scope| {
            for _ in 0..AT_A_TIME {
                scope.spawn(|| {
                    while let Some(job) = next() {
                        let started = Instant::now();
                        let outcome = run_program(logs, job, prepare);
                        let duration = started.elapsed();
                        let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                        let (tiers, failures) = &mut *finished;
                        let (counts, has_failed) = report(job, outcome, duration, failures);
                        add(tiers, Finished { tier: job.tier, counts, duration, has_failed });
                    }
                });
            }
        });
    }
    let (mut tiers, _) = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    tiers.sort_by_key(|finished| Tier::ALL.iter().position(|tier| *tier == finished.tier));
    Ok(tiers)
}

fn add(tiers: &mut Vec<Finished>, other: Finished) {
    match tiers.iter_mut().find(|finished| finished.tier == other.tier) {
        Some(finished) => {
            finished.counts += other.counts;
            finished.duration += other.duration;
            finished.has_failed |= other.has_failed;
        }
        None => tiers.push(other),
    }
}

/// Runs a program with its output in a file, whose name is printed: there it can be read meanwhile,
/// and no process that the program leaves behind keeps a pipe open.
fn run_program(
    logs: &Path,
    job: &Job,
    prepare: &(dyn Fn(&mut Command) + Sync),
) -> io::Result<(bool, PathBuf)> {
    let (tier, package, name) = (job.tier.name(), job.program.package(), &job.program.name);
    let log = logs.join(format!("{tier}-{package}-{name}.log"));
    println!("-- {tier}: {package} {name} ({})", log.display());
    let output = File::create(&log)?;
    let mut command = Command::new(&job.program.file);
    command.current_dir(&job.program.folder).env("CARGO_MANIFEST_DIR", &job.program.folder);
    command.args(&job.words).stdin(Stdio::null());
    command.stdout(output.try_clone()?).stderr(output);
    prepare(&mut command);
    Ok((command.status()?.success(), log))
}

/// Prints a finished program's output, without the tests that passed.
fn report(
    job: &Job,
    outcome: io::Result<(bool, PathBuf)>,
    duration: Duration,
    failures: &mut Failures,
) -> (Counts, bool) {
    let name = format!("{}: {} {}", job.tier.name(), job.program.package(), job.program.name);
    println!("-- {name}: {:.1} s", duration.as_secs_f64());
    let read = |(succeeded, log): (bool, PathBuf)| Ok((succeeded, fs::read(log)?));
    let (succeeded, output) = match outcome.and_then(read) {
        Ok(read) => read,
        Err(error) => {
            failures.push(format!("{name}: {error}"));
            return (Counts::default(), true);
        }
    };
    let mut counts = Counts::default();
    // A test may print bytes that are not UTF-8.
    for line in String::from_utf8_lossy(&output).lines() {
        failures.read(line);
        if let Some(result) = parse_result(line) {
            counts += result;
        }
        if !is_pass(line) {
            println!("{line}");
        }
    }
    if !succeeded && counts.failed == 0 {
        failures.push(format!("{name}: the program failed, but none of its tests"));
    }
    (counts, !succeeded)
}

fn is_pass(line: &str) -> bool {
    let is_test = line.starts_with("test ") && line.contains(" ... ");
    line.is_empty() || is_test && (line.ends_with("ok") || line.ends_with("ok\u{1b}[0m"))
}

#[cfg(test)]
mod tests {
    use super::super::programs::{Kind, Program};
    use super::*;

    fn job(name: &str, tier: Tier, script: &'static str) -> Job {
        let program = Program {
            file: "sh".into(),
            folder: std::env::temp_dir(),
            name: name.to_owned(),
            kind: Kind::Unit,
        };
        Job { tier, program, words: vec!["-c", script] }
    }

    #[test]
    fn results_of_all_programs_are_added() {
        let jobs = [
            job("a", Tier::Unit, "echo 'test result: ok. 2 passed; 0 failed; 0 ignored; x'"),
            job(
                "b",
                Tier::Unit,
                "echo 'test result: ok. 3 passed; 1 failed; 2 ignored; x'; exit 1",
            ),
            job("c", Tier::Http, "exit 3"),
        ];
        let logs = std::env::temp_dir().join(format!("thalweg-logs-{}", std::process::id()));
        let mut failures = Failures::default();
        let finished = run(&logs, &jobs, &|_| (), &mut failures);
        fs::remove_dir_all(&logs).expect("removed");
        let finished = finished.expect("run");
        let found: Vec<_> = finished
            .iter()
            .map(|finished| (finished.tier, finished.counts, finished.has_failed))
            .collect();
        let unit = Counts { passed: 5, failed: 1, skipped: 2 };
        assert_eq!(found, [(Tier::Unit, unit, true), (Tier::Http, Counts::default(), true)]);
    }

    #[test]
    fn tests_that_passed_are_not_printed() {
        assert!(is_pass("test a::b ... ok"));
        assert!(!is_pass("test a::b ... FAILED"));
        assert!(!is_pass("not run: PostgreSQL 13"));
    }
}
