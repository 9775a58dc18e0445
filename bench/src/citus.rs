//! Benchmark of Citus: one PostgreSQL beside clusters with one, two and four workers, all on this
//! machine, by the same operations: the statements that each sends, the shards and the servers that answer, latency
//! and requests a second.
//!
//! * `cluster`: a coordinator with its workers, and what they have executed
//! * `operations`: the requests

mod cluster;
mod operations;

use std::num::NonZeroU32;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value as Json;
use testkit::postgres::installations;

use crate::background::{Background, Stop};
use crate::http::Connection;
use crate::process;
use crate::program::{self, Program};
use crate::schema_size::failure::SizeError;
use crate::server::{self, Server};
use crate::statistics;
use cluster::Cluster;
use operations::{FIRST_NEW, OPERATIONS, Operation};

/// Numbers of workers; none is PostgreSQL without Citus.
const WORKERS: [usize; 4] = [0, 1, 2, 4];

/// Options of `citus`.
#[derive(Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// The time for which each operation is measured on each cluster.
    #[arg(long, value_name = "NUMBER", default_value = "5")]
    seconds: NonZeroU32,
    /// The number of concurrent clients.
    #[arg(long, value_name = "NUMBER", default_value = "8")]
    clients: NonZeroU32,
    /// Counts statements and shards, and measures no time.
    #[arg(long)]
    counts_only: bool,
    #[command(flatten)]
    program: Program,
}

/// A cluster that Thalweg serves.
struct Served {
    cluster: Cluster,
    server: Server,
}

/// Measurements of one client: the microseconds of its answers.
type Times = Result<Vec<f64>, SizeError>;

/// Measures and prints; false if an answer differs from that of PostgreSQL alone.
pub(crate) fn measure(options: &Options) -> Result<bool, SizeError> {
    let program = options.program.or_release()?;
    let all = installations();
    let has_citus = |own: &&testkit::postgres::Installation| cluster::has_citus(own);
    let installation = all.iter().find(has_citus).ok_or(SizeError::NoCitus)?;
    let folder = tempfile::tempdir()?;
    let mut served = Vec::new();
    for workers in WORKERS {
        let cluster = Cluster::start(installation, workers)?;
        let port = server::free_port()?;
        let mut command = program::serve(Command::new(&program), &cluster.url(), port);
        command.args(["--dialect", "hasura"]);
        let log = folder.path().join(workers.to_string());
        served.push(Served { cluster, server: Server::start(command, port, &log)? });
    }
    println!("| operation | workers | statements | of shards | results sent | servers |");
    println!("|---|---|---|---|---|---|");
    let mut are_equal = true;
    for operation in &OPERATIONS {
        let mut alone = None;
        for own in &served {
            let answer = count(own, operation)?;
            let expected = alone.get_or_insert_with(|| answer.clone());
            if answer != *expected {
                are_equal = false;
                println!("{}: {answer}\nand PostgreSQL alone: {expected}", operation.name);
            }
        }
    }
    if options.counts_only {
        return Ok(are_equal);
    }
    println!("\n| operation | workers | requests/s | p50 ms | p95 ms | CPU of Thalweg, ms |");
    println!("|---|---|---|---|---|---|");
    for operation in &OPERATIONS {
        for own in &served {
            load(own, operation, options)?;
        }
    }
    Ok(are_equal)
}

/// Sends an operation until its statements are planned for good, then once more, and prints what that
/// one request was for the servers. Returns its answer.
fn count(served: &Served, operation: &Operation) -> Result<Json, SizeError> {
    let mut connection = Connection::open(served.server.port)?;
    // Statements are planned for the values of their parameters a few times.
    for turn in 0..8 {
        ask(&mut connection, operation, FIRST_NEW + turn)?;
    }
    served.cluster.reset()?;
    let answer = ask(&mut connection, operation, FIRST_NEW + 8)?;
    let counts = served.cluster.counts()?;
    let workers = served.cluster.workers();
    println!(
        "| {} | {} | {} | {} | {} | {} |",
        operation.name,
        if workers == 0 { "–".to_owned() } else { workers.to_string() },
        counts.statements,
        counts.of_shards,
        counts.results,
        counts.servers
    );
    served.cluster.remove_new()?;
    Ok(answer)
}

/// Sends an operation by several clients for some seconds, and prints how fast it was answered.
fn load(
    served: &Served,
    operation: &'static Operation,
    options: &Options,
) -> Result<(), SizeError> {
    let port = served.server.port;
    let time = Duration::from_secs(options.seconds.get().into());
    let before = process::cpu_seconds(served.server.process())?;
    let started = Instant::now();
    let start = |client| Background::start(move |stop| ask_until(port, operation, client, stop));
    let clients: Vec<_> = (0..options.clients.get()).map(start).collect();
    thread::sleep(time);
    clients.iter().for_each(Background::stop);
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.finish().unwrap_or(Err(SizeError::Thread))?);
    }
    let seconds = started.elapsed().as_secs_f64();
    let cpu = process::cpu_seconds(served.server.process())? - before;
    #[expect(clippy::cast_precision_loss, reason = "a count of some seconds")]
    let count = times.len() as f64;
    let latency = statistics::latency(times);
    let workers = served.cluster.workers();
    println!(
        "| {} | {} | {:.0} | {:.1} | {:.1} | {:.2} |",
        operation.name,
        if workers == 0 { "–".to_owned() } else { workers.to_string() },
        count / seconds,
        latency.p50 / 1_000.0,
        latency.p95 / 1_000.0,
        cpu * 1_000.0 / count.max(1.0)
    );
    served.cluster.remove_new()?;
    Ok(())
}

fn ask_until(port: u16, operation: &Operation, client: u32, stop: &Stop) -> Times {
    let mut connection = Connection::open(port)?;
    let mut times = Vec::new();
    let mut number = FIRST_NEW + client * 1_000_000;
    while !stop.is_set() {
        let started = Instant::now();
        ask(&mut connection, operation, number)?;
        times.push(started.elapsed().as_secs_f64() * 1e6);
        number += 1;
    }
    Ok(times)
}

fn ask(connection: &mut Connection, operation: &Operation, number: u32) -> Result<Json, SizeError> {
    let answer = connection.ask(&operation.request(number))?;
    match answer.get("errors") {
        Some(errors) => Err(SizeError::Refused(format!("{}: {errors}", operation.name))),
        None => Ok(answer),
    }
}
