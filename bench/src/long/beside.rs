//! Short requests beside statements of two seconds.

mod long_statement;

use std::time::Duration;

use super::failure::LongError;
use super::figure::{Findings, Target, Unit};
use super::small::Small;
use super::store::Store;
use super::{Bench, say};
use long_statement::{LongClients, LongStatement};

const QUERIES: [&str; 2] = ["artistById", "prisma_deeplyNested"];
/// Numbers of concurrent statements.
const NUMBERS: [usize; 2] = [1, 4];
/// Milliseconds.
const MAX: Target = Target::Below(50.0);

/// All of it, on one source.
pub(super) fn measure(
    bench: &Bench<'_>,
    store: &Store,
    findings: &mut Findings,
) -> Result<(), LongError> {
    let tell = |text: &str| say("beside", &format!("{}: {text}", store.source().title()));
    let server = bench.program.serve(store, &[])?;
    let processes = store.processes(server.process());
    let kinds = LongStatement::of(store.source(), server.port)?;
    let pace = bench.pace();
    for query in QUERIES {
        let small = Small::ask(&bench.shop, query, server.port)?;
        let target = small.target(server.port, processes);
        tell(&format!("{} alone", small.query));
        pace.warm_up(&target)?;
        let alone = pace.measure(&target)?;
        findings.loops(query, &[("alone", &alone, None)]);
        for kind in &kinds {
            for number in NUMBERS {
                let part = format!("{query} beside {number} × {}", kind.title());
                tell(&part);
                let clients = LongClients::start(server.port, kind, number);
                let measured = pace.measure(&target);
                let asked = clients.finish();
                let beside = measured?;
                findings.loops(&part, &[("beside", &beside, Some(MAX))]);
                if beside.failures > 0 {
                    let problem = format!("{} short requests failed", beside.failures);
                    findings.wrong(&part, &problem);
                }
                for problem in &asked.problems {
                    findings.wrong(&part, problem);
                }
                let seconds = |time: Option<&Duration>| time.map_or(0.0, Duration::as_secs_f64);
                let (least, most) = (asked.times.iter().min(), asked.times.iter().max());
                #[expect(clippy::cast_precision_loss, reason = "there are some")]
                let count = asked.times.len() as f64;
                findings.add(&part, "long answers", count, Unit::Count);
                findings.add(&part, "the fastest of them", seconds(least), Unit::Seconds);
                findings.add(&part, "the slowest of them", seconds(most), Unit::Seconds);
            }
        }
    }
    Ok(())
}
