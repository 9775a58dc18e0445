//! The cost of documents that are sent once: CPU seconds of each, the memory of many, and the latency
//! of a known request beside them.
//!
//! * `figures`: the results as tables

mod figures;

use std::num::NonZeroU32;
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::background::Background;
use crate::http::Connection;
use crate::process::{cpu_seconds, resident};
use crate::program::{self, Program};
use crate::schema_size::database::{Family, Place};
use crate::schema_size::failure::SizeError;
use crate::schema_size::operations::{self, Dialect, Operation, ask};
use crate::schema_size::synthetic;
use crate::server::{self, Server};
use figures::{Figures, Kind, Latencies};

/// The schema is small: what a document costs does not depend on it.
const TABLES: usize = 10;

/// The number of requests by which cost and latency of a known document are measured.
const KNOWN: u32 = 2_000;

/// The number of readings of the memory.
const LOOKS: u32 = 10;

/// Options of `documents`.
#[derive(Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Number of documents that are sent.
    #[arg(long, value_name = "NUMBER", default_value = "100000")]
    pub(crate) number: NonZeroU32,
    #[command(flatten)]
    pub(crate) program: Program,
}

/// Measures and prints.
pub(crate) fn documents(options: &Options) -> Result<bool, SizeError> {
    let program = options.program.or_release()?;
    let place = Place::new(Family::Postgres)?;
    let address = place.create("documents", synthetic::scripts(Family::Postgres, TABLES))?;
    let folder = tempfile::tempdir()?;
    let port = server::free_port()?;
    let command = program::serve(Command::new(&program), &address, port);
    let server = Server::start(command, port, &folder.path().join("log"))?;
    print!("{}", measure(&server, options.number.get())?.text());
    Ok(true)
}

fn measure(server: &Server, number: u32) -> Result<Figures, SizeError> {
    let process = server.process();
    let mut connection = Connection::open(server.port)?;
    let all = Dialect::PostGraphile.warm();
    let mut kinds = Vec::new();
    for operation in &all {
        let body = operation.body();
        ask(&mut connection, &body)?;
        let known = spent(process, KNOWN, |_| ask(&mut connection, &body).map(drop))?;
        kinds.push(Kind { name: operation.name, known, new: 0.0 });
    }
    let alone = latencies(server.port, &all[0].body(), |count| count >= KNOWN)?;
    let mut memory = vec![(0, resident(process)? / 1_024)];
    // The first half alone, form by form, for their cost.
    let share = (number / 2).div_ceil(u32::try_from(all.len()).unwrap_or(1));
    let mut sent = 0;
    for (operation, kind) in all.iter().zip(&mut kinds) {
        let bodies = |index| once(operation, sent + index);
        kind.new = spent(process, share, |index| ask(&mut connection, &bodies(index)).map(drop))?;
        sent += share;
        memory.push((sent, resident(process)? / 1_024));
    }
    // The second half beside a request that is known.
    let (port, body) = (server.port, all[0].body());
    let known = Background::start(move |stop| latencies(port, &body, |_| stop.is_set()));
    let step = (number.saturating_sub(sent) / LOOKS).max(1);
    while sent < number {
        let operation = &all[sent as usize % all.len()];
        ask(&mut connection, &once(operation, sent))?;
        sent += 1;
        if sent.is_multiple_of(step) {
            memory.push((sent, resident(process)? / 1_024));
        }
    }
    let beside = known.finish().unwrap_or(Err(SizeError::Thread))?;
    Ok(Figures { kinds, memory, alone, beside })
}

/// CPU microseconds for each of so many.
fn spent(
    process: u32,
    number: u32,
    mut send: impl FnMut(u32) -> Result<(), SizeError>,
) -> Result<f64, SizeError> {
    let before = cpu_seconds(process)?;
    for index in 0..number {
        send(index)?;
    }
    Ok((cpu_seconds(process)? - before) * 1e6 / f64::from(number))
}

/// The operation under a name that no other document has.
fn once(operation: &Operation, number: u32) -> String {
    let named = operation.query.replacen("query (", &format!("query once{number:07} ("), 1);
    operations::body(&named, &operation.variables)
}

/// Asks on a connection of its own until it is enough.
fn latencies(
    port: u16,
    body: &str,
    is_enough: impl Fn(u32) -> bool,
) -> Result<Latencies, SizeError> {
    let mut connection = Connection::open(port)?;
    let mut all = Vec::new();
    let mut count = 0;
    while !is_enough(count) {
        let started = Instant::now();
        ask(&mut connection, body)?;
        all.push(started.elapsed());
        count += 1;
    }
    Ok(Latencies::of(&all))
}
