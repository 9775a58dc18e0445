//! A pooler in front of a private server: a program with a folder and a port of its own.

use std::ffi::OsString;
use std::fs::File;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Instant;

use super::account;
use super::folder::{self, Storage};
use super::server::{
    POLL, START_LIMIT, StartError, WATCHER, command, exited_file, log_file, program_error,
    read_log, remove_folder, stop,
};

/// The folder of Debian's packages, which is only in root's `PATH`.
const FOLDER: &str = "/usr/sbin";

/// A running pooler; dropping it stops it.
#[derive(Debug)]
pub(super) struct Pooler {
    folder: PathBuf,
    port: u16,
    watcher: Child,
}

impl Pooler {
    /// Starts the program and its arguments, which `prepare` tells for the folder, and waits until it
    /// listens to the port. It is stopped by the signal of this name.
    pub(super) fn start(
        signal: &str,
        port: u16,
        prepare: impl FnOnce(&Path) -> Result<Vec<OsString>, StartError>,
    ) -> Result<Self, StartError> {
        let account = account::unprivileged_account()?;
        let folder = folder::create_folder(account, Storage::Disk).map_err(StartError::Folder)?;
        let words = prepare(&folder);
        let started = words.and_then(|words| start_in(&folder, account, (&words, signal), port));
        if started.is_err() {
            remove_folder(&folder);
        }
        Ok(Self { port, watcher: started?, folder })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn stop(&mut self) {
        stop(&mut self.watcher);
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.stop();
        remove_folder(&self.folder);
    }
}

/// Whether the program of this name is on this machine. If not, that is printed.
pub(super) fn is_installed(program: &str, name: &str) -> bool {
    let is_installed = find(program).is_ok();
    if !is_installed {
        print_not_run(name);
    }
    is_installed
}

pub(super) fn find(program: &str) -> Result<PathBuf, StartError> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&folders).chain([PathBuf::from(FOLDER)]);
    let mut found = folders.map(|folder| folder.join(program));
    let missing = || program_error(Path::new(program), std::io::ErrorKind::NotFound.into());
    found.find(|path| path.is_file()).ok_or_else(missing)
}

fn start_in(
    folder: &Path,
    account: Option<account::Account>,
    (words, signal): (&[OsString], &str),
    port: u16,
) -> Result<Child, StartError> {
    let log = File::create(log_file(folder)).map_err(StartError::Folder)?;
    let errors = log.try_clone().map_err(StartError::Folder)?;
    let mut command = command(Path::new("sh"), folder, account);
    command.arg("-c").arg(WATCHER).arg("watcher").arg(folder).args(words);
    command.env("STOP_SIGNAL", signal);
    command.stdin(Stdio::piped()).stdout(log).stderr(errors).process_group(0);
    let mut watcher = command.spawn().map_err(|error| program_error(Path::new("sh"), error))?;
    match wait_until_ready(folder, port) {
        Ok(()) => Ok(watcher),
        Err(error) => {
            stop(&mut watcher);
            Err(error)
        }
    }
}

fn wait_until_ready(folder: &Path, port: u16) -> Result<(), StartError> {
    let started = Instant::now();
    loop {
        if exited_file(folder).exists() {
            return Err(StartError::Exited { log: read_log(folder) });
        }
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        if started.elapsed() > START_LIMIT {
            return Err(StartError::NotReady { log: read_log(folder) });
        }
        thread::sleep(POLL);
    }
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
fn print_not_run(name: &str) {
    eprintln!("not run: {name} is not installed; `cargo xtask setup` installs it");
}
