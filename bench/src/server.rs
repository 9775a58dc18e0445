//! A program that answers GraphQL over HTTP, for as long as it is held.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Connection;
use crate::process_group;

/// Node compiles for several seconds where two cores are shared; under valgrind large schemas take
/// minutes.
const START_LIMIT: Duration = Duration::from_secs(600);
/// Short, because starts are measured by it; a connection that nobody takes costs little.
const POLL: Duration = Duration::from_millis(2);

/// A running server; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    child: Child,
    log: PathBuf,
    /// From its start to its first answer.
    pub(crate) start_time: Duration,
}

/// A server did not come up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error("{program} could not be started: {error}")]
    Start { program: String, error: io::Error },
    #[error("{program} ended before it answered:\n{log}")]
    Ended { program: String, log: String },
    #[error("{program} does not answer after {patience:?}:\n{log}")]
    Silent { program: String, patience: Duration, log: String },
    #[error(transparent)]
    Files(#[from] io::Error),
}

impl Server {
    /// Starts a program that listens at the port, and waits for its first answer.
    pub(crate) fn start(command: Command, port: u16, log: &Path) -> Result<Self, ServerError> {
        let question = json!({ "query": "{ __typename }" });
        let is_answer = |answer: &Value| answer["data"]["__typename"].is_string();
        Self::start_within(START_LIMIT, command, port, log, &question, is_answer)
    }

    /// Starts a program, and waits until it answers a question, but not for ever.
    pub(crate) fn start_within(
        patience: Duration,
        command: Command,
        port: u16,
        log: &Path,
        question: &Value,
        is_answer: impl Fn(&Value) -> bool,
    ) -> Result<Self, ServerError> {
        Self::start_until(patience, command, port, log, |port| {
            let answer = Connection::open(port).and_then(|mut open| open.ask(question));
            answer.is_ok_and(|answer| is_answer(&answer))
        })
    }

    /// Starts a program, and waits until it is up as somebody else finds out, but not for ever.
    pub(crate) fn start_until(
        patience: Duration,
        mut command: Command,
        port: u16,
        log: &Path,
        is_up: impl Fn(u16) -> bool,
    ) -> Result<Self, ServerError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let output = File::create(log)?;
        let errors = output.try_clone()?;
        let started = Instant::now();
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let child = process_group::bind(&mut command)
            .and_then(Command::spawn)
            .map_err(|error| ServerError::Start { program: program.clone(), error })?;
        let mut server = Self { port, child, log: log.to_owned(), start_time: Duration::default() };
        server.wait(&program, started + patience, patience, is_up)?;
        server.start_time = started.elapsed();
        Ok(server)
    }

    /// The process, for whoever measures it.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    fn wait(
        &mut self,
        program: &str,
        end: Instant,
        patience: Duration,
        is_up: impl Fn(u16) -> bool,
    ) -> Result<(), ServerError> {
        loop {
            if self.child.try_wait()?.is_some() {
                let program = program.to_owned();
                return Err(ServerError::Ended { program, log: self.read_log() });
            }
            if is_up(self.port) {
                return Ok(());
            }
            if Instant::now() > end {
                let program = program.to_owned();
                return Err(ServerError::Silent { program, patience, log: self.read_log() });
            }
            thread::sleep(POLL);
        }
    }

    fn read_log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_else(|error| format!("no log: {error}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only if the process has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A port that nobody listens at now.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
