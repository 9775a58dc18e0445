//! A closed loop by `wrk`: each connection asks again when it is answered.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Target;
use super::failure::LoadError;
use super::sampled::Sampler;
use super::tool::{Tool, ToolError};
use crate::race::record::{Latency, Outcome};
use crate::race::usage::Watch;

const SCRIPT: &str = include_str!("wrk.lua");
/// Longer than an answer may take before it counts as none.
const TIME_LIMIT: &str = "30s";
/// The load that is checked answer by answer, in seconds; the shortest that `wrk` can.
const CHECKED_SECONDS: u32 = 1;

/// How a closed loop is put on a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrk<'w> {
    pub(crate) program: &'w Path,
    /// For the script and the bodies.
    pub(crate) folder: &'w Path,
    pub(crate) connections: u32,
}

/// Whether the script reads the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    All,
    None,
}

/// What `wrk` says at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    requests: u64,
    seconds: f64,
    failures: u64,
    latency: Latency,
}

impl Wrk<'_> {
    /// Asks for a second with every answer checked, then for the given time with samples compared.
    /// What failed counts wherever it did, all else in the second part only.
    pub(crate) fn measure(self, target: &Target<'_>, seconds: u32) -> Result<Outcome, LoadError> {
        let checked = self.run(target, CHECKED_SECONDS, Checks::All)?;
        let watch = Watch::start(target.processes)?;
        let sampler = Sampler::start(target);
        let figures = self.run(target, seconds, Checks::None);
        let samples = sampler.finish();
        let usage = watch.finish()?;
        let figures = figures?;
        Ok(Outcome {
            seconds: figures.seconds,
            requests: figures.requests + samples.requests,
            failures: figures.failures + samples.failures + checked.failures,
            compared: samples.compared,
            latency: figures.latency,
            cpu: usage.cpu,
            peak_memory: usage.peak_memory,
            recovery_seconds: None,
            is_disturbed: usage.is_disturbed(),
            repetitions: 0,
        })
    }

    /// Asks without measuring, and gives the requests a second: for warming up.
    pub(crate) fn warm(self, target: &Target<'_>, seconds: u32) -> Result<f64, LoadError> {
        let figures = self.run(target, seconds, Checks::None)?;
        #[expect(clippy::cast_precision_loss, reason = "fewer requests than a double counts")]
        let requests = figures.requests as f64;
        Ok(requests / figures.seconds)
    }

    fn run(self, target: &Target<'_>, seconds: u32, checks: Checks) -> Result<Figures, LoadError> {
        if target.questions.is_empty() {
            return Err(LoadError::Nothing);
        }
        let (script, bodies) = self.write_files(target)?;
        // A thread for one connection, else two: `wrk` uses less than half a processor.
        let threads = self.connections.clamp(1, 2);
        let mut command = Command::new(self.program);
        command.arg("--latency").args(["--timeout", TIME_LIMIT]);
        command.args(["-t", &threads.to_string(), "-c", &self.connections.to_string()]);
        command.args(["-d", &format!("{seconds}s"), "-s"]).arg(script);
        command.arg(target.url()).arg("--").arg(bodies).arg(checks.word());
        if checks == Checks::All {
            command.args(target.lengths().iter().map(usize::to_string));
        }
        let output =
            command.output().map_err(|error| ToolError::Start { tool: Tool::Wrk, error })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let output = text + &String::from_utf8_lossy(&output.stderr);
            return Err(LoadError::Failed { program: "wrk", output });
        }
        Figures::parse(&text).ok_or(LoadError::Output { program: "wrk", output: text })
    }

    fn write_files(self, target: &Target<'_>) -> Result<(PathBuf, PathBuf), LoadError> {
        fs::create_dir_all(self.folder)?;
        let (script, bodies) = (self.folder.join("wrk.lua"), self.folder.join("bodies.txt"));
        fs::write(&script, SCRIPT)?;
        fs::write(&bodies, target.lines())?;
        Ok((script, bodies))
    }
}

impl Checks {
    fn word(self) -> &'static str {
        match self {
            Self::All => "checked",
            Self::None => "unchecked",
        }
    }
}

impl Figures {
    /// Reads the line that the script writes.
    fn parse(output: &str) -> Option<Self> {
        let line = output.lines().find_map(|line| line.strip_prefix("figures: "))?;
        let figures: BTreeMap<&str, f64> = line
            .split(' ')
            .map(|word| {
                word.split_once('=').and_then(|(name, text)| Some((name, text.parse().ok()?)))
            })
            .collect::<Option<_>>()?;
        let figure = |name: &str| figures.get(name).copied();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
        let count = |name: &str| figure(name).map(|figure| figure as u64);
        // What the script refused for its status `wrk` has counted too.
        let failed = ["connect", "read", "write", "timeout"].map(count);
        let failed: u64 = failed.into_iter().sum::<Option<_>>()?;
        Some(Self {
            requests: count("requests")?,
            seconds: figure("microseconds")? / 1e6,
            failures: failed + count("refused")?.max(count("status")?),
            latency: Latency {
                p50: figure("p50")?,
                p90: figure("p90")?,
                p95: figure("p95")?,
                p99: figure("p99")?,
                max: figure("max")?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it was written on a machine with two processors.
    const OUTPUT: &str = "\
Running 1s test @ http://127.0.0.1:18931/graphql
  2 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.33ms  620.85us   7.05ms   83.78%
    Req/Sec     1.54k    77.27     1.67k    60.00%
  Latency Distribution
     50%    1.22ms
     75%    1.53ms
     90%    1.92ms
     99%    4.11ms
  3068 requests in 1.00s, 28.42MB read
Requests/sec:   3066.67
Transfer/sec:     28.41MB
figures: requests=3068 microseconds=1000433 refused=0 status=0 connect=0 read=0 write=0 timeout=0 \
         p50=1216 p90=1920 p95=2233 p99=4110 max=7045
";

    #[test]
    fn the_line_of_the_script_is_read() {
        let latency = Latency { p50: 1216.0, p90: 1920.0, p95: 2233.0, p99: 4110.0, max: 7045.0 };
        let expected = Figures { requests: 3068, seconds: 1.000_433, failures: 0, latency };
        assert_eq!(Figures::parse(OUTPUT), Some(expected));
        assert_eq!(Figures::parse("  3068 requests in 1.00s, 28.42MB read"), None);
        assert_eq!(Figures::parse(&OUTPUT.replace("p95=", "p96=")), None);
    }

    #[test]
    fn an_answer_is_refused_once_and_a_lost_connection_is_a_failure() {
        let failures = |from: &str, to: &str| {
            Figures::parse(&OUTPUT.replace(from, to)).map(|figures| figures.failures)
        };
        // With status 400, so both the script and `wrk` have counted it.
        assert_eq!(failures("refused=0 status=0", "refused=5 status=5"), Some(5));
        // With status 200 and errors.
        assert_eq!(failures("refused=0", "refused=7"), Some(7));
        assert_eq!(failures("status=0", "status=9"), Some(9));
        assert_eq!(failures("read=0 write=0 timeout=0", "read=1 write=2 timeout=4"), Some(7));
    }
}
