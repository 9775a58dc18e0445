//! The floors in SQLite and in Neo4j: a loop of this program, in a process of its own, so that its CPU
//! is counted apart.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::beside::{self, Counts};
use super::failure::LoadError;
use crate::process_group;
use crate::race::floor::bare::Measured;
use crate::race::floor::bolt::Through;
use crate::race::record::{Cpu, Outcome};
use crate::race::usage::Processes;
use crate::statistics;

/// The statements of a query's floor, and where they run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnLoop<'l> {
    pub(crate) suite: &'l str,
    pub(crate) query: &'l str,
    pub(crate) on: Place<'l>,
}

/// The database of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'l> {
    Sqlite {
        file: &'l Path,
    },
    Neo4j {
        port: u16,
        connections: u32,
        through: Through,
        /// Neo4j's process.
        process: Option<u32>,
    },
}

impl OwnLoop<'_> {
    pub(crate) fn measure(self, seconds: u32) -> Result<Outcome, LoadError> {
        let (mut server, mut share) = (0.0, 1.0);
        let database = match self.on {
            Place::Sqlite { .. } => None,
            Place::Neo4j { process, .. } => process,
        };
        let outcome = beside::count(Processes { server: None, database }, || {
            let started = Instant::now();
            let measured = self.run(seconds)?;
            server = measured.cpu_seconds;
            // The database has worked for the warm-up as well.
            share = measured.seconds / started.elapsed().as_secs_f64();
            Ok(Counts {
                seconds: measured.seconds,
                requests: measured.requests,
                failures: 0,
                compared: 0,
                latency: statistics::latency(measured.latencies),
            })
        })?;
        // There is no load generator: the loop is client and server.
        let database = outcome.cpu.database * share;
        Ok(Outcome { cpu: Cpu { server, load: 0.0, database, ..outcome.cpu }, ..outcome })
    }

    fn run(self, seconds: u32) -> Result<Measured, LoadError> {
        let mut command = Command::new(std::env::current_exe()?);
        let program = match self.on {
            Place::Sqlite { file } => {
                command.arg("sqlite-floor").arg("--file").arg(file);
                "bench sqlite-floor"
            }
            Place::Neo4j { port, connections, through, .. } => {
                command.args(["neo4j-floor", "--through", through.name()]);
                command.args(["--port", &port.to_string()]);
                command.args(["--connections", &connections.to_string()]);
                "bench neo4j-floor"
            }
        };
        command.args(["--suite", self.suite, "--query", self.query]);
        command.args(["--seconds", &seconds.to_string()]);
        let output = process_group::bind(&mut command)?.output()?;
        if !output.status.success() {
            return Err(LoadError::failed(program, &output));
        }
        serde_json::from_slice(&output.stdout).map_err(|_| LoadError::Output {
            program,
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
        })
    }
}
