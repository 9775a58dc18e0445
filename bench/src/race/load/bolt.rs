//! The floor in Neo4j: the bare loop by Bolt, in a process of its own, so that its CPU is counted
//! apart.

use std::process::Command;

use super::beside::{self, Counts};
use super::failure::LoadError;
use super::latency;
use crate::fate;
use crate::race::floor::bare::Measured;
use crate::race::floor::bolt::Through;
use crate::race::record::{Cpu, Outcome};
use crate::race::usage::Processes;

/// Which statement is run, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bolt<'b> {
    pub(crate) suite: &'b str,
    pub(crate) query: &'b str,
    pub(crate) port: u16,
    pub(crate) connections: u32,
    pub(crate) through: Through,
    /// Neo4j's process.
    pub(crate) database: Option<u32>,
}

impl Bolt<'_> {
    pub(crate) fn measure(self, seconds: u32) -> Result<Outcome, LoadError> {
        let (mut server, mut share) = (0.0, 1.0);
        let processes = Processes { server: None, database: self.database };
        let outcome = beside::count(processes, || {
            let started = std::time::Instant::now();
            let measured = self.run(seconds)?;
            server = measured.cpu_seconds;
            // The database has worked for the warm-up as well.
            share = measured.seconds / started.elapsed().as_secs_f64();
            Ok(Counts {
                seconds: measured.seconds,
                requests: measured.requests,
                failures: 0,
                compared: 0,
                latency: latency::summarize(measured.latencies),
            })
        })?;
        // There is no load generator: what asks is what answers.
        let database = outcome.cpu.database * share;
        Ok(Outcome { cpu: Cpu { server, load: 0.0, database, ..outcome.cpu }, ..outcome })
    }

    fn run(self, seconds: u32) -> Result<Measured, LoadError> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["neo4j-floor", "--suite", self.suite, "--query", self.query]);
        command.args(["--port", &self.port.to_string()]);
        command.args(["--connections", &self.connections.to_string()]);
        command.args(["--seconds", &seconds.to_string()]);
        command.args(["--through", self.through.name()]);
        let output = fate::bind(&mut command)?.output()?;
        if !output.status.success() {
            return Err(LoadError::failed("bench neo4j-floor", &output));
        }
        serde_json::from_slice(&output.stdout).map_err(|_| LoadError::Output {
            program: "bench neo4j-floor",
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
        })
    }
}
