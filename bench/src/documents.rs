//! What documents cost that are sent once: CPU seconds of each, the memory of many, and whether a
//! request that is known waits for them.
//!
//! * `figures`: the results as tables

mod figures;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::http::Connection;
use crate::schema_size::database::{Family, Folder, Place};
use crate::schema_size::failure::SizeError;
use crate::schema_size::memory::{cpu_seconds, resident_kilobytes};
use crate::schema_size::operations::{self, Dialect, Operation, ask};
use crate::schema_size::{self, synthetic};
use crate::server::{self, Server};
use figures::{Figures, Kind, Latency};

/// The schema is small: what a document costs does not depend on it.
const TABLES: usize = 10;

/// How often a known document is sent for its cost and its latency.
const KNOWN: u32 = 2_000;

/// How often the memory is looked at.
const LOOKS: u32 = 10;

/// What is asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How many documents are sent.
    pub(crate) number: NonZeroU32,
    /// What is measured instead of the release build.
    pub(crate) program: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { number: NonZeroU32::MIN.saturating_add(99_999), program: None }
    }
}

/// Measures and prints.
pub(crate) fn documents(options: &Options) -> Result<bool, SizeError> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => schema_size::release()?,
    };
    let place = Place::new(Family::Postgres)?;
    let address = place.create("documents", synthetic::scripts(Family::Postgres, TABLES))?;
    let folder = Folder::new()?;
    let port = server::free_port()?;
    let mut command = Command::new(&program);
    command.args(["serve", &address, "--listen", &format!("127.0.0.1:{port}")]);
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
    let alone = latencies(server.port, &all[0], |count| count >= KNOWN)?;
    let mut memory = vec![(0, resident_kilobytes(process)?)];
    // The first half alone, form by form, for their cost.
    let share = (number / 2).div_ceil(u32::try_from(all.len()).unwrap_or(1));
    let mut sent = 0;
    for (operation, kind) in all.iter().zip(&mut kinds) {
        let bodies = |index| once(operation, sent + index);
        kind.new = spent(process, share, |index| ask(&mut connection, &bodies(index)).map(drop))?;
        sent += share;
        memory.push((sent, resident_kilobytes(process)?));
    }
    // The second half beside a request that is known.
    let is_done = AtomicBool::new(false);
    let beside = thread::scope(|scope| {
        let known =
            scope.spawn(|| latencies(server.port, &all[0], |_| is_done.load(Ordering::Relaxed)));
        let mut send_rest = || {
            let step = (number.saturating_sub(sent) / LOOKS).max(1);
            while sent < number {
                let operation = &all[sent as usize % all.len()];
                ask(&mut connection, &once(operation, sent))?;
                sent += 1;
                if sent.is_multiple_of(step) {
                    memory.push((sent, resident_kilobytes(process)?));
                }
            }
            Ok::<_, SizeError>(())
        };
        let outcome = send_rest();
        is_done.store(true, Ordering::Relaxed);
        let known = known.join().unwrap_or(Err(SizeError::Memory))?;
        outcome.map(|()| known)
    })?;
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

/// The same operation under a name that no other document has.
fn once(operation: &Operation, number: u32) -> String {
    let named = operation.query.replacen("query (", &format!("query once{number:07} ("), 1);
    operations::body(&named, &operation.variables)
}

/// Asks on a connection of its own until it is enough.
fn latencies(
    port: u16,
    operation: &Operation,
    is_enough: impl Fn(u32) -> bool,
) -> Result<Latency, SizeError> {
    let mut connection = Connection::open(port)?;
    let body = operation.body();
    let mut all = Vec::new();
    let mut count = 0;
    while !is_enough(count) {
        let started = Instant::now();
        ask(&mut connection, &body)?;
        all.push(started.elapsed());
        count += 1;
    }
    Ok(Latency::of(all))
}
