//! Executed instructions in user mode, counted by the processor or by Callgrind.
//!
//! Time depends on what else the machine does; instructions hardly do.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::failure::SizeError;
use crate::process_group;

/// The event that `perf` counts.
const EVENT: &str = "instructions:u";

/// `perf` does not say when it has begun to count.
const ATTACH: Duration = Duration::from_millis(300);

/// A counter of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    Perf,
    Callgrind,
}

/// Counts the instructions of one process.
#[derive(Debug)]
pub(super) struct Counting {
    counter: Counter,
    pid: u32,
    /// The folder of Callgrind's files.
    folder: PathBuf,
    /// The number of files that it has written.
    dumps: usize,
}

impl Counter {
    /// The processor if it can be asked, else Callgrind.
    pub(super) fn find() -> Result<Self, SizeError> {
        let asked = Command::new("perf").args(["stat", "-x", ",", "-e", EVENT, "true"]).output();
        if asked.is_ok_and(|output| perf_count(&String::from_utf8_lossy(&output.stderr)).is_some())
        {
            return Ok(Self::Perf);
        }
        match Command::new("valgrind").arg("--version").output() {
            Ok(output) if output.status.success() => Ok(Self::Callgrind),
            Ok(_) | Err(_) => Err(SizeError::NoCounter),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf stat, instructions in user mode",
            Self::Callgrind => "Callgrind",
        }
    }

    /// The words before those of the program that is to be counted.
    pub(super) fn under(self, folder: &Path) -> Vec<String> {
        match self {
            Self::Perf => Vec::new(),
            Self::Callgrind => vec![
                "valgrind".to_owned(),
                "--tool=callgrind".to_owned(),
                // Starting goes five times faster while nothing is counted.
                "--instr-atstart=no".to_owned(),
                format!("--callgrind-out-file={}", folder.join(OUT).display()),
                "--log-file=/dev/null".to_owned(),
            ],
        }
    }
}

/// The name of Callgrind's files, before the number.
const OUT: &str = "callgrind";

impl Counting {
    /// `folder` is the one that the program was started with.
    pub(super) fn of(counter: Counter, pid: u32, folder: &Path) -> Result<Self, SizeError> {
        let counting = Self { counter, pid, folder: folder.to_owned(), dumps: 0 };
        match counter {
            Counter::Perf => {}
            Counter::Callgrind => counting.control("--instr=on")?,
        }
        Ok(counting)
    }

    /// The instructions of the process while `work` runs.
    pub(super) fn count(
        &mut self,
        work: impl FnOnce() -> Result<(), SizeError>,
    ) -> Result<u64, SizeError> {
        match self.counter {
            Counter::Perf => count_by_perf(EVENT, self.pid, work),
            Counter::Callgrind => {
                self.control("--zero")?;
                work()?;
                self.control("--dump")?;
                self.dumps += 1;
                let file = self.folder.join(format!("{OUT}.{}", self.dumps));
                let text = fs::read_to_string(file)?;
                let count = callgrind_count(&text);
                count.ok_or_else(|| SizeError::Count("Callgrind wrote no summary".to_owned()))
            }
        }
    }

    fn control(&self, command: &str) -> Result<(), SizeError> {
        let program = "callgrind_control";
        let output = Command::new(program)
            .args([command, &self.pid.to_string()])
            .output()
            .map_err(|error| SizeError::Program { program: program.to_owned(), error })?;
        if output.status.success() {
            return Ok(());
        }
        let text = [output.stdout, output.stderr].concat();
        let output = String::from_utf8_lossy(&text).into_owned();
        Err(SizeError::ProgramFailed { program: format!("{program} {command}"), output })
    }
}

fn count_by_perf(
    event: &str,
    pid: u32,
    work: impl FnOnce() -> Result<(), SizeError>,
) -> Result<u64, SizeError> {
    let failed = |error| SizeError::Program { program: "perf".to_owned(), error };
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x", ",", "-e", event, "-p", &pid.to_string()]);
    perf.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut perf = process_group::bind(&mut perf).and_then(Command::spawn).map_err(failed)?;
    thread::sleep(ATTACH);
    let worked = work();
    // It prints its count when it is interrupted, as at a terminal.
    let pid = perf.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().map_err(failed)?;
    let mut output = String::new();
    if let Some(mut stderr) = perf.stderr.take() {
        stderr.read_to_string(&mut output)?;
    }
    perf.wait().map_err(failed)?;
    worked?;
    perf_count(&output).ok_or(SizeError::Count(output))
}

/// Reads `123,,instructions:u,456,100.00,,`, which says `<not supported>` where a machine has no
/// such counter.
fn perf_count(output: &str) -> Option<u64> {
    output.lines().find_map(|line| {
        let mut parts = line.split(',');
        let count = parts.next()?;
        parts.nth(1)?;
        count.parse().ok()
    })
}

/// Reads `summary: 123`.
fn callgrind_count(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("summary: "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_perf_is_its_first_column() {
        let output = "\n1234567,,instructions:u,2345,100.00,,\n";
        assert_eq!(perf_count(output), Some(1_234_567));
        assert_eq!(perf_count("<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(perf_count("12 errors\n"), None);
        assert_eq!(perf_count(""), None);
    }

    #[test]
    fn the_count_of_callgrind_is_its_summary() {
        let text = "# callgrind format\nevents: Ir\nsummary: 987654\n\nfn=main\n1 2\n";
        assert_eq!(callgrind_count(text), Some(987_654));
        assert_eq!(callgrind_count("events: Ir\n"), None);
    }
}
