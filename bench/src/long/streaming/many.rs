//! Forty slow readers, and short requests beside them.

use std::thread;
use std::time::{Duration, Instant};

use super::{ENDED, LATENCY, MEMORY, NONE, mebibytes};
use crate::long::Bench;
use crate::long::answer::Long;
use crate::long::failure::LongError;
use crate::long::figure::{Findings, Target, Unit};
use crate::long::reader::SlowReader;
use crate::long::small::Small;
use crate::long::store::Store;
use crate::race::usage::Watch;

const READERS: u32 = 40;
/// Half of the connections serve long answers, of two threads or of four: so that all forty are
/// read at once wherever their connections come to lie.
const CONNECTIONS: &str = "160";
/// Longer than anything here takes: the readers shall go on to read.
const STALL: (&str, &str) = ("--stall-timeout", "10m");
/// Until every reader has the beginning of its answer, or a refusal.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

pub(super) fn measure(
    bench: &Bench<'_>,
    store: &Store,
    findings: &mut Findings,
) -> Result<(), LongError> {
    let part = format!("40 slow readers, with --connections {CONNECTIONS}");
    let served = Target::Exactly(f64::from(READERS));
    let options = [("--connections", CONNECTIONS), STALL];
    measure_one(bench, store, &options, Some(served), &part, findings)?;
    let part = "40 slow readers, with the connections there are by default";
    measure_one(bench, store, &[STALL], None, part, findings)
}

fn measure_one(
    bench: &Bench<'_>,
    store: &Store,
    options: &[(&str, &str)],
    served: Option<Target>,
    part: &str,
    findings: &mut Findings,
) -> Result<(), LongError> {
    let server = bench.program.serve(store, options)?;
    let processes = store.processes(server.process());
    let small = Small::ask(&bench.shop, "artistById", server.port)?;
    let target = small.target(server.port, processes);
    let pace = bench.pace();
    pace.warm_up(&target)?;
    let alone = pace.measure(&target)?;

    let watch = Watch::start(processes)?;
    let body = Long::Flat.body();
    let readers = (0..READERS).map(|_| SlowReader::start(server.port, &body));
    let readers = readers.collect::<Result<Vec<_>, _>>()?;
    let end = Instant::now() + PATIENCE;
    while readers.iter().any(|reader| reader.status().is_none()) && Instant::now() < end {
        thread::sleep(PAUSE);
    }
    let begun = watch.finish()?.peak_memory;
    let beside = pace.measure(&target)?;
    let count = |status: u16| {
        let with = readers.iter().filter(|reader| reader.status() == Some(status));
        with.filter(|reader| status != 200 || reader.ended().is_none()).count()
    };
    #[expect(clippy::cast_precision_loss, reason = "there are forty")]
    let [reading, refused] = [200, 503].map(|status| count(status) as f64);
    match served {
        Some(target) => findings.judge(part, "are being read", reading, Unit::Count, target),
        None => findings.add(part, "are being read", reading, Unit::Count),
    }
    let rest = f64::from(READERS) - reading;
    let target = Target::Exactly(rest);
    findings.judge(part, "are told to come again (503)", refused, Unit::Count, target);
    drop(readers);
    let ended = store.wait_until_read(false, PATIENCE)?;

    findings.loops(part, &[("alone", &alone, None), ("beside", &beside, Some(LATENCY))]);
    #[expect(clippy::cast_precision_loss, reason = "fewer than a double counts")]
    let failures = beside.failures as f64;
    findings.judge(part, "failures, beside", failures, Unit::Count, NONE);
    if beside.failures > 0 {
        findings.wrong(part, &format!("{} short requests beside them failed", beside.failures));
    }
    let alone = mebibytes(alone.peak_memory);
    findings.add(part, "memory, short requests alone", alone, Unit::Mebibytes);
    let peak = mebibytes(begun.max(beside.peak_memory));
    findings.judge(part, "memory, with the readers", peak, Unit::Mebibytes, MEMORY);
    let name = "all statements have ended so long after they left";
    let ended = ended.map(|time| time.as_secs_f64());
    findings.judge(part, name, ended, Unit::Seconds, ENDED);
    Ok(())
}
