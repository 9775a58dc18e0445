//! The bare loop over SQLite, measured: one thread, one connection, no JSON and no HTTP.
//!
//! A program of its own (`bench sqlite-floor`), so that its CPU and memory are counted as a
//! server's are. What it prints is a line of JSON, a [`Measured`].

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use super::nested::{self, Loops};
use super::{Floor, RaceError};
use crate::race::data;
use crate::race::suite::{Source, choose, load, variables, without_floor};

/// Of the answers, those whose time is taken: asking the clock each time would slow the floor.
const SAMPLED: u64 = 16;

/// As many as the servers are asked in turn.
const SETS: usize = 1_000;

/// How long the file is read before anything is counted.
const WARM_UP: Duration = Duration::from_millis(200);

/// What is asked on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) suite: String,
    pub(crate) query: String,
    pub(crate) file: PathBuf,
    pub(crate) seconds: u32,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) requests: u64,
    /// Of this process while it was measured.
    pub(crate) cpu_seconds: f64,
    /// Of a sixteenth of the answers, in microseconds, in order.
    pub(crate) latencies: Vec<f64>,
    /// Of each answer.
    pub(crate) rows: u64,
}

/// Runs the loop for so many seconds.
pub(crate) fn measure(bench: &Path, options: &Options) -> Result<Measured, RaceError> {
    let suites = load(bench)?;
    let (suite, query) = choose(&suites, &options.suite, &options.query)?;
    let Some(floor) = Floor::read(suite, query, Source::Sqlite)? else {
        return Err(without_floor("floor for SQLite of", &options.query));
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
    let limit = Duration::from_secs(options.seconds.into());
    run(&mut loops, &values, WARM_UP).map_err(fail)?;
    let before = cpu_seconds()?;
    let mut measured = run(&mut loops, &values, limit).map_err(fail)?;
    measured.cpu_seconds = cpu_seconds()? - before;
    measured.latencies.sort_by(f64::total_cmp);
    Ok(measured)
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

/// Of this process, whose only thread measures: nanoseconds by the scheduler.
fn cpu_seconds() -> Result<f64, RaceError> {
    let path = "/proc/self/schedstat";
    let text = fs::read_to_string(path).map_err(|error| RaceError::file(path, &error))?;
    let first = text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    first.map(|nanoseconds| nanoseconds / 1e9).ok_or_else(|| RaceError::file(path, &text))
}
