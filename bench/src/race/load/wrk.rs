//! A closed loop by `wrk`: each connection asks again when it is answered.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Target;
use super::beside::{self, Counts};
use super::failure::LoadError;
use super::sampled;
use super::tool::{Tool, ToolError};
use crate::process_group;
use crate::race::record::{Latency, Outcome};

const SCRIPT: &str = include_str!("wrk.lua");
/// Longer than an answer may take before it counts as none.
const TIME_LIMIT: &str = "30s";
/// The load that is checked answer by answer, in seconds; the shortest that `wrk` can.
const CHECKED_SECONDS: u32 = 1;

/// A closed loop by `wrk`.
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

impl Wrk<'_> {
    /// Asks for a second with every answer checked, then for the given time with samples compared.
    /// Failures of both parts count, all else of the second part only.
    pub(crate) fn measure(self, target: &Target<'_>, seconds: u32) -> Result<Outcome, LoadError> {
        let checked = self.run(target, CHECKED_SECONDS, Checks::All)?;
        let mut outcome = self.measure_again(target, seconds)?;
        outcome.failures += checked.failures;
        Ok(outcome)
    }

    /// The second part alone, where the answers of this server to this query were checked before.
    pub(crate) fn measure_again(
        self,
        target: &Target<'_>,
        seconds: u32,
    ) -> Result<Outcome, LoadError> {
        self.measure_beside(target, seconds, sampled::PERIOD)
    }

    /// Measures with fewer samples, for servers that the usual ones would load.
    pub(crate) fn measure_beside(
        self,
        target: &Target<'_>,
        seconds: u32,
        period: Duration,
    ) -> Result<Outcome, LoadError> {
        beside::measure(target, period, || self.run(target, seconds, Checks::None))
    }

    /// Asks without measuring, and gives the requests a second: for warming up.
    pub(crate) fn warm(self, target: &Target<'_>, seconds: u32) -> Result<f64, LoadError> {
        let counts = self.run(target, seconds, Checks::None)?;
        #[expect(clippy::cast_precision_loss, reason = "fewer requests than a double counts")]
        let requests = counts.requests as f64;
        Ok(requests / counts.seconds)
    }

    fn run(self, target: &Target<'_>, seconds: u32, checks: Checks) -> Result<Counts, LoadError> {
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
        let output = process_group::bind(&mut command)
            .and_then(Command::output)
            .map_err(|error| ToolError::Start { tool: Tool::Wrk, error })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(LoadError::failed("wrk", &output));
        }
        parse(&text).ok_or(LoadError::Output { program: "wrk", output: text })
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

/// Reads the line that the script writes.
fn parse(output: &str) -> Option<Counts> {
    let line = output.lines().find_map(|line| line.strip_prefix("figures: "))?;
    let figure = |word: &str| {
        let (name, text) = word.split_once('=')?;
        Some((name.to_owned(), text.parse().ok()?))
    };
    let figures: BTreeMap<String, f64> = line.split(' ').map(figure).collect::<Option<_>>()?;
    let figure = |name: &str| figures.get(name).copied();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
    let count = |name: &str| figure(name).map(|figure| figure as u64);
    let failed = ["connect", "read", "write", "timeout"].map(count);
    let failed: u64 = failed.into_iter().sum::<Option<_>>()?;
    Some(Counts {
        seconds: figure("microseconds")? / 1e6,
        requests: count("requests")?,
        // What the script refused for its status `wrk` has counted too.
        failures: failed + count("refused")?.max(count("status")?),
        compared: 0,
        latency: Latency {
            p50: figure("p50")?,
            p90: figure("p90")?,
            p95: figure("p95")?,
            p99: figure("p99")?,
            max: figure("max")?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of a machine with two processors.
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
        let expected =
            Counts { seconds: 1.000_433, requests: 3068, failures: 0, compared: 0, latency };
        assert_eq!(parse(OUTPUT), Some(expected));
        assert_eq!(parse("  3068 requests in 1.00s, 28.42MB read"), None);
        assert_eq!(parse(&OUTPUT.replace("p95=", "p96=")), None);
    }

    #[test]
    fn an_answer_is_refused_once_and_a_lost_connection_is_a_failure() {
        let failures =
            |from: &str, to: &str| parse(&OUTPUT.replace(from, to)).map(|counts| counts.failures);
        // With status 400, so both the script and `wrk` have counted it.
        assert_eq!(failures("refused=0 status=0", "refused=5 status=5"), Some(5));
        // With status 200 and errors.
        assert_eq!(failures("refused=0", "refused=7"), Some(7));
        assert_eq!(failures("status=0", "status=9"), Some(9));
        assert_eq!(failures("read=0 write=0 timeout=0", "read=1 write=2 timeout=4"), Some(7));
    }
}
