//! Start, statements and memory of a server.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::database::Place;
use super::failure::SizeError;
use super::operations::{self, INTROSPECTION, ask};
use super::report::Growth;
use super::{Subject, progress};
use crate::http::Connection;
use crate::process::{cpu_seconds, resident};

/// Rounds of requests after the whole schema was asked for, with pauses between them.
const LATER: usize = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Starts a server over a database and asks it for rows, then for its schema.
pub(super) fn measure(
    subject: &Subject<'_>,
    place: &Place,
    tables: usize,
    address: &str,
) -> Result<Growth, SizeError> {
    progress(&format!("{}: starting on {tables} tables", subject.name()));
    let logged = place.logged_statements()?;
    let folder = tempfile::tempdir()?;
    let server = subject.start(&[], address, folder.path())?;
    let start_cpu_seconds = cpu_seconds(server.process())?;
    let logged_then = place.logged_statements()?;
    let mut connection = Connection::open(server.port)?;
    for operation in subject.dialect.warm() {
        ask(&mut connection, &operation.body())?;
    }
    let kilobytes = resident(server.process())? / 1_024;
    let introspection = operations::body(INTROSPECTION, &Json::Null);
    let begin = Instant::now();
    let schema = ask(&mut connection, &introspection)?;
    let introspection_seconds = begin.elapsed().as_secs_f64();
    // An allocator gives memory back when some is asked for later.
    for _ in 0..LATER {
        thread::sleep(PAUSE);
        for operation in subject.dialect.warm() {
            ask(&mut connection, &operation.body())?;
        }
    }
    Ok(Growth {
        source: subject.family.name(),
        dialect: subject.dialect.name(),
        tables,
        start_seconds: server.start_time.as_secs_f64(),
        start_cpu_seconds,
        statements: logged_then.zip(logged).map(|(then, before)| then.saturating_sub(before)),
        kilobytes,
        introspection_seconds,
        introspection_bytes: schema.len(),
        kilobytes_after_introspection: resident(server.process())? / 1_024,
    })
}
