//! Thalweg's processes.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

/// A server that is killed in the end.
#[derive(Debug)]
pub(super) struct Process {
    /// Where it answers, without a slash at the end.
    pub(super) url: String,
    child: Child,
}

impl Process {
    /// Starts a server; it is ready to answer. The error is what it has logged.
    pub(super) fn serve(program: &Path, arguments: &[String]) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let Some(log) = child.stderr.take() else { return Err("the server has no log".into()) };
        let mut log = BufReader::new(log);
        let mut said = String::new();
        loop {
            let before = said.len();
            let read = log.read_line(&mut said).map_err(|error| error.to_string())?;
            if read == 0 {
                drop(child.wait());
                return Err(format!("the server has ended: {said}"));
            }
            if let Some((_, rest)) = said[before..].split_once("serving at ") {
                let url = rest.split_whitespace().next().unwrap_or_default();
                let url = url.trim_end_matches(['/', ',', '.']).to_owned();
                // A full pipe would stop the server.
                thread::spawn(move || log.read_to_end(&mut Vec::new()));
                return Ok(Self { url, child });
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What a command prints and logs.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) output: String,
    pub(super) log: String,
}

/// Runs a command. The error is what it logs.
pub(super) fn run(program: &Path, arguments: &[String]) -> Result<Printed, String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let log = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() {
        Ok(Printed { output: String::from_utf8_lossy(&output.stdout).into_owned(), log })
    } else {
        Err(log)
    }
}
