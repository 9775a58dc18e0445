//! Long answers: when they begin, what they hold in memory, and what slow readers do to others.
//!
//! * `whole`: readers that take everything at once
//! * `slow`: one that is slow, and one that leaves
//! * `many`: forty that are slow, beside short requests

mod many;
mod slow;
mod whole;

use std::num::NonZeroU32;

use super::failure::LongError;
use super::figure::{Findings, Target};
use super::store::Store;
use super::{Bench, say};

/// Milliseconds.
const FIRST_BYTE: Target = Target::Below(50.0);
/// Mebibytes.
const MEMORY: Target = Target::AtMost(64.0);
/// Milliseconds, of short requests.
const LATENCY: Target = Target::Below(50.0);
/// Seconds, from the end of a connection to that of its statement.
const ENDED: Target = Target::AtMost(1.0);
const NONE: Target = Target::Exactly(0.0);

/// All of it, on one source.
pub(super) fn measure(
    bench: &Bench<'_>,
    store: &Store,
    stall_timeout: NonZeroU32,
    findings: &mut Findings,
) -> Result<(), LongError> {
    let tell = |text: &str| say("streaming", &format!("{}: {text}", store.source().title()));
    tell("long answers");
    whole::measure(bench, store, findings)?;
    tell("a slow reader, and one that leaves");
    slow::measure(bench, store, stall_timeout, findings)?;
    tell("forty slow readers");
    many::measure(bench, store, findings)
}

#[expect(clippy::cast_precision_loss, reason = "no process has that much memory")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
