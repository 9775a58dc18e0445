//! Readers that take a long answer as fast as it comes.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{FIRST_BYTE, MEMORY, mebibytes};
use crate::http::{Connection, Timed};
use crate::long::Bench;
use crate::long::answer::Long;
use crate::long::failure::LongError;
use crate::long::figure::{Findings, Unit};
use crate::long::store::Store;
use crate::race::usage::Watch;
use crate::server::Server;

/// The number of repetitions of each request.
const AGAIN: u32 = 4;

/// Both long answers, of a server that has seen neither.
pub(super) fn measure(
    bench: &Bench<'_>,
    store: &Store,
    findings: &mut Findings,
) -> Result<(), LongError> {
    for long in [Long::Flat, Long::Nested] {
        let server = bench.program.serve(store, &[])?;
        measure_one(&server, store, long, findings)?;
    }
    Ok(())
}

fn measure_one(
    server: &Server,
    store: &Store,
    long: Long,
    findings: &mut Findings,
) -> Result<(), LongError> {
    let part = long.title();
    let watch = Watch::start(store.processes(server.process()))?;
    let mut connection = Connection::open(server.port)?;
    let first = connection.post_timed(&long.body())?;
    let mut later: Vec<Timed> = Vec::new();
    for _ in 0..AGAIN {
        later.push(connection.post_timed(&long.body())?);
    }
    let peak = watch.finish()?.peak_memory;
    let body = &first.answer.body;
    let rows = long.check(body).unwrap_or_else(|problem| {
        findings.wrong(part, &format!("the answer {problem}"));
        0
    });
    if later.iter().any(|other| other.answer.body != *body) {
        findings.wrong(part, "the same request has another answer");
    }
    // Of the next source, too: the rows are the same.
    let digest = Sha256::digest(body).to_vec();
    let expected = findings.expect(part, digest.clone());
    if expected != digest {
        findings.wrong(part, "the answer is another one than that of the source before");
    }
    let slowest = |of: fn(&Timed) -> Duration| later.iter().map(of).max().unwrap_or_default();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let first_byte = milliseconds(first.first_byte);
    let later_byte = milliseconds(slowest(|timed| timed.first_byte));
    findings.judge(part, "first byte, first request", first_byte, Unit::Milliseconds, FIRST_BYTE);
    let name = "first byte, slowest of four later";
    findings.judge(part, name, later_byte, Unit::Milliseconds, FIRST_BYTE);
    findings.add(part, "all of it, first request", first.whole.as_secs_f64(), Unit::Seconds);
    let whole = slowest(|timed| timed.whole).as_secs_f64();
    findings.add(part, "all of it, slowest of four later", whole, Unit::Seconds);
    #[expect(clippy::cast_precision_loss, reason = "fewer than a double counts")]
    let (bytes, rows) = (body.len() as f64, rows as f64);
    findings.add(part, "bytes", bytes, Unit::Bytes);
    findings.add(part, "rows whose values are right", rows, Unit::Count);
    findings.judge(part, "memory", mebibytes(peak), Unit::Mebibytes, MEMORY);
    Ok(())
}
