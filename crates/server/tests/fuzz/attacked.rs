//! The program under attack, and what must hold of it after each input.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::fuzz::answers;
use crate::program::{Folder, PATIENCE, thalweg};

/// How long a request may stay incomplete; some inputs wait for it.
const LIMIT: &str = "300ms";

/// The most memory that the process may take: requests of a megabyte need little.
const MOST_MEMORY: u64 = 512 << 20;

pub(crate) struct Attacked {
    address: SocketAddr,
    child: RefCell<Child>,
    log: RefCell<File>,
    /// How often each status came.
    statuses: RefCell<BTreeMap<u16, u32>>,
    _folder: Folder,
}

impl Attacked {
    pub(crate) fn start() -> Self {
        let folder = Folder::new();
        let database = folder.file("test.db");
        rusqlite::Connection::open(&database)
            .unwrap()
            .execute_batch(
                "CREATE TABLE artist (id integer PRIMARY KEY, name text);
                 INSERT INTO artist VALUES (1, 'first');",
            )
            .unwrap();
        let log = folder.file("log");
        let mut program = thalweg(&["serve", database.to_str().unwrap()]);
        // Seeds are for the host `a`.
        program.args(["--listen", "127.0.0.1:0", "--threads", "1", "--allowed-hosts", "a"]);
        program.args(["--header-timeout", LIMIT, "--body-timeout", LIMIT, "--batching"]);
        // Also for the beginning of a head that came together with the request before it.
        program.args(["--keep-alive-timeout", LIMIT]);
        program.args(["--socket-init-timeout", LIMIT, "--ping-interval", LIMIT]);
        let mut child =
            program.stdout(Stdio::null()).stderr(File::create(&log).unwrap()).spawn().unwrap();
        let started = Instant::now();
        let address = loop {
            let text = fs::read_to_string(&log).unwrap();
            if let Some((_, rest)) = text.split_once("serving at http://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
            assert_eq!(child.try_wait().unwrap(), None, "{text}");
            assert!(started.elapsed() < PATIENCE, "{text}");
            std::thread::sleep(Duration::from_millis(10));
        };
        Self {
            address,
            child: RefCell::new(child),
            log: RefCell::new(File::open(&log).unwrap()),
            statuses: RefCell::default(),
            _folder: folder,
        }
    }

    /// Sends the bytes over a connection of their own and says what does not hold.
    pub(crate) fn check(&self, input: &[u8]) -> Result<(), String> {
        let received = self.exchange(input)?;
        let statuses = answers::read(&received, input)?;
        for status in statuses {
            *self.statuses.borrow_mut().entry(status).or_default() += 1;
        }
        self.check_process()
    }

    fn exchange(&self, input: &[u8]) -> Result<Vec<u8>, String> {
        let connect = || TcpStream::connect(self.address);
        let mut stream = connect().map_err(|error| format!("no connection: {error}"))?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        // A server that has seen enough closes the connection before everything is sent.
        let sent = stream.write_all(input);
        // Some clients say that nothing more will come, others leave it to the server's patience.
        if sent.is_ok() && !input.len().is_multiple_of(8) {
            drop(stream.shutdown(Shutdown::Write));
        }
        let mut received = Vec::new();
        match stream.read_to_end(&mut received) {
            Ok(_) => Ok(received),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(received),
            Err(error) => Err(format!("the connection was not closed: {error}")),
        }
    }

    fn check_process(&self) -> Result<(), String> {
        let mut child = self.child.borrow_mut();
        if let Some(status) = child.try_wait().unwrap() {
            return Err(format!("the program has ended: {status}"));
        }
        let mut said = String::new();
        self.log.borrow_mut().read_to_string(&mut said).unwrap();
        if said.contains("a fault of the program") || said.contains("panicked") {
            return Err(format!("the log says: {said}"));
        }
        let memory = memory(child.id());
        if memory > MOST_MEMORY {
            return Err(format!("the program takes {} MiB", memory >> 20));
        }
        Ok(())
    }

    /// Asserts that requests came as far as an answer, and that others were refused, so that not
    /// everything fails at the first byte.
    pub(crate) fn assert_saw_all_kinds(&self) {
        let statuses = self.statuses.borrow();
        for status in [101, 200, 400, 404, 405, 415] {
            assert!(statuses.contains_key(&status), "no {status}: {statuses:?}");
        }
    }
}

impl Drop for Attacked {
    fn drop(&mut self) {
        let mut child = self.child.borrow_mut();
        drop(child.kill());
        drop(child.wait());
        if std::thread::panicking() {
            let mut log = self.log.borrow_mut();
            drop(log.seek(SeekFrom::Start(0)));
            let mut text = String::new();
            drop(log.read_to_string(&mut text));
            print_log(&text);
        }
    }
}

#[expect(clippy::print_stderr, reason = "a failed test shows what the server said")]
fn print_log(log: &str) {
    let lines: Vec<&str> = log.lines().collect();
    let last = lines.len().saturating_sub(20);
    eprintln!("the end of the server's log:\n{}", lines[last..].join("\n"));
}

/// What a process holds in memory, in bytes.
fn memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}
