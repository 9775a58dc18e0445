//! Databases to break: PostgreSQL servers that stop and start again, SQLite files.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use testkit::postgres::{Restartable, Server, required_installations, shared};

use super::served::happens_within;
use crate::program::{Folder, PATIENCE};

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

/// A server that can be stopped and started again; `None` without PostgreSQL.
pub(crate) fn restartable() -> Option<Restartable> {
    let installation = required_installations().unwrap().pop()?;
    Some(Restartable::start(&installation, &[]).unwrap_or_else(|error| panic!("{error}")))
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
