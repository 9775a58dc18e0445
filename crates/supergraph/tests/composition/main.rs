//! Composition of subgraphs. One program without the usual harness, since most of its tests are
//! found when it runs.
//!
//! * [`case`]: the case files of `tests/cases`, each a few subgraphs with the codes of their findings
//! * [`manual`]: the page of the codes
//! * [`peers`]: the same cases and random subgraphs, beside the composers of `tests/composers`
//! * [`random`]: random subgraphs by seed

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "whoever runs the comparisons reads their sums"
)]

mod case;
mod manual;
mod peers;
mod random;

use std::error::Error;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for file in case::find()? {
        let name = file.name();
        trials.push(Trial::test(name, move || file.check()));
    }
    trials.extend(manual::trials());
    trials.extend(peers::trials());
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}
