//! Thalweg on a supergraph, which is another one for each suite.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::AuditError;
use crate::http::Connection;
use crate::server::{Server, free_port};

/// A supergraph of the audit is read in a millisecond.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(2);

/// Lines of the log about a reload.
const DONE: &str = "reloaded; new requests are answered by it";
const REFUSED: &str = "not reloaded; everything is as it was";

#[derive(Debug)]
pub(super) struct Gateway {
    server: Server,
    supergraph: PathBuf,
    log: PathBuf,
}

impl Gateway {
    /// Serves the first supergraph.
    pub(super) fn start(
        program: &Path,
        folder: &Path,
        (name, supergraph): (&str, &str),
        logs: &Path,
    ) -> Result<Self, AuditError> {
        let (file, log) = (folder.join(name), logs.join("federation-thalweg.log"));
        fs::write(&file, supergraph)?;
        let port = free_port()?;
        let mut command = Command::new(program);
        command.arg("gateway").arg(&file).args(["--listen", &format!("127.0.0.1:{port}")]);
        // The log is read.
        command.env("NO_COLOR", "1");
        Ok(Self { server: Server::start(command, port, &log)?, supergraph: file, log })
    }

    /// Serves another supergraph; why not, if it is refused.
    pub(super) fn swap(&mut self, supergraph: &str) -> Result<Option<String>, AuditError> {
        let before = self.reloads()?.len();
        fs::write(&self.supergraph, supergraph)?;
        let process = self.server.process().to_string();
        Command::new("kill").args(["-HUP", &process]).status()?;
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(line) = self.reloads()?.into_iter().nth(before) {
                return Ok(line.contains(REFUSED).then_some(line));
            }
            thread::sleep(POLL);
        }
        Err(AuditError::NoReload(self.log.clone()))
    }

    /// The answer to a query.
    pub(super) fn ask(&self, query: &str) -> Result<Value, AuditError> {
        let body = json!({ "query": query });
        let asked = Connection::open(self.server.port).and_then(|mut open| open.ask(&body));
        asked.map_err(|error| AuditError::Http { who: "Thalweg", error })
    }

    /// The lines of the log that tell the end of a reload.
    fn reloads(&self) -> io::Result<Vec<String>> {
        let log = fs::read_to_string(&self.log)?;
        let tells = |line: &&str| line.contains(DONE) || line.contains(REFUSED);
        Ok(log.lines().filter(tells).map(str::to_owned).collect())
    }
}
