//! Starts the built program, sends requests and reads answers.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Nothing here waits longer for the program.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is removed in the end.
#[derive(Debug)]
pub(crate) struct Folder(pub PathBuf);

/// A server that is killed in the end.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) child: Child,
    pub(crate) log: BufReader<ChildStderr>,
    /// The log until it was ready.
    pub(crate) said: String,
    /// What it printed until it was ready.
    pub(crate) welcome: String,
    /// Where its file is, if that is its own.
    pub(crate) folder: Option<Folder>,
}

/// An answer as it came over the socket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Empty if it is no text.
    pub(crate) body: String,
    pub(crate) bytes: Vec<u8>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("thalweg-test-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The program without the environment of whoever runs the tests.
pub(crate) fn thalweg(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
    for (name, _) in std::env::vars() {
        let prefixes = ["THALWEG_", "PG", "OTEL_", "APOLLO_", "HIVE_", "AWS_", "HASURA_"];
        if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    thalweg(arguments).output().unwrap()
}

/// The exit code, the standard output and the error stream.
pub(crate) fn outcome(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

impl Server {
    /// The demo with a file of its own.
    pub(crate) fn sample() -> Self {
        let folder = Folder::new();
        let mut server = Self::demo(&folder.file("shop.db"));
        server.folder = Some(folder);
        server
    }

    /// The demo with further options and a file of its own.
    pub(crate) fn start_sample(options: &[&str]) -> Self {
        let folder = Folder::new();
        let file = folder.file("shop.db");
        let usual = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
        let mut server = Self::start(&[&usual, options].concat());
        server.folder = Some(folder);
        server
    }

    /// The demo at a free port; ready to answer.
    pub(crate) fn demo(file: &Path) -> Self {
        Self::start(&["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()])
    }

    /// A server at a free port; ready to answer.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_in(&[], arguments)
    }

    /// The same with these variables of the environment.
    pub(crate) fn start_in(environment: &[(&str, &str)], arguments: &[&str]) -> Self {
        let mut command = thalweg(arguments);
        command.envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let mut seen = String::new();
        // The line comes when all threads run.
        let address = loop {
            line.clear();
            if log.read_line(&mut line).unwrap() == 0 {
                panic!("the server has ended: {seen}");
            }
            seen.push_str(&line);
            if let Some((_, rest)) = line.split_once("serving at http://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
        };
        let mut welcome = String::new();
        if arguments.first() == Some(&"demo") {
            let mut output = BufReader::new(child.stdout.take().unwrap());
            while !welcome.contains("invoicesByCustomerId") {
                assert!(output.read_line(&mut welcome).unwrap() > 0, "the output has ended");
            }
        }
        Self { address, child, log, said: seen, welcome, folder: None }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// One request on a connection of its own.
    pub(crate) fn send(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        read_answer(&mut BufReader::new(stream), !request.starts_with(b"HEAD"))
    }

    pub(crate) fn get(&self, target: &str, headers: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n").as_bytes())
    }

    /// A JSON body, with further headers.
    pub(crate) fn post(&self, headers: &str, body: &str) -> Answer {
        self.send(post("application/json", headers, body).as_bytes())
    }

    /// A GraphQL query in a JSON body.
    pub(crate) fn query(&self, headers: &str, query: &str) -> Answer {
        let escaped = query.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
        self.post(headers, &format!("{{\"query\":\"{escaped}\"}}"))
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &id]).status().unwrap();
        assert!(kill.success());
    }

    /// The rest of the log, once the server has ended.
    pub(crate) fn rest_of_log(&mut self) -> String {
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A POST of any bytes, with all its headers but the length.
pub(crate) fn post_bytes(headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub(crate) fn post(content_type: &str, headers: &str, body: &str) -> String {
    format!(
        "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: {content_type}\r\n\
         Content-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// Shows what the server said.
#[expect(clippy::print_stderr, reason = "a failed test shows what the server said")]
pub(crate) fn print_log(log: &str) {
    eprintln!("the log of the server:\n{log}");
}

/// Reads one answer; the connection may go on.
pub(crate) fn read_answer(reader: &mut impl BufRead, has_body: bool) -> Answer {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no status in {line:?}"));
    let status = status.parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut answer = Answer { status, headers, body: String::new(), bytes: Vec::new() };
    if has_body && !matches!(status, 204 | 304) {
        answer.bytes = match answer.header("content-length") {
            Some(length) => read_exact(reader, length.parse().unwrap()),
            None => read_chunks(reader),
        };
        answer.body = String::from_utf8(answer.bytes.clone()).unwrap_or_default();
    }
    answer
}

fn read_exact(reader: &mut impl BufRead, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).unwrap();
    bytes
}

/// A body of `Transfer-Encoding: chunked`, to its end.
fn read_chunks(reader: &mut impl BufRead) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim_end(), 16)
            .unwrap_or_else(|_| panic!("no length of a chunk: {line:?}"));
        bytes.extend(read_exact(reader, length));
        assert_eq!(read_exact(reader, 2), b"\r\n");
        if length == 0 {
            return bytes;
        }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Status, media type and body, which is all that most tests want to know.
    pub(crate) fn parts(&self) -> (u16, &str, &str) {
        (self.status, self.header("content-type").unwrap_or_default(), &self.body)
    }
}
