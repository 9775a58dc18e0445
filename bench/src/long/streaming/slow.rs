//! A reader that takes a few kilobytes a second, and one that leaves.

use std::num::NonZeroU32;
use std::thread;
use std::time::{Duration, Instant};

use super::{ENDED, LATENCY, MEMORY, NONE, mebibytes};
use crate::http::Connection;
use crate::long::Bench;
use crate::long::answer::Long;
use crate::long::failure::LongError;
use crate::long::figure::{Findings, Target, Unit};
use crate::long::reader::SlowReader;
use crate::long::small::{PATH, Small};
use crate::long::store::Store;
use crate::race::usage::Watch;
use crate::statistics;

/// The most time for events that should come soon.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two short requests.
const PAUSE: Duration = Duration::from_millis(5);

pub(super) fn measure(
    bench: &Bench<'_>,
    store: &Store,
    stall: NonZeroU32,
    findings: &mut Findings,
) -> Result<(), LongError> {
    let server = bench.program.serve(store, &[("--stall-timeout", &format!("{stall}s"))])?;
    let small = Small::ask(&bench.shop, "artistById", server.port)?;
    let watch = Watch::start(store.processes(server.process()))?;

    let part = format!("a reader of 4 kB/s, with --stall-timeout {stall}s");
    let reader = SlowReader::start(server.port, &Long::Flat.body())?;
    if store.wait_until_read(true, PATIENCE)?.is_none() {
        findings.wrong(&part, "no statement runs in the database");
    }
    let patience = Duration::from_secs(u64::from(stall.get()) * 3) + PATIENCE;
    let beside = ask_until(server.port, &small, patience, || reader.ended().is_some())?;
    let ended = store.wait_until_read(false, PATIENCE)?;
    let seconds = |time: Duration| time.as_secs_f64();
    // Until the buffers on the way are full it takes what it is sent.
    let limit = Target::AtMost(f64::from(stall.get()) * 2.0 + 1.0);
    findings.judge(&part, "aborted after", reader.ended().map(seconds), Unit::Seconds, limit);
    let name = "its statement has ended so long after";
    let ended = reader.ended().and(ended);
    findings.judge(&part, name, ended.map(seconds), Unit::Seconds, ENDED);
    #[expect(clippy::cast_precision_loss, reason = "some kilobytes")]
    let bytes = reader.bytes() as f64;
    findings.add(&part, "bytes that it has taken", bytes, Unit::Bytes);
    beside.report(&part, findings);
    drop(reader);

    let part = "a reader that leaves";
    let reader = SlowReader::start(server.port, &Long::Flat.body())?;
    if store.wait_until_read(true, PATIENCE)?.is_none() {
        findings.wrong(part, "no statement runs in the database");
    }
    drop(reader);
    let ended = store.wait_until_read(false, PATIENCE)?;
    let name = "its statement has ended so long after";
    findings.judge(part, name, ended.map(seconds), Unit::Seconds, ENDED);
    let peak = mebibytes(watch.finish()?.peak_memory);
    findings.judge("a slow reader, then one that leaves", "memory", peak, Unit::Mebibytes, MEMORY);
    Ok(())
}

/// Short requests, one after the other.
struct Beside {
    /// Microseconds.
    times: Vec<f64>,
    failures: u32,
}

impl Beside {
    fn report(self, part: &str, findings: &mut Findings) {
        if self.failures > 0 {
            findings.wrong(part, &format!("{} short requests beside it failed", self.failures));
        }
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let count = self.times.len() as f64;
        let latency = statistics::latency(self.times);
        findings.add(part, "short requests beside it", count, Unit::Count);
        findings.add(part, "their median", latency.p50 / 1e3, Unit::Milliseconds);
        findings.judge(part, "their maximum", latency.max / 1e3, Unit::Milliseconds, LATENCY);
        let failures = f64::from(self.failures);
        findings.judge(part, "their failures", failures, Unit::Count, NONE);
    }
}

/// Asks until something has come, or patience ends.
fn ask_until(
    port: u16,
    small: &Small,
    patience: Duration,
    is_over: impl Fn() -> bool,
) -> Result<Beside, LongError> {
    let mut connection = Connection::open(port)?;
    let mut beside = Beside { times: Vec::new(), failures: 0 };
    let Some(question) = small.question() else { return Ok(beside) };
    let end = Instant::now() + patience;
    while !is_over() && Instant::now() < end {
        let started = Instant::now();
        let answer = connection.post_to(PATH, &question.body)?;
        beside.times.push(started.elapsed().as_secs_f64() * 1e6);
        let is_answered = answer.status == 200 && question.answer.as_ref() == Some(&answer.body);
        beside.failures += u32::from(!is_answered);
        thread::sleep(PAUSE);
    }
    Ok(beside)
}
