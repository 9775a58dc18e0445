//! PgBouncer in front of a private server, with a folder and a port of its own.

use std::fmt;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use super::server::{
    POLL, START_LIMIT, Server, StartError, WATCHER, command, exited_file, free_port, log_file,
    percent_encode, program_error, read_log, remove_folder, stop,
};
use super::{account, folder};

/// The first version that can keep prepared statements where transactions share sessions.
const KEEPS_STATEMENTS_FROM: (u16, u16) = (1, 21);

/// The path in Debian's package, which is only in root's `PATH`.
const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// The time at which a client's server session is given to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoolMode {
    /// After its connection.
    Session,
    /// After each transaction; prepared statements are left behind.
    Transaction,
}

/// A pooler in front of all databases of a server; dropping it stops it. It trusts all clients.
#[derive(Debug)]
pub struct PgBouncer {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    watcher: Child,
}

impl fmt::Display for PoolMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            PoolMode::Session => "session",
            PoolMode::Transaction => "transaction",
        })
    }
}

impl PgBouncer {
    /// Whether the program is on this machine. If not, that is printed.
    #[must_use]
    pub fn is_installed() -> bool {
        let is_installed = program().is_some();
        if !is_installed {
            print_not_run();
        }
        is_installed
    }

    /// Starts one with this limit of sessions per database.
    pub fn start(server: &Server, mode: PoolMode, sessions: usize) -> Result<Self, StartError> {
        Self::start_with(server, mode, sessions, &[PINNED])
    }

    /// Starts one with further lines in its file.
    pub fn start_with(
        server: &Server,
        mode: PoolMode,
        sessions: usize,
        lines: &[&str],
    ) -> Result<Self, StartError> {
        let program = program().ok_or_else(|| StartError::Program {
            program: "pgbouncer".to_owned(),
            error: std::io::ErrorKind::NotFound.into(),
        })?;
        let port = free_port().map_err(StartError::Folder)?;
        Self::start_at(&program, port, &file(&program, server, port, mode, sessions, lines))
    }

    /// Kills it and starts another one at its port, as after an edit of its file.
    pub fn restart_with(
        &mut self,
        server: &Server,
        mode: PoolMode,
        sessions: usize,
        lines: &[&str],
    ) -> Result<(), StartError> {
        stop(&mut self.watcher);
        let port = self.port;
        let file = file(&self.program, server, port, mode, sessions, lines);
        *self = Self::start_at(&self.program, port, &file)?;
        Ok(())
    }

    fn start_at(program: &Path, port: u16, file: &str) -> Result<Self, StartError> {
        let account = account::unprivileged_account()?;
        let folder = folder::create_folder(account).map_err(StartError::Folder)?;
        let started = start_in(program, &folder, account, port, file);
        if started.is_err() {
            remove_folder(&folder);
        }
        Ok(Self { program: program.to_owned(), port, watcher: started?, folder })
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a database through it.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{}", self.port, percent_encode(database))
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        stop(&mut self.watcher);
        remove_folder(&self.folder);
    }
}

/// The line of its file that ignores start-up parameters of sessions which it does not support.
pub const PINNED: &str =
    "ignore_startup_parameters = extra_float_digits,bytea_output,IntervalStyle";

fn file(
    program: &Path,
    server: &Server,
    port: u16,
    mode: PoolMode,
    sessions: usize,
    lines: &[&str],
) -> String {
    let mut file = format!(
        "[databases]\n\
         * = host=127.0.0.1 port={} user=postgres\n\
         [pgbouncer]\n\
         listen_addr = 127.0.0.1\n\
         listen_port = {port}\n\
         unix_socket_dir =\n\
         auth_type = any\n\
         pool_mode = {mode}\n\
         default_pool_size = {sessions}\n\
         max_client_conn = 1000\n\
         server_idle_timeout = 1\n\
         server_login_retry = 1\n",
        server.port()
    );
    if mode == PoolMode::Transaction && version(program) >= KEEPS_STATEMENTS_FROM {
        file.push_str("max_prepared_statements = 0\n");
    }
    for line in lines {
        file.push_str(line);
        file.push('\n');
    }
    file
}

fn start_in(
    program: &Path,
    folder: &Path,
    account: Option<account::Account>,
    port: u16,
    file: &str,
) -> Result<Child, StartError> {
    let settings = folder.join("pgbouncer.ini");
    fs::write(&settings, file).map_err(StartError::Folder)?;
    let log = File::create(log_file(folder)).map_err(StartError::Folder)?;
    let errors = log.try_clone().map_err(StartError::Folder)?;
    let mut command = command(Path::new("sh"), folder, account);
    command.arg("-c").arg(WATCHER).arg("watcher").arg(folder).arg(program).arg(settings);
    command.env("STOP_SIGNAL", "KILL");
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

fn program() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&folders).map(|folder| folder.join("pgbouncer"));
    found.find(|path| path.is_file()).or_else(|| {
        let path = PathBuf::from(PROGRAM);
        path.is_file().then_some(path)
    })
}

/// Reads `PgBouncer 1.18.0`.
fn version(program: &Path) -> (u16, u16) {
    let output = Command::new(program).arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    parse_version(&String::from_utf8_lossy(&text)).unwrap_or_default()
}

fn parse_version(text: &str) -> Option<(u16, u16)> {
    let mut numbers = text.strip_prefix("PgBouncer ")?.split(['.', '\n']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
fn print_not_run() {
    eprintln!("not run: PgBouncer is not installed; `cargo xtask setup` installs it");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_the_program_says() {
        assert_eq!(parse_version("PgBouncer 1.18.0\nlibevent 2.1\n"), Some((1, 18)));
        assert_eq!(parse_version("pgbouncer"), None);
    }
}
