//! The floor in PostgreSQL: the statements alone, by `pgbench -M prepared`.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::beside::{self, Counts};
use super::failure::LoadError;
use super::tool::{Tool, ToolError};
use crate::process_group;
use crate::race::record::Outcome;
use crate::race::usage::Processes;
use crate::statistics;

/// The share of transactions whose latency is logged: logging all would slow the floor.
const SAMPLED: &str = "0.1";
/// The beginning of the names of the files into which latencies are written.
const LOG: &str = "latencies";

/// At a rate, so many seconds before those that count: in them every connection prepares its
/// statements, and what was due meanwhile waits. Servers have been warmed up by then.
const LEAD: u32 = 1;

/// A load of the statements of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pgbench<'p> {
    pub(crate) program: &'p Path,
    /// For the latencies.
    pub(crate) folder: &'p Path,
    /// The address by which the servers connect too, a socket or TCP.
    pub(crate) database: &'p str,
    pub(crate) script: &'p Path,
    pub(crate) connections: u32,
    /// `database` alone: the statements have no server.
    pub(crate) processes: Processes,
}

/// When the next transaction begins.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    /// As soon as the connection's last transaction has ended.
    Closed,
    /// So many a second, at random moments; the latency counts from these.
    Rate(f64),
}

impl Pgbench<'_> {
    /// A closed loop.
    pub(crate) fn measure(self, seconds: u32) -> Result<Outcome, LoadError> {
        beside::count(self.processes, || self.run(seconds, Pace::Closed))
    }

    /// A constant arrival rate.
    pub(crate) fn measure_rate(self, rate: f64, seconds: u32) -> Result<Outcome, LoadError> {
        beside::count(self.processes, || self.run(seconds, Pace::Rate(rate)))
    }

    fn run(self, seconds: u32, pace: Pace) -> Result<Counts, LoadError> {
        fs::create_dir_all(self.folder)?;
        remove_logs(self.folder)?;
        let threads = self.connections.clamp(1, 2);
        let lead = if pace == Pace::Closed { 0 } else { LEAD };
        let length = (seconds + lead).to_string();
        let mut command = Command::new(self.program);
        command.args(["-n", "-M", "prepared", "-c", &self.connections.to_string()]);
        command.args(["-j", &threads.to_string(), "-T", &length, "-f"]);
        command.arg(self.script).arg("--log").arg("--log-prefix").arg(self.folder.join(LOG));
        match pace {
            Pace::Closed => command.args(["--sampling-rate", SAMPLED]),
            // All that a rate allows: the percentile decides whether it is held.
            Pace::Rate(rate) => command.args(["--rate", &rate.to_string()]),
        };
        command.arg(self.database);
        let output = process_group::bind(&mut command)
            .and_then(Command::output)
            .map_err(|error| ToolError::Start { tool: Tool::Pgbench, error })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(LoadError::failed("pgbench", &output));
        }
        let times = read_logs(self.folder, lead)?;
        remove_logs(self.folder)?;
        let counts = times.and_then(|times| count(&text, times));
        counts.ok_or(LoadError::Output { program: "pgbench", output: text })
    }
}

fn count(summary: &str, times: Vec<f64>) -> Option<Counts> {
    let value = |name: &str| {
        let rest = summary.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next()
    };
    let requests: u64 = value("number of transactions actually processed:")?.parse().ok()?;
    // Versions before 15 end where a transaction fails.
    let failures =
        value("number of failed transactions:").map_or(Some(0), |text| text.parse().ok());
    // Without the time that the connections took to open.
    let speed: f64 = value("tps = ")?.parse().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "fewer requests than a double counts")]
    let seconds = requests as f64 / speed;
    let failures = failures?;
    let latency = statistics::latency(times);
    Some(Counts { seconds, requests: requests + failures, failures, compared: 0, latency })
}

/// The latencies in microseconds; nothing where a line makes no sense.
fn read_logs(folder: &Path, lead: u32) -> io::Result<Option<Vec<f64>>> {
    let texts: io::Result<Vec<String>> = logs(folder)?.iter().map(fs::read_to_string).collect();
    Ok(parse_logs(&texts?.concat(), lead))
}

/// A line is `client number microseconds script seconds microseconds`, and how late it was where
/// there is a rate; the third holds that already. What was due in the first seconds is left out.
fn parse_logs(text: &str, lead: u32) -> Option<Vec<f64>> {
    let transaction = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |place: usize| words.get(place)?.parse::<f64>().ok();
        let latency = number(2)?;
        Some((number(4)? * 1e6 + number(5)? - latency, latency))
    };
    let all: Vec<(f64, f64)> = text.lines().map(transaction).collect::<Option<_>>()?;
    let begin = all.iter().fold(f64::INFINITY, |begin, (due, _)| begin.min(*due));
    let from = begin + f64::from(lead) * 1e6;
    Some(all.into_iter().filter(|(due, _)| *due >= from).map(|(_, latency)| latency).collect())
}

fn remove_logs(folder: &Path) -> io::Result<()> {
    logs(folder)?.iter().try_for_each(fs::remove_file)
}

/// Each thread writes its own file.
fn logs(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: io::Result<Vec<PathBuf>> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let is_log = |path: &PathBuf| {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(LOG))
    };
    Ok(paths?.into_iter().filter(is_log).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::record::Latency;

    const SUMMARY: &str = "\
pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: s.sql
scaling factor: 1
query mode: prepared
number of clients: 4
number of threads: 2
maximum number of tries: 1
duration: 1 s
number of transactions actually processed: 46350
number of failed transactions: 0 (0.000%)
latency average = 0.087 ms
initial connection time = 8.517 ms
tps = 46350.000000 (without initial connection time)
";

    #[test]
    fn the_summary_and_the_latencies_are_read() {
        let log = "1 7 8 0 1795233367 525932\n3 8 21 0 1795233367 533816\n";
        let times = parse_logs(log, 0).unwrap();
        assert_eq!(times, [8.0, 21.0]);
        let latency = Latency { p50: 8.0, p90: 21.0, p95: 21.0, p99: 21.0, max: 21.0 };
        let (requests, failures) = (46_350, 0);
        let expected = Counts { seconds: 1.0, requests, failures, compared: 0, latency };
        assert_eq!(count(SUMMARY, times), Some(expected));
        assert_eq!(count("pgbench: error: no such file", Vec::new()), None);
        // With how late a transaction was, which its latency holds.
        let late = parse_logs("1 1 50234 0 1795233368 735112 49740\n", 0).unwrap();
        assert_eq!(late, [50_234.0]);
        assert_eq!(parse_logs("1 1 late 0 1 1\n", 0), None);
    }

    #[test]
    fn what_was_due_while_connections_prepared_their_statements_is_left_out() {
        // Due 0, 0.9, 1.1 and 1.5 seconds after the first; the second ends after the third.
        let log = "0 1 300000 0 10 300000 1\n0 2 400000 0 11 300000 1\n\
                   1 1 20000 0 11 120000 1\n1 2 10 0 11 500010 1\n";
        assert_eq!(parse_logs(log, 1).unwrap(), [20_000.0, 10.0]);
        assert_eq!(parse_logs(log, 0).unwrap().len(), 4);
    }

    #[test]
    fn failed_transactions_are_requests_that_failed() {
        let summary = SUMMARY.replace("failed transactions: 0 (", "failed transactions: 50 (");
        let counts = count(&summary, vec![1.0]).unwrap();
        assert_eq!((counts.requests, counts.failures), (46_400, 50));
        let before_15: Vec<&str> =
            SUMMARY.lines().filter(|line| !line.contains("failed")).collect();
        assert_eq!(count(&before_15.join("\n"), vec![1.0]).unwrap().failures, 0);
    }
}
