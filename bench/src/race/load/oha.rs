//! A constant arrival rate by `oha`: requests are due at their moments, whatever the answers do,
//! and a latency counts from the moment at which its request was due.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::Target;
use super::beside::{self, Counts};
use super::failure::LoadError;
use super::sampled;
use super::tool::{Tool, ToolError};
use crate::process_group;
use crate::race::record::Outcome;
use crate::statistics;

/// An answer that takes longer is none.
const TIME_LIMIT: &str = "10s";
/// At low rates one request in fifty is a sample, so that these do not become a load themselves.
const REQUESTS_PER_SAMPLE: f64 = 50.0;

/// A constant rate of requests by `oha`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Oha<'o> {
    pub(crate) program: &'o Path,
    /// For the bodies.
    pub(crate) folder: &'o Path,
    /// Requests that are due wait for one of these to be free.
    pub(crate) connections: u32,
}

/// A line of what `oha` lists.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Answered {
    /// Seconds since the start.
    end: f64,
    /// Since it was due.
    microseconds: f64,
    bytes: usize,
    status: u16,
}

impl Oha<'_> {
    /// Asks so many times a second, in whole numbers.
    pub(crate) fn measure(
        self,
        target: &Target<'_>,
        rate: f64,
        seconds: u32,
    ) -> Result<Outcome, LoadError> {
        if target.questions.is_empty() {
            return Err(LoadError::Nothing);
        }
        let rate = rate.round().max(1.0);
        let sparse = Duration::from_secs_f64(REQUESTS_PER_SAMPLE / rate);
        beside::measure(target, sampled::PERIOD.max(sparse), || self.run(target, rate, seconds))
    }

    fn run(self, target: &Target<'_>, rate: f64, seconds: u32) -> Result<Counts, LoadError> {
        fs::create_dir_all(self.folder)?;
        let bodies = self.folder.join("bodies.txt");
        fs::write(&bodies, target.lines())?;
        let mut command = Command::new(self.program);
        command.args(["--no-tui", "--output-format", "csv", "--latency-correction"]);
        // A number of requests and no time: at the end of a time it forgets what was due and not
        // sent yet, the slowest of all.
        let due = rate * f64::from(seconds);
        command.args(["-q", &rate.to_string(), "-n", &due.to_string()]);
        command.args(["-t", TIME_LIMIT, "-c", &self.connections.to_string()]);
        // It asks for compressed answers unless it is told not to.
        command.args(["--disable-compression", "-m", "POST", "-T", "application/json"]);
        command.args(["-A", "application/json", "-Z"]).arg(bodies).arg(target.url());
        let output = process_group::bind(&mut command)
            .and_then(Command::output)
            .map_err(|error| ToolError::Start { tool: Tool::Oha, error })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(LoadError::failed("oha", &output));
        }
        let Some(answers) = parse(&text) else {
            let output = text.lines().take(5).collect::<Vec<_>>().join("\n");
            return Err(LoadError::Output { program: "oha", output });
        };
        Ok(count(target, &answers, rate, seconds))
    }
}

/// Requests that were due and are not listed were not answered: `oha` lists no errors.
fn count(target: &Target<'_>, answers: &[Answered], rate: f64, seconds: u32) -> Counts {
    let lengths = target.lengths();
    let is_answer = |answer: &&Answered| {
        answer.status == 200 && (lengths.is_empty() || lengths.contains(&answer.bytes))
    };
    let good = answers.iter().filter(is_answer).count() as u64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let due = (rate * f64::from(seconds)) as u64;
    let requests = due.max(answers.len() as u64);
    let times = answers.iter().map(|answer| answer.microseconds).collect();
    Counts {
        seconds: answers.iter().fold(f64::from(seconds), |end, answer| end.max(answer.end)),
        requests,
        failures: requests - good,
        compared: 0,
        latency: statistics::latency(times),
    }
}

/// Reads the list, whose first line names the columns.
fn parse(text: &str) -> Option<Vec<Answered>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next()?.split(',').collect();
    let place = |name: &str| names.iter().position(|other| *other == name);
    let (sent, delay) = (place("request-start")?, place("Response-delay")?);
    let (duration, bytes, status) = (place("request-duration")?, place("bytes")?, place("status")?);
    let answered = |line: &str| {
        let words: Vec<&str> = line.split(',').collect();
        let seconds = |place: usize| words.get(place)?.parse::<f64>().ok();
        Some(Answered {
            end: seconds(sent)? + seconds(delay)?,
            microseconds: seconds(duration)? * 1e6,
            bytes: words.get(bytes)?.parse().ok()?,
            status: words.get(status)?.parse().ok()?,
        })
    };
    lines.map(answered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::load::Question;
    use crate::race::usage::Processes;

    /// Output of a machine with two processors; the last line is of a server that was late.
    const OUTPUT: &str = "\
request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status
0.000495271,0.000028575,0.000160411,0.001592424,0.001635722,2292,200
0.011250191,0.000014527,0.000111992,0.001424077,0.001448842,2412,200
0.020813556,0.000012894,0.000101144,0.001195221,0.001215569,2412,200
1.9972339190000001,0,0,0.002467369,0.937434998,2292,200
";

    fn check(output: &str, answers: &[&str], rate: f64) -> (u64, u64) {
        let question = |answer: &&str| Question {
            body: "{}".to_owned(),
            answer: Some(answer.as_bytes().to_vec()),
            made: None,
        };
        let questions: Vec<Question> = answers.iter().map(question).collect();
        let processes = Processes::default();
        let target = Target { port: 1, path: "/graphql", questions: &questions, processes };
        let counts = count(&target, &parse(output).unwrap(), rate, 2);
        (counts.requests, counts.failures)
    }

    #[test]
    fn the_latency_is_that_from_the_moment_at_which_a_request_was_due() {
        let answers = parse(OUTPUT).unwrap();
        let late = answers[3];
        assert!((late.microseconds - 937_434.998).abs() < 0.001, "{late:?}");
        assert!((late.end - 1.999_701_288).abs() < 1e-6, "{late:?}");
        assert_eq!((late.bytes, late.status), (2292, 200));
        assert_eq!(answers.len(), 4);
        assert_eq!(parse("oha: cannot connect"), None);
        assert_eq!(parse(&OUTPUT.replace(",2412,", ",,")), None);
    }

    #[test]
    fn what_was_due_and_not_answered_has_failed() {
        let (short, long) = ("a".repeat(2292), "a".repeat(2412));
        assert_eq!(check(OUTPUT, &[&short, &long], 2.0), (4, 0));
        assert_eq!(check(OUTPUT, &[&short, &long], 10.0), (20, 16));
    }

    #[test]
    fn other_statuses_and_lengths_have_failed() {
        let (short, long) = ("a".repeat(2292), "a".repeat(2412));
        assert_eq!(check(OUTPUT, &[&short], 2.0), (4, 2));
        let refused = OUTPUT.replacen("2292,200", "2292,503", 1);
        assert_eq!(check(&refused, &[&short, &long], 2.0), (4, 1));
    }
}
