//! One running Neo4j with a folder and a port of its own.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::bolt::{BoltError, Connection};
use super::installation::Installation;
use super::lock::{Lock, Registered};
use crate::postgres::create_own_folder;

/// On a busy machine, the start of Java alone takes several times as long.
const START_LIMIT: Duration = Duration::from_secs(180);
const STOP_LIMIT: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);
/// A failure is described at the end of the log.
const LOG_LINES: usize = 40;
/// Another process may take the free port before the server does.
const PORT_ATTEMPTS: usize = 3;
const WATCHER: &str = include_str!("watcher.sh");
const MAIN_CLASS: &str = "org.neo4j.server.CommunityEntryPoint";

/// The password of the user `neo4j`, where there is one.
const PASSWORD: &str = "for-tests-only";
/// The one that a new server has; it must be changed before anything else.
const FIRST_PASSWORD: &str = "neo4j";

/// The durability of a test's data is worth nothing, its speed a lot.
const SETTINGS: [&str; 9] = [
    "server.default_listen_address=127.0.0.1",
    "server.bolt.enabled=true",
    "server.http.enabled=false",
    "server.https.enabled=false",
    "dbms.usage_report.enabled=false",
    "server.memory.pagecache.size=64m",
    "db.tx_log.preallocate=false",
    "db.tx_log.rotation.size=1m",
    "db.temporal.timezone=UTC",
];

/// Options of a measured server: the default collector and compilers.
const MEASURED_JAVA: [&str; 2] = ["-Xms1g", "-Xmx1g"];

/// A small heap, the collector that needs the least, and a compiler that is done early: a server of
/// tests answers few statements.
const TEST_JAVA: [&str; 5] =
    ["-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"];

/// Options of every Java; Neo4j uses these packages by reflection.
const JAVA: [&str; 6] = [
    "-Duser.timezone=UTC",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
];

/// The reason why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its folder, or files that servers share.
    #[error("Neo4j's files could not be prepared: {0}")]
    Files(#[from] io::Error),
    /// It exited during its start.
    #[error("Neo4j ended: {log}")]
    Exited {
        /// Its output.
        log: String,
    },
    /// It exceeded the time limit of its start.
    #[error("Neo4j is not ready after {} seconds: {last}: {log}", START_LIMIT.as_secs())]
    NotReady {
        /// The result of the last attempt.
        last: BoltError,
        /// Its output.
        log: String,
    },
}

/// The kind of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Shared by all tests, one after the other, without authentication.
    Shared,
    /// For one test, with a password.
    Guarded,
    /// For one comparison: with the functions that others call.
    Extended,
    /// For one benchmark: without plugins, and with Java's default options.
    Measured,
}

impl Kind {
    pub(super) fn password(self) -> Option<&'static str> {
        match self {
            Self::Shared | Self::Extended | Self::Measured => None,
            Self::Guarded => Some(PASSWORD),
        }
    }

    /// Idle seconds after which it ends.
    fn patience(self) -> &'static str {
        match self {
            Self::Shared => "30",
            Self::Guarded | Self::Extended | Self::Measured => "0",
        }
    }

    fn java(self) -> &'static [&'static str] {
        match self {
            Self::Shared | Self::Guarded | Self::Extended => &TEST_JAVA,
            Self::Measured => &MEASURED_JAVA,
        }
    }
}

/// Starts a server and registers it.
pub(super) fn start(
    installation: &Installation,
    lock: &Lock,
    kind: Kind,
) -> Result<Registered, StartError> {
    let mut attempt = 1;
    loop {
        match start_once(installation, lock, kind) {
            Err(StartError::Exited { log })
                if log.contains("Address already in use") && attempt < PORT_ATTEMPTS =>
            {
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Ends a server, and waits until its watcher has removed its files.
pub(super) fn end(server: &Registered) {
    // The folder is gone already where the server has ended.
    drop(fs::write(server.folder.join("stop"), ""));
    let started = Instant::now();
    while server.folder.exists() && started.elapsed() < STOP_LIMIT {
        thread::sleep(POLL);
    }
}

/// Kills a server as if its machine had lost power, and leaves its files.
pub(super) fn kill(server: &Registered) -> io::Result<()> {
    let process = server.folder.join("process");
    let id = fs::read_to_string(&process)?;
    fs::write(server.folder.join("pause"), "")?;
    Command::new("kill").args(["-s", "KILL", id.trim()]).status()?;
    // Its watcher takes the number away once the process is gone.
    let started = Instant::now();
    while process.exists() && started.elapsed() < STOP_LIMIT {
        thread::sleep(POLL);
    }
    Ok(())
}

/// Starts a server again that was killed, with its files and at its port.
pub(super) fn start_again(server: &Registered, kind: Kind) -> Result<(), StartError> {
    fs::remove_file(server.folder.join("pause"))?;
    let started = Instant::now();
    loop {
        if server.folder.join("exited").exists() {
            return Err(StartError::Exited { log: read_log(&server.folder) });
        }
        let Err(last) = prepare(server.port, kind) else { return Ok(()) };
        if started.elapsed() > START_LIMIT {
            return Err(StartError::NotReady { last, log: read_log(&server.folder) });
        }
        thread::sleep(POLL);
    }
}

fn start_once(
    installation: &Installation,
    lock: &Lock,
    kind: Kind,
) -> Result<Registered, StartError> {
    let folder = create_own_folder()?;
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    configure(&folder, port, kind)?;
    if kind == Kind::Extended {
        add_plugins(installation, &folder)?;
    }
    let server = Registered { port, folder };
    let mut watcher = spawn(installation, lock, &server, kind)?;
    let outcome = wait_until_ready(&server, &mut watcher, kind);
    if outcome.is_err() {
        end(&server);
        drop(watcher.wait());
    }
    outcome?;
    lock.register(&server)?;
    Ok(server)
}

fn configure(folder: &Path, port: u16, kind: Kind) -> io::Result<()> {
    let mut text = SETTINGS.join("\n");
    for name in ["server.bolt.listen_address", "server.bolt.advertised_address"] {
        text.push_str(&format!("\n{name}=127.0.0.1:{port}"));
    }
    text.push_str(&format!("\ndbms.security.auth_enabled={}\n", kind == Kind::Guarded));
    fs::create_dir(folder.join("conf"))?;
    fs::create_dir(folder.join("plugins"))?;
    fs::write(folder.join("conf/neo4j.conf"), text)
}

fn add_plugins(installation: &Installation, folder: &Path) -> io::Result<()> {
    for entry in installation.plugins.read_dir()? {
        let entry = entry?;
        symlink(entry.path(), folder.join("plugins").join(entry.file_name()))?;
    }
    Ok(())
}

fn spawn(
    installation: &Installation,
    lock: &Lock,
    server: &Registered,
    kind: Kind,
) -> io::Result<Child> {
    let folder = &server.folder;
    // A log file keeps the server off the test's output, whose reader would otherwise wait for the
    // server's end.
    let log = File::create(log_file(folder))?;
    let errors = log.try_clone()?;
    let mut command = Command::new("sh");
    // `JAVA_TOOL_OPTIONS` and `NEO4J_CONF` would both change its behaviour.
    command.env_clear().env("LC_ALL", "C.UTF-8").current_dir(folder);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.arg("-c").arg(WATCHER).arg("watcher").arg(folder);
    command.arg(lock.file()).arg(lock.registration()).arg(kind.patience());
    command.arg(&installation.java).args(kind.java()).args(JAVA);
    // Extensions of the server are found on the class path, procedures of plugins in their folder.
    let classes = [installation.library.join("*"), folder.join("plugins/*")];
    let classes = classes.map(|path| path.display().to_string()).join(":");
    command.arg("-cp").arg(classes).arg(MAIN_CLASS);
    let argument = |name: &str, folder: &Path| format!("--{name}={}", folder.display());
    command.arg(argument("home-dir", folder)).arg(argument("config-dir", &folder.join("conf")));
    // A group of its own: an interrupt at the terminal is for the tests.
    command.stdin(Stdio::null()).stdout(log).stderr(errors).process_group(0);
    command.spawn()
}

fn wait_until_ready(
    server: &Registered,
    watcher: &mut Child,
    kind: Kind,
) -> Result<(), StartError> {
    let started = Instant::now();
    let log = || read_log(&server.folder);
    loop {
        if server.folder.join("exited").exists() || watcher.try_wait()?.is_some() {
            return Err(StartError::Exited { log: log() });
        }
        // At first it does not listen, and then the database is not there yet.
        let Err(last) = prepare(server.port, kind) else { return Ok(()) };
        if started.elapsed() > START_LIMIT {
            return Err(StartError::NotReady { last, log: log() });
        }
        thread::sleep(POLL);
    }
}

/// Sets the password if there is to be one, and sees whether a statement runs.
fn prepare(port: u16, kind: Kind) -> Result<(), BoltError> {
    if kind == Kind::Guarded {
        match Connection::open(port, Some(PASSWORD)) {
            Err(BoltError::Refused { .. }) => {
                let change = [
                    "ALTER CURRENT USER SET PASSWORD FROM '",
                    FIRST_PASSWORD,
                    "' TO '",
                    PASSWORD,
                    "'",
                ];
                Connection::open(port, Some(FIRST_PASSWORD))?
                    .query_in(Some("system"), &change.concat())?;
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    Connection::open(port, kind.password())?.query("RETURN 1").map(drop)
}

/// The output of the program, which is little, and its own log.
fn read_log(folder: &Path) -> String {
    let paths = [log_file(folder), folder.join("logs/neo4j.log")];
    let texts = paths.map(|path| fs::read_to_string(path).unwrap_or_default());
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    let end = lines.len().saturating_sub(LOG_LINES);
    lines.get(end..).unwrap_or_default().join("\n")
}

fn log_file(folder: &Path) -> PathBuf {
    folder.join("log")
}
