//! The bare loop over Neo4j, measured: a thread for each connection, a statement that the server
//! knows, its records read into values; no GraphQL, no JSON and no HTTP.
//!
//! A program of its own (`bench neo4j-floor`), so that its CPU is counted apart. What it prints is a
//! line of JSON, as that of the loop over SQLite.

use std::hint::black_box;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use procfs::process::Process;
use testkit::neo4j::{BoltError, Connection, Request};

use super::bare::Measured;
use super::driver;
use super::graph::{self, GraphFloor};
use crate::race::failure::RaceError;
use crate::race::suite::{choose, load, variables, without_floor};

/// As many as the servers are asked in turn.
const SETS: usize = 200;

/// How long the server is asked before anything is counted: Java compiles what is asked often.
pub(super) const WARM_UP: Duration = Duration::from_secs(1);

/// What is asked on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) suite: String,
    pub(crate) query: String,
    /// Of the server, on this machine.
    pub(crate) port: u16,
    pub(crate) connections: u32,
    pub(crate) seconds: u32,
    pub(crate) through: Through,
}

/// What the statement goes through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Through {
    /// Messages that are made once and sent as they are: less than any driver does.
    #[default]
    Bytes,
    /// The driver that Rust programs use.
    Neo4rs,
}

impl Through {
    /// As it is said on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Neo4rs => "neo4rs",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Bytes, Self::Neo4rs].into_iter().find(|through| through.name() == name)
    }
}

/// Runs the statement by all connections for so many seconds.
pub(crate) fn measure(bench: &Path, options: &Options) -> Result<Measured, RaceError> {
    let suites = load(bench)?;
    let (suite, query) = choose(&suites, &options.suite, &options.query)?;
    let floor = GraphFloor::read(suite, query)?
        .ok_or_else(|| without_floor("floor for Neo4j of", &options.query))?;
    let sets = variables::sets(&query.file.variables, SETS);
    if options.through == Through::Neo4rs {
        let measured = driver::measure(&floor.statement, &sets, options);
        return measured.map_err(|error| RaceError::file(&floor.path, &error));
    }
    let requests: Vec<Request> =
        sets.iter().map(|set| Request::new(&floor.statement, graph::parameters(set))).collect();
    let fail = |error: BoltError| RaceError::file(&floor.path, &error);
    let connections: Result<Vec<Connection>, BoltError> =
        (0..options.connections).map(|_| Connection::open(options.port, None)).collect();
    let mut connections = connections.map_err(fail)?;
    run(&mut connections, &requests, WARM_UP).map_err(fail)?;
    let before = cpu_seconds()?;
    let limit = Duration::from_secs(options.seconds.into());
    let mut measured = run(&mut connections, &requests, limit).map_err(fail)?;
    measured.cpu_seconds = cpu_seconds()? - before;
    measured.latencies.sort_by(f64::total_cmp);
    Ok(measured)
}

fn run(
    connections: &mut [Connection],
    requests: &[Request],
    limit: Duration,
) -> Result<Measured, BoltError> {
    let started = Instant::now();
    let count = connections.len().max(1);
    let all: Vec<Result<(Vec<f64>, u64), BoltError>> = thread::scope(|scope| {
        let running: Vec<_> = connections
            .iter_mut()
            .enumerate()
            .map(|(number, connection)| {
                // They do not all ask the same at the same time.
                let first = number * requests.len() / count;
                scope.spawn(move || ask(connection, requests, first, started + limit))
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap_or(Err(BoltError::Answer))).collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let (mut latencies, mut rows) = (Vec::new(), 0);
    for one in all {
        let (times, records) = one?;
        latencies.extend(times);
        rows += records;
    }
    let requests = latencies.len() as u64;
    Ok(Measured { seconds, requests, cpu_seconds: 0.0, latencies, rows: rows / requests.max(1) })
}

/// Asks by one connection, one request after the other; how long each took, in microseconds, and
/// how many records came.
fn ask(
    connection: &mut Connection,
    requests: &[Request],
    first: usize,
    end: Instant,
) -> Result<(Vec<f64>, u64), BoltError> {
    let (mut latencies, mut rows) = (Vec::new(), 0);
    for request in requests.iter().cycle().skip(first) {
        let asked = Instant::now();
        if asked >= end {
            break;
        }
        rows += black_box(connection.exchange(request)?).len() as u64;
        latencies.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    Ok((latencies, rows))
}

/// Of this process with all its threads, those that have ended too.
pub(super) fn cpu_seconds() -> Result<f64, RaceError> {
    let stat = Process::myself().and_then(|process| process.stat());
    let stat = stat.map_err(|error| RaceError::file("/proc/self/stat", &error))?;
    #[expect(clippy::cast_precision_loss, reason = "exact for centuries of ticks")]
    let seconds = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
    Ok(seconds)
}
