//! Databases to break: PostgreSQL servers that stop and start again, SQLite files.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use testkit::postgres::{Server, required_installations, shared};

use super::served::happens_within;
use crate::program::{Folder, PATIENCE};

/// Keeps a server that was started again from outliving the test, however that ends.
const WATCHER: &str = r#"exec 3<&0; "$@" </dev/null 3<&- & read -r _ <&3; kill -INT $!; wait"#;

/// A SQLite file in a folder of its own.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// Removes it in the end.
    _folder: Folder,
}

/// A database on a server that other tests use too.
#[derive(Debug)]
pub(crate) struct Database {
    server: &'static Server,
    name: String,
}

/// A server that can be stopped and started again, with its data, at the same port.
#[derive(Debug)]
pub(crate) struct Restartable {
    pub(crate) server: Server,
    command: Vec<String>,
    program: PathBuf,
    again: Option<Child>,
}

/// A server that follows another one, with a copy of its data.
#[derive(Debug)]
pub(crate) struct Standby {
    pub(crate) port: u16,
    folder: PathBuf,
    data: PathBuf,
    owner: (u32, u32),
    program: PathBuf,
    settings: Vec<String>,
    watcher: Child,
}

/// How a server is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// Sessions are ended, and everything is written down.
    Fast,
    /// Sessions are ended; the start recovers from the log.
    Immediate,
    /// The server is killed, and its sessions notice that they are orphans.
    Kill,
}

impl File {
    pub(crate) fn new(sql: &str) -> Self {
        let folder = Folder::new();
        let path = folder.file("test.db");
        let file = Self { path, _folder: folder };
        file.connect().execute_batch(sql).unwrap();
        file
    }

    pub(crate) fn connect(&self) -> Connection {
        let connection = Connection::open(&self.path).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        connection
    }

    pub(crate) fn source(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

impl Database {
    /// A database with these tables on each wanted PostgreSQL.
    pub(crate) fn on_each(sql: &str) -> Vec<Self> {
        let installations = required_installations().unwrap();
        let databases = installations.iter().map(|installation| {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let server = shared(installation).unwrap_or_else(|error| panic!("{error}"));
            let name = format!("faults{}", COUNT.fetch_add(1, Ordering::Relaxed));
            server.create_database(&name).unwrap();
            let database = Self { server, name };
            database.execute(sql);
            database
        });
        databases.collect()
    }

    /// The same on one of them, for what does not depend on the version.
    pub(crate) fn on_one(sql: &str) -> Option<Self> {
        Self::on_each(sql).pop()
    }

    pub(crate) fn url(&self) -> String {
        self.server.socket_url(&self.name)
    }

    #[allow(dead_code, reason = "not all who share this file have a pooler")]
    pub(crate) fn server(&self) -> &'static Server {
        self.server
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.port()
    }

    /// By another port of this machine.
    pub(crate) fn url_by(&self, port: u16) -> String {
        let own = format!(":{}/", self.server.port());
        self.server.url(&self.name).replace(&own, &format!(":{port}/"))
    }

    pub(crate) fn execute(&self, sql: &str) {
        self.server.execute(&self.name, sql).unwrap();
    }

    /// The one number that a statement gives.
    pub(crate) fn count(&self, sql: &str) -> u64 {
        let rows = self.server.query(&self.name, sql).unwrap();
        rows[0][0].as_deref().unwrap().parse().unwrap()
    }

    /// The one column that a statement gives.
    pub(crate) fn texts(&self, sql: &str) -> Vec<String> {
        let rows = self.server.query(&self.name, sql).unwrap();
        rows.into_iter().flatten().map(Option::unwrap_or_default).collect()
    }

    /// How many sessions of the program there are, of those that `condition` says.
    pub(crate) fn sessions(&self, condition: &str) -> u64 {
        self.count(&sessions("count(*)", condition))
    }

    /// Ends the sessions that the program has now.
    pub(crate) fn end_sessions(&self) {
        self.execute(&sessions("pg_terminate_backend(pid)", "true"));
    }

    /// Ends the sessions of the program and waits until they are gone.
    pub(crate) fn terminate_sessions(&self) {
        self.end_sessions();
        assert!(happens_within(PATIENCE, || self.sessions("true") == 0));
    }
}

fn sessions(what: &str, condition: &str) -> String {
    format!(
        "SELECT {what} FROM pg_stat_activity WHERE datname = current_database() \
         AND application_name = 'thalweg' AND ({condition})"
    )
}

impl Restartable {
    pub(crate) fn start() -> Option<Self> {
        let installation = required_installations().unwrap().pop()?;
        let server = Server::start(&installation).unwrap_or_else(|error| panic!("{error}"));
        let process = format!("/proc/{}", process_id(&server));
        let command = fs::read(format!("{process}/cmdline")).unwrap();
        let command = String::from_utf8(command).unwrap();
        let command = command.split_terminator('\0').skip(1).map(ToOwned::to_owned).collect();
        let program = fs::read_link(format!("{process}/exe")).unwrap();
        Some(Self { server, command, program, again: None })
    }

    pub(crate) fn process_id(&self) -> u32 {
        process_id(&self.server)
    }

    /// The server and its sessions.
    pub(crate) fn processes(&self) -> Vec<u32> {
        family(self.process_id())
    }

    pub(crate) fn stop(&mut self) {
        self.stop_by(Stop::Fast);
    }

    pub(crate) fn stop_by(&mut self, stop: Stop) {
        let id = process_id(&self.server);
        let signal = match stop {
            Stop::Fast => "INT",
            Stop::Immediate => "QUIT",
            Stop::Kill => "KILL",
        };
        let processes = self.processes();
        send_signal(signal, id);
        // A server does not start while sessions of the one before use its memory.
        let lives =
            |id: &u32| fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| !line.is_empty());
        assert!(happens_within(PATIENCE, || !processes.iter().any(lives)));
        if let Some(mut again) = self.again.take() {
            drop(again.stdin.take());
            again.wait().unwrap();
        }
    }

    pub(crate) fn start_again(&mut self) {
        let folder = self.server.socket_folder();
        let owner = fs::metadata(folder).unwrap();
        let mut command = Command::new("sh");
        command.arg("-c").arg(WATCHER).arg("watcher").arg(&self.program).args(&self.command);
        command.current_dir(folder).uid(owner.uid()).gid(owner.gid()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        self.again = Some(command.spawn().unwrap());
        let ready = || self.server.query("postgres", "SELECT 1").is_ok();
        assert!(happens_within(PATIENCE, ready), "PostgreSQL does not start again");
    }
}

impl Drop for Restartable {
    fn drop(&mut self) {
        if let Some(mut again) = self.again.take() {
            drop(again.stdin.take());
            drop(again.wait());
        }
    }
}

impl Standby {
    /// Copies a server and starts the copy, with further settings.
    pub(crate) fn of(primary: &mut Restartable, settings: &[&str]) -> Self {
        // The data of a server at rest can be copied file by file.
        primary.stop();
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let folder = primary.server.socket_folder().to_path_buf();
        let owner = fs::metadata(&folder).unwrap();
        let owner = (owner.uid(), owner.gid());
        // Removed together with the primary's folder.
        let data = folder.join(format!("standby{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let mut copy = as_owner(Path::new("cp"), owner);
        let copied = copy.arg("-a").arg(primary.server.data_folder()).arg(&data).status();
        assert!(copied.unwrap().success());
        fs::write(data.join("standby.signal"), "").unwrap();
        // A standby does not start with fewer senders than its primary has.
        let line = format!(
            "primary_conninfo = 'host=127.0.0.1 port={} user=postgres'\nmax_wal_senders = 50\n",
            primary.server.port()
        );
        fs::write(data.join("postgresql.auto.conf"), line).unwrap();
        primary.start_again();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let program = primary.program.clone();
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let watcher = Self::spawn((&program, &folder), &data, owner, port, &settings);
        let standby = Self { port, folder, data, owner, program, settings, watcher };
        standby.wait();
        standby
    }

    fn spawn(
        (program, folder): (&Path, &Path),
        data: &Path,
        owner: (u32, u32),
        port: u16,
        settings: &Vec<String>,
    ) -> Child {
        let mut command = as_owner(Path::new("sh"), owner);
        command.arg("-c").arg(WATCHER).arg("watcher").arg(program);
        command.arg("-D").arg(data).args(["-p", &port.to_string(), "-k", ""]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        command.current_dir(folder).process_group(0);
        let log = fs::File::create(data.with_extension("log")).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        command.spawn().unwrap()
    }

    fn wait(&self) {
        let ready = || testkit::postgres::query(&self.url(), "SELECT 1").is_ok();
        let log = || fs::read_to_string(self.data.with_extension("log")).unwrap_or_default();
        assert!(happens_within(PATIENCE, ready), "the copy does not start: {}", log());
    }

    /// Kills the server with its sessions.
    pub(crate) fn kill(&mut self) {
        let text = fs::read_to_string(self.data.join("postmaster.pid")).unwrap();
        let id = text.lines().next().unwrap().parse().unwrap();
        let processes = family(id);
        send_signal("KILL", id);
        let lives =
            |id: &u32| fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| !line.is_empty());
        assert!(happens_within(PATIENCE, || !processes.iter().any(lives)));
        drop(self.watcher.stdin.take());
        self.watcher.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        let program = (&*self.program, &*self.folder);
        self.watcher = Self::spawn(program, &self.data, self.owner, self.port, &self.settings);
        self.wait();
    }

    pub(crate) fn query(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        testkit::postgres::query(&self.url(), sql).unwrap()
    }

    /// How many sessions of the program there are.
    pub(crate) fn sessions(&self) -> usize {
        self.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'thalweg'").len()
    }

    /// Makes it a server that can be written to.
    pub(crate) fn promote(&self) {
        assert_eq!(self.query("SELECT pg_promote()"), [[Some("t".to_owned())]]);
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        drop(self.watcher.wait());
    }
}

fn as_owner(program: &Path, (user, group): (u32, u32)) -> Command {
    let mut command = Command::new(program);
    command.uid(user).gid(group).current_dir("/");
    command
}

fn process_id(server: &Server) -> u32 {
    let text = fs::read_to_string(server.data_folder().join("postmaster.pid")).unwrap();
    text.lines().next().unwrap().parse().unwrap()
}

/// A process and its children.
fn family(id: u32) -> Vec<u32> {
    let ids = fs::read_dir("/proc").unwrap();
    let ids = ids.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let parent = |of: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{of}/stat")).ok()?;
        stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()
    };
    ids.filter(|other| *other == id || parent(*other) == Some(id)).collect()
}

/// To a process that may have ended.
pub(crate) fn send_signal(name: &str, process: u32) {
    let mut kill = Command::new("kill");
    kill.args(["-s", name, &process.to_string()]).stderr(Stdio::null()).status().unwrap();
}

/// Runs `work` on a thread of its own again and again until the value is dropped.
#[derive(Debug)]
pub(crate) struct Meanwhile {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<u64>>,
}

impl Meanwhile {
    pub(crate) fn start(mut work: impl FnMut(u64) + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut times = 0;
            while !stopping.load(Ordering::Relaxed) {
                work(times);
                times += 1;
                // Readers must get their turn too.
                thread::sleep(Duration::from_micros(500));
            }
            times
        });
        Self { stop, thread: Some(thread) }
    }

    /// How often the work was done.
    pub(crate) fn stop(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}
