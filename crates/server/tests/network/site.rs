//! The program with the sample and with its log in a file: nobody has to read along.

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::program::{Answer, Folder, PATIENCE, post, print_log, read_answer, thalweg};

/// Short answers, an answer of some megabytes, and one that never comes.
const TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE TABLE long (id integer PRIMARY KEY, text text);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 16)
    INSERT INTO long SELECT i, hex(zeroblob(250000)) FROM n;
    CREATE VIEW endless AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) AS id FROM n;";

pub(crate) const SHORT: &str = "{ allArtists { nodes { id } } }";
pub(crate) const SHORT_ANSWER: &str = r#"{"data":{"allArtists":{"nodes":[{"id":1}]}}}"#;
/// Eight megabytes: more than the buffers of the system hold.
pub(crate) const LONG: &str = "{ allLongs { nodes { text } } }";
pub(crate) const ENDLESS: &str = "{ allEndlesses { nodes { id } } }";

const POLL: Duration = Duration::from_millis(20);

pub(crate) const LIVE: &[u8] = b"GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n";
pub(crate) const LIVES: &str = r#"{"status":"live"}"#;

/// A server that is killed in the end.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) child: Child,
    pub(crate) folder: Folder,
    /// Where it says that it serves, in this order; `unix:` and a path, or a host and a port.
    pub(crate) places: Vec<String>,
}

impl Site {
    /// Serves the sample at the addresses; ready to answer.
    pub(crate) fn start(folder: Folder, listen: &str, options: &[&str]) -> Self {
        let file = folder.file("shop.db");
        let mut arguments = vec!["demo", "--file", file.to_str().unwrap(), "--listen", listen];
        arguments.extend(options);
        Self::spawn(folder, thalweg(&arguments), listen.split(',').count())
    }

    /// Serves `TABLES` at a free port, by one thread unless told otherwise; ready to answer.
    pub(crate) fn serve(options: &[&str]) -> Self {
        let folder = Folder::new();
        let command = Self::command(&folder, options);
        Self::spawn(folder, command, 1)
    }

    /// What `serve` runs.
    pub(crate) fn command(folder: &Folder, options: &[&str]) -> Command {
        let file = folder.file("tables.db");
        Connection::open(&file).unwrap().execute_batch(TABLES).unwrap();
        let mut arguments = vec!["serve", file.to_str().unwrap()];
        arguments.extend(["--listen", "127.0.0.1:0"]);
        if !options.contains(&"--threads") {
            arguments.extend(["--threads", "1"]);
        }
        arguments.extend(options);
        thalweg(&arguments)
    }

    /// Starts the program and waits until it says that it serves at so many places.
    pub(crate) fn spawn(folder: Folder, mut command: Command, count: usize) -> Self {
        let log = File::create(folder.file("log")).unwrap();
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let mut site = Self { child, folder, places: Vec::new() };
        let ready = happens_within(PATIENCE, || {
            site.places = site.lines("serving at ");
            site.places.len() >= count || site.child.try_wait().unwrap().is_some()
        });
        assert!(ready && site.child.try_wait().unwrap().is_none(), "{}", site.log());
        for place in &mut site.places {
            let place_of_tcp = place.trim_start_matches("http://").trim_start_matches("https://");
            *place = place_of_tcp.trim_end_matches("/graphql").to_owned();
        }
        site
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.file("log")).unwrap()
    }

    /// What follows in those lines of the log that have this.
    pub(crate) fn lines(&self, text: &str) -> Vec<String> {
        let log = self.log();
        // The last line may be written half.
        let whole = &log[..log.rfind('\n').map_or(0, |end| end + 1)];
        let found = whole.lines().filter_map(|line| line.split_once(text));
        found.map(|(_, rest)| rest.split(' ').next().unwrap_or_default().to_owned()).collect()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connect(self.places[0].parse().unwrap())
    }

    /// Asserts that a new client is answered.
    pub(crate) fn assert_answers(&self) {
        assert_answers(self.connect());
    }

    /// How many files and connections the process has open.
    pub(crate) fn descriptors(&self) -> usize {
        self.described_descriptors().len()
    }

    /// What these are.
    pub(crate) fn described_descriptors(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok()).collect()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        assert!(happens_within(PATIENCE, || self.child.try_wait().unwrap().is_some()));
        self.child.wait().unwrap()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        if thread::panicking() {
            print_log(&self.log());
        }
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

pub(crate) fn connect_by_path(path: &Path) -> UnixStream {
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// One request over a connection, and its answer.
pub(crate) fn ask(mut stream: impl Read + Write, request: &[u8]) -> Answer {
    stream.write_all(request).unwrap();
    read_answer(&mut BufReader::new(stream), true)
}

/// A request with a query.
pub(crate) fn request(query: &str) -> Vec<u8> {
    let body = serde_json::json!({ "query": query }).to_string();
    post("application/json", "", &body).into_bytes()
}

pub(crate) fn assert_answers(stream: impl Read + Write) {
    let answer = ask(stream, &request(SHORT));
    assert_eq!((answer.status, answer.body.as_str()), (200, SHORT_ANSWER));
}

/// The status and the code of an answer that is all there is, before the connection ends.
pub(crate) fn refusal(mut stream: impl Read) -> (u16, String) {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let answer = read_answer(&mut all.as_slice(), true);
    assert_eq!(answer.header("connection"), Some("close"));
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let code = body["errors"][0]["extensions"]["code"].as_str().unwrap();
    (answer.status, code.to_owned())
}

/// Asserts that whoever answers lives.
pub(crate) fn assert_lives(stream: impl Read + Write) {
    let answer = ask(stream, LIVE);
    assert_eq!((answer.status, answer.body.as_str()), (200, LIVES));
}

pub(crate) fn path(place: &str) -> PathBuf {
    place.strip_prefix("unix:").unwrap().into()
}

pub(crate) fn happens_within(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if started.elapsed() > limit {
            return false;
        }
        thread::sleep(POLL);
    }
}
