//! The program with the sample and with its log in a file: nobody has to read along.

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{Answer, Folder, PATIENCE, read_answer, thalweg};

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
        let count = listen.split(',').count();
        let file = folder.file("shop.db");
        let mut arguments = vec!["demo", "--file", file.to_str().unwrap(), "--listen", listen];
        arguments.extend(options);
        let log = File::create(folder.file("log")).unwrap();
        let child = thalweg(&arguments).stdout(Stdio::null()).stderr(log).spawn().unwrap();
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

#[expect(clippy::print_stderr, reason = "a failed test shows what the server said")]
fn print_log(log: &str) {
    eprintln!("the log of the server:\n{log}");
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
