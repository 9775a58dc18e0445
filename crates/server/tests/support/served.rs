//! A server whose log is a file: nobody has to read along, and tests look things up in it.

use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Folder, PATIENCE, post, print_log, read_answer, thalweg};

/// What a right server does in milliseconds takes at most this long on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(5);

const POLL: Duration = Duration::from_millis(20);

/// A server that is killed in the end.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    child: Child,
    folder: Folder,
}

impl Served {
    /// Serves a source at a free port; ready to answer.
    pub(crate) fn start(source: &str, options: &[&str]) -> Self {
        Self::start_with(source, options, &[])
    }

    /// Serves a supergraph.
    #[allow(dead_code, reason = "not all who share this file have one")]
    pub(crate) fn gateway(supergraph: &Path, options: &[&str]) -> Self {
        Self::run(&["gateway", supergraph.to_str().unwrap()], options, &[])
    }

    /// The same as [`Served::start`] with environment variables.
    pub(crate) fn start_with(source: &str, options: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::run(&["serve", source], options, environment)
    }

    fn run(what: &[&str], options: &[&str], environment: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        let log = File::create(folder.file("log")).unwrap();
        let mut arguments = what.to_vec();
        arguments.extend(["--listen", "127.0.0.1:0"]);
        arguments.extend(options);
        let mut program = thalweg(&arguments);
        program.envs(environment.iter().copied());
        let child = program.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let mut served = Self { address: SocketAddr::from(([0, 0, 0, 0], 0)), child, folder };
        let ready = || served.log().contains("serving at http://");
        assert!(happens_within(PATIENCE, ready), "{}", served.log());
        let log = served.log();
        let address = log.split("serving at http://").nth(1).unwrap().split('/').next().unwrap();
        served.address = address.parse().unwrap();
        served
    }

    /// The id of the process.
    #[allow(dead_code, reason = "not all who share this file send signals")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.file("log")).unwrap()
    }

    /// Sends a query and waits for nothing.
    pub(crate) fn send(&self, query: &str) -> TcpStream {
        let body = serde_json::json!({ "query": query }).to_string();
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(post("application/json", "", &body).as_bytes()).unwrap();
        stream
    }

    /// The answer to a query.
    pub(crate) fn ask(&self, query: &str) -> Value {
        receive(self.send(query))
    }

    /// The answer, whatever its status.
    #[allow(dead_code, reason = "not all who share this file refuse requests")]
    pub(crate) fn ask_any(&self, query: &str) -> Value {
        let answer = read_answer(&mut BufReader::new(self.send(query)), true);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// The same, which must be there soon.
    pub(crate) fn ask_quickly(&self, query: &str) -> Value {
        let started = Instant::now();
        let answer = self.ask(query);
        assert!(started.elapsed() < SOON, "{:?} for {answer}", started.elapsed());
        answer
    }

    /// Asserts that the process runs and takes connections.
    pub(crate) fn assert_lives(&mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None, "{}", self.log());
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream.write_all(b"GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
        assert_eq!(read_answer(&mut BufReader::new(stream), true).status, 200);
    }

    /// Asserts that an answer has one error, that its message and code are these, that it tells
    /// nothing else, and that the log has a line of the same id with the source's own words.
    pub(crate) fn assert_masked(&self, answer: &Value, code: &str, message: &str, logged: &str) {
        let errors = answer["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{answer}");
        let (error, extensions) = (&errors[0], &errors[0]["extensions"]);
        assert_eq!((&error["message"], &extensions["code"]), (&message.into(), &code.into()));
        assert_eq!(extensions.as_object().unwrap().len(), 2, "{answer}");
        let id = extensions["errorId"].as_str().unwrap();
        let log = self.log();
        let line = log.lines().find(|line| line.contains(&format!("error_id={id} ")));
        let line = line.unwrap_or_else(|| panic!("{id} is not in the log: {log}"));
        assert!(line.contains(logged), "{line}");
    }

    /// The processor time that the process has used.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The name, in parentheses, may hold spaces; time is counted in hundredths of a second.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(ticks * 10)
    }

    /// How many files and sockets the process has open.
    pub(crate) fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    /// How many threads of a name the process has.
    #[allow(dead_code, reason = "not all who share this file count threads")]
    pub(crate) fn threads(&self, name: &str) -> usize {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")));
        // One may end meanwhile.
        names.filter(|found| found.as_ref().is_ok_and(|found| found.trim_end() == name)).count()
    }

    /// The most bytes of memory that the process has had at a time.
    #[allow(dead_code, reason = "not all who share this file measure memory")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
    }

    /// Asserts that the process comes to rest: in some half second it works for a tenth at most.
    pub(crate) fn assert_rests(&self) {
        let rests = || {
            let before = self.processor_time();
            thread::sleep(Duration::from_millis(500));
            self.processor_time() - before <= Duration::from_millis(50)
        };
        assert!(happens_within(SOON, rests), "the process still works");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        if thread::panicking() {
            print_log(&self.log());
        }
    }
}

/// The answer that comes over a connection.
pub(crate) fn receive(stream: TcpStream) -> Value {
    receive_with(200, stream)
}

/// An answer that has this status.
pub(crate) fn receive_with(status: u16, stream: TcpStream) -> Value {
    let answer = read_answer(&mut BufReader::new(stream), true);
    assert_eq!(answer.status, status, "{}", answer.body);
    match serde_json::from_str(&answer.body) {
        Ok(answer) => answer,
        Err(error) => panic!("{error}: {}", answer.body),
    }
}

/// The code of an answer's first error.
pub(crate) fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
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
