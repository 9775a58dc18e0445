//! The bare loop over Neo4j, measured: a thread for each connection, a statement that the server
//! knows, its records read into values; no GraphQL, no JSON and no HTTP.
//!
//! A program of its own (`bench neo4j-floor`), so that its CPU is counted apart. What it prints is a
//! line of JSON, as that of the loop over SQLite.

use std::hint::black_box;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use testkit::neo4j::{BoltError, Connection, Request};

use super::bare::{FloorOptions, Measured};
use super::driver;
use super::graph::{self, GraphFloor};
use crate::process;
use crate::race::failure::RaceError;
use crate::race::suite::{choose, load, variables, without_floor};

/// The number of sets of variables, as many as servers get.
const SETS: usize = 200;

/// The time of the warm-up: Java compiles code that runs often.
pub(super) const WARM_UP: Duration = Duration::from_secs(1);

/// Options of `neo4j-floor`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) floor: FloorOptions,
    /// Port of the server, on this machine.
    #[arg(long, value_name = "PORT")]
    pub(crate) port: u16,
    /// Number of connections.
    #[arg(long, value_name = "NUMBER", default_value_t = 16)]
    pub(crate) connections: u32,
    /// The client that sends the statement.
    #[arg(long, value_name = "CLIENT", default_value = "bytes")]
    pub(crate) through: Through,
}

/// The client that sends the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Through {
    /// Messages that are made once and sent unchanged: less than any driver does.
    Bytes,
    /// The driver that Rust programs use.
    Neo4rs,
}

impl Through {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Neo4rs => "neo4rs",
        }
    }
}

/// Runs the statement by all connections for so many seconds.
pub(crate) fn measure(bench: &Path, options: &Options) -> Result<Measured, RaceError> {
    let suites = load(bench)?;
    let (suite, query) = choose(&suites, &options.floor.suite, &options.floor.query)?;
    let floor = GraphFloor::read(suite, query)?
        .ok_or_else(|| without_floor("floor for Neo4j of", &options.floor.query))?;
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
    let mut run = |limit| run(&mut connections, &requests, limit).map_err(fail);
    run(WARM_UP)?;
    Measured::of(cpu_seconds, || run(Duration::from_secs(options.floor.seconds.into())))
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
    Ok(Measured::of_connections(seconds, all.into_iter().collect::<Result<_, _>>()?))
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

/// The CPU seconds of this process.
pub(super) fn cpu_seconds() -> Result<f64, RaceError> {
    let own = std::process::id();
    process::cpu_seconds(own).map_err(|error| RaceError::file("/proc/self/stat", &error))
}
