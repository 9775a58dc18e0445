//! Whole reports of the sample run.

mod figures;
mod files;

use super::aggregate::aggregate;
use super::folder::Folder;
use super::sample;
use super::summary::Report;
use crate::race::record::{Measurement, Run};

/// The sample of some queries only.
fn report(run: Run, keep: impl Fn(&Measurement) -> bool) -> Report {
    let measurements = sample::measurements().into_iter().filter(keep).collect();
    let (name, notes) = ("sample".to_owned(), Vec::new());
    aggregate(Folder { name, run, measurements, starts: sample::starts(), notes })
}

fn whole() -> Report {
    report(sample::run(), |_| true)
}
