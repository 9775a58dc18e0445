//! One running broker with a folder and a port of its own.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::postgres::create_own_folder;
use crate::postgres::watched::{
    WATCHER, exited_file, free_port, log_file, read_log, remove_folder, stop,
};

const START_LIMIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(10);

/// Kind of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With JetStream.
    Nats,
    Redis,
}

/// A private broker; dropping it stops it and removes its folder.
#[derive(Debug)]
pub struct Broker {
    kind: Kind,
    folder: PathBuf,
    port: u16,
    /// Port of the HTTP endpoint of NATS.
    monitoring: u16,
    arguments: Vec<String>,
    watcher: Option<Child>,
}

/// The reason why a private broker did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the broker's folder could not be prepared: {0}")]
    Folder(#[source] io::Error),
    #[error("the broker could not be run: {0}")]
    Program(#[source] io::Error),
    #[error("the broker is not ready: {0}")]
    NotReady(String),
}

impl Kind {
    /// The program, which `cargo xtask setup` installs.
    #[must_use]
    pub fn program(self) -> &'static str {
        match self {
            Self::Nats => "nats-server",
            Self::Redis => "redis-server",
        }
    }

    /// Whether the program is on this machine. If not, that is printed.
    #[must_use]
    pub fn is_installed(self) -> bool {
        let program = self.program();
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = std::env::split_paths(&paths).chain(["/usr/sbin".into()]);
        let is_installed = folders.any(|folder: PathBuf| folder.join(program).is_file());
        if !is_installed {
            print_not_run(program);
        }
        is_installed
    }
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
fn print_not_run(program: &str) {
    eprintln!("not run: {program} is not installed; `cargo xtask setup` installs it");
}

impl Broker {
    /// Starts a broker on a free port, with further arguments, in which `PORT` is the port.
    pub fn start(kind: Kind, arguments: &[&str]) -> Result<Self, StartError> {
        let folder = create_own_folder().map_err(StartError::Folder)?;
        let mut broker = Self {
            kind,
            folder,
            port: free_port().map_err(StartError::Folder)?,
            monitoring: free_port().map_err(StartError::Folder)?,
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            watcher: None,
        };
        broker.restart()?;
        Ok(broker)
    }

    /// Stops it at once, as a crash does. Its folder keeps the data of NATS.
    pub fn kill(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            stop(watcher);
        }
        self.watcher = None;
    }

    /// Starts it again, at the same port.
    pub fn restart(&mut self) -> Result<(), StartError> {
        self.kill();
        // The watcher removes its folder when the server has stopped.
        let run = self.folder.join("run");
        fs::create_dir_all(&run).map_err(StartError::Folder)?;
        let log = File::create(log_file(&run)).map_err(StartError::Folder)?;
        let errors = log.try_clone().map_err(StartError::Folder)?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(WATCHER).arg("watcher").arg(&run).arg(self.kind.program());
        let port = self.port.to_string();
        let data = self.folder.join("data");
        fs::create_dir_all(&data).map_err(StartError::Folder)?;
        match self.kind {
            Kind::Nats => {
                command.args(["-a", "127.0.0.1", "-p", &port]);
                command.args(["-m", &self.monitoring.to_string(), "-js", "-sd"]).arg(&data);
            }
            Kind::Redis => {
                command.args(["--bind", "127.0.0.1", "--port", &port]);
                command.args(["--save", "", "--appendonly", "no", "--dir"]).arg(&data);
            }
        }
        let arguments = self.arguments.iter();
        command.args(arguments.map(|argument| argument.replace("PORT", &port)));
        command.env("STOP_SIGNAL", "KILL").current_dir(&data);
        command.stdin(Stdio::piped()).stdout(log).stderr(errors).process_group(0);
        self.watcher = Some(command.spawn().map_err(StartError::Program)?);
        self.wait_until_ready(&run)
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = match self.kind {
            Kind::Nats => "nats",
            Kind::Redis => "redis",
        };
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// Port of the HTTP endpoint of NATS.
    pub(super) fn monitoring(&self) -> u16 {
        self.monitoring
    }

    fn wait_until_ready(&self, run: &Path) -> Result<(), StartError> {
        let started = Instant::now();
        loop {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return Ok(());
            }
            if exited_file(run).exists() || started.elapsed() > START_LIMIT {
                return Err(StartError::NotReady(read_log(run)));
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
        remove_folder(&self.folder);
    }
}
