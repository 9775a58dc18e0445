//! Thalweg, started for a group of cases.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

/// A server that is killed in the end.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: String,
    /// What it has logged before it was ready.
    pub(crate) log: String,
    child: Child,
}

impl Server {
    /// Starts a server; it is ready to answer. The error is what it has logged.
    pub(crate) fn start(
        program: &Path,
        database: &str,
        metadata: &Path,
        options: &[String],
        variables: &[(&str, String)],
    ) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(["serve", database, "--dialect", "hasura", "--listen", "127.0.0.1:0"]);
        command.arg("--metadata").arg(metadata);
        command.args(options);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.args(["--custom-hosts", "localhost"]);
        command.args(["--custom-networks", "127.0.0.0/8,::1/128"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let Some(log) = child.stderr.take() else { return Err("the server has no log".into()) };
        let mut log = BufReader::new(log);
        let mut said = String::new();
        loop {
            let before = said.len();
            let read = log.read_line(&mut said).map_err(|error| error.to_string())?;
            if read == 0 {
                return Err(said);
            }
            if let Some((_, rest)) = said[before..].split_once("serving at http://") {
                let address = rest.split('/').next().unwrap_or_default().trim().to_owned();
                // A full pipe would stop the server.
                thread::spawn(move || log.read_to_end(&mut Vec::new()));
                return Ok(Self { address, log: said, child });
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
