//! The bare loop over SQLite, measured: one thread, one connection, no JSON and no HTTP.
//!
//! A program of its own (`bench sqlite-floor`), so that its CPU and memory are counted as a
//! server's are. What it prints is a line of JSON, a [`Measured`].

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use super::nested::{self, Loops};
use super::{Floor, RaceError};
use crate::race::data;
use crate::race::suite::{Source, choose, load, variables, without_floor};

/// One answer in so many is timed: reading the clock each time would slow the floor.
const SAMPLED: u64 = 16;

/// The number of sets of variables, as many as servers get.
const SETS: usize = 1_000;

/// The time for which the file is read before anything is counted.
const WARM_UP: Duration = Duration::from_millis(200);

/// Options of every loop.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[group(id = "floor")]
pub(crate) struct FloorOptions {
    /// A folder of bench/suites.
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: String,
    /// One of its queries.
    #[arg(long, value_name = "QUERY")]
    pub(crate) query: String,
    /// Length of the measurement.
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub(crate) seconds: u32,
}

/// Options of `sqlite-floor`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) floor: FloorOptions,
    /// An SQLite file; it is made with the suite's rows if it does not exist.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// The result of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) requests: u64,
    /// CPU of this process during the measurement.
    pub(crate) cpu_seconds: f64,
    /// Latencies of a sixteenth of the answers, in microseconds, in order.
    pub(crate) latencies: Vec<f64>,
    /// Rows of each answer.
    pub(crate) rows: u64,
}

/// Runs the loop for so many seconds.
pub(crate) fn measure(bench: &Path, options: &Options) -> Result<Measured, RaceError> {
    let suites = load(bench)?;
    let (suite, query) = choose(&suites, &options.floor.suite, &options.floor.query)?;
    let Some(floor) = Floor::read(suite, query, Source::Sqlite)? else {
        return Err(without_floor("floor for SQLite of", &options.floor.query));
    };
    let fail = |error: nested::LoopError| RaceError::file(&floor.path, &error);
    let sets = variables::sets(&query.file.variables, SETS);
    if !options.file.exists() {
        data::fill_sqlite(suite, None, &options.file)?;
    }
    let connection =
        nested::open(&options.file, floor.script.writes).map_err(|error| fail(error.into()))?;
    let first = sets.first().cloned().unwrap_or_default();
    let mut loops = Loops::prepare(&floor.script, &connection, &first).map_err(fail)?;
    let values: Vec<Vec<Option<i64>>> = sets.iter().map(nested::values).collect();
    let limit = Duration::from_secs(options.floor.seconds.into());
    let mut run = |limit| run(&mut loops, &values, limit).map_err(fail);
    run(WARM_UP)?;
    Measured::of(cpu_seconds, || run(limit))
}

impl Measured {
    /// Runs a loop, and counts its CPU.
    pub(super) fn of<E>(
        cpu_seconds: impl Fn() -> Result<f64, E>,
        run: impl FnOnce() -> Result<Self, E>,
    ) -> Result<Self, E> {
        let before = cpu_seconds()?;
        let mut measured = run()?;
        measured.cpu_seconds = cpu_seconds()? - before;
        measured.latencies.sort_by(f64::total_cmp);
        Ok(measured)
    }

    /// The latencies and the number of rows of each connection, in microseconds.
    pub(super) fn of_connections(seconds: f64, all: Vec<(Vec<f64>, u64)>) -> Self {
        let rows: u64 = all.iter().map(|(_, rows)| rows).sum();
        let latencies: Vec<f64> = all.into_iter().flat_map(|(times, _)| times).collect();
        let requests = latencies.len() as u64;
        Self { seconds, requests, cpu_seconds: 0.0, latencies, rows: rows / requests.max(1) }
    }
}

fn run(
    loops: &mut Loops<'_>,
    values: &[Vec<Option<i64>>],
    limit: Duration,
) -> Result<Measured, nested::LoopError> {
    let mut latencies = Vec::new();
    let mut requests = 0;
    let mut rows = 0_u64;
    let started = Instant::now();
    let mut seconds = Duration::ZERO;
    for values in values.iter().cycle() {
        let sampled = requests % SAMPLED == 0;
        let asked = sampled.then(Instant::now);
        loops.run(values, &mut |_, row| {
            rows += 1;
            touch(row)
        })?;
        requests += 1;
        if let Some(asked) = asked {
            latencies.push(asked.elapsed().as_secs_f64() * 1e6);
            seconds = started.elapsed();
            if seconds >= limit {
                break;
            }
        }
    }
    let seconds = seconds.as_secs_f64();
    let rows = rows / requests.max(1);
    Ok(Measured { seconds, requests, cpu_seconds: 0.0, latencies, rows })
}

/// Reads each value as whoever writes an answer must: the integer, or the bytes of the text.
fn touch(row: &rusqlite::Row<'_>) -> rusqlite::Result<()> {
    for column in 0..row.as_ref().column_count() {
        match row.get_ref(column)? {
            ValueRef::Integer(integer) => drop(black_box(integer)),
            ValueRef::Real(real) => drop(black_box(real)),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => drop(black_box(bytes)),
            ValueRef::Null => {}
        }
    }
    Ok(())
}

/// CPU of this process, whose only thread measures: the scheduler counts nanoseconds.
fn cpu_seconds() -> Result<f64, RaceError> {
    let path = "/proc/self/schedstat";
    let text = fs::read_to_string(path).map_err(|error| RaceError::file(path, &error))?;
    let first = text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    first.map(|nanoseconds| nanoseconds / 1e9).ok_or_else(|| RaceError::file(path, &text))
}
