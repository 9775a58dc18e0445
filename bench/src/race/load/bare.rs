//! The floor in SQLite: the bare loop, in a process of its own, so that its CPU is counted apart.

use std::path::Path;
use std::process::Command;

use super::beside::{self, Counts};
use super::failure::LoadError;
use super::latency;
use crate::fate;
use crate::race::floor::bare::Measured;
use crate::race::record::{Cpu, Outcome};
use crate::race::usage::Processes;

/// Which statements are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bare<'b> {
    pub(crate) suite: &'b str,
    pub(crate) query: &'b str,
    pub(crate) file: &'b Path,
}

impl Bare<'_> {
    pub(crate) fn measure(self, seconds: u32) -> Result<Outcome, LoadError> {
        let mut server = 0.0;
        let outcome = beside::count(Processes::default(), || {
            let measured = self.run(seconds)?;
            server = measured.cpu_seconds;
            Ok(Counts {
                seconds: measured.seconds,
                requests: measured.requests,
                failures: 0,
                compared: 0,
                latency: latency::summarize(measured.latencies),
            })
        })?;
        // There is no load generator: what asks is what answers.
        Ok(Outcome { cpu: Cpu { server, load: 0.0, ..outcome.cpu }, ..outcome })
    }

    fn run(self, seconds: u32) -> Result<Measured, LoadError> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["sqlite-floor", "--suite", self.suite, "--query", self.query]);
        command.arg("--file").arg(self.file).args(["--seconds", &seconds.to_string()]);
        let output = fate::bind(&mut command)?.output()?;
        if !output.status.success() {
            return Err(LoadError::failed("bench sqlite-floor", &output));
        }
        serde_json::from_slice(&output.stdout).map_err(|_| LoadError::Output {
            program: "bench sqlite-floor",
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
        })
    }
}
