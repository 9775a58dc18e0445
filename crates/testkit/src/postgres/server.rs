//! One running PostgreSQL with a folder and a port of its own.
//!
//! The server is the child of a small shell script (`watcher.sh`) that reads from a pipe; it stops
//! the server at the pipe's end, so that a killed test leaves no server.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::account::{self, Account};
use super::client::{self, ClientError};
use super::folder::{self, Storage};
use super::installation::Installation;

/// Another process may take the free port before the server does.
const PORT_ATTEMPTS: usize = 5;
pub(super) const START_LIMIT: Duration = Duration::from_secs(60);
/// Longer than the watcher's own patience, after which it kills the server.
const STOP_LIMIT: Duration = Duration::from_secs(15);
pub(super) const POLL: Duration = Duration::from_millis(10);
pub(crate) const WATCHER: &str = include_str!("watcher.sh");

/// The durability of a test's data is worth nothing, its speed a lot. UTC, so that answers do not
/// depend on the machine.
const SETTINGS: [&str; 11] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=50",
    "wal_level=logical",
    "max_wal_senders=50",
    "max_replication_slots=50",
    "listen_addresses=127.0.0.1",
    "timezone=UTC",
    "log_timezone=UTC",
    "logging_collector=off",
];

/// Those of the server that tests share, beside these: each session maps the shared buffers, and
/// tests collect the statistics that they need. Benchmarks have servers of their own.
const SHARED_SETTINGS: [&str; 2] = ["shared_buffers=32MB", "autovacuum=off"];

type SharedServer = OnceLock<Result<Server, StartError>>;

/// A private server; dropping it stops it and removes its folder.
///
/// Text is UTF-8 and sorted by the `C` locale; all clients may log in as `postgres`, the superuser.
#[derive(Debug)]
pub struct Server {
    installation: Installation,
    folder: PathBuf,
    port: u16,
    watcher: Child,
}

/// The reason why a private server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// PostgreSQL refuses to run as root, and there is no other account.
    #[error("this process is root, and there is no user `postgres` or `nobody` to run as")]
    NoAccount,
    /// The folder of the server could not be prepared.
    #[error("the server's folder could not be prepared: {0}")]
    Folder(#[source] io::Error),
    /// A program could not be run at all.
    #[error("{program} could not be run: {error}")]
    Program {
        /// The path or name of the program.
        program: String,
        /// The cause.
        error: io::Error,
    },
    /// `initdb` refused.
    #[error("initdb failed: {output}")]
    Initdb {
        /// Its output.
        output: String,
    },
    /// The server ended while it started.
    #[error("the server ended: {log}")]
    Exited {
        /// Its log.
        log: String,
    },
    /// The server took too long.
    #[error("the server is not ready after {} seconds: {log}", START_LIMIT.as_secs())]
    NotReady {
        /// Its log.
        log: String,
    },
}

/// The server that all tests of this process share, one an installation; it is started by the
/// first of them and stops after the process has ended.
pub fn shared(installation: &Installation) -> Result<&'static Server, &'static StartError> {
    static SERVERS: Mutex<Vec<(PathBuf, &'static SharedServer)>> = Mutex::new(Vec::new());

    let server: &'static SharedServer = {
        let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        match servers.iter().find(|(bin, _)| *bin == installation.bin) {
            Some((_, server)) => server,
            None => {
                // One for each installation, as long as the process lives.
                let server: &'static SharedServer = Box::leak(Box::default());
                servers.push((installation.bin.clone(), server));
                server
            }
        }
    };
    // The list is free again: servers of different installations start side by side.
    server.get_or_init(|| Server::start_shared(installation)).as_ref()
}

impl Server {
    /// Makes a database cluster in a fresh folder and starts a server on a free port.
    pub fn start(installation: &Installation) -> Result<Server, StartError> {
        Self::start_with(installation, &[])
    }

    /// Starts one with further settings, such as `max_connections=100`, which override those of
    /// tests.
    pub fn start_with(
        installation: &Installation,
        settings: &[&str],
    ) -> Result<Server, StartError> {
        Self::start_on(installation, settings, Storage::Disk)
    }

    fn start_shared(installation: &Installation) -> Result<Server, StartError> {
        Self::start_on(installation, &SHARED_SETTINGS, Storage::Memory)
    }

    fn start_on(
        installation: &Installation,
        settings: &[&str],
        storage: Storage,
    ) -> Result<Server, StartError> {
        let mut attempt = 1;
        loop {
            match start_once(installation, settings, storage) {
                Err(StartError::Exited { log })
                    if log.contains("could not bind") && attempt < PORT_ATTEMPTS =>
                {
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// The installation that this server runs.
    #[must_use]
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the sockets, which also holds the data.
    #[must_use]
    pub fn socket_folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of `postgresql.conf` and `pg_hba.conf`.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        data_folder(&self.folder)
    }

    /// The address of a database over TCP.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{}", self.port, percent_encode(database))
    }

    /// The address of a database over the Unix socket.
    #[must_use]
    pub fn socket_url(&self, database: &str) -> String {
        let database = percent_encode(database);
        let folder = percent_encode(&self.folder.to_string_lossy());
        format!("postgres:///{database}?host={folder}&port={}&user=postgres", self.port)
    }

    /// Makes an empty database; it is an error if it exists.
    pub fn create_database(&self, name: &str) -> Result<(), ClientError> {
        self.copy_database("template0", name)
    }

    /// Copies a database, which must not have connections.
    pub fn copy_database(&self, template: &str, name: &str) -> Result<(), ClientError> {
        let (name, template) = (quote(name), quote(template));
        self.execute("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}"))
    }

    /// Removes a database, and ends the sessions that are in it.
    pub fn drop_database(&self, name: &str) -> Result<(), ClientError> {
        self.execute("postgres", &format!("DROP DATABASE {} WITH (FORCE)", quote(name)))
    }

    /// Runs statements in the template of all databases that are created later.
    pub fn execute_in_template(&self, sql: &str) -> Result<(), ClientError> {
        let allow = |is: bool| {
            format!("UPDATE pg_database SET datallowconn = {is} WHERE datname = 'template0'")
        };
        self.execute("postgres", &allow(true))?;
        self.execute("template0", sql)?;
        self.execute("postgres", &allow(false))
    }

    /// Tells another version in all databases that are created later, as another product does.
    pub fn tell_version(&self, version: &str) -> Result<(), ClientError> {
        let version = version.replace('\'', "''");
        self.execute_in_template(&format!(
            "SET allow_system_table_mods = on;
             ALTER FUNCTION pg_catalog.version() RENAME TO version_of_postgres;
             CREATE FUNCTION pg_catalog.version() RETURNS text LANGUAGE sql STABLE
                 AS $$ SELECT '{version}' $$"
        ))
    }

    /// Runs any number of statements.
    pub fn execute(&self, database: &str, sql: &str) -> Result<(), ClientError> {
        client::execute(&self.url(database), sql)
    }

    /// Runs statements and returns their rows, values in PostgreSQL's text form.
    pub fn query(
        &self,
        database: &str,
        sql: &str,
    ) -> Result<Vec<Vec<Option<String>>>, ClientError> {
        client::query(&self.url(database), sql)
    }
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Drop for Server {
    fn drop(&mut self) {
        stop(&mut self.watcher);
        remove_folder(&self.folder);
    }
}

fn start_once(
    installation: &Installation,
    settings: &[&str],
    storage: Storage,
) -> Result<Server, StartError> {
    let account = account::unprivileged_account()?;
    let folder = folder::create_folder(account, storage).map_err(StartError::Folder)?;
    let started = start_in(installation, settings, &folder, account);
    if started.is_err() {
        remove_folder(&folder);
    }
    let (port, watcher) = started?;
    Ok(Server { installation: installation.clone(), folder, port, watcher })
}

fn start_in(
    installation: &Installation,
    settings: &[&str],
    folder: &Path,
    account: Option<Account>,
) -> Result<(u16, Child), StartError> {
    let bin =
        folder::reachable_bin(&installation.bin, folder, account).map_err(StartError::Folder)?;
    initialise(&bin, folder, account)?;
    let port = free_port().map_err(StartError::Folder)?;
    let mut watcher = spawn(&bin, folder, port, settings, account)?;
    match wait_until_ready(folder) {
        Ok(()) => Ok((port, watcher)),
        Err(error) => {
            stop(&mut watcher);
            Err(error)
        }
    }
}

fn initialise(bin: &Path, folder: &Path, account: Option<Account>) -> Result<(), StartError> {
    let program = bin.join("initdb");
    let mut command = command(program.as_os_str().as_ref(), folder, account);
    command
        .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"])
        .args(["--no-sync", "--pgdata"])
        .arg(data_folder(folder));
    let output = command.output().map_err(|error| program_error(&program, error))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(StartError::Initdb { output: String::from_utf8_lossy(&text).into_owned() })
}

fn spawn(
    bin: &Path,
    folder: &Path,
    port: u16,
    settings: &[&str],
    account: Option<Account>,
) -> Result<Child, StartError> {
    // A log file keeps the server off the test's output, whose reader would otherwise wait for the
    // server's end.
    let log = File::create(log_file(folder)).map_err(StartError::Folder)?;
    let errors = log.try_clone().map_err(StartError::Folder)?;
    let mut command = command(Path::new("sh"), folder, account);
    command.arg("-c").arg(WATCHER).arg("watcher").arg(folder);
    command.arg(bin.join("postgres")).arg("-D").arg(data_folder(folder));
    command.arg("-p").arg(port.to_string()).arg("-k").arg(folder);
    // PostgreSQL takes the last of repeated settings.
    for setting in SETTINGS.iter().chain(settings) {
        command.arg("-c").arg(setting);
    }
    // A group of its own: an interrupt at the terminal is for the tests, and reaches the watcher
    // as the pipe's end.
    command.stdin(Stdio::piped()).stdout(log).stderr(errors).process_group(0);
    command.spawn().map_err(|error| program_error(Path::new("sh"), error))
}

/// A program without the caller's environment: `PGDATA`, `PGPORT` and `LANG` would all change its
/// behaviour.
pub(super) fn command(program: &Path, folder: &Path, account: Option<Account>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("LC_ALL", "C").env("TZ", "UTC").current_dir(folder);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    account::run_as(&mut command, account);
    command
}

fn wait_until_ready(folder: &Path) -> Result<(), StartError> {
    let started = Instant::now();
    loop {
        if exited_file(folder).exists() {
            return Err(StartError::Exited { log: read_log(folder) });
        }
        if is_ready(&data_folder(folder)) {
            return Ok(());
        }
        if started.elapsed() > START_LIMIT {
            return Err(StartError::NotReady { log: read_log(folder) });
        }
        thread::sleep(POLL);
    }
}

/// The eighth line of `postmaster.pid` is the server's status; it accepts connections once it is
/// `ready`.
fn is_ready(data_folder: &Path) -> bool {
    fs::read_to_string(data_folder.join("postmaster.pid"))
        .is_ok_and(|text| text.lines().nth(7).is_some_and(|status| status.trim() == "ready"))
}

pub(crate) fn stop(watcher: &mut Child) {
    // Closes the pipe.
    drop(watcher.stdin.take());
    let started = Instant::now();
    while matches!(watcher.try_wait(), Ok(None)) {
        if started.elapsed() > STOP_LIMIT {
            kill(watcher);
            return;
        }
        thread::sleep(POLL);
    }
}

fn kill(watcher: &mut Child) {
    // Both fail only if the process has ended already.
    drop(watcher.kill());
    drop(watcher.wait());
}

/// The watcher has removed the folder already, unless it was killed or never started.
pub(crate) fn remove_folder(folder: &Path) {
    drop(fs::remove_dir_all(folder));
}

pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn data_folder(folder: &Path) -> PathBuf {
    folder.join("data")
}

pub(crate) fn log_file(folder: &Path) -> PathBuf {
    folder.join("log")
}

pub(crate) fn exited_file(folder: &Path) -> PathBuf {
    folder.join("exited")
}

pub(crate) fn read_log(folder: &Path) -> String {
    fs::read_to_string(log_file(folder)).unwrap_or_else(|error| format!("no log: {error}"))
}

pub(super) fn program_error(program: &Path, error: io::Error) -> StartError {
    StartError::Program { program: program.display().to_string(), error }
}

/// Encodes all characters but the unreserved ones of [RFC
/// 3986](https://www.rfc-editor.org/rfc/rfc3986#section-2.3), and the slash, which has no meaning
/// in a query.
pub(super) fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(byte.into());
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_addresses_are_encoded_byte_by_byte() {
        assert_eq!(percent_encode("shop-1_a.b~c"), "shop-1_a.b~c");
        assert_eq!(percent_encode("a/b ü?"), "a%2Fb%20%C3%BC%3F");
    }
}
