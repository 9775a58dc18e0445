//! Outages of a private PostgreSQL: it stops in several ways and starts again, with its data, at the same
//! port.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::installation::Installation;
use super::server::{POLL, START_LIMIT, Server, StartError, program_error};

/// Keeps a server that was started again from outliving its owner, however that ends.
const WATCHER: &str = r#"exec 3<&0; "$@" </dev/null 3<&- & read -r _ <&3; kill -INT $!; wait"#;
/// Longer than sessions of a killed server take to notice that.
const STOP_LIMIT: Duration = Duration::from_secs(60);

/// A server that can be stopped and started again.
#[derive(Debug)]
pub struct Restartable {
    /// The server as it was started first.
    pub server: Server,
    command: Vec<String>,
    program: PathBuf,
    again: Option<Watched>,
}

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Sessions are ended, and everything is written down.
    Fast,
    /// Sessions are ended; the start recovers from the log.
    Immediate,
    /// The server is killed, and its sessions notice that they are orphans.
    Kill,
}

/// The numbers of a user and its group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    user: u32,
    group: u32,
}

/// A server below a watcher; dropping it stops the server.
#[derive(Debug)]
pub(super) struct Watched(Child);

impl Restartable {
    /// Starts a server, with further settings as [`Server::start_with`].
    pub fn start(installation: &Installation, settings: &[&str]) -> Result<Self, StartError> {
        let server = Server::start_with(installation, settings)?;
        let process = PathBuf::from("/proc").join(process_id(&server.data_folder())?.to_string());
        let command = fs::read(process.join("cmdline")).map_err(StartError::Folder)?;
        let command = String::from_utf8_lossy(&command);
        let command = command.split_terminator('\0').skip(1).map(ToOwned::to_owned).collect();
        let program = fs::read_link(process.join("exe")).map_err(StartError::Folder)?;
        Ok(Self { server, command, program, again: None })
    }

    /// The first process of the server.
    pub fn process_id(&self) -> Result<u32, StartError> {
        process_id(&self.server.data_folder())
    }

    /// The server and its sessions.
    pub fn processes(&self) -> Result<Vec<u32>, StartError> {
        family(self.process_id()?)
    }

    /// Stops it as an administrator does.
    pub fn stop(&mut self) -> Result<(), StartError> {
        self.stop_by(Stop::Fast)
    }

    /// Stops it, and waits until all its processes are gone.
    pub fn stop_by(&mut self, stop: Stop) -> Result<(), StartError> {
        end(self.process_id()?, stop)?;
        self.again = None;
        Ok(())
    }

    /// Starts it, and waits until it answers.
    pub fn start_again(&mut self) -> Result<(), StartError> {
        let folder = self.server.socket_folder();
        let mut command = Owner::of(folder)?.command(Path::new("sh"), folder);
        command.arg("-c").arg(WATCHER).arg("watcher").arg(&self.program).args(&self.command);
        self.again = Some(Watched::spawn(command, Stdio::null())?);
        wait_until(START_LIMIT, || self.server.query("postgres", "SELECT 1").is_ok())
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }
}

impl Owner {
    pub(super) fn of(folder: &Path) -> Result<Self, StartError> {
        let owner = fs::metadata(folder).map_err(StartError::Folder)?;
        Ok(Self { user: owner.uid(), group: owner.gid() })
    }

    /// A program in a group of processes of its own.
    pub(super) fn command(self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.uid(self.user).gid(self.group).current_dir(folder).process_group(0);
        command
    }
}

impl Watched {
    /// Starts `program` with its arguments below a watcher.
    pub(super) fn start(
        program: &Path,
        arguments: impl IntoIterator<Item = String>,
        (owner, folder): (Owner, &Path),
        errors: fs::File,
    ) -> Result<Self, StartError> {
        let mut command = owner.command(Path::new("sh"), folder);
        command.arg("-c").arg(WATCHER).arg("watcher").arg(program).args(arguments);
        Self::spawn(command, errors.into())
    }

    fn spawn(mut command: Command, errors: Stdio) -> Result<Self, StartError> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(errors);
        let child = command.spawn().map_err(|error| program_error(Path::new("sh"), error))?;
        Ok(Self(child))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Closes the pipe, at whose end the watcher stops the server.
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

/// The process that a data folder names.
pub(super) fn process_id(data_folder: &Path) -> Result<u32, StartError> {
    let text =
        fs::read_to_string(data_folder.join("postmaster.pid")).map_err(StartError::Folder)?;
    let id = text.lines().next().and_then(|line| line.trim().parse().ok());
    id.ok_or_else(|| StartError::Folder(io::Error::other("postmaster.pid names no process")))
}

/// Stops a server, and waits until it and its sessions are gone: a server does not start while sessions of
/// the one before use its memory.
pub(super) fn end(process: u32, stop: Stop) -> Result<(), StartError> {
    let processes = family(process)?;
    let signal = match stop {
        Stop::Fast => "INT",
        Stop::Immediate => "QUIT",
        Stop::Kill => "KILL",
    };
    let mut kill = Command::new("kill");
    kill.args(["-s", signal, &process.to_string()]).stderr(Stdio::null());
    // A process that has ended already is as good.
    kill.status().map_err(|error| program_error(Path::new("kill"), error))?;
    let lives =
        |id: &u32| fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| !line.is_empty());
    wait_until(STOP_LIMIT, || !processes.iter().any(lives))
}

pub(super) fn wait_until(
    limit: Duration,
    mut condition: impl FnMut() -> bool,
) -> Result<(), StartError> {
    let started = Instant::now();
    while !condition() {
        if started.elapsed() > limit {
            return Err(StartError::NotReady { log: "no log is kept of a restart".to_owned() });
        }
        thread::sleep(POLL);
    }
    Ok(())
}

/// A process and its children.
fn family(id: u32) -> Result<Vec<u32>, StartError> {
    let entries = fs::read_dir("/proc").map_err(StartError::Folder)?;
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let parent = |of: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{of}/stat")).ok()?;
        stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()
    };
    Ok(ids.filter(|other| *other == id || parent(*other) == Some(id)).collect())
}
